"""Small changes of a formula, and the statements of a chapter that a formula rests on: what `claims.py` works with.

An exponent is changed by one, up and down: the one of `x**k`, the one half of `sqrt(x)` (it becomes 1 or 0), and the
one of a plain factor such as `n` in `n * W` (it becomes 2 or 0). A statement is a top-level statement of a chapter.
"""

import ast
import copy
import symtable

SHAPES = {"arange", "default_rng", "full", "linspace", "ones", "points", "range", "repeat", "reshape", "tile", "zeros"}
IN_PLACE = {"append", "extend", "update", "add", "insert", "setdefault", "pop", "sort", "remove", "clear"}


def sites(tree, factors=True):
    """(node, its variants) for each exponent of a formula in the tree; without factors, only for those in print."""
    found = []

    def visit(node, factor=False):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            near = [ast.BinOp(node.right, step, ast.Constant(1)) for step in (ast.Sub(), ast.Add())]
            found.append((node, [power(node.left, exponent) for exponent in near]))
        elif name_of(node) in ("sqrt", "cbrt") and len(node.args) == 1:
            found.append((node, [power(node.args[0], ast.Constant(e)) for e in (0, 1)]))
        elif factor and (isinstance(node, (ast.Name, ast.Attribute)) or name_of(node) in ("log", "log1p", "log2")):
            found.append((node, [power(node, ast.Constant(e)) for e in (0, 2)]))
        for child in inside(node):
            visit(child, factors and is_product(node) and child in (node.left, node.right))

    visit(tree)
    return found


def power(base, exponent):
    return ast.BinOp(base, ast.Pow(), exponent)


def name_of(node):
    """The last name of what is called, or None."""
    function = getattr(node, "func", None)
    return getattr(function, "id", getattr(function, "attr", None))


def is_product(node):
    lists = (ast.List, ast.ListComp, ast.Tuple, ast.JoinedStr)
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, (ast.Mult, ast.Div))
        and not isinstance(node.left, lists)
        and not isinstance(node.right, lists)
    )


def inside(node):
    """The children in which a formula may stand: no shapes, indices, ranges, conditions, defaults or texts."""
    if isinstance(node, (ast.JoinedStr, ast.Compare, ast.arguments, ast.Import, ast.ImportFrom)):
        return []
    if name_of(node) in SHAPES:
        return []
    left_out = {"slice", "iter", "ifs", "test", "decorator_list", "returns", "annotation", "targets"}
    fields = ((name, value) for name, value in ast.iter_fields(node) if name not in left_out)
    children = [item for _, value in fields for item in (value if isinstance(value, list) else [value])]
    return [child for child in children if isinstance(child, ast.AST)]


def replaced(tree, node, variant):
    """A copy of the tree with the variant in place of the node."""
    return ast.fix_missing_locations(copy.deepcopy(tree, {id(node): variant}))


class Chapter:
    """The top-level statements of a chapter, in order, and what each of them reads, binds and changes in place."""

    def __init__(self, cells, controls=True):
        self.statements = [statement for cell in cells for statement in ast.parse(cell).body]
        for call in () if controls else (node for statement in self.statements for node in ast.walk(statement)):
            if name_of(call) == "check":
                call.keywords = [keyword for keyword in call.keywords if keyword.arg != "control"]
        self.reads, self.binds, self.changes = [], [], []
        stateful = set()  # generators of random numbers: whoever uses one changes it
        for statement in self.statements:
            reads, binds, changes = names(statement)
            if "default_rng" in ast.unparse(statement):
                stateful |= {name for name in binds if "rng" in name}
            changes |= reads & stateful - binds
            self.reads.append(reads | changes)
            self.binds.append(binds - changes)
            self.changes.append(changes)

    def reaching(self, name, place):
        """The statements before the place that the value of a name comes from: its last binding, changes since."""
        found = []
        for i in range(place - 1, -1, -1):
            if name in self.changes[i]:
                found.append(i)
            elif name in self.binds[i]:
                return [*found, i]
        return found

    def slice(self, place, wanted):
        """All statements before the place on which the wanted names rest."""
        found, open_ = set(), [(name, place) for name in wanted]
        while open_:
            for i in self.reaching(*open_.pop()):
                if i not in found:
                    found.add(i)
                    open_ += [(name, i) for name in self.reads[i]]
        return found

    def rerun(self, seeds, place):
        """What is to be executed again, in order, so that a change of the seeds reaches the statement at the place."""
        rest, again = sorted(self.slice(place, self.reads[place]) | {place}), {*seeds, place}
        before = None
        while before != again:
            before = set(again)
            for i in rest:
                sources = {name: set(self.reaching(name, i)) for name in self.reads[i]}
                if any(found & again for found in sources.values()):
                    again.add(i)
                if i in again:
                    for name, found in sources.items():
                        if name in self.changes[i] or found != set(self.reaching(name, place)) - {i}:
                            again |= found
        return sorted(again)


def names(statement):
    """(reads, binds, changes in place) of a statement, as sets of names of the chapter."""
    table = symtable.symtable(ast.unparse(statement), "chapter", "exec")
    reads = {s.get_name() for s in table.get_symbols() if s.is_referenced()}
    binds = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}
    below = list(table.get_children())
    while below:
        inner = below.pop()
        reads |= {s.get_name() for s in inner.get_symbols() if s.is_global() and s.is_referenced()}
        below += inner.get_children()
    changes, added = set(), set()
    for node in [] if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) else ast.walk(statement):
        target = None
        if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            target = node.value
        elif isinstance(node, ast.AugAssign):
            target = node.target
            added.add(target)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in IN_PLACE:
            target = node.func.value
        while isinstance(target, (ast.Subscript, ast.Attribute)):
            target = target.value
        if isinstance(target, ast.Name) and target.id in reads | binds:
            changes.add(target.id)
    stored = [node for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return reads, binds, changes - {node.id for node in stored if node not in added}
