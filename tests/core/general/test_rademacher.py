"""Rademacher complexity: closed forms, invariances, and a second exact route by the faces of each cone."""

from itertools import chain, combinations, combinations_with_replacement, product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import null_space
from scipy.optimize import nnls

from sparse_core._interval import exactly
from sparse_core.general import rademacher
from sparse_core.general.rademacher import maximum_packing

SEEDS, INSTANCES = range(8), 30  # 240 in all


# --- The second route: on each face of the cone of one active set the maximum has a closed form ---


def subsets(items):
    items = list(items)
    return chain.from_iterable(combinations(items, t) for t in range(len(items) + 1))


def best_on_face(basis, target, biased):
    """The maximiser of <target, r> over the subspace, ||r|| <= 1, or ||r[:-1]|| <= 1 and |r[-1]| <= 1."""
    last = basis[-1]
    if not biased or np.linalg.norm(last) < 1e-12:
        p = basis @ (basis.T @ target)
        return p / max(np.linalg.norm(p), 1e-300)
    level = basis @ null_space(last[None]) if basis.shape[1] > 1 else basis[:, :0]
    up = basis @ last / (last @ last)  # up[-1] = 1, and up is orthogonal to the level c = 0
    g0, beta, alpha = level @ (level.T @ target), target @ up, np.linalg.norm(up[:-1])
    G, most = np.linalg.norm(g0), min(1.0, 1 / max(alpha, 1e-300))
    steep = alpha * np.hypot(alpha * G, beta)
    c = np.clip(beta / steep if steep > 0 else np.sign(beta), -most, most)
    return c * up + sqrt(max(0.0, 1 - (alpha * c) ** 2)) * g0 / max(G, 1e-300)


def value_by_faces(X, W, B):
    """(signs, active set) -> the best neuron: it is inside some face of its cone, where no other row matters."""
    points = np.column_stack([W * X, np.full(len(X), -B)]) if B else W * X
    bases = (null_space(points[list(tight)]) if tight else np.eye(points.shape[1]) for tight in subsets(range(len(X))))
    faces = [basis for basis in bases if basis.size]

    def value(zeta, active):
        inside, best = np.isin(np.arange(len(X)), active), 0.0
        rows, target = np.where(inside[:, None], points, -points), (zeta * inside) @ points
        for basis in faces:
            r = best_on_face(basis, target, B > 0)
            if (rows @ r >= -1e-11).all():
                best = max(best, target @ r)
        return best

    return value


def maximum_by_faces(X, zeta, s, k, W, B):
    """The best multiset of s active sets that covers no point more than k times, by trying all of them."""
    sets, value = list(subsets(range(len(X)))), value_by_faces(X, W, B)
    values = {one: max(value(e * zeta, one) for e in (1, -1)) for one in sets}

    def fits(chosen):
        return max(np.bincount([i for one in chosen for i in one], minlength=1)) <= k

    choices = combinations_with_replacement(sets, s)
    return max(sum(values[one] for one in chosen) for chosen in choices if fits(chosen)) / len(X)


def random_instance(rng):
    m, n, s = rng.integers(1, 5), rng.integers(1, 4), int(rng.integers(1, 4))
    k, W, B = int(rng.integers(1, s + 1)), rng.uniform(0.3, 2), rng.choice([0.0, 0.2, 1.0, 3.0])
    X = rng.choice([-1.0, 1.0], (m, n)) if rng.random() < 0.3 else rng.standard_normal((m, n))
    return X, rng.choice([-1.0, 1.0], m), s, k, W, B


@pytest.mark.parametrize("seed", SEEDS)
def test_two_routes_agree_on_random_instances(seed):
    rng = np.random.default_rng(seed)
    cases = [random_instance(rng) for _ in range(INSTANCES)]
    ours = np.array([rademacher.empirical(*case) for case in cases])
    by_faces = np.array([maximum_by_faces(*case) for case in cases])
    dense, without_limit = (
        [of(X, zeta, *sizes, W, B) for X, zeta, s, _, W, B in cases]
        for of, sizes in ((rademacher.dense, (2,)), (rademacher.empirical, (2, 2)))
    )
    assert dense == pytest.approx(without_limit, rel=1e-9, abs=1e-12)
    assert np.abs(ours - by_faces).max() <= 1e-8  # 4e-9 with SciPy 1.14: ``_box`` stretches rounding by up to 1e5
    assert len({(len(X), s, k) for X, _, s, k, *_ in cases}) > 10  # the instances are of many shapes


