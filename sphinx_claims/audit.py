"""The audit: claims and records against each other."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter

from .claims import LISTS, Claim
from .ledger import FAILS, NOT_RUN, Ledger
from .published import serves
from .record import EVIDENCE, Record, misnamed_seed
from .settings import MARKS

KINDS = """
    definition theorem lemma claim remark conjecture equation construction proposition corollary informal question
    erratum result finding
"""
CHOICES = {
    "kind": tuple(KINDS.split()),
    "source": ("paper", "ours", "other"),
    "verdict": (*MARKS, "withdrawn"),
    "required": (*EVIDENCE, "refuted", *NOT_RUN),
}
# What a claim must not be called while an erratum stands that is about it.
FAULTLESS = ("true", "cited")
NEEDED = ("label", "section", "kind", "source", "statement", "verdict", "required")
OF_ERRATA = ("about", "printed", "witness", "corrected", "consequence")
# What a withdrawn erratum said, and why it is not one.
OF_WITHDRAWN = ("about", "printed", "withdrawn")


def audit(ledger: Ledger, chapters: Iterable[str]) -> list[str]:
    """Every reason why this ledger must not be shown, as sentences; an empty list when claims and evidence agree.

    ``chapters`` are those executed in whole: claims of other chapters need no evidence yet.
    """
    if problems := malformed(ledger):
        return problems
    problems += mismatched_errata(ledger)
    complete = set(chapters)
    anchors = set()
    for record in ledger.records:
        name = record.claim
        if name not in ledger.known:
            problems.append(f"unknown claim id '{name}': add it to the claims or correct the cell.")
            continue
        problems += wrong(ledger, record)
        if record.anchor in anchors:
            problems.append(f"{name}: the same check stands twice ('{record.over}'): name what differs in 'over'.")
        anchors.add(record.anchor)
    for name, claim in ledger.known.items():
        own = ledger.evidence[name]
        with_errata = [*own, *(record for erratum in claim.errata for record in ledger.evidence[erratum])]
        run = claim.chapter in complete
        problems += missing_evidence(claim, with_errata if claim.required == "refuted" else own, run)
        refuted = any(record.evidence == "refuted" for record in with_errata)
        seen = claim.consequence == "typography"  # a letter is seen, not computed
        if claim.verdict in FAILS and run and not refuted and not seen:
            problems.append(f"{name}: {claim.verdict}, but neither it nor one of its errata is refuted by a witness.")
    return problems


def wrong(ledger: Ledger, record: Record) -> list[str]:
    """What is wrong with one record of a known claim."""
    claim = ledger.known[record.claim]
    problems = []
    if record.count < 1:
        problems.append(f"{claim.id}: a check over zero instances.")
    if fault := misnamed_seed(record.evidence, record.seed):
        problems.append(f"{claim.id}: the seed of '{record.over}' {fault}.")
    below = [ledger.known[name].chapter for name in claim.uses]
    homes = {ledger.settings.chapter_of(chapter) for chapter in (claim.chapter, *below)}
    if ledger.settings.chapter_of(record.page) not in homes:
        problems.append(f"{claim.id}: evidence on {record.page}, no page of {claim.chapter} or of what it rests on.")
    if record.evidence == "refuted" and claim.verdict.startswith("true"):
        problems.append(f"{claim.id}: refuted, but its file calls it {claim.verdict}.")
    return problems


def mismatched_errata(ledger: Ledger) -> list[str]:
    """A claim without the errata that are about it or with others, and a verdict that does not fit them."""
    problems = []
    for name, claim in ledger.known.items():
        about = [erratum.id for erratum in ledger.errata if name in erratum.about]
        named = claim.errata
        verdict = claim.verdict
        problems += [f"{name}: its errata must name {e}, which is about it." for e in about if e not in named]
        problems += [f"{name}: its errata name {e}, which is not about it." for e in named if e not in about]
        if about and verdict in FAULTLESS:
            problems.append(f"{name}: {', '.join(about)} is about it, so its verdict cannot be '{verdict}'.")
        if verdict == "false as printed" and not claim.is_erratum and not about:
            problems.append(f"{name}: false as printed, but no erratum that stands is about it.")
        restated = any(ledger.known[below].verdict == "settled" for below in claim.uses)
        if verdict == "settled" and not (claim.note and (claim.kind == "conjecture" or restated)):
            problems.append(f"{name}: settled are conjectures and what restates one, with the true form in the note.")
    return problems


def missing_evidence(claim: Claim, records: Sequence[Record], run: bool) -> list[str]:
    """What is missing for a claim: a control, any evidence at all, or evidence that is strong enough."""
    required = claim.required
    if any(not record.controls for record in records):
        return [f"{claim.id}: no negative control."]
    if required in NOT_RUN or not run:
        return []
    found = {record.evidence for record in records if (record.evidence == "refuted") == (required == "refuted")}
    if not found:
        return [f"{claim.id}: {required} evidence is required in {claim.chapter}, and none was found."]
    if not any(serves(kind, required) for kind in found):
        kinds = ", ".join(sorted(found))
        return [f"{claim.id}: {required} evidence is required, but what was found is only {kinds}."]
    return []


def malformed(ledger: Ledger) -> list[str]:
    """Entries that break the form of a claim."""
    counts = Counter(claim.id for claim in ledger.claims)
    problems = [f"{name}: the id stands twice." for name in sorted(counts) if counts[name] > 1]
    for claim in ledger.claims:
        problems += malformed_claim(ledger, claim)
    if not problems:
        try:
            TopologicalSorter({claim.id: claim.uses for claim in ledger.claims}).prepare()
        except CycleError as error:
            problems.append(f"{' uses '.join(reversed(error.args[1]))}: circular.")
    return problems


def malformed_claim(ledger: Ledger, claim: Claim) -> list[str]:
    name = claim.id
    withdrawn = claim.verdict == "withdrawn"
    choices = dict(CHOICES)
    needed = list(NEEDED)
    if claim.is_erratum and withdrawn:
        needed += OF_WITHDRAWN
    elif claim.is_erratum:
        needed += OF_ERRATA
        choices["consequence"] = tuple(ledger.settings.consequences)
        if ledger.settings.artefacts:
            needed.append("artefact")
            choices["artefact"] = tuple(ledger.settings.artefacts)
    missing = [key for key in needed if not getattr(claim, key)]
    if missing:
        return [f"{name}: no {', '.join(missing)}."]
    others = {*OF_ERRATA, *OF_WITHDRAWN, "artefact"}.difference(needed)
    problems = [f"{name}: a claim has no {key}." for key in sorted(others) if getattr(claim, key)]
    for key in ("id", "section", "chapter", "page"):
        value = getattr(claim, key)
        if not re.fullmatch(r"[\w.-]+(, [\w.]+)*", value):  # they stand in addresses and attributes
            problems.append(f"{name}: {key} '{value}' must be of letters, digits and hyphens.")
    for key, allowed in choices.items():
        value = getattr(claim, key)
        if value not in allowed:
            problems.append(f"{name}: {key} '{value}' is none of {', '.join(allowed)}.")
    if (claim.required == "nothing") != (claim.is_erratum and withdrawn):
        problems.append(f"{name}: nothing is required of a withdrawn erratum, and of nothing else.")
    reason = claim.reason or claim.withdrawn
    if claim.required in NOT_RUN and claim.required != "follows" and len(reason.split()) < 3:
        problems.append(f"{name}: {claim.required}, so it must give its reason, in a sentence.")
    if claim.required == "cited" and claim.verdict != "cited":
        problems.append(f"{name}: cited, and of verdict '{claim.verdict}'; only results of others are cited.")
    for key in LISTS:
        absent = [other for other in getattr(claim, key) if other not in ledger.known]
        problems += [f"{name}: {key} names '{other}', which does not exist." for other in absent]
    return problems + wrongly_follows(ledger, claim)


def wrongly_follows(ledger: Ledger, claim: Claim) -> list[str]:
    """Why a claim does not follow from what its ``follows`` names: statements that it uses, each of which is run."""
    name = claim.id
    if (claim.required == "follows") != bool(claim.follows):
        return [f"{name}: what is required is 'follows' where its list 'follows' is not empty, and nowhere else."]
    problems = []
    for source in claim.follows:
        if source not in claim.uses:
            problems.append(f"{name}: follows from '{source}', which must stand among what it uses.")
    for source in claim.follows:
        if source in ledger.known and ledger.known[source].required in NOT_RUN:
            problems.append(f"{name}: follows from '{source}', which is not run itself.")
    return problems
