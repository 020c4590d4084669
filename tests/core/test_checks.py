"""One error style: the argument, the rule, the value."""

import numpy as np
import pytest

from sparse_core import checks


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: checks.real("rho", np.array([0.5])), TypeError, "'rho' must be a real number, not array([0.5])."),
        (lambda: checks.real("rho", np.complex128(1j)), TypeError, "must be a real number, not np.complex128(1j)."),
        (lambda: checks.real("rho", -1, above=-1), ValueError, "Argument 'rho' must be more than -1, not -1.0."),
        (lambda: checks.integer("seed", -(10**60) - 1), ValueError, "Argument 'seed' must be at most 1e60 in size."),
        (lambda: checks.integer("seed", 10**400), ValueError, "Argument 'seed' must be at most 1e60 in size."),
        (lambda: checks.real("shift", -2e60), ValueError, "'shift' must be at most 1e60 in size, not -2e+60."),
        (lambda: checks.real("shift", -(10**400)), ValueError, "at most 1e60 in size; it is larger than any float."),
        (lambda: checks.flag("half", 1), TypeError, "Argument 'half' must be True or False, not 1."),
        (lambda: checks.real_array("u", [1, [2]], 1), ValueError, "Argument 'u' must be a rectangular array"),
        (lambda: checks.real_array("W", [1.0], 2), ValueError, "Argument 'W' must have 2 axes, not 1"),
        (lambda: checks.real_array("W", np.ones((2, 3)), 2, shape=(None, 4)), ValueError, "must have shape (any, 4)"),
        (lambda: checks.signs("X", [[1, 1]], n=3), ValueError, "Argument 'X' must have 3 columns, not 2."),
        (lambda: checks.signs("X", [[np.nan]]), ValueError, "entry (0, 0) is nan"),
    ],
)
def test_messages(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)


def test_the_largest_size_is_allowed_with_either_sign():
    for value in (10**60, -(10**60)):
        assert checks.integer("seed", value) == value and checks.real("shift", value) == float(value)


def test_values_come_back_in_the_type_to_compute_with():
    assert type(checks.integer("k", np.int8(3))) is int
    assert type(checks.real("rho", np.float32(0.5))) is float
    assert checks.flag("half", np.True_) is True
    assert checks.one_of("m", "a", ("a", "b")) == "a"
    rng = np.random.default_rng(0)
    assert checks.generator("rng", rng) is rng


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_arrays_are_not_copied(dtype):
    a = np.ones(4, dtype)
    assert checks.real_array("u", a, 1) is a


@pytest.mark.parametrize("dtype", [np.int8, np.bool_, np.float16, np.uint64])
def test_other_arrays_become_float64(dtype):
    assert checks.real_array("u", np.ones(4, dtype), 1).dtype == np.float64


@pytest.mark.parametrize("size", [4, 20000])
@pytest.mark.parametrize("good", [1.0, 1e308])  # the sum of the second overflows
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_one_entry_that_is_not_finite_is_found_wherever_it_stands(size, good, bad):
    for where in (0, size // 2, size - 1):
        row = np.full(size, good)
        assert checks.real_array("u", row, 1) is row
        row[where] = bad
        with pytest.raises(ValueError, match=rf"'u' must be finite; entry \({where},\) is {bad}"):
            checks.real_array("u", row, 1)


def test_a_table_keeps_its_type_unless_it_is_converted():
    for dtype in (bool, np.int8, np.int64):
        assert checks.length_2n("values", np.ones(4, dtype))[0].dtype == np.float64
        assert checks.length_2n("values", np.ones(4, dtype), convert=False)[0].dtype == dtype
