"""claims.json: the ledger as data, one entry for each claim. The page "The ledger as data" says what it holds."""

from math import isfinite
from typing import Any

from companion.ledger.audit import status
from companion.ledger.claims import Claim, Claims, Records, name
from sparse_book.ledger import Record

# Words of tightness, the tightest first; "equality" only where there is no bound, for an identity (that of a function
# and its formula, say) does not make a bound tight.
TIGHTNESS = ("tight", "within 10×", "loose", "equality")


def document(claims: Claims, records: Records) -> dict[str, Any]:
    """The contents of claims.json. It changes its version when a key goes or changes its meaning."""
    standing = status(claims, records)
    return {
        "title": "Sparse Activations, Executable: the ledger",
        "version": 1,
        "claims": [entry(claim, records, *standing[claim["id"]]) for claim in claims],
    }


def entry(claim: Claim, records: Records, word: str, fallen: list[str]) -> dict[str, Any]:
    """What is known of one claim."""
    checks = [evidence(record) for record in records if record["claim"] == claim["id"]]
    words = {checked["tightness"] for checked in checks}
    return {
        "id": claim["id"],
        "label": name(claim),
        "kind": claim["kind"],
        "source": claim["source"],
        "section": claim["section"],
        "statement": claim["statement"],
        "digest": claim["digest"],
        "changed": claim["changed"],
        "verdict": claim["verdict"],
        "standing": word,
        "chapter": claim["chapter"],
        "required": claim["required"],
        "uses": claim.get("uses", []),
        "rests_on_false": fallen,
        "errata": claim.get("errata", []),
        "follows": claim.get("follows", []),
        "evidence": checks,
        "tightness": next((word for word in TIGHTNESS if word in words), None),
        "proof": claim["proof"],
        "place": f"book/{claim['place']}" if claim["place"] else None,
        "command": claim["command"],
    }


def evidence(record: dict[str, Any]) -> dict[str, Any]:
    """What one check found, and where its cell stands; JSON has no infinity, so an infinite slack is null."""
    found = Record.of(record)
    slack = [value if isfinite(value) else None for value in found.slack] if found.slack else None
    return {
        "evidence": found.evidence,
        "finding": found.finding,
        "over": found.over,
        "count": found.count,
        "slack": slack,
        "tightness": found.tightness,
        "controls": list(found.controls),
        "cell": f"book/{record['chapter']}.html#{record['anchor']}",
    }
