"""The ledger page: a pure function of the executed notebooks and claims.yml, refused when the two do not balance."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import yaml
from audit import audit, status

from sparse_core import ledger

STANDING = {
    "checked": "every instance that the evidence names was computed and agrees",
    "sampled": "no counterexample among random instances; not a proof",
    "refuted": "a witness shows that the printed form fails; the corrected form stands beside it",
    "open": "stated, neither proved nor refuted",
    "cited": "taken from the literature; nothing to run",
    "not runnable": "about all algorithms or an unproved assumption; only its reductions can be run",
    "not yet run": "its chapter is not in the book yet",
}
TABLES = (
    ("The paper's statements", lambda c: c["source"] == "paper" and c["kind"] != "erratum"),
    ("Errata", lambda c: c["kind"] == "erratum"),
    ("Results of this project", lambda c: c["source"] == "ours" and c["kind"] != "erratum"),
)


def read_yaml(path: Path) -> Any:
    """The contents of a YAML file as plain data; a broken file is a problem of the ledger."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise ledger.LedgerError(f"{path.name} cannot be read: {' '.join(str(error).split())}") from None


def collect(executed: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The records in the outputs of executed notebooks, each with the chapter in which it stands."""
    return [
        {**output["data"][ledger.MIME], "chapter": stem}
        for stem, notebook in executed.items()
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        if ledger.MIME in output.get("data", {})
    ]


def write(stage: Path, executed: dict[str, dict[str, Any]], only: str | None = None) -> None:
    """Write stage/book/ledger.md, or raise a LedgerError that lists every reason why not.

    ``executed`` maps the stem of each executed chapter to its notebook; ``only`` names the one chapter of a preview.
    """
    book = Path(stage) / "book"
    claims, published = read_yaml(book / "claims.yml"), read_yaml(book / "published.yml")
    records = collect(executed)
    if problems := audit(claims, records, executed, published):
        raise ledger.LedgerError(
            f"the ledger does not balance ({len(problems)}):\n" + "\n".join(f"  - {p}" for p in problems)
        )
    (book / "ledger.md").write_text(page(claims, records, only), encoding="utf-8")


def page(claims: list[dict[str, Any]], records: list[dict[str, Any]], only: str | None = None) -> str:
    """The ledger as MyST Markdown."""
    standing = status(claims, records)
    counts = Counter(word for word, _ in standing.values())
    lines = [
        "# The ledger",
        "",
        "Every statement of the paper, every erratum and every result of this project, with its verdict and its",
        "evidence. The evidence is read from the outputs of the executed chapters, and the build refuses a verdict",
        "that it does not bear out. What the words mean:",
        "",
        *(f"- {badge(word)} ({counts[word]}): {meaning}." for word, meaning in STANDING.items()),
        "",
        "*Slack* is the right side of an inequality divided by its left side: 1× is equality. A *control* is the same",
        "comparison with a mutated constant or a dropped hypothesis; it must fail, which shows that the check could",
        "have failed.",
        "",
    ]
    if only:
        lines += [f":::{{warning}}\nPreview: only the chapter `{only}` was executed for this page.\n:::", ""]
    labels = {c["id"]: c["label"] for c in claims}
    for title, belongs in TABLES:
        lines += [f"## {title}", "", "::::{list-table}", ":class: ledger", ":header-rows: 1", ":widths: 16 44 40", ""]
        lines += ["* - Statement", "  - In our words", "  - Evidence"]
        for claim in filter(belongs, claims):
            mine = [r for r in records if r["claim"] == claim["id"]]
            lines += row(claim, mine, *standing[claim["id"]], labels)
        lines += ["::::", ""]
    return "\n".join(lines)


def row(
    claim: dict[str, Any], records: list[dict[str, Any]], word: str, fallen: list[str], labels: dict[str, str]
) -> list[str]:
    """One claim as the three cells of a row."""
    place = {"erratum": f"to {', '.join(labels[i] for i in claim.get('about', []))}"}.get(
        claim["kind"], f"{claim['kind']}, §{claim['section']}" if claim["source"] == "paper" else claim["kind"]
    )
    name = f'<span id="{claim["id"]}"></span>**{claim["label"]}**<br><small>{place}</small><br>{badge(word)}'
    says = [with_links(claim["statement"], labels)]
    notes = [key for key in ("printed", "witness", "corrected", "note") if claim.get(key)]
    says += [f"*{key.capitalize()}:* {with_links(claim[key], labels)}" for key in notes]
    if claim["kind"] != "erratum" and claim["verdict"] not in ("definition", "cited"):
        says.append(f"<small>Printed form: {claim['verdict']}.</small>")
    if claim.get("errata"):
        says.append("<small>Errata: " + ", ".join(link(f"#{e}", e) for e in claim["errata"]) + ".</small>")
    if fallen:
        says.append(
            "<small>Rests on a statement that fails as printed: "
            + ", ".join(link(f"#{i}", labels[i]) for i in fallen)
            + ".</small>"
        )
    shown = []
    for record in records:
        cell = link(f"{record['chapter']}.html#{record['anchor']}", record["evidence"])
        controls = "".join(f"<br><small>Control: {plain(c)}</small>" for c in record["controls"])
        shown.append(f"{cell}: {plain(finding(record))}{controls}")
    if not records:
        shown = [
            with_links(claim["reason"], labels)
            if claim.get("reason")
            else f"Owed: {claim['owed']}, in chapter `{claim['chapter']}`."
        ]
    return [f"* - {name}", f"  - {'<br>'.join(says)}", f"  - {'<br>'.join(shown)}"]


def finding(record: dict[str, Any]) -> str:
    """The words in which a record states what it found."""
    fields = {k: v for k, v in record.items() if k not in ("anchor", "chapter")}
    return ledger.Record(**fields).finding


def badge(word: str) -> str:
    return f'<span class="standing standing-{word.replace(" ", "-")}">{word}</span>'


def link(target: str, text: str) -> str:
    return f'<a href="{target}">{plain(text)}</a>'


def with_links(text: str, labels: dict[str, str]) -> str:
    """A text of claims.yml on one line, its `ids` as links to their rows."""
    return re.sub(
        r"`([\w-]+)`", lambda m: link(f"#{m[1]}", labels[m[1]]) if m[1] in labels else m[0], " ".join(text.split())
    )


def plain(text: str) -> str:
    """Text that Markdown and HTML leave as it is."""
    return re.sub(r"[&<>*_$\\`\[\]|~^{}#]", lambda c: f"&#{ord(c[0])};", text)
