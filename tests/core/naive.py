"""What several test files compute the slow way."""

import tracemalloc
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from sparse_core.network import SparseNetwork


def sample(n, m, seed, labels="normal"):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (m, n), dtype=np.int8) * 2 - 1
    draw = {
        "normal": lambda: rng.normal(size=m),
        "signs": lambda: rng.choice([-1, 1], m),
        "integers": lambda: rng.integers(-9, 10, m),
    }
    return X, draw[labels]()


def characters(X, degree):
    """The matrix of all monomials at all points, in the order of ``hypercube.supports``."""
    sets = [T for i in range(min(degree, X.shape[1]) + 1) for T in combinations(range(X.shape[1]), i)]
    sets.sort(key=lambda T: (len(T), T[::-1]))
    return np.column_stack([np.prod(X[:, list(T)], axis=1, dtype=float) for T in sets])


def network(seed, n=3, s=4, integers=True):
    rng = np.random.default_rng(seed)
    shapes = (s,), (s, n), (s,)
    return SparseNetwork(*(rng.integers(-2, 3, z) if integers else rng.standard_normal(z) for z in shapes))


def neurons_at_ties(seed, s=40):
    """Neurons with tenths as entries, tiny ones too, of sizes from 10^-3 to 10^3: their sums are 0 up to round-off."""
    rng = np.random.default_rng(seed)
    n = 1 + seed % 6
    W = rng.integers(-4, 5, (s, n)) / 10 * np.where(rng.random((s, n)) < 0.2, 1e-7, 1)
    i = rng.integers(0, n, s)
    b = np.abs(W).sum(axis=1) - rng.choice([2.0, 1.0, 0.5], s) * np.abs(W[np.arange(s), i])
    size = 10.0 ** rng.integers(-3, 4, s)
    W, b = W * size[:, None], b * size
    alive = ~SparseNetwork(b, W, b).dead()
    return W[alive], b[alive]


def by_formula(net, X):
    """h at the rows of X as Definition 1 prints it, one point and one neuron at a time."""
    return np.array([sum(u * max(w @ x - b, 0) for u, w, b in zip(net.u, net.W, net.b, strict=True)) for x in X])


def active(W, b, X):
    """[<w_j, x> > b_j] with fractions: no rounding anywhere."""
    rows = [([*map(Fraction, w.tolist())], Fraction(t)) for w, t in zip(W, b.tolist(), strict=True)]
    points = [[*map(Fraction, x)] for x in X.tolist()]
    found = [[sum(map(Fraction.__mul__, w, x)) > t for w, t in rows] for x in points]
    return np.array(found, dtype=bool).reshape(len(X), len(b))


def peak_memory(function, *arguments):
    """The most bytes in use at a time during a call, beyond those before it."""
    tracemalloc.start()
    function(*arguments)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


networks = st.builds(network, st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 4), st.booleans())


def sides(report, name, form=None):
    """Left and right of the one row of a statement, or of one of its forms."""
    (row,) = [row for row in report if row.id == name and form in (None, row.form)]
    return row.left.value, row.right.value
