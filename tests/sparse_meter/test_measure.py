"""Counts of active neurons: those of plain sums, for each unit, in any type and batches, on any number of threads."""

import json
import math
import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_regression
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from sparse_core import SparseNetwork
from sparse_core.cube import hypercube
from sparse_core.network.training import Layered
from sparse_meter import Layer, Unit, measure
from sparse_meter.counting import ALIGNMENT, THRESHOLDS


def random_layer(n, s, outputs=2, dtype=np.float64, **more):
    rng = np.random.default_rng(0)
    W = rng.standard_normal((s, n)).astype(dtype)
    return Layer(W, rng.standard_normal(s).astype(dtype), rng.standard_normal((outputs, s)).astype(dtype), **more)


def random_inputs(m, n, dtype=np.float64):
    return np.random.default_rng(1).standard_normal((m, n)).astype(dtype)


def pre_activations(layer, X):
    """z by a sum for each pair: in integers and halves it is exact."""
    return np.array([[math.fsum(w * x) for w in layer.W.astype(float)] for x in X.astype(float)]) - layer.b


def assert_counts(found, A):
    """All counts are those of the (inputs, neurons) truth values A."""
    K = A.sum(axis=1)
    m, s = A.shape
    assert (found.inputs, found.s) == (m, s)
    assert found.active_at.tolist() == A.sum(axis=0).tolist()
    assert found.histogram.tolist() == [np.count_nonzero(K == k) for k in range(s + 1)]
    assert (found.max_active, found.quantile(0)) == (K.max(), K.min())
    assert found.mean_active == pytest.approx(K.mean(), rel=1e-14)
    assert found.variance == pytest.approx(K.var(), rel=1e-12)
    p = A.mean(axis=0)
    assert found.independent_variance == pytest.approx((p * (1 - p)).sum(), rel=1e-12)
    assert found.dead == np.count_nonzero(p == 0) and found.always_on == np.count_nonzero(p == 1)
    assert found.dynamic == np.count_nonzero((p > 0) & (p < 1)) and found.effective == s - found.dead
    for q in (0.1, 0.5, 0.9, 1):
        assert found.quantile(q) == np.quantile(K, q, method="inverted_cdf")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m, n, s", [(1, 1, 1), (300, 7, 64), (700, 5, 65), (2100, 3, 200)])
def test_the_counts_are_those_of_plain_sums(m, n, s, dtype):
    rng = np.random.default_rng(m)
    W = rng.integers(-8, 9, (s, n)) / 4  # so that all sums are exact, and many are 0
    layer = Layer(W.astype(dtype), (rng.integers(-8, 9, s) / 4).astype(dtype), np.ones((1, s), dtype))
    X = rng.integers(-3, 4, (m, n)).astype(dtype)
    found = measure(layer, X)
    Z = pre_activations(layer, X)
    assert_counts(found, Z > 0)
    assert found.largest == Z.max()
    for (threshold, mean, most), t in zip(found.sweep[1:], THRESHOLDS, strict=True):
        K = (Z >= t).sum(axis=1)
        assert (threshold, mean, most) == (t, K.mean(), K.max())
    assert found.R == pytest.approx(np.linalg.norm(X, axis=1).max())


@given(st.integers(1, 5), st.integers(1, 9), st.integers(0, 2**32))
def test_on_the_cube_the_counts_are_those_of_the_network(n, s, seed):
    rng = np.random.default_rng(seed)
    net = SparseNetwork(rng.integers(-2, 3, s), rng.integers(-2, 3, (s, n)), rng.integers(-2, 3, s))
    found = measure(net, hypercube.points(n))
    assert_counts(found, net.active(hypercube.points(n)))
    assert found.max_active == net.sparsity().upper
    assert found.scale == pytest.approx(net.scale)


def largest_of(z, k):
    order = sorted(range(len(z)), key=lambda j: (-z[j], j))
    return [j in order[:k] and z[j] > 0 for j in range(len(z))]


