"""Counts of active neurons: those of plain sums, in any type and batches, on any number of threads."""

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
from sparse_meter import Layers, measure
from sparse_meter.counting import ALIGNMENT, EDGES


def network(W, b, U=None):
    """Two maps, relu between them, that subtract biases."""
    W = np.asarray(W, float)
    U = np.ones((1, len(W))) if U is None else np.asarray(U, float)
    return Layered((W, U), (np.asarray(b, float), np.zeros(len(U))))


def counts(*given, **options):
    """The measurement of one layer."""
    return measure(*given, **options).only


def random_layer(n, s, outputs=2, dtype=np.float64):
    rng = np.random.default_rng(0)
    W = rng.standard_normal((s, n)).astype(dtype)
    return network(W, rng.standard_normal(s).astype(dtype), rng.standard_normal((outputs, s)).astype(dtype))


def random_inputs(m, n, dtype=np.float64):
    return np.random.default_rng(1).standard_normal((m, n)).astype(dtype)


def pre_activations(layer, X):
    """z by a sum for each pair: in integers and halves it is exact."""
    return np.array([[math.fsum(w * x) for w in layer.W[0].astype(float)] for x in X.astype(float)]) - layer.b[0]


def assert_counts(found, A):
    """All counts are those of the (inputs, neurons) truth values A."""
    K = A.sum(axis=1)
    m, s = A.shape
    assert (found.inputs, found.s) == (m, s)
    assert found.active_at.tolist() == A.sum(axis=0).tolist()
    assert found.histogram.tolist() == [np.count_nonzero(K == k) for k in range(s + 1)]
    assert found.max_active == K.max() and found.mean_active == pytest.approx(K.mean(), rel=1e-14)
    p = A.mean(axis=0)
    if found.coactivation is not None:
        assert found.coactivation == pytest.approx(K.var() / (p * (1 - p)).sum(), rel=1e-12)
    assert found.dead == np.count_nonzero(p == 0) and found.always_on == np.count_nonzero(p == 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("m, n, s", [(1, 1, 1), (300, 7, 64), (700, 5, 65), (2100, 3, 200)])
def test_the_counts_are_those_of_plain_sums(m, n, s, dtype):
    rng = np.random.default_rng(m)
    W = rng.integers(-8, 9, (s, n)) / 4  # so that all sums are exact, and many are 0
    layer = network(W.astype(dtype), (rng.integers(-8, 9, s) / 4).astype(dtype), np.ones((1, s), dtype))
    X = rng.integers(-3, 4, (m, n)).astype(dtype)
    found = counts(layer, X)
    Z = pre_activations(layer, X)
    assert_counts(found, Z > 0)
    for t in (0.25, 1.0, 4.0):  # edges of the sizes
        assert found.sizes[np.searchsorted(EDGES, t) :].sum() == np.count_nonzero(Z[::2] >= t)
    runs = (Z > 0)[: len(Z) // 16 * 16].reshape(-1, 16, s).any(axis=1)
    assert (found.runs, found.run_used) == (len(runs), runs.sum())


@given(st.integers(1, 5), st.integers(1, 9), st.integers(0, 2**32))
def test_on_the_cube_the_counts_are_those_of_the_network(n, s, seed):
    rng = np.random.default_rng(seed)
    net = SparseNetwork(rng.integers(-2, 3, s), rng.integers(-2, 3, (s, n)), rng.integers(-2, 3, s))
    found = counts(net, hypercube.points(n))
    assert_counts(found, net.active(hypercube.points(n)))
    assert found.max_active == net.sparsity().upper


def same(one, other):
    """Two reports to the last digit."""
    one, other = one.to_dict(), other.to_dict()
    return one == other


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_aligned_shards_add_to_the_report_of_the_whole(dtype):
    layer = random_layer(50, 90, dtype=dtype)
    X = random_inputs(3 * ALIGNMENT + 77, 50, dtype)
    whole = counts(layer, X)
    parts = [counts(layer, X[i : i + ALIGNMENT]) for i in range(0, len(X), ALIGNMENT)]
    assert len(parts) == 4 and same(parts[0] + parts[1] + parts[2] + parts[3], whole)
    assert same((parts[3] + parts[1]) + (parts[2] + parts[0]), whole)
    assert not same(parts[0] + parts[1] + parts[2], whole)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=5), st.integers(0, 2**32))
