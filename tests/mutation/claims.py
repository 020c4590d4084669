"""Claim mutation: would the checks of the book notice another bound?

`python3 make.py mutate --claims [CHAPTER ...]` executes what the checks of a chapter rest on, in one process. At each
check the right side is halved (an equality: times 1.001), and each exponent in the formula of the bound is changed by
one, up and down, in a forked process that executes again only the statements that the change reaches. The results go to
``claims.json`` with the date, the commit and a digest; `book/_ext/perturbations.py` shows them on the ledger page, and
``tests/test_claim_mutation.py`` refuses them once the code of the chapter or the bounds have changed.

First the right side: its expression, the functions of ``sparse_core.bounds`` that it calls, and the statements that
only it rests on. If nothing there is caught, the left side (for bounds from below), then what both sides share. A
changed formula counts only if, unchanged, the same statements lead to the same two sides again.
"""

import __future__

import ast
import contextlib
import datetime
import functools
import json
import os
import pickle
import signal
import subprocess
import sys
import time
import types
import warnings
from fractions import Fraction
from pathlib import Path

import formulas
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "book" / "_ext"))
import perturbations

from sparse_core import ledger

PACKAGE = Path(ledger.__file__).parent
MOST = 12  # sites for each side of a check
SECONDS = 5.0  # of processor time for each of them
CHECK = ledger.check


class Reached(BaseException):
    """Carries the sides of the check that was to be reached."""


def perturbed(right, relation):
    """The right side with another constant."""
    if relation == "<=":
        return right * (Fraction(1, 2) if right.dtype == object else 0.5)
    one = Fraction(1001, 1000) if right.dtype == object else 1.001
    return np.where(right == 0, one - 1, right * one)


def fails(sides, relation, rtol, atol):
    left, right, exact = sides
    return bool(ledger._violations(left, right, relation, *((0.0, 0.0) if exact else (rtol, atol))).any())


