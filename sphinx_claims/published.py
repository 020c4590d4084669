"""What was published of each claim, in claims/published.yml: all that the ledger says of it, and its evidence.

What moved since is a line of the build, with the old and the new words, until it is published anew: so no statement
moves away from its check, its proof or its verdict without somebody who looks. A sentence beside what a proof assistant
prints is a part of its claim; what belongs to no claim, such as a definition, has a block of its own, "Coq coord".
"""

import datetime
import hashlib
import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any

from .claims import Claim, in_line, machine_checked, read_yaml
from .ledger import Ledger
from .record import LedgerError
from .settings import Settings

Block = dict[str, Any]
Blocks = dict[str, Block]

# What a claim says, and what a proof assistant says beside it: `changed` is the date on which `publish` last saw one of
# these move.
OF_CLAIM = ("statement", "printed", "witness", "corrected", "withdrawn")
SAID = (*OF_CLAIM, "formula", "part", "coq")
# What else is published word for word, in the order of the file. Where a claim stands may change: its page, its box.
NAMES = ("label", "kind", "source", "verdict", "required", "consequence", "artefact", "proved")
REASONS = ("uses", "follows", "errata", "about", "reason", "note")
WORDS = (*NAMES, *REASONS, *SAID)
# How much evidence there was: there may be more, and of a stronger kind. Copies of an instance are one pair of sides.
COUNTS = ("records", "instances", "pairs")
ORDER = (*NAMES, "evidence", *COUNTS, "changed", *REASONS, *SAID)
# What is stronger may take the place of what is weaker; the two in the middle show different things.
STRENGTH = {"sampled": 1, "certified": 2, "exact": 2, "exhaustive": 3}
# Why it matters, where the words do not say it.
WHY = {"label": " (others link to it by its label)", "coq": " (what Coq prints moved: read its words again)"}


def serves(found: str, required: str) -> bool:
    """Whether evidence of one kind will do where another one is required: it is the same, or stronger.

    >>> serves("exhaustive", "exact"), serves("certified", "exact"), serves("exact", "exhaustive")
    (True, False, False)
    """
    return found == required or required in STRENGTH and STRENGTH.get(found, 0) > STRENGTH[required]


def confirmed(settings: Settings) -> str:
    return f"if that is meant, `{settings.publish}` confirms it"


def blocks(ledger: Ledger) -> Blocks:
    """The block of each claim as it is now, and of what is machine-checked and belongs to no claim."""
    proved: Blocks = {}
    checked = machine_checked(ledger.settings)
    for name, entry in {**checked["definitions"], **checked["theorems"]}.items():
        proved[name] = {"formula": in_line(entry["note"]), "part": entry.get("part"), "coq": printed(entry)}
    found = {}
    for claim in ledger.claims:
        found[claim.id] = sorted_block(block(claim, ledger) | proved.pop(claim.proved, {}))
    for name, entry in proved.items():
        found[f"{ledger.settings.prover.name} {name}"] = sorted_block(entry)
    return found


def sorted_block(block: Block) -> Block:
    """What is said in a block, in the order of the file."""
    return {key: block[key] for key in ORDER if block.get(key) not in (None, "", [])}


def block(claim: Claim, ledger: Ledger) -> Block:
    """What the ledger says of a claim, its texts each on one line, and what its own records amount to."""
    now: Block = {}
    for key in (*NAMES, *REASONS, *OF_CLAIM):
        value = getattr(claim, key)
        now[key] = sorted(value) if isinstance(value, tuple) else in_line(value)
    records = ledger.evidence[claim.id]
    now["evidence"] = sorted({f"{record.evidence} {record.relation}" for record in records})
    now["records"] = len(records)
    now["instances"] = sum(record.count for record in records)
    now["pairs"] = sum(record.pairs for record in records)
    return now


def printed(entry: Mapping[str, Any]) -> str:
    """A digest of what Coq prints, with its notations and without them."""
    return digest(" ".join(entry.get("coq", [])) + entry.get("exact", ""))


def digest(text: str) -> str:
    """Sixteen digits of a text, which do not depend on where its lines are broken."""
    return hashlib.sha256(unbroken(text).encode()).hexdigest()[:16]


def unbroken(text: str) -> str:
    """A text without the spaces that nobody sees: those beside a sign.

    >>> unbroken("so $1 < k$ .") == unbroken("so $1<k$.") != unbroken("so $1<k^2$.")
    True
    """
    return re.sub(r"\s+(?!\w)|(?<!\w)\s+", "", text)


