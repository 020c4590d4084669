"""Every argument of every call in ``bad_numbers.txt`` with each of a dozen bad values: a refusal that names the
argument and the rule, or an answer; never another error, a NaN, or a mask that is overlooked."""

import ast
import re
import warnings

import numpy as np
import pytest
from calls import LIMITS, evaluate

BAD = {
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
    """What is wrong with the answer to a call with a bad value, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            answer = evaluate(call, name, value)
    except (ValueError, TypeError) as error:
        return None if re.search(f"Argument|'{name}'|{name} = ", str(error)) else f"no name: {error!r}"
    except Exception as error:
        return f"not a refusal: {error!r}"
    if np.ma.isMaskedArray(value):
        return "a mask is overlooked"
    found = np.asarray(answer) if isinstance(answer, (float, np.ndarray, np.floating)) else np.zeros(0)
    return "NaN" if found.dtype.kind == "f" and np.isnan(found).any() else None


@pytest.mark.parametrize("call", LIMITS)
def test_a_bad_value_is_refused_by_name_or_answered(call):
    for keyword in ast.parse(call, mode="eval").body.keywords:
        wrong = {said: found for said, value in BAD.items() if (found := outcome(call, keyword.arg, value))}
        assert not wrong, (call, keyword.arg)
