"""The table of perturbed bounds on the ledger page, from the last run of ``make.py mutate --claims``."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from pathlib import Path
from typing import Any

from markup import link, plain

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "tests" / "mutation" / "claims.json"
SIDES = {"right": "", "left": ", left side", "both": ", both sides"}
PERTURBED = """\
## Bounds perturbed

A check that passes says little if it would also pass for another bound. So each right side is perturbed. *Constant*: it
is halved; a right side that is claimed to be equal is multiplied by 1.001, or 0 becomes 0.001. *Exponent*: in the
formula of the bound, on the page or in `sparse_core.bounds`, one exponent is changed by one, up and down: $x^k$,
$\\sqrt x$ or a plain factor. *Hypothesis*: the controls that every check carries, in which a hypothesis or a constant
is changed. A perturbation is caught if then the check fails on some instance. An upper bound that is made larger stays
true, so that of the two changes of an exponent at most one can be expected to be caught; *2 of 3* counts exponents.
The right side is tried first; where nothing there is caught, the left one, which is the bound in an estimate from
below, and then what both sides rest on. Formulas that take seconds to compute are left alone.

{counts}

"""


def code_cells(text: str) -> list[str]:
    """The code cells of a chapter's Markdown, without their options."""
    cells = re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [re.sub(r"\A(---\n.*?^---\n|(:[^\n]*\n)+)\n?", "", cell, flags=re.MULTILINE | re.DOTALL) for cell in cells]


