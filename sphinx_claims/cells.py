"""What a chapter's code must not do to the checks that it makes, as far as its syntax trees show it.

What they do not show: an object that is passed to a function or taken from a container before it is changed, an error
that a class of the chapter or another module swallows, two sides that were computed in one way before the check, or are
spelt in two ways. Cells are read.
"""

import ast
import re
from collections.abc import Iterator
from typing import Any

# The functions that compare, of whatever module of ours; in a cell that does not import them, by these names.
CHECKS = ("check", "refute")
# What only the two may make: a record, and the type under which a notebook stores it; any module of ours has them.
RECORDS = ("Record", "MIME")
RECORD_TYPE = "sphinx-claims.record"
# What reaches by a text what no name in the cell shows, and what does so as a method too.
BY_TEXT = ("exec", "eval", "__import__", "globals", "locals", "vars", "importlib", "sys.modules", "unittest.mock")
ATTRIBUTES = ("getattr", "setattr", "delattr", "getattribute")
# The commands of IPython that run no code, and its functions that run some.
HARMLESS = ("matplotlib", "config")
RUNNING = ("run_cell_magic", "run_cell")


def faults(notebook: dict[str, Any], packages: str = "", checks: str = "") -> Iterator[str]:
    """For each thing that a code cell must not do: its cell, its line, and what it is.

    ``packages`` names, with spaces between them, those of the project, ``checks`` its functions that compare.
    """
    reader = Reader(packages, checks)
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        number += 1
        if "raises-exception" in cell["metadata"].get("tags", []):
            yield f"cell [{number}]: the tag raises-exception lets a check fail"
        for line, fault in reader.read("".join(cell["source"])):
            yield f"cell [{number}], line {line}: {fault}"


