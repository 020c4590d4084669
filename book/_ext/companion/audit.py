"""The audit: claims and records against each other. Each function here is a pure function of its arguments."""

import re
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

from companion.claims import Claim, Claims, Records, by_id
from sparse_book.claims import LISTS
from sparse_book.ledger import EVIDENCE, misnamed_seed

CONSEQUENCES = {
    "consequential": "a statement, as printed, is false or means something else, or a step loses more than a constant",
    "gap": "a hypothesis, a quantifier or an argument is missing, and is supplied here",
    "constant": "a constant, a sign or a symbol; the statements around it stand",
    "corner": "only the smallest cases fail, such as one neuron or one bit",
    "typography": "a letter or a word is misprinted",
}
ARTEFACTS = {
    "no": "Unlikely: it does not look like an artefact of text extraction.",
    "possible": "Possibly: we worked with text extracted from the paper; please check the printed version.",
}
# What is not run needs a reason, of at least three words ("There is nothing to compute.").
NOT_RUN = ("follows", "cited", "not runnable", "nothing")
CHOICES = {
    "kind": (
        *("definition", "theorem", "lemma", "claim", "remark", "conjecture", "equation", "construction"),
        *("informal", "question", "erratum", "result"),
    ),
    "source": ("paper", "ours", "other"),
    "verdict": ("true", "true, proof repaired", "false as printed", "open", "cited", "definition", "withdrawn"),
    "required": (*EVIDENCE, "refuted", *NOT_RUN),
    "consequence": tuple(CONSEQUENCES),
    "artefact": tuple(ARTEFACTS),
}
NEEDED = ("id", "label", "section", "kind", "source", "statement", "verdict", "chapter", "required")
OF_ERRATA = ("about", "printed", "witness", "corrected", "consequence", "artefact")
# What a withdrawn erratum said, and why it is not one.
OF_WITHDRAWN = ("about", "printed", "withdrawn")
OPTIONAL = ("arxiv", "box", "number", "stands_in", "note", "uses", "errata", "reason", "proved", "follows")
# What is stronger may take the place of what is weaker; what is not run is weaker than all.
STRENGTH = {"sampled": 1, "certified": 2, "exhaustive": 2, "exact": 2, "refuted": 2}


