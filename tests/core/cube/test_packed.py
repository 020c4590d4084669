"""Packed tables: every count against a walk over the points. The module never looks at a point by itself."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sparse_core.cube import packed


def changes(f):
    """[f(x) != f(x with bit i flipped)] for each i and each x."""
    x = np.arange(len(f))
    return np.array([f != f[x ^ 1 << i] for i in range(len(f).bit_length() - 1)]).reshape(-1, len(f))


tables = st.builds(
    lambda n, share, seed: np.random.default_rng(seed).random(2**n) < share,
    st.integers(0, 13),
    st.sampled_from([0.0, 0.01, 0.5, 1.0]),
    st.integers(0, 99),
)


@settings(max_examples=60)
@given(tables)
def test_the_boundary_counts_each_edge_once(f):
    counts = packed.boundary(f)
    assert counts.dtype == np.int64
    assert (2 * counts).tolist() == changes(f).sum(axis=1).tolist()


@settings(max_examples=60)
@given(tables)
def test_the_sensitivity_counts_the_flips_at_each_point(f):
    found = packed.sensitivity(f)
    assert found.dtype == np.uint8 and found.tolist() == changes(f).sum(axis=0).tolist()


@settings(max_examples=60)
@given(tables, st.integers(1, 3))
def test_packed_bits_are_the_table(f, stride):
    strided = np.repeat(f, stride)[::stride]
    words = packed.words_of(strided)
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    assert words.shape == (max(1, len(f) // 64),)
    assert np.array_equal(bits[: len(f)], f) and not bits[len(f) :].any()
    x = np.arange(len(f))
    for i in range(len(f).bit_length() - 1):
        assert np.array_equal(packed.flip(packed.words_of(f), i), packed.words_of(f[x ^ 1 << i]))


@given(tables, st.integers(-100, 100), st.integers(-100, 100), st.sampled_from([np.int8, np.int64, np.float32]))
def test_two_values_are_recognised_whatever_they_are(f, a, b, dtype):
    values = np.where(f, a, b).astype(dtype)
    two, (found, gap) = packed.two_valued(values), packed.two_valued(f)
    assert np.array_equal(found, f) and gap == 1
    assert len({a, b, 101}) < 3 or two is None or packed.two_valued(np.r_[values, values[:-1], 101]) is None
    if len(np.unique(values)) < 2:
        assert two is None
    else:
        assert np.array_equal(two[0], f != f[0]) and two[1] == abs(a - b)
