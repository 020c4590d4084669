"""The audit: claims and records against each other."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
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
    return malformed(ledger) or list(disagreeing(ledger, set(chapters)))


def disagreeing(ledger: Ledger, complete: set[str]) -> Iterator[str]:
    """What is wrong with the records of well-formed claims, with their verdicts, and what is missing."""
    for claim in ledger.claims:
        for fault in misjudged(ledger, claim):
            yield f"{claim.id}: {fault}."
    anchors = set()
    for record in ledger.records:
        name = record.claim
        if name not in ledger.known:
            yield f"unknown claim id '{name}': add it to the claims or correct the cell."
            continue
        for fault in wrong(ledger, record):
            yield f"{name}: {fault}."
        if record.anchor in anchors:
            yield f"{name}: the same check stands twice ('{record.over}'): name what differs in 'over'."
        anchors.add(record.anchor)
    for claim in ledger.claims:
        for fault in missing(ledger, claim, claim.chapter in complete):
            yield f"{claim.id}: {fault}."


def wrong(ledger: Ledger, record: Record) -> Iterator[str]:
    """What is wrong with one record of a known claim."""
    claim = ledger.known[record.claim]
    if record.count < 1:
        yield "a check over zero instances"
    if fault := misnamed_seed(record.evidence, record.seed):
        yield f"the seed of '{record.over}' {fault}"
    chapter_of = ledger.settings.chapter_of
    homes = {chapter_of(one.chapter) for one in (claim, *map(ledger.known.__getitem__, claim.uses))}
    if chapter_of(record.page) not in homes:
        yield f"evidence on {record.page}, no page of {claim.chapter} or of what it rests on"
    if record.evidence == "refuted" and claim.verdict.startswith("true"):
        yield f"refuted, but its file calls it {claim.verdict}"


def misjudged(ledger: Ledger, claim: Claim) -> Iterator[str]:
    """A claim without the errata that are about it or with others, and a verdict that does not fit them."""
    about = [erratum.id for erratum in ledger.errata if claim.id in erratum.about]
    for erratum in about:
        if erratum not in claim.errata:
            yield f"its errata must name {erratum}, which is about it"
    for erratum in claim.errata:
        if erratum not in about:
            yield f"its errata name {erratum}, which is not about it"
    if about and claim.verdict in FAULTLESS:
        yield f"{', '.join(about)} is about it, so its verdict cannot be '{claim.verdict}'"
    if claim.verdict == "false as printed" and not claim.is_erratum and not about:
        yield "false as printed, but no erratum that stands is about it"
    restated = any(ledger.known[below].verdict == "settled" for below in claim.uses)
    if claim.verdict == "settled" and not (claim.note and (claim.kind == "conjecture" or restated)):
        yield "settled are conjectures and what restates one, with the true form in the note"


def missing(ledger: Ledger, claim: Claim, run: bool) -> Iterator[str]:
    """What is missing for a claim: a control, any evidence at all, or evidence that is strong enough."""
    required = claim.required
    own = ledger.evidence[claim.id]
    records = own.copy()
    for erratum in claim.errata:
        records += ledger.evidence[erratum]
    found = {record.evidence for record in own} - {"refuted"}
    refuted = "refuted" in {record.evidence for record in records}
    if required == "refuted":
        own = records
        found = {"refuted"} if refuted else set()
    if not all(record.controls for record in own):
        yield "no negative control"
    elif required in NOT_RUN or not run:
        pass
    elif not found:
        yield f"{required} evidence is required in {claim.chapter}, and none was found"
    elif not any(serves(kind, required) for kind in found):
        yield f"{required} evidence is required, but what was found is only {', '.join(sorted(found))}"
    seen = claim.consequence == "typography"  # a letter is seen, not computed
    if claim.verdict in FAILS and run and not refuted and not seen:
        yield f"{claim.verdict}, but neither it nor one of its errata is refuted by a witness"


def malformed(ledger: Ledger) -> list[str]:
    """Entries that break the form of a claim."""
    problems = []
    counts = Counter(claim.id for claim in ledger.claims)
    for name, count in sorted(counts.items()):
        if count > 1:
            problems.append(f"{name}: the id stands twice.")
    for claim in ledger.claims:
        for fault in malformed_claim(ledger, claim):
            problems.append(f"{claim.id}: {fault}.")
    if not problems:
        try:
            TopologicalSorter({claim.id: claim.uses for claim in ledger.claims}).prepare()
        except CycleError as error:
            problems.append(f"{' uses '.join(reversed(error.args[1]))}: circular.")
    return problems


def malformed_claim(ledger: Ledger, claim: Claim) -> Iterator[str]:
    """What breaks the form of a claim; where keys are missing, nothing else is looked at."""
    withdrawn = claim.is_erratum and claim.verdict == "withdrawn"
    settings = ledger.settings
    keys = [*NEEDED]
    if withdrawn:
        keys += OF_WITHDRAWN
    elif claim.is_erratum:
        keys += OF_ERRATA
        if settings.artefacts:
            keys.append("artefact")
    if absent := ", ".join(key for key in keys if not getattr(claim, key)):
        yield f"no {absent}"
        return
    for key in sorted({*OF_ERRATA, *OF_WITHDRAWN, "artefact"}.difference(keys)):
        if getattr(claim, key):
            yield f"a claim has no {key}"
    for key in ("id", "section", "chapter", "page"):
        value = getattr(claim, key)
        if not re.fullmatch(r"[\w.-]+(, [\w.]+)*", value):  # they stand in addresses and attributes
            yield f"{key} '{value}' must be of letters, digits and hyphens"
    choices = {**CHOICES, "consequence": settings.consequences, "artefact": settings.artefacts}
    for key, allowed in choices.items():
        value = getattr(claim, key)
        if key in keys and value not in allowed:
            yield f"{key} '{value}' is none of {', '.join(allowed)}"
    if (claim.required == "nothing") != withdrawn:
        yield "nothing is required of a withdrawn erratum, and of nothing else"
    reason = claim.reason or claim.withdrawn
    if claim.required in NOT_RUN and claim.required != "follows" and len(reason.split()) < 3:
        yield f"{claim.required}, so it must give its reason, in a sentence"
    if claim.required == "cited" and claim.verdict != "cited":
        yield f"cited, and of verdict '{claim.verdict}'; only results of others are cited"
    for key in LISTS:
        for other in getattr(claim, key):
            if other not in ledger.known:
                yield f"{key} names '{other}', which does not exist"
    if (claim.required == "follows") != bool(claim.follows):
        yield "what is required is 'follows' where its list 'follows' is not empty, and nowhere else"
        return
    for source in claim.follows:
        if source not in claim.uses:
            yield f"follows from '{source}', which must stand among what it uses"
        if source in ledger.known and ledger.known[source].required in NOT_RUN:
            yield f"follows from '{source}', which is not run itself"
