"""An array may come in any type and any layout: the result is that of a plain float64 array, which stays as it was.

``CALLS`` has every public function that takes arrays, from ``good_calls.txt`` and elsewhere; its lists are arrays.
Each one is tried as int8, uint8, int64, float32 and bool where the type holds the values, and in each type as a plain
array and as one that is mapped from a file, transposed, strided, reversed and read-only. Below are sums that an int8
could not hold.
"""

import ast
import importlib
import inspect
import re
from collections.abc import Mapping
from dataclasses import is_dataclass

import numpy as np
import pytest

from sparse_core.network import evaluator, network
from tests.core.calls import MODULES, NAMES, WORKING, evaluate

OTHERS = """
packed.boundary(table=[False, True, True, True])
packed.words_of(table=[False, True, True, True])
packed.sensitivity(table=[False, True, True, True, False, False, True, False])
packed.two_valued(values=[3, -1, -1, 3])
grid_boxes.box_in(D=[[1, 1, 0], [0, 1, 1], [1, 1, 0]])
grid_boxes.point(rows=[[1, 1], [1, -1]], tau=(1, 0))
grid_boxes.neuron(rows=[[1, 1], [1, -1]], box=((0, 1), (0, 1)))
checks.integer_array("value", value=[[3, 1], [1, 2]])
checks.length_2n("values", value=[3, 1, 1, -1])
checks.real_array("values", value=[[3, 1], [1, -1]], ndim=2)
checks.rectangular("value", value=[[3, 1], [1, 2]])
checks.signs("X", value=[[1, -1], [-1, -1]])
activity.union(counts=[0, 1], inputs=3, m=2)
constructions.appendix_a(1, 2, weights=[[1, 2], [3, 5]])
lemma_9.split(values=[[3, 1], [1, 0]], pattern=[[1, 1], [1, 0]])
family.neuron(n=[0, 1, 2], plus=[0, 1, 1])
wrapped(X=[[3, 1], [-1, 2]])
lowdegree.LowDegreeRegressor(1).fit(X=[[1, -1], [1, 1], [-1, 1]], y=[1, 2, 1])
model.predict(X=[[1, -1], [1, 1]])
modular.arora_ge(Y=[[1, 0], [0, 1], [1, 1]], labels=[1, 2, 0], table=[0, 1, 2])
modular.degree(table=[0, 1, 0, 1, 0])
risks.risk(model, coefficients=[0, 1, 0, 1])
measuring.measure(([1, -1], [[1, 1], [-1, -1]], [1, 1]), X=[[3, 1], [1, 2]])
measuring.measure(network=[[3, 1], [1, 0]])
""".strip().splitlines()
CALLS = OTHERS + [call for call in WORKING if "=[" in call]
SEQUENCES = {"S", "sizes", "word"}  # of Python integers

TYPES = ("float64", "int8", "uint8", "int64", "float32", "bool")
METHODS = {
    "net.evaluator": evaluator.SparseEvaluator,
    "net": network.SparseNetwork,
    "wrapped": NAMES["outputs"].WithConstant,
    "family": NAMES["grid_family"].GridFamily,
    "model": NAMES["lowdegree"].LowDegreeRegressor,
    "layered": NAMES["training"].Layered,
}


def refusals(call, name):
    """The types that a function need not take: truth values as numbers, fractions as integers."""
    if call.startswith("packed.") and name == "table":
        return {"float64", "float32", "int8", "uint8", "int64"}
    of_integers = call.startswith(("activity.", "modular.", "reductions.", "statistical_queries.Adv", "checks.integer"))
    whole = of_integers and name in {"Y", "A", "b", "labels", "table", "sets", "w", "t", "bucket", "value", "counts"}
    return {"bool", "float64", "float32"} if whole else {"bool"}


def arrays(call):
    """The arguments of a call that are arrays: those written as lists."""
    return {
        keyword.arg: ast.literal_eval(keyword.value)
        for keyword in ast.parse(call, mode="eval").body.keywords
        if isinstance(keyword.value, ast.List) and keyword.arg not in SEQUENCES
    }


def awkward(array, folder):
    """The same array as others may hold it: mapped from a file, transposed, strided, reversed and read-only at once."""
    mapped = np.memmap(folder / "array", array.dtype, "w+", shape=tuple(2 * length for length in array.shape[::-1]))
    view = mapped.T[tuple(slice(None, None, -2) for _ in array.shape)]
    view[...] = array
    view.flags.writeable = False
    return view


def parts(value):
    """What a result consists of: arrays and plain values."""
    if isinstance(value, np.ndarray | np.generic | float | int):
        return [np.asarray(value, dtype=float)]
    if isinstance(value, Mapping):
        return [part for key in sorted(value, key=str) for part in parts(value[key])]
    if isinstance(value, list | tuple):
        return [part for item in value for part in parts(item)]
    if is_dataclass(value) or hasattr(value, "__dict__") and type(value).__module__.startswith("sparse_core"):
        return [part for key, item in sorted(vars(value).items()) if "cache" not in key for part in parts(item)]
    return []


def assert_same(one, other, rtol):
    one, other = parts(one), parts(other)
    assert len(one) == len(other) > 0
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("call", CALLS)
def test_types_and_layouts_do_not_matter(call, tmp_path):
    for name, values in arrays(call).items():
        plain, refused = np.array(values), set()
        expected = evaluate(call, name, values)
        for dtype in TYPES:
            typed = plain.astype(dtype)
            if not (typed == plain).all():
                continue
            for array in (typed, awkward(typed, tmp_path)):
                before = array.copy()
                try:
                    result = evaluate(call, name, array)
                except (TypeError, ValueError) as refusal:
                    assert str(refusal).startswith(f"Argument '{name}' must "), dtype
                    refused.add(dtype)
                    continue
                assert_same(result, expected, 2e-5 if dtype == "float32" else 1e-12)
                assert (array == before).all(), (name, dtype)
                assert dtype not in refused
        assert refused <= refusals(call, name)


def public():
    """(its names in the tables, a function) for each public function and method of the package."""
    for module in map(importlib.import_module, MODULES):
        for name in getattr(module, "__all__", []):
            thing = getattr(module, name)
            if getattr(thing, "__module__", "") != module.__name__ or not callable(thing):
                continue  # of a room, which re-exports it
            path = f"{module.__name__.rpartition('.')[2]}.{name}"
            if not (inspect.isclass(thing) and issubclass(thing, BaseException)):
                yield [path], thing
            for key, method in vars(thing).items() if inspect.isclass(thing) else ():
                if inspect.isfunction(method) and (key == "__call__" or not key.startswith("_")):
                    instances = [instance for instance, kind in METHODS.items() if thing is kind]
                    yield [f"{owner}.{key}".removesuffix(".__call__") for owner in (path, *instances)], method


def test_every_public_function_of_arrays_is_called():
    called = set()
    for call in CALLS:
        function = re.sub(r"\([^()]*\)", "", ast.unparse(ast.parse(call, mode="eval").body.func))
        called |= {(function, name) for name in arrays(call)}
    for paths, function in public():
        for key, parameter in inspect.signature(function).parameters.items():
            if str(parameter.annotation).startswith("ArrayLike"):
                assert {(path, key) for path in paths} & called, (paths, key)


# Integers at the ends of their types
