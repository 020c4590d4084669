"""A ledger: the claims, the records that executed notebooks bear for them, and what follows from both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from graphlib import TopologicalSorter
from typing import Any

from .claims import Claim, by_id, records
from .record import Record
from .settings import Settings

# What is not run needs a reason, of at least three words ("There is nothing to compute.").
NOT_RUN = ("follows", "cited", "not runnable", "nothing")
# The printed form fails: of a statement, and of a conjecture that is decided.
FAILS = ("false as printed", "settled")


def collect(executed: Mapping[str, dict[str, Any]]) -> list[Record]:
    """The records in the outputs of executed notebooks, each with its page; not those of exercises."""
    found: list[Record] = []
    for page, notebook in executed.items():
        for cell in notebook["cells"]:
            found += records(cell.get("outputs", []), page)
    return found


@dataclass(frozen=True)
class Ledger:
    """Claims in their order, each with its place, and records in that of the pages."""

    settings: Settings
    claims: Sequence[Claim]
    records: Sequence[Record]

    @classmethod
    def of(cls, settings: Settings, claims: Iterable[Claim], records: Sequence[Record]) -> Ledger:
        """The ledger in which each claim stands at its box, at its first record, or in a section."""
        found = cls(settings, list(claims), records)
        return replace(found, claims=[replace(claim, place=found.place(claim)) for claim in found.claims])

    @cached_property
    def known(self) -> dict[str, Claim]:
        return by_id(list(self.claims))

    @cached_property
    def statements(self) -> dict[str, Claim]:
        """The claims that are no errata, by id."""
        return {claim.id: claim for claim in self.claims if not claim.is_erratum}

    @cached_property
    def errata(self) -> list[Claim]:
        """The errata that stand."""
        return [claim for claim in self.claims if claim.is_erratum and claim.verdict != "withdrawn"]

    @cached_property
    def evidence(self) -> dict[str, list[Record]]:
        """The records of each claim."""
        found: dict[str, list[Record]] = defaultdict(list)
        for record in self.records:
            found[record.claim].append(record)
        return found

    @cached_property
    def used_for(self) -> dict[str, list[str]]:
        """The statements that rest on each claim, by id."""
        above: dict[str, list[str]] = defaultdict(list)
        for claim in self.statements.values():
            for below in claim.uses:
                above[below].append(claim.id)
        return above

    @cached_property
    def sections(self) -> dict[str, str]:
        """The sections of the paper with their titles; those that no settings name come last, without one."""
        named = dict(self.settings.sections)
        for claim in self.claims:
            named.setdefault(claim.sections[0], "")
        return named

    def place(self, claim: Claim) -> str:
        """Where a claim stands: at its box, at its first record (in its own chapter if it can), or in a section."""
        anchor = claim.box
        page = claim.page
        if not anchor and self.evidence[claim.id]:
            chapter_of = self.settings.chapter_of
            chapter = chapter_of(claim.chapter)
            first = min(self.evidence[claim.id], key=lambda record: chapter_of(record.page) != chapter)
            page, anchor = first.page, first.anchor
        anchor = anchor or claim.stands_in
        return anchor and f"{page}.html#{anchor}"

    @cached_property
    def fallen(self) -> dict[str, set[str]]:
        """The claims whose printed form is false on which each claim rests, directly or not; one whose own derivation
        has been repaired ("true, proof repaired") passes nothing on."""
        found: dict[str, set[str]] = {}
        for name in TopologicalSorter({claim.id: claim.uses for claim in self.claims}).static_order():
            found[name] = set()
            for below in self.known[name].uses:
                if self.known[below].verdict in FAILS:
                    found[name].add(below)
                if self.known[below].verdict != "true, proof repaired":
                    found[name] |= found[below]
        return found

    def upstream(self, claim: Claim) -> list[str]:
        """Every claim below whose printed form is false: what rests on one is not green, even when its own check
        passed, unless its own derivation has been repaired."""
        if claim.verdict == "true, proof repaired":
            return []
        return sorted(self.fallen[claim.id])

    def standing(self, claim: Claim) -> str:
        """How a claim stands by its evidence, in one word (those of ``settings.STANDINGS``)."""
        if claim.verdict == "withdrawn":
            return "withdrawn"
        found = self.kinds(claim)
        if "refuted" in found or claim.verdict in FAILS and "refuted" in self.kinds(claim, *claim.errata):
            return "refuted"
        if found == {"sampled"}:
            return "sampled"
        if found:
            return "checked"
        if claim.verdict == "open":
            return "open"
        if claim.required in NOT_RUN:
            return claim.required
        return "not yet run"

    def kinds(self, claim: Claim, *others: str) -> set[str]:
        """The kinds of evidence for a claim, and for others by id."""
        return {record.evidence for name in (claim.id, *others) for record in self.evidence[name]}

    def downstream(self, erratum: Claim) -> dict[str, list[str]]:
        """The verdicts of the statements that rest, directly or not, on a statement that the erratum makes false.

        What rests on a statement whose proof has been repaired no longer rests on the erratum's.
        """
        found: dict[str, list[str]] = defaultdict(list)
        for claim in self.statements.values():
            if claim.id not in erratum.about and self.fallen[claim.id].intersection(erratum.about):
                found[claim.verdict].append(claim.id)
        return found