def test_shards_of_pre_activations_add_wherever_they_are_cut(lengths, seed):
    Z = np.random.default_rng(seed).standard_normal((sum(lengths), 6))
    cuts = np.cumsum(lengths)[:-1]
    parts = [counts(part) for part in np.split(Z, cuts)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    whole = counts(Z)
    # a cut may part inputs that follow each other
    parted = {name: getattr(whole, name) for name in ("runs", "run_used", "sizes")}
    assert same(replace(total, **parted), whole)


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

    whole = counts(layer, X)
    assert whole.runs == 3
    assert same(counts(layer, loader()), whole) and same(counts(layer, [X[:20], X[20:]]), whole)
    assert same(counts(layer, X.reshape(3, 4, 5, 30)), counts(layer, X))
    assert same(counts(layer, X.tolist()), counts(layer, X))


def test_a_memory_map_and_other_layouts(tmp_path):
    layer = random_layer(30, 40)
    X = random_inputs(2500, 30)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert same(counts(layer, mapped), counts(layer, X))
    assert same(counts(layer, np.asfortranarray(X)), counts(layer, X))
    assert same(counts(layer, X[::-1]), counts(layer, np.ascontiguousarray(X[::-1])))
    half = X.astype(np.float16)
    assert same(counts(layer, half), counts(layer, half.astype(np.float32)))
    whole = np.rint(X).astype(np.int8)
    assert same(counts(layer, whole), counts(layer, whole.astype(float)))


def test_the_inputs_are_not_changed():
    layer = random_layer(5, 9)
    X = random_inputs(10, 5)
    Z = X @ layer.W[0].T
    before = X.copy(), Z.copy(), layer.W[0].copy()
    counts(layer, X)
    counts(Z, above=0.1)
    assert all(np.array_equal(a, b) for a, b in zip(before, (X, Z, layer.W[0]), strict=True))


def test_threads_do_not_change_a_bit():
    layer = random_layer(200, 300, dtype=np.float32)
    X = random_inputs(3000, 200, np.float32)
    with threadpool_limits(1):
        alone = counts(layer, X)
    with threadpool_limits(2):
        assert same(counts(layer, X), alone)


def test_coactivation_of_neurons_that_fire_together_or_in_turn():
    ones = np.ones((1, 8), bool)
    together = np.concatenate([ones, ~ones] * 50)
    in_turn = np.tile(np.eye(8, dtype=bool), (10, 1))
    assert counts(together).coactivation == 8.0
    assert counts(in_turn).coactivation == 0.0
    assert counts(np.concatenate([ones, ones])).coactivation is None  # nothing varies


@pytest.mark.parametrize("m", [1, 2, 40])
def test_every_report_is_standard_json_and_html(m):
    for found in (
        counts(random_layer(5, 9), random_inputs(m, 5)),
        counts(random_layer(5, 9), np.ones((m, 5))),  # constant columns
        counts(random_layer(5, 9), np.zeros((m, 5))),
        counts(-np.ones((m, 3))),
    ):
        read = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert read["inputs"] == m and sum(read["histogram"]) == m
        text = found.text()
        assert text.startswith(repr(found)) and "nan" not in text and re.search(rf"inputs +{m}\b", text)
        page = found._repr_html_()
        assert page.count("<table") == page.count("</table>") >= 2


FINDINGS = {
    "dynamic": ([[1, -1], [-1, 1]], "on average 1 of 2 neurons (50.00%), at most 1. None is dead: each is"),
    "dead": ([[1, -1, 2, -1]], "on average 2 of 4 neurons (50.00%), at most 2. Dead are 2, and without them the layer "
             "has 2 neurons, 100.00% active."),
    "one of each": ([[1, -1], [-1, -1]], "on average 0.5 of 2 neurons (25.00%), at most 1. Dead is 1, and without it "
                    "the layer has 1 neuron, 50.00% active."),
    "nobody": ([[-1]], "on average 0 of 1 neuron (0.00%), at most 0. None is active at any."),
}  # fmt: skip


@pytest.mark.parametrize("name", FINDINGS)
def test_a_report_begins_with_its_finding_and_ends_with_what_was_assumed(name):
    Z, finding = FINDINGS[name]
    found = measure(np.array(Z, float))
    assert repr(found).startswith(f"Active at an input: {finding}")
    page = found.to_html()
    assert page.startswith(f"<p>Active at an input: {finding}")
    assert page.index("<table") < page.index("<details>") < page.index("Pre-activations were given")
    assert repr(found).index("\nneurons ") < repr(found).index("Pre-activations were given")


def test_a_fitted_network_and_a_pipeline():
    X, y = make_regression(80, 6, random_state=0)
    mlp = MLPRegressor(hidden_layer_sizes=(12,), max_iter=400, solver="lbfgs", tol=0.1, random_state=0).fit(X, y)
    A = X @ mlp.coefs_[0] + mlp.intercepts_[0] > 0
    assert_counts(counts(mlp, X), A)
    pipeline = make_pipeline(StandardScaler(), mlp)
    pipeline[0].fit(2 * X + 1)
    assert_counts(counts(pipeline, 2 * X + 1), StandardScaler().fit_transform(X) @ mlp.coefs_[0] > -mlp.intercepts_[0])


SQUARE = network(np.eye(2), np.zeros(2), np.ones((1, 2)))
OTHER = network(np.eye(2), np.zeros(2), np.full((1, 2), 2.0))
ONE = np.ones((1, 1), np.float32)
REFUSED = {
    "no inputs": (lambda: counts(SQUARE, np.ones((0, 2))), ValueError, "'X' must have at least one row"),
    "no batches": (lambda: counts(SQUARE, iter([])), ValueError, "'X' must have at least one batch"),
    "no pre-activations": (lambda: counts(np.ones((0, 2))), ValueError, "at least one row, which is an input"),
    "no neurons": (lambda: counts(np.ones((3, 0))), ValueError, "at least one neuron, which is a column"),
    "no X": (lambda: counts(SQUARE), ValueError, "'X' must be given"),
    "columns": (lambda: counts(SQUARE, np.ones((3, 3))), ValueError, "'X' must have 2 columns, not 3"),
    "a later batch": (lambda: counts(SQUARE, [np.ones((1, 2)), np.ones((1, 3))]), ValueError, "2 columns, not 3"),
    "NaN": (lambda: counts(SQUARE, [[0.0, 1], [np.nan, 0]]), ValueError, r"'X' must be finite; entry \(1, 0\) is nan"),
    "infinity": (lambda: counts(SQUARE, [[0.0, np.inf]]), ValueError, r"'X' must be finite; entry \(0, 1\) is inf"),
    "NaN of a neuron": (lambda: counts([[0.0, np.nan]]), ValueError, "must be finite"),
    "words": (lambda: counts(SQUARE, [["a", "b"]]), TypeError, "an array of real numbers"),
    "complex": (lambda: counts(SQUARE, np.ones((1, 2), complex)), TypeError, "an array of real numbers"),
    "objects": (lambda: counts(SQUARE, np.array([[{}, 1]])), TypeError, "an array of real numbers"),
    "a name": (lambda: counts(SQUARE, "X.npy"), TypeError, "'X' must be an array or an iterable of arrays, not str"),
    "a number": (lambda: counts(SQUARE, 3), TypeError, "'X' must be an array or an iterable of arrays, not int"),
    "ragged": (lambda: counts(SQUARE, [[1, 2], [3]]), ValueError, "'X' must be a rectangular array"),
    "masked": (lambda: counts(SQUARE, np.ma.masked_equal([[1, 2]], 2)), TypeError, "'X' must have no masked entries"),
    "other": (lambda: counts([[1.0]]) + 1, TypeError, "unsupported operand"),
    "other layer": (lambda: counts([[1.0]]) + counts([[1.0, 2.0]]), ValueError, "same layer .*: s is 1 and 2"),
    "kept": (lambda: counts([[1.0]]).dropped(2), ValueError, "'kept' must be at most 1, not 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    call, error, words = REFUSED[name]
    with pytest.raises(error, match=words):
        call()


def test_a_batch_uses_the_neurons_that_one_of_its_inputs_activates():
    """Against all subsets, drawn one by one; from shards."""
    active = np.random.default_rng(0).random((7, 5)) < [0, 0.2, 0.5, 0.9, 1]
    found = counts(np.where(active, 1.0, -1.0))
    for m in range(1, 8):
        subsets = list(combinations(range(7), m))
        used = np.mean([active[list(rows)].any(axis=0).sum() for rows in subsets])
        assert found.union(m) == pytest.approx(used, rel=1e-14)
    assert found.union(1) == pytest.approx(found.mean_active) and found.union(7) == 5 - found.dead
    shards = counts(np.where(active[:3], 1.0, -1.0)) + counts(np.where(active[3:], 1.0, -1.0))
    assert shards.union(4) == found.union(4)
    assert found.to_dict()["union"][2] == {"batch": 4, "used": found.union(4)}
    assert f"{found.union(4):.5g}" in found.text() and f"{found.union(4):.5g}" in found._repr_html_()


def test_a_large_batch_of_many_inputs_needs_no_table_of_all_of_them():
    large = replace(counts([[1.0, -1.0, 1.0]]), inputs=10**9, active_at=np.array([10**5, 1, 10**9]))
    assert large.union(3 * 10**6) == pytest.approx(1 + 0.003 + 1, rel=1e-12)


def test_what_may_be_dropped_and_the_energy_that_is_left():
    A = np.abs(np.random.default_rng(0).standard_normal((400, 9))) ** 3
    found = counts(A, above=0)
    for kept in (0.5, 0.9, 0.99):
        t, share = found.dropped(kept)
        some = A[::2]  # whose sizes are counted
        assert share == pytest.approx((t > some).mean())
        assert (some[t > some] ** 2).sum() / (some**2).sum() == pytest.approx(1 - kept, abs=0.02)
    assert counts(A, above=1.0).active_at.tolist() == (A > 1).sum(axis=0).tolist()
    assert counts(-A, above=1.0).active_at.tolist() == (A > 1).sum(axis=0).tolist()


def test_several_layers_are_a_mapping_in_their_order():
    rng = np.random.default_rng(0)
    net = Layered([rng.standard_normal(size) for size in ((8, 3), (6, 8), (2, 6))], [np.zeros(k) for k in (8, 6, 2)])
    X = random_inputs(64, 3)
    found = measure(net, X)
    assert isinstance(found, Layers) and list(found) == ["0", "1"] and list(measure(net, X, layer="1")) == ["1"]
    z = X @ net.W[0].T
    assert_counts(found["0"], z > 0)
    assert_counts(found["1"], np.maximum(z, 0) @ net.W[1].T > 0)
    assert json.loads(json.dumps(found.to_dict()))["layers"]["1"]["neurons"] == 6
    halves = measure(net, X[:32]) + measure(net, X[32:])
    assert all(same(halves[name], found[name]) for name in found)
    text = found.text().splitlines()
    both = (found["0"].mean_active + found["1"].mean_active) / 14
    assert text[0].startswith(f"Active at an input: on average {both:.1%} of 14 neurons in 2 layers, from ")
    assert text[2] == "Layers" and found.to_html().count("<tr>") == 3
    assert [row["neurons"] for row in found.rows()] == [8, 6]
    left, right = found.plot().axes
    assert [label.get_text() for label in left.get_xticklabels()] == ["0", "1"] and len(right.lines) == 4
    with pytest.raises(ValueError, match="There must be one layer, not 2: 0, 1"):
        _ = found.only
    with pytest.raises(ValueError, match="'layer' must name one of 0, 1, not be '2'"):
        measure(net, X, layer="2")
    with pytest.raises(TypeError, match="'found' must be a mapping from names to measurements, not 3"):
        Layers(3)


def test_an_mlp_of_another_function():
    mlp = MLPRegressor(hidden_layer_sizes=(5,), activation="tanh", solver="lbfgs", tol=1.0).fit(
        [[0.0, 1.0], [1.0, 0.0]], [0.0, 1.0]
    )
    X = random_inputs(40, 2)
    A = np.abs(np.tanh(X @ mlp.coefs_[0] + mlp.intercepts_[0]))
    assert_counts(counts(mlp, X), A > 0.01)
    assert_counts(counts(mlp, X, above=0.6), A > 0.6)


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
        counts(net, np.array(X), layer=layer)