# --- Which neurons together ---


def by_enumeration(values, s, k):
    """The best total over all multisets of at most s sets, at most k of them on each point."""
    m = len(values).bit_length() - 1

    def fits(sets):
        return all(sum(mask >> i & 1 for mask in sets) <= k for i in range(m))

    choices = (sets for t in range(s + 1) for sets in combinations_with_replacement(range(1, len(values)), t))
    return max(sum(values[mask] for mask in sets) for sets in choices if fits(sets))


TABLES = st.integers(1, 3).flatmap(lambda m: st.lists(st.integers(-2, 9), min_size=2**m, max_size=2**m))


@given(TABLES, st.integers(0, 3), st.integers(1, 2))
def test_a_packing_agrees_with_every_choice(values, s, k):
    assert maximum_packing(values, s, k).tolist() == [by_enumeration(values, t, k) for t in range(s + 1)]


def test_more_sets_than_room_do_not_help():
    best = maximum_packing(np.random.default_rng(0).random(2**6), s=40, k=2)
    assert (np.diff(best) >= 0).all() and best[12] == best[40]
    assert np.diff(best)[:3] == pytest.approx(sorted(np.diff(best)[:3], reverse=True))


# --- The solver is not trusted ---


def hasty(A, b):
    """The best combination of the columns but the last one that is needed."""
    x = nnls(A, b)[0]
    keep = np.flatnonzero(x)[:-1]
    x[:] = 0
    x[keep], rest = nnls(A[:, keep], b) if len(keep) else ([], np.linalg.norm(b))
    return x, rest


def endless(A, b):
    raise RuntimeError("Maximum number of iterations reached.")


SOLVERS = {
    "lazy": lambda A, b: (np.zeros(A.shape[1]), np.linalg.norm(b)),  # the start, as if it had converged there
    "hasty": hasty,
    "unsigned": lambda A, b: (np.linalg.lstsq(A, b, rcond=None)[0], 0.0),  # least squares without a sign
    "unfinished": lambda A, b: (nnls(A, b)[0] * (1 + 1e-6), nnls(A, b)[1]),
    "undefined": lambda A, b: (np.full(A.shape[1], np.nan), np.nan),
    "endless": endless,
    "boastful": lambda A, b: (nnls(A, b)[0], 0.5),  # right, but for the residual
}


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_wrong_solver_is_noticed_and_replaced(monkeypatch, solver):
    X, signs = np.random.default_rng(0).standard_normal((5, 2)), [1, -1, 1, 1, -1]
    calls = (
        lambda: rademacher.active_sets(X),
        lambda: rademacher.neuron_values(X, signs, 1.0, 0.5),
        lambda: rademacher.neuron_values(X, signs),
    )
    right = [call() for call in calls]
    monkeypatch.setattr(rademacher, "nnls", SOLVERS[solver])
    for call, values in zip(calls, right, strict=True):
        assert call() == pytest.approx(values, rel=1e-9, abs=1e-9)


# --- The definition ---


def test_one_point_and_its_terms():
    """W ||x|| = 10 from the weights and B = 1 from the bias."""
    assert rademacher.expected([[3.0, 4.0]], 1, 1, 2.0, 1.0).value == pytest.approx(11, rel=1e-9)
    for terms, value in (("both", 11.0), ("weights", 10.0), ("biases", 1.0)):
        for sign in (-1, 1):
            values = rademacher.neuron_values([[3.0, 4.0]], [sign], 2.0, 1.0, terms)
            assert values == pytest.approx([0, value], rel=1e-9)
    for W, B, value in ((0.0, 1.0, 1.0), (2.0, 0.0, 10.0), (0.0, 0.0, 0.0)):
        assert rademacher.neuron_values([[3.0, 4.0]], [1], W, B)[1] == pytest.approx(value)