UNITS = {
    "relu": lambda z: z > 0,
    "relu2": lambda z: z > 0,
    "shifted:0.5": lambda z: z - 0.5 > 0,
    "thresholded:0.75": lambda z: z > 0.75,
    "top-k:3": lambda z: np.array([largest_of(row, 3) for row in z]),
    "top-k:20": lambda z: np.array([largest_of(row, 20) for row in z]),
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("gated", [False, True])
def test_each_unit_by_its_definition(unit, gated):
    rng = np.random.default_rng(0)
    W = rng.integers(-8, 9, (20, 4)) / 4
    layer = Layer(W, np.zeros(20), np.ones((4, 20)), up=-W if gated else None, unit=unit)
    X = rng.integers(-1, 2, (400, 4)).astype(float)  # so few values that ties are many
    Z = pre_activations(layer, X)
    found = measure(layer, X)
    assert_counts(found, UNITS[unit](Z))
    assert found.gated == gated and found.unit == unit
    assert (found.scale is None) == (gated or unit.startswith(("relu2", "top", "thres")))
    assert_counts(measure(Z, activation=unit), UNITS[unit](Z))
    if "top-k" not in unit:
        assert measure(Z, activation=unit).histogram.tolist() != measure(-Z, activation=unit).histogram.tolist()


def test_a_threshold_for_each_neuron():
    Z = np.array([[1.0, 1.0, 1.0], [2.0, 3.0, -1.0]])
    unit = Unit("thresholded", np.array([0.5, 1.0, 1.5]))
    assert_counts(measure(Layer(np.eye(3), np.zeros(3), unit=unit), Z), [0.5, 1.0, 1.5] < Z)
    said = measure(Layer(np.eye(3), np.zeros(3), unit=unit), Z).active_means
    assert said.startswith("Active means a pre-activation above its threshold (one for each neuron), ")


def same(one, other):
    """Two reports to the last digit."""
    one, other = one.to_dict(), other.to_dict()
    return one == other


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_aligned_shards_add_to_the_report_of_the_whole(dtype):
    layer = random_layer(50, 90, dtype=dtype)
    X = random_inputs(3 * ALIGNMENT + 77, 50, dtype)
    whole = measure(layer, X)
    parts = [measure(layer, X[i : i + ALIGNMENT]) for i in range(0, len(X), ALIGNMENT)]
    assert len(parts) == 4 and same(parts[0] + parts[1] + parts[2] + parts[3], whole)
    assert same((parts[3] + parts[1]) + (parts[2] + parts[0]), whole)
    assert not same(parts[0] + parts[1] + parts[2], whole)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=5), st.integers(0, 2**32))
