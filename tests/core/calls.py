"""Calls of the public functions as lines of text, the names that stand in them, and how to change one argument."""

import ast
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import numpy as np

import sparse_book
import sparse_core
import sparse_meter
from sparse_book.chapter_2 import learning_curves
from sparse_book.chapter_6 import grid_family
from sparse_core.cube import hypercube
from sparse_core.hardness import statistical_queries
from sparse_core.learning import lowdegree
from sparse_core.network import network, training
from sparse_meter import WithConstant

PACKAGES = sparse_core, sparse_meter, sparse_book
MODULES = sorted(m.name for p in PACKAGES for m in walk_packages(p.__path__, f"{p.__name__}."))
NAMES = {name.rpartition(".")[2]: import_module(name) for name in MODULES}
NAMES |= {"np": np, "Fraction": Fraction, "nan": np.nan, "inf": np.inf}
NAMES |= {
    "rng": np.random.default_rng(0),
    "net": network.SparseNetwork([1, -1], [[1, 0], [1, 1]], [0, 1]),
    "X": hypercube.points(2),
    "oracle": statistical_queries.AdversarialOracle(4, tau=0.2),
    "family": grid_family.GridFamily(q=2, N=3),
    "curve": learning_curves.Curve(np.array([10]), np.array([1.0]), np.array([0.1]), 11),
    "model": lowdegree.LowDegreeRegressor(1).fit(hypercube.points(2), [1.0, 2, 1, 0]),
    "layered": training.Layered((np.ones((2, 3)), np.ones((1, 2))), (np.zeros(2), np.zeros(1))),
}
NAMES["fitted"] = lambda **options: lowdegree.LowDegreeRegressor(**options).fit(hypercube.points(2), [1.0, 2, 1, 0])
NAMES["wrapped"] = WithConstant(NAMES["net"], 0.5)


def table(name):
    """The lines of a table beside this file, in columns."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [line.split(" :: ") for line in lines if line and not line.startswith("#")]


# {a call that works: the ends of the domains of its numbers}
WORKING = {call: " ".join(ends).split() for call, *ends in table("good_calls.txt")}


def evaluate(call, name, value):
    """The value of a call with another value of one keyword."""
    tree = ast.parse(call, mode="eval")
    for keyword in tree.body.keywords:
        if keyword.arg == name:
            keyword.value = ast.Name("replaced", ast.Load())
    names = {**NAMES, "rng": np.random.default_rng(0), "replaced": value}
    return eval(compile(ast.fix_missing_locations(tree), call, "eval"), names)