def test_a_far_point_is_as_a_near_one():
    for scale in (1e-6, 1.0, 1e6):
        X = scale * np.array([[1.0, 1.0], [1.0, -2.0], [-3.0, 1.0]])
        assert rademacher.active_sets(X).tolist() == list(range(8))
        assert rademacher.empirical(X, [1, -1, 1], 2, 1) == pytest.approx(
            scale * rademacher.empirical(X / scale, [1, -1, 1], 2, 1)
        )


# --- Active sets, averages, bounds ---


def test_the_exact_average_is_over_all_signs():
    rng = np.random.default_rng(10)
    X = rng.standard_normal((4, 2))
    values = [rademacher.empirical(X, zeta, 2, 1, 1.0, 0.5) for zeta in product([-1, 1], repeat=4)]
    exact = rademacher.expected(X, 2, 1, 1.0, 0.5)
    assert exact == exactly(exact.value) and exact.value == pytest.approx(np.mean(values))
    profile = rademacher.profile(X, 3, 1, 1.0, 0.5)
    assert profile[1] == pytest.approx(exact.value) and len(profile) == 3
    assert profile[0] == pytest.approx(rademacher.expected(X, 1, 1, 1.0, 0.5).value)


def test_points_of_single_precision_are_computed_with_in_double():
    X, zeta = np.random.default_rng(0).standard_normal((4, 2)).astype(np.float32), [1, -1, 1, 1]
    values = [rademacher.neuron_values(Z, zeta, 0.1, 0.3) for Z in (X, X.astype(np.float64))]
    assert np.array_equal(*values)


def slow_ascent(X, zeta, W, B):
    """Half-way to the best (v, c) for the set that is active now, until that set promises no more; point by point."""
    best = 0.0

    def towards(weights):
        g, total = sum(w * x for w, x in zip(weights, X, strict=True)), sum(weights)
        return W * g / np.linalg.norm(g) if g.any() else 0 * g, -B * np.sign(total)

    for sign in (1, -1):
        v, c = towards(sign * zeta)
        for _ in range(60):
            active = [x @ v - c > 0 for x in X]
            weights = [sign * z * a for z, a in zip(zeta, active, strict=True)]
            best = max(best, gain := sum(w * (x @ v - c) for w, x in zip(weights, X, strict=True)))
            u, d = towards(weights)
            if sum(w * (x @ u - d) for w, x in zip(weights, X, strict=True)) <= gain * (1 + 1e-9):
                break
            v, c = v + (u - v) / 2, c + (d - c) / 2
    return best / len(X)


@pytest.mark.parametrize("seed", range(6))
def test_ascents_are_their_recipe(seed):
    rng = np.random.default_rng(seed)
    X, signs, (W, B) = rng.standard_normal((7, 2)), rng.choice([-1.0, 1.0], (5, 7)), rng.uniform(0, 2, 2)
    found = rademacher.ascents(X, signs, W, B)
    assert found == pytest.approx([slow_ascent(X, zeta, W, B) for zeta in signs], rel=1e-9) and min(found) > 0
    assert rademacher.ascents(X, signs, W / 1000, B / 1000) == pytest.approx(found / 1000)
    assert (found <= [rademacher.dense(X, zeta, 1, W, B) * (1 + 1e-9) for zeta in signs]).all()


def test_by_default_weights_have_norm_1_and_there_is_no_bias():
    X, zeta = np.random.default_rng(0).standard_normal((4, 2)), [1, -1, 1, 1]
    for of, *rest in (
        (rademacher.empirical, zeta, 3, 2), (rademacher.dense, zeta, 3), (rademacher.expected, 3, 2),
        (rademacher.profile, 3, 2), (rademacher.neuron_values, zeta), (rademacher.ascents, [zeta]),
    ):  # fmt: skip
        assert np.array_equal(of(X, *rest), of(X, *rest, 1.0, 0.0))
