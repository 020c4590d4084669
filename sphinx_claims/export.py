"""claims.json: the ledger as data, one entry for each claim, by the schema beside this file."""

from math import isfinite
from pathlib import Path
from typing import Any

from .claims import Claim
from .ledger import Ledger
from .record import Record

SCHEMA = Path(__file__).with_name("claims.schema.json")
# Words of tightness, the tightest first; "equality" only where there is no bound, for an identity (that of a function
# and its formula, say) does not make a bound tight.
TIGHTNESS = ("tight", "within 10×", "loose", "equality")
# What is told of a claim as it is.
TOLD = ("section", "statement", "digest", "changed", "verdict")
LISTS = ("errata", "follows")


def document(ledger: Ledger) -> dict[str, Any]:
    """The contents of claims.json. It changes its version when a key goes or changes its meaning."""
    claims = [entry(ledger, claim) for claim in ledger.claims]
    return {"title": ledger.settings.title, "version": 1, "claims": claims}


def entry(ledger: Ledger, claim: Claim) -> dict[str, Any]:
    """What is known of one claim."""
    folder = ledger.settings.folder
    checks = [evidence(record, folder) for record in ledger.evidence[claim.id]]
    words = {checked["tightness"] for checked in checks}
    told: dict[str, Any] = {"id": claim.id, "label": claim.name, "kind": claim.kind, "source": claim.source}
    told |= {key: getattr(claim, key) for key in TOLD}
    told |= {"standing": ledger.standing(claim), "chapter": claim.chapter, "required": claim.required}
    told |= {"uses": list(claim.uses), "rests_on_false": ledger.upstream(claim)}
    told |= {key: list(getattr(claim, key)) for key in LISTS}
    told |= {"evidence": checks, "tightness": next((word for word in TIGHTNESS if word in words), None)}
    if claim.printed_at:
        told["printed_at"] = claim.printed_at
    place = f"{folder}{claim.place}" if claim.place else None
    return told | {"proof": claim.proof, "place": place, "command": claim.recipe}


def evidence(found: Record, folder: str) -> dict[str, Any]:
    """What one check found, and where its cell stands; JSON has no infinity, so an infinite slack is null."""
    slack = [value if isfinite(value) else None for value in found.slack] if found.slack else None
    return {
        "evidence": found.evidence,
        "finding": found.finding,
        "over": found.over,
        "count": found.count,
        "slack": slack,
        "tightness": found.tightness,
        "controls": list(found.controls),
        "cell": f"{folder}{found.page}.html#{found.anchor}",
    }
