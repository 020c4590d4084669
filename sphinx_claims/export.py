"""claims.json: the ledger as data, one entry for each claim, by the schema beside this file."""

from math import inf
from pathlib import Path
from typing import Any

from .claims import Claim
from .ledger import Ledger
from .record import Record

SCHEMA = Path(__file__).with_name("claims.schema.json")
# What is always said of a claim, in this order.
KEYS = """
    id label kind source section statement digest changed verdict standing chapter required uses rests_on_false errata
    follows evidence tightness proof place command
""".split()
# Words of tightness, the tightest first; "equality" only where there is no bound, for an identity (that of a function
# and its formula, say) does not make a bound tight.
TIGHTNESS = ("tight", "within 10×", "loose", "equality")


def document(ledger: Ledger) -> dict[str, Any]:
    """The contents of claims.json. It changes its version when a key goes or changes its meaning."""
    claims = [entry(ledger, claim) for claim in ledger.claims]
    return {"title": ledger.settings.title, "version": 1, "claims": claims}


def entry(ledger: Ledger, claim: Claim) -> dict[str, Any]:
    """What is known of one claim."""
    folder = ledger.settings.folder
    checks = [evidence(record, folder) for record in ledger.evidence[claim.id]]
    words = [checked["tightness"] for checked in checks]
    told: dict[str, Any] = dict.fromkeys(KEYS)
    told |= {key: getattr(claim, key) for key in KEYS if hasattr(claim, key)}
    for key in ("uses", "errata", "follows"):
        told[key] = list(told[key])
    told["label"] = claim.name
    told["standing"] = ledger.standing(claim)
    told["rests_on_false"] = ledger.upstream(claim)
    told["evidence"] = checks
    told["tightness"] = next(filter(words.__contains__, TIGHTNESS), None)
    told["place"] = claim.place and f"{folder}{claim.place}" or None
    told["command"] = claim.recipe
    if claim.printed_at:
        told["printed_at"] = claim.printed_at
    return told


def evidence(found: Record, folder: str) -> dict[str, Any]:
    """What one check found, and where its cell stands; JSON has no infinity, so an infinite slack is null."""
    return {
        "evidence": found.evidence,
        "finding": found.finding,
        "over": found.over,
        "count": found.count,
        "slack": found.slack and [{inf: None}.get(value, value) for value in found.slack],
        "tightness": found.tightness,
        "controls": list(found.controls),
        "cell": f"{folder}{found.page}.html#{found.anchor}",
    }