def bare(code: str) -> ast.Module:
    """Python code as a tree without comments and docstrings."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef)) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return tree


def digest(chapter: str) -> str:
    """sha256 over the chapter's code and the bounds that it names, directly or not; over no prose and no layout."""
    open_ = [bare(cell) for cell in code_cells((ROOT / "book" / f"{chapter}.md").read_text(encoding="utf-8"))]
    defined: dict[str, list[ast.stmt]] = {}
    for path in sorted((ROOT / "sparse_core" / "bounds").glob("*.py")):
        for node in bare(path.read_text(encoding="utf-8")).body:
            stored = (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            for name in [node.name] if isinstance(node, ast.FunctionDef) else stored:
                defined.setdefault(name, []).append(node)
    texts = []
    while open_:
        tree = open_.pop()
        texts.append(re.sub(r"(, )?\w+=\[\]", "", ast.dump(tree)))  # the same in each version of Python
        for node in ast.walk(tree):
            open_ += defined.pop(getattr(node, "id", getattr(node, "attr", "")), [])
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()[:16]


def read() -> dict[str, Any]:
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def chapters() -> list[str]:
    """The chapters with checks."""
    pages = sorted((ROOT / "book").glob("0*.md"))
    return [path.stem for path in pages if "ledger.check(" in path.read_text(encoding="utf-8")]


def stale(results: dict[str, Any]) -> list[str]:
    """The chapters without a result for their present code."""
    return [name for name in chapters() if results.get(name, {}).get("code") != digest(name)]


def by_claim(results: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What was caught for each claim, over all of its checks."""
    claims: dict[str, dict[str, Any]] = {}
    for chapter, result in results.items():
        for record in result["records"]:
            claim = claims.setdefault(
                record["claim"],
                {"chapter": chapter, "bound": False, "checks": 0, "constant": 0, "caught": 0, "tried": 0, "controls": 0}
                | {"slack": [], "sides": set()},
            )
            claim["bound"] |= record["relation"] == "<="
            claim["checks"] += 1
            for key in ("constant", "caught", "tried", "controls"):
                claim[key] += record[key]
            claim["slack"] += [record["slack"]] if record["slack"] else []
            claim["sides"] |= {record["side"]} - {""}
    return claims


def why_not(claim: dict[str, Any], argument: str = "") -> str:
    """Why a perturbation is not caught, in one or two sentences; empty if each kind is."""
    reasons = []
    if not claim["constant"]:
        least = min(claim["slack"], default=None)
        reasons.append(
            f"With slack {least:.3g}× the check fails once the constant is below {1 / least:.2g} of itself."
            if least
            else "No left side is positive, so a constant has nothing to act on."
        )
    if not claim["tried"]:
        reasons.append("There is no exponent to change.")
    elif not claim["caught"]:
        reasons.append("On these instances the check passes with any of these exponents as well.")
    return " ".join([*reasons, argument]).strip()


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.0%})"


def counts(results: dict[str, Any]) -> dict[str, tuple[int, int, int]]:
    """For inequalities and for identities: (claims, constant or exponent caught, any perturbation caught)."""
    found = {}
    for kind, bound in (("inequalities", True), ("identities", False)):
        mine = [c for c in by_claim(results).values() if c["bound"] == bound]
        some = [c for c in mine if c["constant"] or c["caught"]]
        found[kind] = len(mine), len(some), sum(bool(c["constant"] or c["caught"] or c["controls"]) for c in mine)
    return found


def section(
    claims: list[dict[str, Any]], results: dict[str, Any] | None = None, arguments: dict[str, str] | None = None
) -> list[str]:
    """The section as lines of MyST Markdown; nothing without a result."""
    results = read() if results is None else results
    if not results:
        return []
    arguments = argued() if arguments is None else arguments
    old, found = stale(results), by_claim(results)
    elsewhere = sum(c["constant"] == 0 < c["caught"] and "right" not in c["sides"] for c in found.values())
    says = [
        f"- Claims with {kind}: the constant or an exponent is caught for {share(some, whole)}, and something, the "
        f"hypotheses counted in, for {share(every, whole)}."
        for kind, (whole, some, every) in counts(results).items()
        if whole
    ]
    says += ["", f"For {elsewhere} of them it is only an exponent, and not on the right side."] if elsewhere else []
    says += ["", "Refutations are not in the table: there a bound has failed already, at its witness."]
    for date in sorted({r["date"] for r in results.values()}):
        commits = sorted({f"`{r['commit']}`" for r in results.values() if r["date"] == date})
        says += ["", f"Run on {date} at commit {', '.join(commits)}."]
    if old:
        says += ["", ":::{warning}", f"Stale: the code has changed since in {', '.join(f'`{c}`' for c in old)}.", ":::"]
    lines = PERTURBED.format(counts="\n".join(says)).splitlines()
    lines += ["::::{list-table}", ":class: perturbed sortable", ":header-rows: 1", ":widths: 24 10 11 11 10 34", ""]
    lines += ["* - Statement", "  - Constant", "  - Exponent", "  - Hypothesis", "  - Slack", "  - Why not"]
    for claim in claims:
        if mine := found.get(claim["id"]):
            lines += row(claim, mine, arguments.get(claim["id"], ""), mine["chapter"] in old)
    return [*lines, "::::", ""]


def row(claim: dict[str, Any], found: dict[str, Any], argument: str, stale: bool) -> list[str]:
    def word(part: int, whole: int) -> str:
        return ("caught" if whole == 1 else f"{part} of {whole}") if part else "not caught" if whole else "none"

    slack = f"{min(found['slack']):.3g}×" if found["slack"] else "none" if found["bound"] else "equality"
    cells = [
        link(f"#{claim['id']}", claim["label"]) + (" (stale)" if stale else ""),
        word(found["constant"], found["checks"]),
        word(found["caught"], found["tried"]) + SIDES[max(found["sides"], default="right")],
        word(found["controls"], found["controls"]),
        slack,
        plain(why_not(found, argument)),
    ]
    return [("* - " if i == 0 else "  - ") + cell for i, cell in enumerate(cells)]


def argued() -> dict[str, str]:
    """Claim -> why neither its constant nor an exponent is caught."""
    import tomllib

    path = RESULTS.with_name("claims.toml")
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
