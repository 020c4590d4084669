"""The package by room: signature, docstring, claims and source of what is public, read from its files.

Docstrings are plain text: paragraphs, lists, formulas that are indented, the sections of numpydoc, doctests, ``names``,
and `claims`, which become links.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set
from pathlib import Path

from companion.pages.markup import plain, roles

CELL = re.compile(r"^```\{code-cell\}.*?^```", re.M | re.S)
CHECK = re.compile(r'ledger\.(?:check|refute)\(\s*"([\w.-]+)"')
INLINE = re.compile(r'``(.+?)``|`([^`]+)`|("\w+")|(?<![\w*])\*(\w[^*]*[\w.])\*(?!\w)')
ENTRY = re.compile(r"^(\w+(?:, \w+)*) : ", re.M)
FEW = 6  # as many claims in a row; the ledger has them all
Definition = ast.FunctionDef | ast.ClassDef


def pages(packages: Iterable[Path], book: Path, known: Set[str]) -> dict[str, str]:
    """The page of each subpackage, or of a package that has none, as MyST Markdown; ``known`` are the claims' ids."""
    used = checked(book)
    folders = [path.parent for package in packages for path in sorted(package.glob("*/__init__.py")) or [package / "_"]]
    return {f"{page_name(folder.name)}.md": "\n\n".join(page(folder, used, known)) + "\n" for folder in folders}


def page_name(folder: str) -> str:
    """The name of the page of a subpackage or package."""
    return f"api-{folder.replace('_', '-')}"


def checked(book: Path) -> dict[str, list[str]]:
    """The claims in whose checks a name such as ``fourier.tail`` stands, in the order of the chapters."""
    found: dict[str, list[str]] = {}
    for chapter in sorted(book.glob("[0-9]*.md")):
        for cell in CELL.findall(chapter.read_text(encoding="utf-8")):
            for name in set(re.findall(r"\b\w+\.\w+\b", cell)):
                found.setdefault(name, []).extend(CHECK.findall(cell))
    return found


def page(room: Path, used: dict[str, list[str]], known: Set[str]) -> Iterator[str]:
    """Blocks of Markdown: what the room says of itself, and its modules."""
    yield f"# API: {room.name}"
    yield from prose(doc(ast.parse((room / "__init__.py").read_text(encoding="utf-8"))), known)
    for path in sorted(room.glob("[!_]*.py")):
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        rest = set(range(1, source.count("\n") + 1)) - docstrings(tree)
        public = next(ast.literal_eval(n.value) for n in tree.body if ast.unparse(n).startswith("__all__"))
        yield f"## {path.stem}\n\n`from {dotted(room)} import {path.stem}`"
        yield from prose(doc(tree), known)
        for node in tree.body:
            if isinstance(node, Definition) and node.name in public:
                name = f"{path.stem}.{node.name}"
                yield f'<span id="{name}"></span>\n\n### {plain(node.name)}'
                yield from entry(node, name, known)
                yield from links("Stated in", "statement", re.findall("`([^`]+)`", doc(node)), known)
                yield from links("Used to check", "claim", used.get(name, []), known)
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                mine = rest.intersection(range(first, node.end_lineno + 1))
                rest -= mine
                yield code(f"Source of {name}", source, mine)
        yield code(f"The rest of {room.name}/{path.name}", source, rest)


def dotted(folder: Path) -> str:
    """The name under which Python imports a package."""
    outer = folder.parent
    return f"{dotted(outer)}.{folder.name}" if (outer / "__init__.py").exists() else folder.name


def entry(node: Definition, name: str, known: Set[str]) -> Iterator[str]:
    """What a function, or a class with its public methods, says of itself."""
    yield f"{{.signature}}\n`{signature(node, name)}`"
    yield from prose(doc(node), known)
    for method in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(method, ast.FunctionDef) and doc(method) and not re.match("_(?!_)|__init__", method.name):
            yield f"#### {plain(method.name)}"
            yield from entry(method, f"{node.name}.{method.name}", known)


def doc(node: Definition | ast.Module) -> str:
    return ast.get_docstring(node) or ""


def signature(node: Definition, name: str) -> str:
    """The name with its arguments: of a class, those of its ``__init__`` or its fields; of a property, none."""
    if isinstance(node, ast.ClassDef):
        fields = ", ".join(ast.unparse(n) for n in node.body if isinstance(n, ast.AnnAssign))
        made = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
        return signature(made[0], name).removesuffix(" -> None") if made else f"{name}({fields})"
    arguments = re.sub("^(self|cls)(, |$)", "", ast.unparse(node.args))
    of_property = any(ast.unparse(decorator).endswith("property") for decorator in node.decorator_list)
    return f"{name}{'' if of_property else f'({arguments})'} -> {ast.unparse(node.returns)}"


def prose(text: str, known: Set[str]) -> Iterator[str]:
    """A docstring as blocks of Markdown."""
    text = re.sub(r"^Examples\n-{3,}\n", "", text, flags=re.M)  # a prompt says so
    for block in re.split(r"\n\s*\n", re.sub(r"^(\w+)\n-{3,}$", r"*\1*\n", text, flags=re.M)):
        if block.startswith((">>>", " ")):
            yield f"```{'text' if block.startswith(' ') else 'pycon'}\n{block}\n```"
        elif ENTRY.match(block):
            _, *parts = ENTRY.split(block)
            entries = zip(parts[::2], parts[1::2], strict=True)
            yield "\n\n".join(f"`{name}`\n: {inline(text, known)}" for name, text in entries)
        else:
            items = re.split(r"^(?:\* |\d\. )", block, flags=re.M)
            yield "\n".join([inline(items[0], known), *(f"* {inline(item, known)}" for item in items[1:])]).lstrip("\n")


def inline(text: str, known: Set[str]) -> str:
    """Text on one line, of which Markdown sees ``code``, the links to claims and *emphasis*."""
    line, end, words = " ".join(text.split()), 0, ""
    for match in INLINE.finditer(line):
        code, claim, value, emphasis = match.groups()
        shown = (
            f"*{plain(emphasis)}*" if emphasis else roles([claim]) if claim in known else f"`{code or claim or value}`"
        )
        words, end = words + plain(line[end : match.start()]) + shown, match.end()
    words += plain(line[end:])
    return re.sub(r"^[%+:=-]|^\d+(?=[.)] )", lambda start: f"&#8203;{start[0]}", words)  # nor does it begin a list


def links(words: str, role: str, ids: list[str], known: Set[str]) -> Iterator[str]:
    """A line of links to claims, if there are any."""
    if found := [one for one in dict.fromkeys(ids) if one in known]:
        more = f" and {len(found) - FEW} more" if len(found) > FEW else ""
        yield f"{{.whereabouts}}\n{words}: {', '.join(f'{{{role}}}`{one}`' for one in found[:FEW])}{more}."


def docstrings(tree: ast.Module) -> set[int]:
    """The lines of a module that are docstrings."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, Definition | ast.Module) and doc(node)]
    return {line for node in nodes for line in range(node.body[0].lineno, node.body[0].end_lineno + 1)}


def code(title: str, source: str, numbers: set[int]) -> str:
    """These lines of a module behind a button."""
    lines = source.splitlines()
    text = re.sub(r"\n{3,}", "\n\n\n", "\n".join(lines[number - 1] for number in sorted(numbers)).strip("\n"))
    return f'<details class="steps"><summary>{plain(title)}</summary>\n\n```python\n{text}\n```\n\n</details>'
