"""The package's public names, for the notation page and the ledger; read from its source, nothing is imported."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from companion.pages.markup import plain

MARK = "<!-- names -->"


def public(source: str) -> list[tuple[str, str]]:
    """(name, first line of its docstring) for each function and class in ``__all__``, in the order of the source."""
    body = ast.parse(source).body
    listed: set[str] = set()
    for node in body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            listed = set(ast.literal_eval(node.value))
    found = [n for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name in listed]
    return [(n.name, (ast.get_docstring(n) or "").split("\n")[0]) for n in found]


def modules(package: Path) -> dict[str, str]:
    """The source of each module by its name, without those whose names begin with an underscore."""
    paths = [path for path in sorted(package.rglob("*.py")) if not path.name.startswith("_")]
    return {".".join(p.relative_to(package).with_suffix("").parts): p.read_text(encoding="utf-8") for p in paths}


def cited(package: Path) -> dict[str, list[tuple[str, str]]]:
    """Claim -> (module, name) of the functions and classes whose docstrings name the claim `so`."""
    found: dict[str, list[tuple[str, str]]] = {}
    for module, source in modules(package).items():
        listed = {name for name, _ in public(source)}
        for node in ast.parse(source).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in listed:
                for claim in sorted(set(re.findall(r"`([\w-]+)`", ast.get_docstring(node) or ""))):
                    found.setdefault(claim, []).append((module, node.name))
    return found


def names(package: Path) -> str:
    """One table for each module that has public names, as MyST Markdown."""
    lines = []
    for module, source in modules(package).items():
        if not (found := public(source)):
            continue
        lines += [f"### `{module}`", "", "::::{list-table}", ":class: names", ":header-rows: 1", ":widths: 30 70", ""]
        lines += ["* - Name", "  - What it gives"]
        for name, formula in found:
            lines += [f"* - `{name}`", f"  - {plain(formula)}"]
        lines += ["::::", ""]
    return "\n".join(lines)


def fill(page: Path, package: Path) -> None:
    """Put the tables in the place of the mark, on a page that has it."""
    if page.is_file():
        page.write_text(page.read_text(encoding="utf-8").replace(MARK, names(package)), encoding="utf-8")