class Reader:
    """Reads the cells of a notebook one after the other.

    ``names`` leads from each name to the dotted name of what was imported, for which it stands; to nothing from the
    name of something that a cell has made. ``second`` leads from a name to the function that it calls by another name,
    after g = f, or g = lambda x: f(x); from any other name of a cell to itself.
    """

    def __init__(self, packages: str = "", checks: str = "") -> None:
        self.ours = {"sphinx_claims", *packages.split()}
        self.comparing = {*CHECKS, "ledger.check", "ledger.refute", *checks.split()}
        self.names: dict[str, str] = {}
        self.second: dict[str, str] = {}
        self.checking: set[str] = set()  # functions of the chapter that check

    def read(self, source: str) -> Iterator[tuple[int, str]]:
        """The line of each fault in a cell, and what it is."""
        from IPython.core.inputtransformer2 import TransformerManager

        try:
            tree = ast.parse(TransformerManager().transform_cell(source))  # type: ignore[no-untyped-call]
        except SyntaxError:  # the kernel says it better
            return
        found = list(ast.walk(tree))
        for node in found:
            self.remember(node)
        for node in found:
            for fault in self.faults(node):
                yield getattr(node, "lineno", 0), fault

    def remember(self, node: ast.AST) -> None:
        """Keep what a statement imports, and what it gives a name to."""
        match node:
            case ast.Import():
                for one in node.names:
                    self.names[one.asname or top(one.name)] = one.name if one.asname else top(one.name)
            case ast.ImportFrom():
                for one in node.names:
                    self.names[one.asname or one.name] = f"{node.module}.{one.name}"
            case ast.FunctionDef() if self.checks(*node.body):
                self.checking.add(node.name)
        for name, value in bindings(node):
            self.names[name] = self.path(value)
            self.second[name] = name
            if isinstance(value, (ast.Name, ast.Attribute)):
                self.second[name] = ast.unparse(value)
            if isinstance(value, ast.Lambda):
                called, _, passed = ast.unparse(value.body).partition("(")
                if passed == f"{ast.unparse(value.args)})":
                    self.second[name] = called
                if self.checks(value.body):
                    self.checking.add(name)

    def path(self, node: ast.AST) -> str:
        """The dotted name of what an expression stands for, "sphinx_claims.check"; nothing if it was not imported."""
        match node:
            case ast.Attribute():
                base = self.path(node.value)
                return base and f"{base}.{node.attr}"
            case ast.NamedExpr():
                return self.path(node.value)
        return self.names.get(getattr(node, "id", ""), "")

    def used(self, path: str, shown: str) -> Iterator[str]:
        """What must not be used, under whatever name."""
        name = path.rpartition(".")[2]
        if self.of_ours(path) and name in RECORDS:
            yield f"{shown} makes a record by hand: only check and refute may"
        if path in BY_TEXT or name.strip("_") in ATTRIBUTES:
            yield f"{path.strip('.')} reaches by a text what nobody reads"

    def faults(self, node: ast.AST) -> Iterator[str]:
        """What a node does that a cell must not do."""
        match node:
            case ast.Name():
                yield from self.used(self.names.get(node.id, node.id), node.id)
            case ast.Attribute():
                yield from self.of_attribute(node)
            case ast.Constant(str(text)) if RECORD_TYPE in text:
                yield f"{text!r} is the type of a record, which only check and refute may make"
            case ast.Subscript(owner, _, ast.Store() | ast.Del()) if self.of_ours(self.path(owner)):
                yield f"{ast.unparse(owner)} was imported: nothing may be put into it"
            case ast.Import():
                yield from self.imported("", node.names)
            case ast.ImportFrom():
                yield from self.imported(node.module or "", node.names)
            case ast.Try(body) | ast.TryStar(body) | ast.With(_, body) if self.checks(*body):
                yield "try or with around a check, which must stop the book when it fails"
            case ast.Call():
                yield from self.of_call(node)

    def of_attribute(self, node: ast.Attribute) -> Iterator[str]:
        owner = self.path(node.value)
        shown = ast.unparse(node)
        if owner and not isinstance(node.ctx, ast.Load):
            yield f"{shown} is of a module that was imported: nothing may be assigned to it"
        if private(node.attr) and self.of_ours(owner):
            yield f"{shown} is a private name of {top(owner)}"
        if node.attr in RUNNING:
            yield "%% at the top of a cell runs it where nobody reads what it does to its checks"
        yield from self.used(f"{owner}.{node.attr}", shown)

    def imported(self, module: str, names: list[ast.alias]) -> Iterator[str]:
        yield from self.used(module, module)
        for one in names:
            path = f"{module}.{one.name}".strip(".")
            yield from self.used(path, path)
            if not self.of_ours(path):
                continue
            if one.name == "*":
                yield f"from {module} import * does not show what is whose"
            for part in filter(private, path.split(".")):
                yield f"{part} is a private name of {top(path)}"

    def of_call(self, node: ast.Call) -> Iterator[str]:
        """A command of IPython, or a check of which both sides are one and the same call."""
        if getattr(node.func, "attr", "") == "run_line_magic":
            command = getattr(node.args[0], "value", "")
            if command not in HARMLESS:
                yield f"%{command} runs what nobody reads"
        given = dict(zip(("id", "lhs", "rhs"), node.args, strict=False))
        given |= {one.arg or "": one.value for one in node.keywords}
        if not (self.is_check(node) and "lhs" in given and "rhs" in given):
            return
        left = ast.unparse(given["lhs"])
        if re.search(r"[\w\])]\(", left) and self.plain(left) == self.plain(ast.unparse(given["rhs"])):
            yield f"both sides are {left}: the comparison cannot fail"

    def plain(self, expression: str) -> str:
        """An expression in which each function that is called has its first name."""

        def first(call: re.Match[str]) -> str:
            name = call[0]
            for _ in self.second:  # each name leads to another one at most once
                name = self.second.get(name, name)
            return name

        return re.sub(r"[\w.]+(?=\()", first, expression)

    def is_check(self, node: ast.AST) -> bool:
        """Whether this is a call of ledger.check or ledger.refute, under whatever name."""
        if not isinstance(node, ast.Call):
            return False
        path = self.path(node.func) or ast.unparse(node.func)
        return path in self.comparing or self.of_ours(path) and path.rpartition(".")[2] in CHECKS

    def checks(self, *nodes: ast.AST) -> bool:
        """Whether a check is called in one of these, or a function of the chapter that checks is named."""
        for node in nodes:
            for inner in ast.walk(node):
                if self.is_check(inner) or getattr(inner, "id", "") in self.checking:
                    return True
        return False

    def of_ours(self, path: str) -> bool:
        return top(path) in self.ours


def bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names that a node gives to expressions: x = f, x: T = f, (x := f), x, y = f, g and def x(a): return f(a)."""
    match node:
        case ast.FunctionDef(name, arguments, [ast.Return(ast.expr() as value), *_]):
            yield name, ast.Lambda(arguments, value)
        case ast.Assign(targets, value):
            for target in targets:
                yield from pairs(target, value)
        case ast.AnnAssign(target, _, ast.expr() as value) | ast.NamedExpr(target, value):
            yield from pairs(target, value)


def pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names of a target, each with the expression that it stands for."""
    match target, value:
        case ast.Name(name), _:
            yield name, value
        case ast.Tuple(targets), ast.Tuple(values):
            for one, other in zip(targets, values, strict=False):
                yield from pairs(one, other)


def top(path: str) -> str:
    return path.partition(".")[0]


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")