def said(now: Block) -> str:
    """All that a claim says, and Coq beside it, as one text."""
    return "\n".join(now.get(key) or "" for key in SAID)


# Now and then


def read(settings: Settings) -> Blocks:
    """The blocks of published.yml, if there is one."""
    path = settings.root / settings.claims / "published.yml"
    found: Blocks = {}
    if path.is_file():
        found = read_yaml(path, dict)
    for name, then in found.items():
        if not (
            isinstance(then, dict)
            and isinstance(then.get("changed"), datetime.date)
            and all(isinstance(then.get(key, 0), int) for key in COUNTS)
        ):
            raise LedgerError(f"claims/published.yml: {name} must be as `{settings.publish}` writes it.")
    return found


def moved(now: Blocks, then: Blocks) -> list[str]:
    """What the ledger says otherwise than was published: a line for each text, its old and its new words together."""
    lines = []
    for name, before in then.items():
        if name not in now:
            lines.append(f"{name}: published as '{before.get('label', name)}', now missing")
    for name, block in now.items():
        if name not in then:
            continue  # as ``lost_evidence`` says
        for key in WORDS:
            old, new = as_text(then[name].get(key)), as_text(block.get(key))
            if unbroken(old) != unbroken(new):
                lines.append(f"{name}, {key}: {by_words(old, new)}{WHY.get(key, '')}")
    return lines


def as_text(value: str | list[str] | None) -> str:
    """A value of a block as text: a list of ids with spaces between them."""
    return value if isinstance(value, str) else " ".join(value or [])


def by_words(old: str, new: str) -> str:
    """The words that differ, with three of those around them.

    >>> by_words("at most $k^2$ for all of the inputs", "at most $4k^2$ for all of the inputs")
    'at most [-$k^2$-]{+$4k^2$+} for all of'
    """
    before, after = old.split(), new.split()
    groups = []
    for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(3):
        parts = []
        for tag, i, j, first, last in group:
            gone, come = " ".join(before[i:j]), " ".join(after[first:last])
            if tag == "equal":
                parts.append(gone)
            else:
                parts.append(f"[-{gone}-]{{+{come}+}}".replace("[--]", "").replace("{++}", ""))
        groups.append(" ".join(parts))
    return " … ".join(groups)


def lost_evidence(now: Blocks, then: Blocks) -> list[str]:
    """Claims that are not published yet, and those with less evidence than published: fewer records or instances, or
    none that serves for a kind and a relation that there was."""
    lines = []
    for name, block in now.items():
        if name not in then:
            lines.append(f"{name}: not published yet")
            continue
        for key in COUNTS:
            if block.get(key, 0) < (before := then[name].get(key, 0)):
                lines.append(f"{name}: {before} {key} were published, now there are {block.get(key, 0)}")
        found = [pair.split() for pair in block.get("evidence", [])]
        for pair in then[name].get("evidence", []):
            kind, _, relation = pair.partition(" ")
            if not any(serves(one, kind) and relation == other for one, other in found):
                lines.append(f"{name}: evidence '{pair}' was published, now there is {block.get('evidence', 'none')}")
    return lines


# The file


def renewed(now: Blocks, then: Blocks, today: datetime.date) -> Blocks:
    """The blocks to publish: of what is the same but for its spaces the text stays, and so does the date."""
    found = {}
    for name, block in now.items():
        before = then.get(name, {})
        day = today
        if before and unbroken(said(block)) == unbroken(said(before)):
            day = before["changed"]
        found[name] = sorted_block({**block, "changed": day})
        for key in WORDS:
            words = block.get(key)
            if isinstance(words, str) and unbroken(words) == unbroken(before.get(key, "")):
                found[name][key] = before[key]
    return found


def text(found: Blocks) -> str:
    """The blocks as YAML, long texts folded."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Texts that are longer than a label are folded, and lists stand on a line."""

    def of_text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=">" if len(value) > 60 else None)

    def of_list(dumper: yaml.SafeDumper, value: list[str]) -> yaml.Node:
        return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=True)

    Dumper.add_representer(str, of_text)
    Dumper.add_representer(list, of_list)
    parts = []
    for name, block in found.items():
        parts.append(yaml.dump({name: block}, Dumper=Dumper, width=110, allow_unicode=True, sort_keys=False))
    return "\n".join(parts)
