"""Reductions: each network against the function that it stands for, by enumeration, with the sums written out."""

from itertools import product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparse_core.cube import hypercube
from sparse_core.hardness import reductions

LWR = [(2, 2, 1), (3, 2, 1), (4, 3, 1), (3, 2, 2), (5, 2, 2), (4, 3, 2), (5, 3, 2), (8, 2, 2)]  # (q, p, m)
TENTS = [(values, tent) for values in ("01", "signs") for tent in ("narrow", "wide")]


def minus_signs(mask, m):
    """The number of i in S with y_i = -1, for every y."""
    return (hypercube.points(m)[:, [i for i in range(m) if mask >> i & 1]] < 0).sum(axis=1)


def residues(q, m):
    return np.array(list(product(range(q), repeat=m)))


def label_by_hand(t, p, q, rounding):
    """With fractions compared as integers: the integer j with |p t / q - j| <= 1/2, the upper one of two."""
    t %= q
    if rounding == "printed":
        return t % p
    if rounding == "floor":
        return max(j for j in range(p + 1) if j * q <= p * t) % p
    return max(j for j in range(p + 1) if 2 * (j * q - p * t) <= q) % p


# The lift


@pytest.mark.parametrize("m", range(1, 6))
def test_lift_has_products_off_the_diagonal_and_the_point_on_it(m):
    Y = hypercube.points(m)
    X = reductions.lift(Y).reshape(-1, m, m)
    assert X.dtype == np.int8
    for i, j in product(range(m), repeat=2):
        assert np.array_equal(X[:, i, j], Y[:, i] * (Y[:, j] if i != j else 1))


@settings(max_examples=60)
@given(st.data())
def test_a_squared_linear_form_is_linear_on_the_lift(data):
    m = data.draw(st.integers(1, 5))
    quarter = st.integers(-40, 40).map(lambda i: i / 4)
    v = np.array(data.draw(st.lists(quarter, min_size=m, max_size=m)))
    a, height, c = data.draw(quarter), data.draw(quarter), data.draw(quarter)
    W, b = reductions.linearised(v, [a], height, c)
    Y = hypercube.points(m)
    assert np.array_equal(reductions.lift(Y) @ W[0] - b, height - c * (Y @ v - a) ** 2)


# Parities


@pytest.mark.parametrize("values, tent", TENTS)
@pytest.mark.parametrize("m", range(1, 9))
def test_parity_is_exact_for_every_set(m, values, tent):
    X = reductions.lift(hypercube.points(m))
    W = 2 * sqrt(4 * m**3 + m**2 - m) / (8 if tent == "wide" else 1)
    B = 2 * (m**2 + m) - 1 if tent == "narrow" else max((m**2 + m) / 4 - 1, 1)
    for mask in range(1 << m):
        net, size = reductions.parity(mask, m, values=values, tent=tent), mask.bit_count()
        even = minus_signs(mask, m) % 2 == 0
        assert np.array_equal(net(X), np.where(even, 1, 0 if values == "01" else -1))
        assert net.sparsity(X) == 1
        assert net.n == m**2 and net.s == (size // 2 if values == "01" else size) + 1
        assert net.scale.W <= W * (1 + 1e-15) and net.scale.B <= B
    assert net.scale.W == pytest.approx(W, rel=1e-15)  # attained at S = [m]


@pytest.mark.parametrize("m", range(1, 7))
def test_the_printed_identity_is_constant(m):
    X = reductions.lift(hypercube.points(m))
    for mask in range(1 << m):
        net = reductions.printed_parity(mask, m)
        assert np.array_equal(net(X), np.full(1 << m, 1 - mask.bit_count() % 2))
        assert net.sparsity(X) <= 1


# Learning with rounding


@pytest.mark.parametrize("rounding", ["lwr", "floor", "printed"])
def test_labels_by_hand(rounding):
    for q, p in product(range(2, 14), range(1, 14)):
        expected = [label_by_hand(t, p, q, rounding) for t in range(-q, 3 * q)]
        assert reductions.lwr_label(np.arange(-q, 3 * q), p, q, rounding).tolist() == expected
        assert rounding != "lwr" or reductions.lwr_label(np.arange(-q, 3 * q), p, q).tolist() == expected


@pytest.mark.parametrize("q", [2, 3, 4, 5, 8, 13])
def test_digits_are_binary(q):
    Y = residues(q, 2)
    length = next(bits for bits in range(9) if 2**bits >= q)
    Z = reductions.digits(Y, q).reshape(-1, 2, length)
    assert Z.dtype == np.int8
    assert np.array_equal(((1 - Z) // 2) @ 2 ** np.arange(length), Y)
    assert np.array_equal(reductions.encode(Y, q), reductions.lift(Z.reshape(-1, 2 * length)))


@pytest.mark.parametrize("rounding", ["lwr", "floor", "printed"])
@pytest.mark.parametrize("q, p, m", LWR)
def test_lwr_is_exact_for_every_secret(q, p, m, rounding):
    Y = residues(q, m)
    X, A, length = reductions.encode(Y, q), m * (q - 1) ** 2, (q - 1).bit_length()
    for w in Y:
        net = reductions.lwr(w, p, q, rounding)
        assert net(X).tolist() == [label_by_hand(int(t), p, q, rounding) for t in Y @ w]
        assert net.sparsity(X) <= 1
        assert net.s == sum(label_by_hand(a, p, q, rounding) != 0 for a in range((q - 1) * int(w.sum()) + 1))
        v = sqrt(w @ w * (4**length - 1) / 12)
        assert v**2 <= m * (q - 1) ** 2 * (4**length - 1) / 12 * (1 + 1e-15)
        assert net.n == (m * length) ** 2 and net.s <= A
        assert net.scale.W <= 2 * (p - 1) * (v**2 + 2 * A * v)
        assert net.scale.B <= 2 * (p - 1) * (A**2 + v**2)


def test_moduli_may_be_integers_of_numpy_and_the_zero_secret_needs_no_neuron():
    Y, q = residues(3, 2), np.int8(3)
    assert np.array_equal(reductions.encode(Y, q), reductions.encode(Y, 3))
    labels = reductions.lwr([2, 1], np.int8(2), q)(reductions.encode(Y, q))
    assert labels.tolist() == [label_by_hand(int(t), 2, 3, "lwr") for t in Y @ [2, 1]]
    net = reductions.lwr([0, 0], 2, 3)
    assert net.s == 0 and not net(reductions.encode(Y, 3)).any()


@pytest.mark.parametrize("m", range(1, 7))
def test_the_printed_parity_has_a_neuron_for_each_even_number_up_to_m(m):
    assert reductions.printed_parity([0], m).s == sum(a % 2 == 0 for a in range(-m, m + 1))


@pytest.mark.parametrize("rounding", ["lwr", "floor", "printed"])
@pytest.mark.parametrize("p, q", [(2**30, 2**30), (2**30, 2**30 - 35), (2**30 - 1, 2**30)])
def test_labels_at_the_largest_moduli_are_those_of_python_s_integers(p, q, rounding):
    t = [0, 1, q // 2, q - 2, q - 1]
    exact = {
        "lwr": lambda r: (2 * p * r + q) // (2 * q) % p,
        "floor": lambda r: p * r // q % p,
        "printed": lambda r: r % p,
    }
    assert reductions.lwr_label(t, p, q, rounding).tolist() == [exact[rounding](r) for r in t]
    for larger in ((2**30 + 1, q), (p, 2**30 + 1)):
        with pytest.raises(ValueError, match="must be at most 1073741824, not 1073741825"):
            reductions.lwr_label(t, *larger, rounding)