def forked(work):
    """What the work returns in a child process; None if it fails or takes too long."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        result = None
        with contextlib.suppress(BaseException):
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
                result = work()
        with open(write, "wb") as stream:
            pickle.dump(result, stream)
        os._exit(0)
    os.close(write)
    with open(read, "rb") as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    return pickle.loads(answer) if answer else None


class Run:
    """A chapter in execution."""

    def __init__(self, cells):
        self.whole, self.chapter = formulas.Chapter(cells), formulas.Chapter(cells, controls=False)
        self.space, self.seconds, self.calls, self.known = {"__name__": "__main__"}, {}, [], {}
        ledger.check = self.noted

    def noted(self, claim, lhs, rhs, **options):
        record = CHECK(claim, lhs, rhs, **options)
        tolerance = options.get("rtol", ledger.RTOL), options.get("atol", 0.0)
        self.calls.append((record, ledger._sides(claim, lhs, rhs), (record.relation, *tolerance)))
        return record

    def execute(self, statement):
        exec(compile(ast.Module([statement], []), "chapter", "exec"), self.space)

    def records(self):
        """Execute what the checks rest on; the result of each check."""
        places = {i: found for i, s in enumerate(self.chapter.statements) if (found := checks_in(s))}
        needed = set(places).union(*(self.whole.slice(i, self.whole.reads[i]) for i in places))
        for i in sorted(needed):
            start, self.calls = time.process_time(), []
            self.execute(self.whole.statements[i])
            self.seconds[i] = time.process_time() - start
            static = places.get(i, [])
            for number, (record, sides, rule) in enumerate(self.calls):
                if record.claim.startswith(ledger.EXERCISE):
                    continue
                call = static[number] if len(static) == len(self.calls) else None
                side, found = self.exponents(i, number, call, sides, rule)
                halved = sides[0], perturbed(sides[1], rule[0]), sides[2]
                slack = record.slack and float(f"{record.slack[0]:.4g}")
                yield {
                    "claim": record.claim,
                    "over": record.over,
                    "relation": record.relation,
                    "constant": fails(halved, *rule),
                    "caught": sum(caught for _, caught in found),
                    "tried": len(found),
                    "side": side,
                    "not caught": [name for name, caught in found if not caught],
                    "slack": slack if record.relation == "<=" else None,
                    "controls": len(record.controls),
                }

    def again(self, number, statements, swap=None):
        """The sides of the check after the statements, some of them changed, have been executed again."""
        if swap:
            swap()
        calls = []

        def reach(claim, lhs, rhs, **options):
            calls.append(None)
            if len(calls) > number:
                raise Reached(ledger._sides(claim, lhs, rhs))

        ledger.check = reach
        try:
            for statement in statements:
                self.execute(statement)
        except Reached as reached:
            return reached.args[0]

    def exponents(self, place, number, call, sides, rule):
        """The first side of the check on which an exponent is caught, and (formula, caught) for each one there."""
        if call is None:
            return "", []
        chapter = self.chapter
        operands = [call.args[-1].value] * 2 if isinstance(call.args[-1], ast.Starred) else call.args[2:0:-1]
        rests = [chapter.slice(place, formulas.names(ast.Expr(operand))[0]) for operand in operands]
        right, left = rests[0] - rests[1], rests[1] - rests[0]
        both, tried = rests[0] & rests[1], []
        for side, operand, own in (("right", operands[0], right), ("left", operands[1], left), ("both", None, both)):
            found, before = [], spent()
            for name, seeds, change, swap in self.changes(place, operand, own)[:MOST]:
                if spent() - before > SECONDS:
                    break
                again = chapter.rerun(seeds, place)
                if sum(self.seconds[i] for i in again) > SECONDS / 4 or not self.repeats(place, number, again, sides):
                    continue
                if (caught := self.caught(number, again, change, swap, sides, rule)) is not None:
                    found.append((name, caught))
            tried += found
            if any(caught for _, caught in found):
                return side, found
        return "", tried

    def caught(self, number, again, change, swap, sides, rule):
        """Whether the check fails for one of the variants; None if none of them leads to sides of the same size."""
        outcomes = []
        for variant in change:
            statements = [variant.get(i, self.chapter.statements[i]) for i in again]
            new = forked(functools.partial(self.again, number, statements, swap and swap(variant)))
            if new is not None and new[0].size == sides[0].size:
                outcomes.append(fails(new, *rule))
            if True in outcomes:
                return True
        return False if outcomes else None

    def changes(self, place, operand, own):
        """(name, statements to begin with, variants as {place: statement}, how to install a variant)."""
        statements = self.chapter.statements
        own = sorted((i for i in own if not isinstance(statements[i], (ast.Import, ast.ImportFrom))), reverse=True)
        found = []
        for i, tree in [(place, operand)] * (operand is not None) + [(i, statements[i]) for i in own]:
            for node, variants in formulas.sites(tree, factors=operand is not None):
                change = [{i: formulas.replaced(statements[i], node, variant)} for variant in variants]
                found.append((short(node), {i}, change, None))
        first = [change for change in found if change[1] == {place}]
        inside = []
        for function, seeds in (self.called(place, operand, own) or {}).items():
            for node, variants in formulas.sites(source(*function)):
                change = [{"function": formulas.replaced(source(*function), node, variant)} for variant in variants]
                inside.append((f"{function[1]}: {short(node)}", seeds, change, functools.partial(install, function)))
        return first + inside + found[len(first) :]

    def called(self, place, operand, own):
        """The functions of sparse_core.bounds that the statements call, each with the statements that call it."""
        seeds = [i for i in own if mentions_bounds(self.chapter.statements[i], self.space)]
        here = operand is not None and mentions_bounds(operand, self.space)
        again = self.chapter.rerun(set(seeds), place)
        if not (seeds or here) or sum(self.seconds[i] for i in again) > SECONDS / 4:
            return {}

        def work():
            found, now = {}, None

            def note(frame, event, _):
                code = frame.f_code
                if event == "call" and Path(code.co_filename).parent.name == "bounds" and code.co_name[0] != "<":
                    module = Path(code.co_filename).stem
                    if module in ("paper", "ours"):
                        found.setdefault((module, code.co_qualname.split(".")[0]), set()).add(now)

            for now in again[:-1]:
                sys.setprofile(note)
                self.execute(self.chapter.statements[now])
                sys.setprofile(None)
            if operand is not None:
                now = place
                sys.setprofile(note)
                eval(compile(ast.Expression(operand), "chapter", "eval"), self.space)
                sys.setprofile(None)
            return found

        return forked(work)

    def repeats(self, place, number, again, sides):
        """Whether the same statements, unchanged, lead to the same sides."""
        key = place, number, *again
        if key not in self.known:
            new = forked(functools.partial(self.again, number, [self.chapter.statements[i] for i in again]))
            same = new is not None and all(np.array_equal(a, b) for a, b in zip(new[:2], sides[:2], strict=True))
            self.known[key] = same
        return self.known[key]


def spent():
    """Processor time of the children."""
    times = os.times()
    return times.children_user + times.children_system


def checks_in(statement):
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return [call for call in calls if ast.unparse(call.func) == "ledger.check"]


def mentions_bounds(tree, space):
    """Whether the tree names the bounds, itself or through a function of the chapter."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    functions = [space[name] for name in names if isinstance(space.get(name), types.FunctionType)]
    return (
        "bounds" in names
        or any("bounds" in function.__code__.co_names for function in functions)
        or any(
            "bounds" in inner.co_names
            for function in functions
            for inner in function.__code__.co_consts
            if isinstance(inner, types.CodeType)
        )
    )