def audit(
    claims: Claims, records: Records, chapters: Iterable[str], published: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """Every reason why this ledger must not be printed, as sentences; an empty list when claims and evidence agree.

    ``records`` are what ``check`` and ``refute`` left in the notebooks of the executed ``chapters``; claims of other
    chapters need none yet. ``published`` has the label under which each claim has been published, which never changes,
    and the evidence that was required of it, which may only become stronger.
    """
    if problems := malformed(claims):
        return problems
    known = by_id(claims)
    chapters = set(chapters)
    anchors = set()
    found: dict[str, Records] = {name: [] for name in known}
    for record in records:
        name = record["claim"]
        if name not in known:
            problems.append(f"unknown claim id '{name}': add it to book/claims or correct the cell.")
            continue
        found[name].append(record)
        if record["count"] < 1:
            problems.append(f"{name}: a check over zero instances.")
        if fault := misnamed_seed(record["evidence"], record["seed"]):
            problems.append(f"{name}: the seed of '{record['over']}' {fault}.")
        if record["anchor"] in anchors:
            problems.append(f"{name}: the same check stands twice ('{record['over']}'): name what differs in 'over'.")
        anchors.add(record["anchor"])
        if record["evidence"] == "refuted" and known[name]["verdict"].startswith("true"):
            problems.append(f"{name}: refuted, but book/claims calls it {known[name]['verdict']}.")
    for name, claim in known.items():
        with_errata = [r for n in (name, *claim.get("errata", [])) for r in found[n]]
        refuted = any(r["evidence"] == "refuted" for r in with_errata)
        problems += missing_evidence(claim, with_errata if claim["required"] == "refuted" else found[name], chapters)
        witness = refuted or claim.get("consequence") == "typography"  # a letter is seen, not computed
        if claim["verdict"] == "false as printed" and claim["chapter"] in chapters and not witness:
            problems.append(f"{name}: false as printed, but neither it nor one of its errata is refuted by a witness.")
    return problems + withdrawn(known, published)


def withdrawn(known: Mapping[str, Claim], published: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What was published and is no longer so: a claim, its label, the evidence that is required of it."""
    problems = []
    for name, then in published.items():
        if not (isinstance(then, Mapping) and then.keys() == {"label", "required"}):
            problems.append(f"{name}: claims/published.yml must give its label and what is required, not {then!r:.60}.")
            continue
        if name not in known:
            problems.append(f"{name}: published as '{then['label']}', now missing.")
            continue
        label = known[name]["label"]
        required = known[name]["required"]
        if label != then["label"]:
            problems.append(f"{name}: its label changed from '{then['label']}' to '{label}'; labels must not change.")
        if required != then["required"] and STRENGTH.get(required, 0) <= STRENGTH.get(then["required"], 0):
            problems.append(
                f"{name}: {then['required']} evidence was required when it was published, now {required}, which is not "
                "stronger; to require less is to change claims/published.yml."
            )
    return problems


def missing_evidence(claim: Claim, records: Records, chapters: set[str]) -> list[str]:
    """What is missing for a claim: a control, any evidence at all, or evidence that is strong enough."""
    name = claim["id"]
    required = claim["required"]
    if any(not r["controls"] for r in records):
        return [f"{name}: no negative control."]
    if required in NOT_RUN or claim["chapter"] not in chapters:
        return []
    counting = [r["evidence"] for r in records if (r["evidence"] == "refuted") == (required == "refuted")]
    if not counting:
        return [f"{name}: {required} evidence is required in {claim['chapter']}, and none was found."]
    best = max(counting, key=STRENGTH.__getitem__)
    if STRENGTH[best] < STRENGTH[required]:
        return [f"{name}: {required} evidence is required, but what was found is only {best}."]
    return []


def malformed(claims: Claims) -> list[str]:
    """Entries that break the form of a claim."""
    problems = []
    ids = [c["id"] for c in claims]
    problems += [f"{i}: the id stands twice." for i in sorted({i for i in ids if ids.count(i) > 1})]
    for claim in claims:
        name = claim["id"]
        of_erratum = OF_WITHDRAWN if claim.get("verdict") == "withdrawn" else OF_ERRATA
        needed = (*NEEDED, *of_erratum) if claim.get("kind") == "erratum" else NEEDED
        if missing := [key for key in needed if not claim.get(key)]:
            problems.append(f"{name}: no {', '.join(missing)}.")
            continue
        if unknown := sorted(claim.keys() - {*needed, *OPTIONAL}):
            problems.append(f"{name}: a claim has no {', '.join(unknown)}.")
        for key in ("id", "section", "chapter"):
            if not re.fullmatch(r"[\w.-]+(, [\w.]+)*", claim[key]):  # they stand in addresses and attributes
                problems.append(f"{name}: {key} '{claim[key]}' must be of letters, digits and hyphens.")
        for key, allowed in CHOICES.items():
            if key in needed and claim[key] not in allowed:
                problems.append(f"{name}: {key} '{claim[key]}' is none of {', '.join(allowed)}.")
        if (claim["required"] == "nothing") != (claim["kind"] == "erratum" and claim["verdict"] == "withdrawn"):
            problems.append(f"{name}: nothing is required of a withdrawn erratum, and of nothing else.")
        given = claim.get("reason") or claim.get("withdrawn", "")
        if claim["required"] in NOT_RUN and claim["required"] != "follows" and len(given.split()) < 3:
            problems.append(f"{name}: {claim['required']}, so it must give its reason, in a sentence.")
        if claim["required"] == "cited" and claim["verdict"] != "cited":
            problems.append(f"{name}: cited, and of verdict '{claim['verdict']}'; only results of others are cited.")
        for key in LISTS:
            absent = [i for i in claim.get(key, []) if i not in ids]
            problems += [f"{name}: {key} names '{i}', which does not exist." for i in absent]
        problems += wrongly_follows(claim, by_id(claims))
    if not problems:
        try:
            TopologicalSorter({c["id"]: c.get("uses", []) for c in claims}).prepare()
        except CycleError as error:
            problems.append(f"{' uses '.join(reversed(error.args[1]))}: circular.")
    return problems


def wrongly_follows(claim: Claim, known: Mapping[str, Claim]) -> list[str]:
    """Why a claim does not follow from what its ``follows`` names: statements that it uses, each of which is run."""
    name, sources = claim["id"], claim.get("follows", [])
    if (claim["required"] == "follows") != bool(sources):
        return [f"{name}: what is required is 'follows' where its list 'follows' is not empty, and nowhere else."]
    unused = [i for i in sources if i not in claim.get("uses", [])]
    unrun = [i for i in sources if i in known and known[i].get("required") in NOT_RUN]
    problems = [f"{name}: follows from '{i}', which must stand among what it uses." for i in unused]
    return problems + [f"{name}: follows from '{i}', which is not run itself." for i in unrun]


def rests_on_false(claims: Claims) -> dict[str, set[str]]:
    """The claims whose printed form is false on which each claim rests, directly or not; a claim whose own derivation
    has been repaired ("true, proof repaired") passes nothing on."""
    known = by_id(claims)
    found = {}
    for name in TopologicalSorter({c["id"]: c.get("uses", []) for c in claims}).static_order():
        found[name] = set()
        for below in known[name].get("uses", []):
            if known[below]["verdict"] == "false as printed":
                found[name].add(below)
            if known[below]["verdict"] != "true, proof repaired":
                found[name] |= found[below]
    return found


def status(claims: Claims, records: Records) -> dict[str, tuple[str, list[str]]]:
    """The standing of each claim in one word (those of ``pages.ledger.STANDING``) and every claim upstream, directly or
    not, whose printed form is false: what rests on one is not green, even when its own check passed, unless its own
    derivation has been repaired."""
    evidence = {c["id"]: {record["evidence"] for record in records if record["claim"] == c["id"]} for c in claims}
    fallen = rests_on_false(claims)

    def word(claim: Claim) -> str:
        if claim["verdict"] == "withdrawn":
            return "withdrawn"
        found = evidence[claim["id"]]
        witnessed = any("refuted" in evidence[name] for name in claim.get("errata", []))
        if "refuted" in found or (claim["verdict"] == "false as printed" and witnessed):
            return "refuted"
        if found:
            return "sampled" if found == {"sampled"} else "checked"
        if claim["verdict"] == "open":
            return "open"
        return claim["required"] if claim["required"] in NOT_RUN else "not yet run"

    repaired = {claim["id"] for claim in claims if claim["verdict"] == "true, proof repaired"}
    return {c["id"]: (word(c), [] if c["id"] in repaired else sorted(fallen[c["id"]])) for c in claims}