def test_shards_of_pre_activations_add_wherever_they_are_cut(lengths, seed):
    Z = np.random.default_rng(seed).standard_normal((sum(lengths), 6))
    cuts = np.cumsum(lengths)[:-1]
    parts = [measure(part) for part in np.split(Z, cuts)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    assert same(total, measure(Z))


@pytest.mark.parametrize("lengths", [[1] * 60, [17, 0, 43], [60]])
def test_batches_of_any_length_give_one_report(lengths):
    layer = random_layer(30, 40)
    X = random_inputs(60, 30)
    memory = np.empty((60, 30))

    def loader():  # which uses the same memory for each batch
        start = 0
        for length in lengths:
            memory[:length] = X[start : start + length]
            start += length
            yield memory[:length]

    whole = measure(layer, X)
    for found in (measure(layer, loader()), measure(layer, [X[:20], X[20:]])):
        assert found.largest == pytest.approx(whole.largest, rel=1e-12)  # products of other shapes round otherwise
        assert same(replace(found, largest=whole.largest, R=whole.R), whole)
    assert same(measure(layer, X.reshape(3, 4, 5, 30)), measure(layer, X))
    assert same(measure(layer, X.tolist()), measure(layer, X))


def test_a_memory_map_and_other_layouts(tmp_path):
    layer = random_layer(30, 40)
    X = random_inputs(2500, 30)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert same(measure(layer, mapped), measure(layer, X))
    assert same(measure(layer, np.asfortranarray(X)), measure(layer, X))
    assert same(measure(layer, X[::-1]), measure(layer, np.ascontiguousarray(X[::-1])))
    half = X.astype(np.float16)
    assert same(measure(layer, half), measure(layer, half.astype(np.float32)))
    whole = np.rint(X).astype(np.int8)
    assert same(measure(layer, whole), measure(layer, whole.astype(float)))


def test_the_inputs_are_not_changed():
    layer = random_layer(5, 9, unit="top-k:2")
    X = random_inputs(10, 5)
    Z = X @ layer.W.T
    before = X.copy(), Z.copy(), layer.W.copy()
    measure(layer, X)
    measure(Z, activation="top-k:2")
    assert all(np.array_equal(a, b) for a, b in zip(before, (X, Z, layer.W), strict=True))


def test_threads_do_not_change_a_bit():
    layer = random_layer(200, 300, dtype=np.float32)
    X = random_inputs(3000, 200, np.float32)
    with threadpool_limits(1):
        alone = measure(layer, X)
    with threadpool_limits(2):
        assert same(measure(layer, X), alone)


def test_coactivation_of_neurons_that_fire_together_or_in_turn():
    ones = np.ones((1, 8), bool)
    together = np.concatenate([ones, ~ones] * 50)
    in_turn = np.tile(np.eye(8, dtype=bool), (10, 1))
    assert measure(together).coactivation == 8.0
    assert measure(in_turn).coactivation == 0.0
    assert measure(np.concatenate([ones, ones])).coactivation is None  # nothing varies


@pytest.mark.parametrize("gated, later", [(False, 3 / (3 + 5)), (True, (3 + 5) / (3 + 10))])
def test_what_skipping_saves(gated, later):
    W = np.array([[1.0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [-1, 0, 0, 0, 0], [0, 0, 0, 0, 0]])
    layer = Layer(W, np.zeros(4), np.ones((3, 4)), up=W if gated else None)
    found = measure(layer, [[1, 1, 0, 0, 0], [-1, -1, 0, 0, 0]])  # 2 neurons, then 1
    assert found.saved == pytest.approx({
        "delete the dead": 1 / 4, "skip outputs": 5 / 8 * later, "skip outputs, worst input": 2 / 4 * later,
        "skip neurons": 5 / 8, "skip neurons, worst input": 2 / 4,
    })  # fmt: skip
    assert measure([[1.0, -1.0]]).saved["skip outputs"] is None  # neither inputs nor outputs are known


def test_the_scale_of_several_outputs_is_the_largest():
    layer = random_layer(6, 9, outputs=4)
    found = measure(layer, random_inputs(3, 6))
    each = [layer.network(i).scale for i in range(4)]
    assert found.scale == pytest.approx((max(s.W for s in each), max(s.B for s in each)))
    assert found.balanced_W == pytest.approx((np.abs(layer.U).max(axis=0) * np.linalg.norm(layer.W, axis=1)).max())
    shifted = random_layer(6, 9, outputs=4, unit="shifted:2")
    each = [shifted.network(i).scale for i in range(4)]
    assert measure(shifted, random_inputs(3, 6)).scale == pytest.approx((found.scale.W, max(s.B for s in each)))


@pytest.mark.parametrize("m", [1, 2, 40])
def test_every_report_is_standard_json_and_html(m):
    for found in (
        measure(random_layer(5, 9), random_inputs(m, 5)),
        measure(random_layer(5, 9), np.ones((m, 5))),  # constant columns
        measure(random_layer(5, 9), np.zeros((m, 5))),
        measure(-np.ones((m, 3))),
        measure(random_layer(5, 9, outputs=0), random_inputs(m, 5)),
    ):
        read = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert read["inputs"] == m and sum(read["histogram"]) == m
        text = found.text()
        assert text.startswith(repr(found)) and "nan" not in text and f"measured on {m} inputs" in text
        page = found._repr_html_()
        assert page.count("<table") == page.count("</table>") >= 3


def test_names_in_a_report_send_nothing_to_a_terminal_or_a_page():
    found = measure({"<b>\x1b[31m0.weight": np.eye(2), "<b>\x1b[31m1.weight": np.eye(2)}, np.eye(2))
    assert "\x1b" not in found.text() and r"<b>\x1b[31m0.weight" in found.text()
    assert "<b>" not in found._repr_html_()


def test_a_fitted_network_and_a_pipeline():
    X, y = make_regression(80, 6, random_state=0)
    mlp = MLPRegressor(hidden_layer_sizes=(12,), max_iter=400, solver="lbfgs", tol=0.1, random_state=0).fit(X, y)
    A = X @ mlp.coefs_[0] + mlp.intercepts_[0] > 0
    assert_counts(measure(mlp, X), A)
    pipeline = make_pipeline(StandardScaler(), mlp)
    pipeline[0].fit(2 * X + 1)
    assert_counts(measure(pipeline, 2 * X + 1), StandardScaler().fit_transform(X) @ mlp.coefs_[0] > -mlp.intercepts_[0])


SQUARE = Layer(np.eye(2), np.zeros(2), np.ones((1, 2)))
OTHER = Layer(np.eye(2), np.zeros(2), np.full((1, 2), 2.0))
ONE = np.ones((1, 1), np.float32)
REFUSED = {
    "no inputs": (lambda: measure(SQUARE, np.ones((0, 2))), ValueError, "'X' must have at least one row"),
    "no batches": (lambda: measure(SQUARE, iter([])), ValueError, "'X' must have at least one row"),
    "no pre-activations": (lambda: measure(np.ones((0, 2))), ValueError, "at least one row, which is an input"),
    "no neurons": (lambda: measure(np.ones((3, 0))), ValueError, "at least one neuron, which is a column"),
    "an empty layer": (lambda: Layer(np.ones((0, 2)), []), ValueError, "'W' must have at least one row"),
    "no X": (lambda: measure(SQUARE), ValueError, "'X' must be given"),
    "one axis": (lambda: measure(SQUARE, np.ones(2)), ValueError, "'X' must have at least 2 axes, not 1"),
    "columns": (lambda: measure(SQUARE, np.ones((3, 3))), ValueError, "'X' must have 2 columns, not 3"),
    "a later batch": (lambda: measure(SQUARE, [np.ones((1, 2)), np.ones((1, 3))]), ValueError, "2 columns, not 3"),
    "NaN": (lambda: measure(SQUARE, [[0.0, 1], [np.nan, 0]]), ValueError, r"'X' must be finite; entry \(1, 0\) is nan"),
    "infinity": (lambda: measure(SQUARE, [[0.0, np.inf]]), ValueError, r"'X' must be finite; entry \(0, 1\) is inf"),
    "NaN of a neuron": (lambda: measure([[0.0, np.nan]]), ValueError, "must be finite"),
    "words": (lambda: measure(SQUARE, [["a", "b"]]), TypeError, "an array of real numbers, not of type <U1"),
    "complex": (lambda: measure(SQUARE, np.ones((1, 2), complex)), TypeError, "real numbers, not of type complex128"),
    "objects": (lambda: measure(SQUARE, np.array([[{}, 1]])), TypeError, "real numbers, not of type object"),
    "a name": (lambda: measure(SQUARE, "X.npy"), TypeError, "'X' must be an array or an iterable of arrays, not str"),
    "a number": (lambda: measure(SQUARE, 3), TypeError, "'X' must be an array or an iterable of arrays, not int"),
    "ragged": (lambda: measure(SQUARE, [[1, 2], [3]]), ValueError, "'X' must be a rectangular array"),
    "masked": (lambda: measure(SQUARE, np.ma.masked_equal([[1, 2]], 2)), TypeError, "'X' must have no masked entries"),
    "huge weights": (lambda: measure(Layer([[1e300]], [0]), [[1e300]]), ValueError, "sums of theirs overflow float64"),
    "huge single": (lambda: measure(Layer(ONE * 1e30, ONE[0]), ONE * 1e30), ValueError, "overflow"),
    "huge outputs": (lambda: measure(([1e300], [[1e20]], [0]), [[1]]), ValueError, "its scale .* is not a finite"),
    "huge inputs": (lambda: measure(Layer([[1e-300]], [0]), [[1e200]]), ValueError, "sums of theirs overflow float64"),
    "unit": (lambda: measure([[1.0]], activation="maxout"), ValueError, "must be one of 'relu', .*, not 'maxout'"),
    "parameter": (lambda: measure([[1.0]], activation="relu:2"), ValueError, "must have no parameter for 'relu'"),
    "no parameter": (lambda: measure([[1.0]], activation="top-k"), ValueError, "'activation' must have a number"),
    "half a neuron": (lambda: measure([[1.0]], activation="top-k:1.5"), TypeError, "'k' must be an integer, not 1.5"),
    "more than all": (lambda: measure([[1.0]], activation="top-k:2"), ValueError, "'k' must be at most 1, not 2"),
    "more than s": (lambda: measure(SQUARE, [[1, 1]], activation="top-k:3"), ValueError, "at most .*, 2, not 3"),
    "infinite": (lambda: measure([[1.0]], activation="shifted:inf"), ValueError, "'threshold' must be finite"),
    "other": (lambda: measure([[1.0]]) + 1, TypeError, "unsupported operand"),
    "other layer": (lambda: measure([[1.0]]) + measure([[1.0, 2.0]]), ValueError, "same layer .*: s is 1 and 2"),
    "other scale": (lambda: measure(SQUARE, [[1, 1]]) + measure(OTHER, [[1, 1]]), ValueError, "layer .*: scale is"),
    "quantile": (lambda: measure([[1.0]]).quantile(2), ValueError, "'q' must be at most 1, not 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    call, error, words = REFUSED[name]
    with pytest.raises(error, match=words):
        call()


def test_a_batch_uses_the_neurons_that_one_of_its_inputs_activates():
    """Against all subsets, drawn one by one; from shards."""
    active = np.random.default_rng(0).random((7, 5)) < [0, 0.2, 0.5, 0.9, 1]
    found = measure(np.where(active, 1.0, -1.0))
    for m in range(1, 8):
        subsets = list(combinations(range(7), m))
        used = np.mean([active[list(rows)].any(axis=0).sum() for rows in subsets])
        assert found.union(m) == pytest.approx(used, rel=1e-14)
    assert found.union(1) == pytest.approx(found.mean_active) and found.union(7) == found.effective
    shards = measure(np.where(active[:3], 1.0, -1.0)) + measure(np.where(active[3:], 1.0, -1.0))
    assert shards.union(4) == found.union(4)
    assert found.to_dict()["union"][2] == {"batch": 4, "used": found.union(4)}
    assert f"{found.union(4):.5g}" in found.text() and f"{found.union(4):.5g}" in found._repr_html_()


def test_a_large_batch_of_many_inputs_needs_no_table_of_all_of_them():
    large = replace(measure([[1.0, -1.0, 1.0]]), inputs=10**9, active_at=np.array([10**5, 1, 10**9]))
    assert large.union(3 * 10**6) == pytest.approx(1 + 0.003 + 1, rel=1e-12)


@pytest.mark.parametrize(
    "X, words",
    [
        ([[-np.inf], [1.0]], "Argument 'X' must be finite; entry (0, 0) is -inf"),
        ([[1.0, 1.0]], "Argument 'X' must have 1 columns, not 2"),
    ],
)
@pytest.mark.parametrize("layer", [None, "1"])
def test_the_inputs_of_a_deep_network_are_checked_whichever_layer_is_counted(X, words, layer):
    net = Layered((np.ones((2, 1)), np.ones((2, 2)), np.ones((1, 2))), (np.zeros(2), np.zeros(2), np.zeros(1)))
    with pytest.raises(ValueError, match=re.escape(words)):
        measure(net, np.array(X), layer=layer)
