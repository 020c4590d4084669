"""What the public functions refuse, in two tables: the argument by name, the rule, the value.

A line of ``bad_numbers.txt`` is a call that works, with the domains of its numbers. From each domain follow the bad
values: below and above it, the end that does not belong to it, the wrong type, NaN, infinity. The end that does belong
is accepted. Each argument of each call is also tried with a dozen values of any kind: a refusal that names the argument
and the rule, or an answer; never another error, a NaN, or a mask that is ignored. ``bad_calls.txt`` lists single calls,
for arrays and for rules between arguments, with the words of the refusal.
"""

import ast
import re
import warnings

import numpy as np
import pytest

from tests.core.calls import LIMITS, NAMES, evaluate, table

REFUSED = table("bad_calls.txt")
OPEN = "must be (positive|more than -1|less than 1), not "
ARRAY = re.compile(r"(\w+)([\[{])(1|2|2\^n)(,?)[\]}]")
DOMAIN = re.compile(r"(?:(-?\d+)(<=?))?([A-Za-z_]\w*)(?:(<=?)(-?\d+))?")


def numbers(name, valid, low, below, above, high):
    """(bad value, error, the words of the refusal) for one number with its domain."""
    kind = "an integer" if isinstance(valid, int) else "a real number"
    step = 1 if isinstance(valid, int) else 0.5
    say = int if isinstance(valid, int) else float
    if low is not None and below == "<=":
        yield say(int(low) - step), ValueError, rf"must be at least {low}(\.0)?\b.*, not "
    if high is not None and above == "<=":
        yield say(int(high) + step), ValueError, rf"must be at most {high}(\.0)?, not "
    for end, open_end in ((low, below == "<"), (high, above == "<")):
        if end is not None and open_end:
            yield float(end), ValueError, OPEN
    yield True, TypeError, f"must be {kind}, not (the truth value )?True"
    yield "2", TypeError, f"must be {kind}, not '2'"
    yield [1, 2], TypeError, f"must be {kind}, not "
    if kind == "an integer":
        yield valid + 0.5, TypeError, "must be an integer, not "
    else:
        yield np.nan, ValueError, "must be finite, not nan"
        yield -np.inf, ValueError, "must be finite, not -inf"


def arrays(valid, bracket, axes, fixed):
    """(bad value, error, the words of the refusal) for one array."""
    array, axes, table = np.array(valid, dtype=object), {"1": 1, "2": 2, "2^n": 1}[axes], axes == "2^n"
    if table:
        for length in (0, 3):
            yield [1] * length, ValueError, rf"must have a length that is a power of two, 2\*\*n, not {length}"
    if fixed:
        longer = np.append(array, array[..., -1:], axis=-1).astype(float)
        yield longer, ValueError, r"must have (shape|\d+ columns).*, not "
    first = (0,) * axes
    for bad in (np.nan, np.inf) if bracket == "[" else (0, 2, np.nan):
        spoiled = array.copy()
        spoiled[first] = bad
        rule = "must be finite" if bracket == "[" else "must have entries -1 and 1 only"
        yield spoiled.astype(float), ValueError, rf"{rule}; entry \({', '.join('0' * axes)},?\) is {bad}"
    yield array.astype(str), TypeError, "must be an array of .*, not of type <U"
    yield array.astype(complex), TypeError, "must be an array of .*, not of type complex128"
    yield [valid], ValueError, rf"must have {axes} axes.*, not {axes + 1}"


def bad_values(call):
    """(argument, bad value, error, the words of the refusal) for a line of the table of numbers."""
    valid = {keyword.arg: ast.unparse(keyword.value) for keyword in ast.parse(call, mode="eval").body.keywords}
    for word in LIMITS[call].split():
        name, _, choices = word.partition(":")
        if choices:
            words = ".*".join(map(repr, choices.split(",")))
            bad = [(value, ValueError, f"must be one of {words}.*, not {value!r}") for value in ("nonsense", 1)]
        elif word == "rng":
            bad = [(value, TypeError, "must be a numpy.random.Generator") for value in (0, None)]
        elif match := ARRAY.fullmatch(word):
            name, *kind = match.groups()
            bad = arrays(np.array(eval(valid[name], dict(NAMES))).tolist(), *kind)
        else:
            low, below, name, above, high = DOMAIN.fullmatch(word).groups()
            bad = numbers(name, ast.literal_eval(valid[name]), low, below, above, high)
        for value, error, words in bad:
            yield name, value, error, words


@pytest.mark.parametrize("call", LIMITS)
def test_argument_outside_its_domain(call):
    assert eval(call, dict(NAMES)) is not None
    for name, value, error, words in bad_values(call):
        with pytest.raises(error, match=f"^Argument '{name}' {words}") as caught:
            evaluate(call, name, value)
        assert np.ndim(value) or str(value) in str(caught.value)


@pytest.mark.parametrize("call", LIMITS)
def test_the_end_of_a_domain_belongs_to_it(call):
    for end, closed, name, *_ in (match.groups() for match in map(DOMAIN.fullmatch, LIMITS[call].split()) if match):
        if closed == "<=":
            try:
                assert evaluate(call, name, int(end)) is not None
            except ValueError as error:  # of another rule, between two arguments
                assert f"'{name}' must be at least {end}" not in str(error)


def test_the_tables_are_long():
    assert sum(1 for call in LIMITS for _ in bad_values(call)) + len(REFUSED) > 1500


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


ANYTHING = {
    "NaN": np.nan,
    "infinity": -np.inf,
    "empty": [],
    "0-d": np.array(1.5),
    "text": "x",
    "None": None,
    "complex": np.array([1 + 2j]),
    "object": np.array([object()]),
    "masked": np.ma.masked_array([1.0, -1.0], [True, False]),
    "masked rows": np.ma.masked_array([[1.0, -1.0]], [[True, False]]),
    "ragged": [[1], [1, 2]],
    "huge": 10**400,
    "large": np.uint64(2**63),
    "large float": 1e300,
    "tiny": 1e-300,
    "negative": -3,
}


def outcome(call, name, value):
    """What is wrong with the answer to a call with any value, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            answer = evaluate(call, name, value)
    except (ValueError, TypeError) as error:
        return None if re.search(f"Argument|'{name}'|{name} = ", str(error)) else f"no name: {error!r}"
    except Exception as error:
        return f"not a refusal: {error!r}"
    if np.ma.isMaskedArray(value):
        return "a mask is ignored"
    found = np.asarray(answer) if isinstance(answer, (float, np.ndarray, np.floating)) else np.zeros(0)
    return "NaN" if found.dtype.kind == "f" and np.isnan(found).any() else None


@pytest.mark.parametrize("call", LIMITS)
def test_a_bad_value_is_refused_by_name_or_answered(call):
    for keyword in ast.parse(call, mode="eval").body.keywords:
        wrong = {said: found for said, value in ANYTHING.items() if (found := outcome(call, keyword.arg, value))}
        assert not wrong, (call, keyword.arg)