def short(node):
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 40 else text[:37] + "..."


@functools.cache
def source(module, name):
    """The definition of a function of the bounds, as a tree."""
    tree = ast.parse((PACKAGE / "bounds" / f"{module}.py").read_text(encoding="utf-8"))
    return next(node for node in tree.body if getattr(node, "name", None) == name)


def install(function, variant):
    """How to put the changed function in the place of the true one."""

    def swap():
        module = sys.modules[f"sparse_core.bounds.{function[0]}"]
        code = compile(ast.Module([variant["function"]], []), "changed", "exec", __future__.annotations.compiler_flag)
        space = dict(vars(module))
        exec(code, space)
        getattr(module, function[1]).__code__ = space[function[1]].__code__

    return swap


def mutate(chapter):
    """The result of one chapter."""
    folder = perturbations.ROOT / "book"
    os.chdir(folder)
    cells = perturbations.code_cells((folder / f"{chapter}.md").read_text(encoding="utf-8"))
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    code = perturbations.digest(chapter)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        records = list(Run(cells).records())
    return {"date": today, "commit": commit, "code": code, "records": records}


def write(chapter, result):
    """Add one chapter to what is there now, so that several runs can share the work."""
    kept = {name: entry for name, entry in perturbations.read().items() if name in perturbations.chapters()}
    text = json.dumps(dict(sorted({**kept, chapter: result}.items())), indent=1, ensure_ascii=False)
    temporary = perturbations.RESULTS.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(text + "\n", encoding="utf-8")
    temporary.replace(perturbations.RESULTS)


def main(chosen):
    """Perturb the chosen chapters; without a choice, those whose code has changed since their result."""
    if unknown := set(chosen) - set(perturbations.chapters()):
        names = ", ".join(perturbations.chapters())
        raise SystemExit(f"mutate: stopped: there is no chapter {min(unknown)!r} with checks; they are {names}")
    for chapter in chosen or perturbations.stale(perturbations.read()):
        start = spent() + time.process_time()
        write(chapter, result := mutate(chapter))
        seconds = spent() + time.process_time() - start
        some = sum(bool(r["constant"] or r["caught"]) for r in result["records"])
        print(f"  {chapter}: {len(result['records'])} checks, {some} caught, {seconds:.0f} s", flush=True)
    for kind, (whole, some, every) in perturbations.counts(perturbations.read()).items():
        print(f"mutate: {kind}: {whole} claims, constant or exponent caught for {some}, any for {every}")


if __name__ == "__main__":
    main(sys.argv[1:])
