"""What a chapter's code must not do to the checks that it makes, as far as its syntax trees show it.

What they do not show: a name that is read from ``globals()`` or computed, a check inside of a function whose error is
swallowed at the call, two sides that were computed in one way under two names before the check. Cells are read.
"""

import ast
from collections.abc import Iterator
from typing import Any

OURS = ("sparse_core", "sparse_meter", "sparse_book")
# The functions that suppress an error in a with statement.
SUPPRESSING = ("suppress", "raises", "assertRaises")


def faults(notebook: dict[str, Any]) -> Iterator[str]:
    """For each thing that a code cell must not do: its cell, its line, and what it is."""
    names: dict[str, str] = {}  # what was imported: the name here, and the module or object
    aliases: dict[str, ast.expr] = {}
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        number += 1
        if "raises-exception" in cell["metadata"].get("tags", []):
            yield f"cell [{number}]: the tag raises-exception lets a check fail"
        try:
            tree = ast.parse("".join(cell["source"]))
        except SyntaxError:  # the kernel says it better, and knows the commands of IPython
            continue
        for node in ast.walk(tree):
            remember(node, names, aliases)
        for node in ast.walk(tree):
            for fault in faults_of(node, names, aliases):
                yield f"cell [{number}], line {getattr(node, 'lineno', 0)}: {fault}"


def remember(node: ast.AST, names: dict[str, str], aliases: dict[str, ast.expr]) -> None:
    """Keep what a statement imports, and the function to which it gives a second name."""
    if isinstance(node, ast.Import):
        names.update({alias.asname or alias.name.partition(".")[0]: alias.name for alias in node.names})
    elif isinstance(node, ast.ImportFrom):
        names.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        aliases[node.targets[0].id] = node.value


def faults_of(node: ast.AST, names: dict[str, str], aliases: dict[str, ast.expr]) -> Iterator[str]:
    """What is wrong with one node."""
    targets = node.targets if isinstance(node, (ast.Assign, ast.Delete)) else [getattr(node, "target", None)]
    for target in targets if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete)) else ():
        if isinstance(target, ast.Attribute) and root(target) in names:
            yield f"{ast.unparse(target)} is of a module that was imported: nothing may be assigned to it"
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("setattr", "delattr") and root(node.args[0]) in names:
        yield f"{ast.unparse(node.func)} changes {ast.unparse(node.args[0])}, which was imported"
    if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS:
        parts = [*str(node.module).split("."), *(one.name for one in node.names)]
        yield from (f"{part} is a private name of {parts[0]}" for part in parts if private(part))
    if isinstance(node, ast.Import):
        parts = [part for one in node.names if one.name.split(".")[0] in OURS for part in one.name.split(".")]
        yield from (f"{part} is a private name" for part in parts if private(part))
    if isinstance(node, ast.Attribute) and private(node.attr) and names.get(root(node), "").split(".")[0] in OURS:
        yield f"{ast.unparse(node)} is a private name of {names[root(node)].split('.')[0]}"
    if isinstance(node, ast.Try) and node.handlers and any(map(checks, node.body)):
        yield "try ... except around a check: it must stop the book when it fails"
    if isinstance(node, ast.With) and any(map(checks, node.body)):
        used = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
        if any(ast.unparse(call.func).split(".")[-1] in SUPPRESSING for call in used):
            yield "an error is suppressed around a check: it must stop the book when it fails"
    if isinstance(node, ast.Call) and is_check(node) and len(node.args) == 3:
        left, right = (
            ast.dump(Plain(aliases).visit(ast.parse(ast.unparse(side), mode="eval"))) for side in node.args[1:]
        )
        if left == right and any(isinstance(part, ast.Call) for part in ast.walk(node.args[1])):
            yield f"both sides are {ast.unparse(node.args[1])}: the comparison cannot fail"


class Plain(ast.NodeTransformer):
    """Calls of a second name of a function as calls of the function: after g = f, or g = lambda x: f(x)."""

    def __init__(self, aliases: dict[str, ast.expr]) -> None:
        self.aliases = aliases

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        for _ in self.aliases:  # each name leads to another one at most once
            behind = self.aliases.get(node.func.id) if isinstance(node.func, ast.Name) else None
            if isinstance(behind, ast.Lambda) and isinstance(behind.body, ast.Call):
                parameters = [argument.arg for argument in behind.args.args]
                passed = [ast.unparse(argument) for argument in behind.body.args]
                behind = behind.body.func if parameters == passed and not behind.body.keywords else None
            if not isinstance(behind, (ast.Name, ast.Attribute)):
                break
            node.func = behind
        return node


def root(node: ast.AST) -> str:
    """The name with which a.b.c begins; nothing for what is no such chain."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def is_check(node: ast.AST) -> bool:
    """Whether this is a call of ledger.check or ledger.refute."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("ledger.check", "ledger.refute", "check", "refute")


def checks(node: ast.AST) -> bool:
    return any(map(is_check, ast.walk(node)))
