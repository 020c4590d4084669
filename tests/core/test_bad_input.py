"""What the public functions refuse: the argument by name, the rule, the value.

A line of ``good_calls.txt`` is a call that works, with the ends of the domains of its numbers; the bounds, whose
arguments mean the same in all of them, are found by their names. Each number is tried beyond both ends, at an end that
does not belong to it, and with values that are no number. ``bad_calls.txt`` lists single calls, for arrays and for
rules between arguments, with the words of the refusal. ``test_strange_calls`` asks what any other value does.
"""

import ast
import inspect
import re

import numpy as np
import pytest

from sparse_core.bounds import ours, paper
from tests.core.calls import NAMES, WORKING, evaluate, table

# What the arguments of the bounds may be, and one value of each.
BOUNDS = """
    n>=1 m>=1 s>=1 k>=1 s1>=1 s2>=1 k1>=1 k2>=1 d>=0 r>=2 p>=0 p<=1 eta>=0 eta<=1 success>=0 success<=1
    error>=0 error<0.5
    W>=0 B>=0 W1>=0 W2>=0 B1>=0 B2>=0 C>=0 AS>=0 variance>=0 noise_sensitivity>=0 mean_square_active>=0 rademacher>=0
    R>0 eps>0 tau>0 power>0 constant>0 delta>0 delta<1 gamma>0 gamma<1 rho>=0 rho<1
""".split()
VALUES = {
    **dict.fromkeys(("n", "m", "s", "s1", "s2"), 4),
    **dict.fromkeys(("k", "k1", "k2", "d", "r"), 2),
    **dict.fromkeys(("W", "B", "C", "R", "AS", "W1", "W2", "B1", "B2", "W4"), 0.5),
    **dict.fromkeys(("variance", "mean_square_active", "rademacher", "constant", "power", "eps", "moment"), 1.0),
    **dict.fromkeys(("p", "eta", "success", "error", "tau", "delta", "gamma", "rho", "noise_sensitivity", "e0"), 0.25),
}
COMPARISON = re.compile(r"(\w+)([<>])(=?)(.+)")
# A truth value, a text, an array and infinity, which are no numbers anywhere.
NO_NUMBER = True, "2", [1, 2], -np.inf
# What takes seconds, a minute or a gigabyte at its upper end, which is a limit of these: there it is not run.
COSTLY = (
    *("hypercube.degrees", "lemma_10.averaged_sensitivity", "constructions.random_sparse"),
    "learning_curves.expected_error",
)
RULES = {">=": "at least", "<=": "at most", ">": "(positive|more than)", "<": "less than"}
REFUSED = table("bad_calls.txt")


def limits():
    """(call, the ends of the domains of its numbers)"""
    own = {call.partition("(")[0] for call in WORKING}
    for module in (paper, ours):
        for name in module.__all__:
            function, path = getattr(module, name), f"bounds.{module.__name__.rpartition('.')[2]}.{name}"
            if inspect.isfunction(function) and path not in own:
                given = {one: VALUES[one] for one in inspect.signature(function).parameters if one in VALUES}
                ends = [end for end in BOUNDS if COMPARISON.fullmatch(end)[1] in given]
                ends += [f"{k}<={VALUES[s]}" for k, s in (("k", "s"), ("k1", "s1"), ("k2", "s2")) if {k, s} <= {*given}]
                yield f"{path}({', '.join(f'{one}={value}' for one, value in given.items())})", ends
    yield from WORKING.items()


LIMITS = dict(limits())


@pytest.mark.parametrize("call, ends", LIMITS.items(), ids=LIMITS)
def test_a_number_is_refused_outside_its_domain_and_only_there(call, ends):
    assert eval(call, dict(NAMES)) is not None
    valid = {one.arg: one.value for one in ast.parse(call, mode="eval").body.keywords}
    for end in ends:
        name, sign, closed, text = COMPARISON.fullmatch(end).groups()
        value = ast.literal_eval(text)
        real = isinstance(ast.literal_eval(valid[name]), float)
        beyond = value + (0.5 if real else 1) * (1 if sign == "<" else -1) * bool(closed)
        for bad, rule in [(beyond, RULES[sign + closed]), *((one, "") for one in NO_NUMBER)]:
            with pytest.raises((ValueError, TypeError), match=rf"^Argument '{name}' must be {rule}"):
                evaluate(call, name, bad)
        if closed and not (sign == "<" and call.startswith(COSTLY)):
            try:
                assert evaluate(call, name, value) is not None
            except ValueError as error:  # of another rule, between two arguments
                assert f"'{name}' must be {RULES[sign + closed]} {text}" not in str(error)


@pytest.mark.parametrize("call, error, words", REFUSED, ids=[call for call, *_ in REFUSED])
def test_refused_call(call, error, words):
    with pytest.raises((ValueError, TypeError)) as caught:
        eval(call, dict(NAMES))
    assert type(caught.value).__name__ == error
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "module, limit, most, call, words",
    [
        ("hypercube", "MAX_POINTS_N", 3, "hypercube.points(3)", "'n' must be at most 2 to list all points, not 3"),
        ("rademacher", "MAX_STATES", 12, "rademacher.maximum_packing([0, 3, 3, 5], s=2, k=1)", "more than 11 numbers"),
        ("reductions", "MAX_WEIGHTS", 12, "reductions.linearised([1, 1], [0, 1, 2])", "not 3 neurons of 4 each"),
        ("small_networks", "MAX_NETWORKS", 55, "small_networks.networks(1, 2, 1, 1)", "make more than 54 networks"),
        (
            "sparsity",
            "MAX_COMPARED_ENTRIES",
            160,
            "network.SparseNetwork([1, 1], np.ones((2, 40)), [1, 1]).sparsity(method='pairs')",
            "2 neurons in 40 variables are too many to compare",
        ),
    ],
)
def test_what_is_as_large_as_a_limit_is_computed(module, limit, most, call, words, monkeypatch):
    monkeypatch.setattr(NAMES[module], limit, most)
    assert eval(call, dict(NAMES)) is not None
    monkeypatch.setattr(NAMES[module], limit, most - 1)
    with pytest.raises(ValueError, match=words):
        eval(call, dict(NAMES))
