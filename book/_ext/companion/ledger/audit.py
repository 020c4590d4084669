"""The audit: claims and records against each other. Each function here is a pure function of its arguments."""

import re
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

from companion.ledger.claims import Claim, Claims, Records, by_id
from companion.ledger.published import serves
from sparse_book.claims import LISTS
from sparse_book.ledger import EVIDENCE, misnamed_seed

CONSEQUENCES = {
    "consequential": "a statement, as printed, is false or means something else, or a step loses more than a constant",
    "gap": "a hypothesis, a quantifier or an argument is missing, and is supplied here",
    "constant": "a constant, a sign or a symbol; the statements around it stand",
    "corner": "only extreme cases fail, such as one neuron, one bit or a negative correlation",
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
    "verdict": (
        *("true", "true, proof repaired", "false as printed", "settled", "open", "cited", "definition", "withdrawn"),
    ),
    "required": (*EVIDENCE, "refuted", *NOT_RUN),
    "consequence": tuple(CONSEQUENCES),
    "artefact": tuple(ARTEFACTS),
}
# The printed form fails: of a statement, and of a conjecture that is decided.
FAILS = ("false as printed", "settled")
# What a claim must not be called while an erratum stands that is about it.
FAULTLESS = ("true", "cited")
NEEDED = ("id", "label", "section", "kind", "source", "statement", "verdict", "chapter", "page", "required")
OF_ERRATA = ("about", "printed", "witness", "corrected", "consequence", "artefact")
# What a withdrawn erratum said, and why it is not one.
OF_WITHDRAWN = ("about", "printed", "withdrawn")
OPTIONAL = ("arxiv", "box", "number", "stands_in", "note", "uses", "errata", "reason", "proved", "follows")


def audit(claims: Claims, records: Records, chapters: Iterable[str]) -> list[str]:
    """Every reason why this ledger must not be printed, as sentences; an empty list when claims and evidence agree.

    ``records`` are what ``check`` and ``refute`` left in notebooks, ``chapters`` those executed in whole:
    claims of other chapters need no evidence yet.
    """
    if problems := malformed(claims):
        return problems
    known = by_id(claims)
    problems += unpaired(known)
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
        homes = {known[one]["chapter"][:2] for one in (name, *known[name].get("uses", []))}
        if record["chapter"][:2] not in homes:
            own = known[name]["chapter"]
            problems.append(f"{name}: evidence on {record['chapter']}, no page of {own} or of what it rests on.")
        if record["evidence"] == "refuted" and known[name]["verdict"].startswith("true"):
            problems.append(f"{name}: refuted, but book/claims calls it {known[name]['verdict']}.")
    for name, claim in known.items():
        with_errata = [r for n in (name, *claim.get("errata", [])) for r in found[n]]
        refuted = any(r["evidence"] == "refuted" for r in with_errata)
        problems += missing_evidence(claim, with_errata if claim["required"] == "refuted" else found[name], chapters)
        witness = refuted or claim.get("consequence") == "typography"  # a letter is seen, not computed
        if claim["verdict"] in FAILS and claim["chapter"] in chapters and not witness:
            verdict = claim["verdict"]
            problems.append(f"{name}: {verdict}, but neither it nor one of its errata is refuted by a witness.")
    return problems


def unpaired(known: Mapping[str, Claim]) -> list[str]:
    """A claim without the errata that are about it or with others, and a verdict that does not fit them."""
    problems = []
    standing = {
        name: claim["about"]
        for name, claim in known.items()
        if claim["kind"] == "erratum" and claim["verdict"] != "withdrawn"
    }
    for name, claim in known.items():
        about = [erratum for erratum, concerned in standing.items() if name in concerned]
        named = claim.get("errata", [])
        verdict = claim["verdict"]
        problems += [f"{name}: its errata must name {e}, which is about it." for e in about if e not in named]
        problems += [f"{name}: its errata name {e}, which is not about it." for e in named if e not in about]
        if about and verdict in FAULTLESS:
            problems.append(f"{name}: {', '.join(about)} is about it, so its verdict cannot be '{verdict}'.")
        if verdict == "false as printed" and claim["kind"] != "erratum" and not about:
            problems.append(f"{name}: false as printed, but no erratum that stands is about it.")
        restated = any(known[below]["verdict"] == "settled" for below in claim.get("uses", []))
        if verdict == "settled" and not (claim.get("note") and (claim["kind"] == "conjecture" or restated)):
            problems.append(f"{name}: settled are conjectures and what restates one, with the true form in the note.")
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
    if not any(serves(kind, required) for kind in counting):
        kinds = ", ".join(sorted({*counting}))
        return [f"{name}: {required} evidence is required, but what was found is only {kinds}."]
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
        for key in ("id", "section", "chapter", "page"):
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
    found: dict[str, set[str]] = {}
    for name in TopologicalSorter({c["id"]: c.get("uses", []) for c in claims}).static_order():
        found[name] = set()
        for below in known[name].get("uses", []):
            if known[below]["verdict"] in FAILS:
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
        if "refuted" in found or (claim["verdict"] in FAILS and witnessed):
            return "refuted"
        if found:
            return "sampled" if found == {"sampled"} else "checked"
        if claim["verdict"] == "open":
            return "open"
        return claim["required"] if claim["required"] in NOT_RUN else "not yet run"

    repaired = {claim["id"] for claim in claims if claim["verdict"] == "true, proof repaired"}
    return {c["id"]: (word(c), [] if c["id"] in repaired else sorted(fallen[c["id"]])) for c in claims}
