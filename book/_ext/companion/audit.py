"""The audit: claims and records against each other. Each function here is a pure function of its arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sparse_core.notebook.ledger import EVIDENCE

VERDICTS = ("true", "true, proof repaired", "false as printed", "open", "cited", "definition")
KINDS = (
    *("definition", "theorem", "lemma", "claim", "remark", "conjecture", "equation", "construction"),
    *("informal", "question", "erratum", "result"),
)
NOT_RUN = ("cited", "not runnable")
STRENGTH = {"sampled": 1, "certified": 2, "exhaustive": 2, "exact": 2, "refuted": 2}


def audit(
    claims: list[dict[str, Any]],
    records: Iterable[dict[str, Any]],
    chapters: Iterable[str],
    published: Mapping[str, str],
) -> list[str]:
    """Every reason why this ledger must not be printed, as sentences; an empty list when it balances.

    Parameters
    ----------
    claims : the entries of ``claims.yml``.
    records : what ``check`` and ``refute`` left in the executed notebooks.
    chapters : the chapters that were executed. Claims of other chapters are not yet owed anything.
    published : the labels under which claims have been published; they never change.
    """
    problems = malformed(claims)
    if problems:
        return problems
    known = {c["id"]: c for c in claims}
    chapters = set(chapters)
    found: dict[str, list[dict[str, Any]]] = {c: [] for c in known}
    anchors: set[str] = set()
    for record in records:
        name = record["claim"]
        if name not in known:
            problems.append(f"unknown claim id '{name}': add it to claims.yml or correct the cell.")
            continue
        found[name].append(record)
        if record["count"] < 1:
            problems.append(f"{name}: a check over zero instances.")
        if record["evidence"] == "sampled" and record["seed"] is None:
            problems.append(f"{name}: a sampled check ('{record['over']}') that does not name its seed.")
        if record["anchor"] in anchors:
            problems.append(f"{name}: the same check stands twice ('{record['over']}'): name what differs in 'over'.")
        anchors.add(record["anchor"])
        if record["evidence"] == "refuted" and known[name]["verdict"].startswith("true"):
            problems.append(f"{name}: refuted, but claims.yml calls it {known[name]['verdict']}.")
    for name, claim in known.items():
        with_errata = [r for n in (name, *claim.get("errata", [])) for r in found[n]]
        refuted = any(r["evidence"] == "refuted" for r in with_errata)
        problems += unpaid(claim, with_errata if claim["owed"] == "refuted" else found[name], chapters)
        if claim["verdict"] == "false as printed" and claim["chapter"] in chapters and not refuted:
            problems.append(f"{name}: false as printed, but neither it nor one of its errata is refuted by a witness.")
        if published.get(name, claim["label"]) != claim["label"]:
            problems.append(f"{name}: its label changed from '{published[name]}' to '{claim['label']}'; labels stay.")
    problems += [f"{name}: published as '{published[name]}', now missing." for name in published if name not in known]
    return problems


def unpaid(claim: dict[str, Any], records: list[dict[str, Any]], chapters: set[str]) -> list[str]:
    """What a claim still owes: a control, any evidence at all, or evidence that is strong enough."""
    name, owed = claim["id"], claim["owed"]
    if any(not r["controls"] for r in records):
        return [f"{name}: no negative control."]
    if owed in NOT_RUN or claim["chapter"] not in chapters:
        return []
    paying = [r["evidence"] for r in records if (r["evidence"] == "refuted") == (owed == "refuted")]
    if not paying:
        return [f"{name}: owes {owed} evidence in {claim['chapter']}, and none was found."]
    best = max(paying, key=STRENGTH.__getitem__)
    if STRENGTH[best] < STRENGTH[owed]:
        return [f"{name}: owes {owed} evidence, but what was found is only {best}."]
    return []


def malformed(claims: list[dict[str, Any]]) -> list[str]:
    """Entries that break the form of ``claims.yml``."""
    problems = []
    needed = ("id", "label", "section", "kind", "source", "statement", "verdict", "chapter", "owed")
    ids = [c.get("id") for c in claims]
    problems += [f"{i}: the id stands twice." for i in sorted({str(i) for i in ids if ids.count(i) > 1})]
    for claim in claims:
        name = claim.get("id", "an entry without id")
        if missing := [key for key in needed if not claim.get(key)]:
            problems.append(f"{name}: no {', '.join(missing)}.")
            continue
        for key in ("id", "section", "chapter"):
            if not re.fullmatch(r"[\w.-]+(, [\w.]+)*", str(claim[key])):  # they stand in addresses and attributes
                problems.append(f"{name}: {key} '{claim[key]}' must be of letters, digits and hyphens.")
        choices = (
            ("kind", KINDS),
            ("source", ("paper", "ours", "other")),
            ("verdict", VERDICTS),
            ("owed", (*EVIDENCE, "refuted", *NOT_RUN)),
        )
        for key, allowed in choices:
            if claim[key] not in allowed:
                problems.append(f"{name}: {key} '{claim[key]}' is none of {', '.join(allowed)}.")
        if claim["owed"] in NOT_RUN and not claim.get("reason"):
            problems.append(f"{name}: {claim['owed']}, so it must give its reason.")
        for key in ("uses", "errata", "about"):
            problems += [
                f"{name}: {key} names '{i}', which does not exist." for i in claim.get(key, []) if i not in ids
            ]
    if not problems and (cycle := cycle_of({c["id"]: c.get("uses", []) for c in claims})):
        problems.append(f"{' uses '.join(cycle)}: circular.")
    return problems


def cycle_of(uses: Mapping[str, list[str]]) -> list[str]:
    """A cycle of a directed graph, or the empty list."""
    done: set[str] = set()

    def walk(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node not in done:
            for below in uses[node]:
                if cycle := walk(below, [*path, node]):
                    return cycle
            done.add(node)
        return []

    return next((cycle for node in uses if (cycle := walk(node, []))), [])


def status(claims: list[dict[str, Any]], records: Iterable[dict[str, Any]]) -> dict[str, tuple[str, list[str]]]:
    """The standing of each claim in one word, with the upstream claims that weaken it.

    The words are "checked", "sampled", "refuted" (the printed form fails), "open", "cited", "not runnable" and "not yet
    run". The list names every claim upstream, directly or not, whose printed form is false: a statement that rests on
    one is not shown as green, even when its own check passed, unless its own derivation has been repaired ("true, proof
    repaired").
    """
    known = {c["id"]: c for c in claims}
    evidence: dict[str, set[str]] = {c: set() for c in known}
    for record in records:
        evidence[record["claim"]].add(record["evidence"])
    fallen: dict[str, set[str]] = {}

    def upstream(name: str) -> set[str]:
        if name not in fallen:
            fallen[name] = set()
            if known[name]["verdict"] != "true, proof repaired":
                for below in known[name].get("uses", []):
                    false = {below} if known[below]["verdict"] == "false as printed" else set()
                    fallen[name] |= false | upstream(below)
        return fallen[name]

    def word(name: str) -> str:
        claim, found = known[name], evidence[name]
        if (
            "refuted" in found
            or claim["verdict"] == "false as printed"
            and any("refuted" in evidence[e] for e in claim.get("errata", []))
        ):
            return "refuted"
        if found:
            return "sampled" if found == {"sampled"} else "checked"
        if claim["verdict"] == "open":
            return "open"
        return claim["owed"] if claim["owed"] in NOT_RUN else "not yet run"

    return {name: (word(name), sorted(upstream(name))) for name in known}
