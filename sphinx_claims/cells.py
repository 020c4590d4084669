"""What a chapter's code must not do to the checks that it makes, as far as its syntax trees show it.

What they do not show: an object that is passed to a function or taken from a container before it is changed, an error
that a class of the chapter or another module swallows, two sides that were computed in one way before the check, or are
spelt in two ways. Cells are read.
"""

import ast
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


class Reader(ast.NodeVisitor):
    """Reads the cells of a notebook one after the other; ``found`` has the line and the fault of each in the last one.

    ``names`` leads from each name to the dotted name of what was imported, for which it stands; to nothing from the
    name of something that a cell has made. ``values`` leads from a name to the expression that it was given.
    """

    def __init__(self, packages: str = "", checks: str = "") -> None:
        self.ours = {"sphinx_claims", *packages.split()}
        self.comparing = {*CHECKS, "ledger.check", "ledger.refute", *checks.split()}
        self.names: dict[str, str] = {}
        self.values: dict[str, ast.expr] = {}
        self.checking: set[str] = set()  # functions of the chapter that check
        self.found: list[tuple[int, str]] = []

    def read(self, source: str) -> list[tuple[int, str]]:
        from IPython.core.inputtransformer2 import TransformerManager

        self.found = []
        try:
            tree = ast.parse(TransformerManager().transform_cell(source))  # type: ignore[no-untyped-call]
        except SyntaxError:  # the kernel says it better
            return []
        for node in ast.walk(tree):
            self.remember(node)
        self.visit(tree)
        return self.found

    def remember(self, node: ast.AST) -> None:
        """Keep what a statement imports, and what it gives a name to."""
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.asname:
                    self.names[one.asname] = one.name
                else:
                    self.names[top(one.name)] = top(one.name)
        elif isinstance(node, ast.ImportFrom):
            for one in node.names:
                self.names[one.asname or one.name] = f"{node.module}.{one.name}"
        elif isinstance(node, ast.FunctionDef) and self.checks(*node.body):
            self.checking.add(node.name)
        for name, value in bindings(node):
            self.names[name] = self.path(value)
            self.values[name] = value
            if isinstance(value, ast.Lambda) and self.checks(value.body):
                self.checking.add(name)

    def path(self, node: ast.AST) -> str:
        """The dotted name of what an expression stands for, "sphinx_claims.check"; nothing if it was not imported."""
        if isinstance(node, ast.Attribute):
            base = self.path(node.value)
            return base and f"{base}.{node.attr}"
        if isinstance(node, ast.NamedExpr):
            return self.path(node.value)
        return self.names.get(getattr(node, "id", ""), "")

    def fault(self, node: ast.AST, words: str) -> None:
        self.found.append((getattr(node, "lineno", 0), words))

    def use(self, node: ast.AST, path: str) -> None:
        """What must not be used, under whatever name."""
        name = path.rpartition(".")[2]
        if self.of_ours(path) and name in RECORDS:
            self.fault(node, f"{ast.unparse(node)} makes a record by hand: only check and refute may")
        if path in BY_TEXT or name.strip("_") in ATTRIBUTES:
            self.fault(node, f"{path.strip('.')} reaches by a text what nobody reads")

    def visit_Name(self, node: ast.Name) -> None:
        self.use(node, self.names.get(node.id, node.id))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        owner = self.path(node.value)
        if owner and not isinstance(node.ctx, ast.Load):
            self.fault(node, f"{ast.unparse(node)} is of a module that was imported: nothing may be assigned to it")
        if private(node.attr) and self.of_ours(owner):
            self.fault(node, f"{ast.unparse(node)} is a private name of {top(owner)}")
        if node.attr in RUNNING:
            self.fault(node, "%% at the top of a cell runs it where nobody reads what it does to its checks")
        self.use(node, f"{owner}.{node.attr}")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and RECORD_TYPE in node.value:
            self.fault(node, f"{node.value!r} is the type of a record, which only check and refute may make")

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if self.of_ours(self.path(node.value)) and not isinstance(node.ctx, ast.Load):
            self.fault(node, f"{ast.unparse(node.value)} was imported: nothing may be put into it")
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        module = getattr(node, "module", None) or ""
        parts: list[str] = []
        self.use(node, module)
        for one in node.names:
            path = f"{module}.{one.name}".strip(".")
            self.use(node, path)
            parts += path.split(".") * self.of_ours(path)
        if "*" in parts:
            self.fault(node, f"from {module} import * does not show what is whose")
        for part in filter(private, parts):
            self.fault(node, f"{part} is a private name of {parts[0]}")

    visit_ImportFrom = visit_Import

    def visit_Call(self, node: ast.Call) -> None:
        if getattr(node.func, "attr", "") == "run_line_magic":
            command = getattr(node.args[0], "value", "")
            if command not in HARMLESS:
                self.fault(node, f"%{command} runs what nobody reads")
        if self.is_check(node):
            self.compare(node)
        self.generic_visit(node)

    def compare(self, node: ast.Call) -> None:
        """Both sides of a check must not be one and the same call."""
        given = dict(zip(("id", "lhs", "rhs"), node.args, strict=False))
        for one in node.keywords:
            given[one.arg or ""] = one.value
        if "lhs" not in given or "rhs" not in given:
            return
        left, right = (ast.dump(Plain(self.values).visit(copied(given[side]))) for side in ("lhs", "rhs"))
        if left == right and any(isinstance(one, ast.Call) for one in ast.walk(given["lhs"])):
            self.fault(node, f"both sides are {ast.unparse(given['lhs'])}: the comparison cannot fail")

    def visit_Try(self, node: ast.Try | ast.TryStar | ast.With) -> None:
        if self.checks(*node.body):
            self.fault(node, "try or with around a check, which must stop the book when it fails")
        self.generic_visit(node)

    visit_TryStar = visit_With = visit_Try

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


class Plain(ast.NodeTransformer):
    """Calls of a second name of a function as calls of the function: after g = f, or g = lambda x: f(x)."""

    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        for _ in self.values:  # each name leads to another one at most once
            behind = self.values.get(node.func.id) if isinstance(node.func, ast.Name) else None
            if isinstance(behind, ast.Lambda) and isinstance(behind.body, ast.Call):
                parameters = [argument.arg for argument in behind.args.args]
                passed = [ast.unparse(argument) for argument in behind.body.args]
                behind = behind.body.func if parameters == passed and not behind.body.keywords else None
            if not isinstance(behind, (ast.Name, ast.Attribute)):
                break
            node.func = behind
        return node


def bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names that a node gives to expressions: x = f, x: T = f, (x := f), x, y = f, g and def x(a): return f(a)."""
    if isinstance(node, ast.FunctionDef) and isinstance(node.body[0], ast.Return) and node.body[0].value:
        yield node.name, ast.Lambda(node.args, node.body[0].value)
    if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) or node.value is None:
        return
    for target in getattr(node, "targets", None) or [getattr(node, "target", None)]:
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(target.elts, node.value.elts, strict=False))
        for one, value in pairs:
            if isinstance(one, ast.Name):
                yield one.id, value


def copied(expression: ast.expr) -> ast.AST:
    return ast.parse(ast.unparse(expression), mode="eval")


def top(path: str) -> str:
    return path.partition(".")[0]


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")
