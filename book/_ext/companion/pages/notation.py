"""The package's public names, for the notation page and the ledger; read from its source, nothing is imported."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from companion.pages.markup import plain

MARK = "<!-- names -->"


def public(source: str) -> list[tuple[str, str]]:
    """(name, docstring) of each function and class in ``__all__``, in the order of the source."""
    body = ast.parse(source).body
    listed: set[str] = set()
    for node in body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            listed = set(ast.literal_eval(node.value))
    found = [n for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name in listed]
    return [(n.name, ast.get_docstring(n) or "") for n in found]


def modules(package: Path) -> dict[str, list[tuple[str, str]]]:
    """What each module makes public, without the modules whose names begin with an underscore."""
    paths = [path for path in sorted(package.rglob("*.py")) if not path.name.startswith("_")]
    found = {".".join(p.relative_to(package).with_suffix("").parts): public(p.read_text("utf-8")) for p in paths}
    return {module: names for module, names in found.items() if names}


def cited(package: Path) -> dict[str, list[tuple[str, str]]]:
    """Claim -> (module, name) of the functions and classes whose docstrings name the claim `so`."""
    found: dict[str, list[tuple[str, str]]] = {}
    for module, names in modules(package).items():
        for name, docstring in names:
            for claim in sorted(set(re.findall(r"`([\w-]+)`", docstring))):
                found.setdefault(claim, []).append((module, name))
    return found


def tables(package: Path) -> str:
    """One table for each module that has public names, as MyST Markdown."""
    lines = []
    for module, names in modules(package).items():
        lines += [f"### `{module}`", "", "::::{list-table}", ":class: names", ":header-rows: 1", ":widths: 30 70", ""]
        lines += ["* - Name", "  - What it gives"]
        for name, docstring in names:
            first = docstring.partition("\n")[0]
            lines += [f"* - `{name}`", f"  - {plain(first)}"]
        lines += ["::::", ""]
    return "\n".join(lines)


def fill(page: Path, package: Path) -> None:
    """Put the tables in the place of the mark, on a page that has it."""
    if page.is_file():
        page.write_text(page.read_text(encoding="utf-8").replace(MARK, tables(package)), encoding="utf-8")
