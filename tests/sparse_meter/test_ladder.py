"""The ladder: each rung against its definition, the order of the rungs, what the sentence says, and what comes out."""

import json
import re
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings

from sparse_core._interval import exactly
from sparse_core.bounds import ours
from sparse_core.cube.hypercube import points
from sparse_core.network import SparseNetwork, constructions, gradients
from sparse_meter import examine, explain
from sparse_meter.examiner import ladder, observation
from sparse_meter.examiner.ladder import Chain, Ladder, Rung
from tests.core.naive import network, networks

RNG = np.random.default_rng


def values(chain):
    return [rung.value.value for rung in chain.rungs]


def by_definition(net, X):
    """E |grad h|^2, E |a|^2, E |R_x| sum ||v_j||^2, W^2 E |R_x|^2, W^2 k^2, W^2 s^2, one point and neuron at a time."""
    v = net.u[:, None] * net.W
    W2 = max((v**2).sum(axis=1))
    rows = []
    for x in X:
        R = [j for j in range(net.s) if net.W[j] @ x - net.b[j] > 0]
        gradient = sum((v[j] for j in R), np.zeros(net.n))
        absolute = sum((abs(v[j]) for j in R), np.zeros(net.n))
        lengths = sum(v[j] @ v[j] for j in R)
        rows.append([gradient @ gradient, absolute @ absolute, len(R) * lengths, W2 * len(R) ** 2])
    k = max(int(np.sum(net.W @ x > net.b)) for x in X)
    return [*np.mean(rows, axis=0), W2 * k**2, W2 * net.s**2]


@pytest.mark.parametrize("seed", range(4))
def test_each_rung_is_what_its_formula_says(seed):
    net = network(seed, n=4, s=5, integers=seed % 2 == 0)
    X = points(4).astype(float)
    gradient, absolute, *rest = by_definition(net, X)
    chain = explain(net).chains[0]
    edges = gradients.edges(net)
    b = sqrt(edges.boundary.mean())
    want = [edges.sensitivity.mean(), edges.slope.mean(), (sqrt(gradient) + b / 2) ** 2, (sqrt(absolute) + b / 2) ** 2]
    assert values(chain) == pytest.approx([*want, 4 * absolute, *(4 * x for x in rest)])
    signs = gradients.signs(net).bound
    assert [rung.value.value for rung in chain.beside] == pytest.approx([4 * net.values().var(), rest[-1], signs])
    points_chain = explain(net, X).chains[0]
    assert values(points_chain) == pytest.approx([gradient, absolute, *rest])


@settings(max_examples=60)
@given(networks)
def test_no_rung_is_below_the_one_before_and_the_factors_multiply_to_the_whole(net):
    for found in (explain(net), explain(net, points(net.n)[::2])):
        for chain in found.chains:
            rungs = np.array(values(chain))
            assert (rungs[:-1] <= rungs[1:] * (1 + 1e-9) + 1e-12).all(), chain
        chain = found.chains[0]
        if 0 < values(chain)[0]:
            assert np.prod(list(chain.factors.values())) == pytest.approx(values(chain)[-1] / values(chain)[0])


def test_the_boundary_term_and_the_four_are_needed():
    """Without them the order of the rungs fails: the chain is no consequence of how it is computed."""
    parity = constructions.tight(3, 2)
    edges = gradients.edges(parity)
    assert edges.sensitivity.mean() > 1.9 * edges.gradient.mean()
    sensitivity, *_, mean, most, every = values(explain(parity).chains[0])
    assert sensitivity == pytest.approx(mean) == pytest.approx(most) and every > most
    assert sensitivity > by_definition(parity, points(3))[3] * 3.9


def test_n_var_and_the_dense_bound_are_no_rungs():
    """Both are above the bound that counts neurons for a sparse network, and below it for one without sparsity."""
    sparse = constructions.junta([1, -1, -1, 1], n=6, half=True)
    dense = SparseNetwork(np.ones(3), np.ones((3, 1)), -np.ones(3))
    for net, above in ((sparse, True), (dense, False)):
        chain = explain(net).chains[0]
        (counted,) = (rung.value.value for rung in chain.rungs if rung.formula == ladder.COUNTED)
        assert [rung.value.value > counted for rung in chain.beside[:2]] == [above, above]


@pytest.mark.parametrize("signs_below", [True, False])
def test_the_bound_by_signs_is_no_rung_and_gradients_explain_by_the_lesser(signs_below):
    """It is below gradient and boundary where neurons switch at flips; with all of them active it is above."""
    if signs_below:
        net = SparseNetwork([1, 1], [[1.0, 1], [-1, -1]], [0, 0])  # |x_1 + x_2|
    else:
        net = SparseNetwork([1, -1], [[2.0, 0, 0, 0], [0, 0.3, 0, 0]], [-9, -9])
    found = explain(net)
    value = {rung.formula: rung.value.value for rung in (*found.chains[0].rungs, *found.chains[0].beside)}
    assert (value[ladder.SIGNS] < value[ladder.GRADIENT]) == signs_below
    assert value["AS(h)"] <= value[ladder.SIGNS] <= value["4 E |a|^2"] * (1 + 1e-9)
    least, most = min(value[ladder.SIGNS], value[ladder.GRADIENT]), value["n Var h"]
    assert (f"Gradients explain a factor {most / least:.3g}: their bound is {least:.4g}." in found.sentence) == (
        least < most
    )


def test_the_sentence_says_what_active_neurons_explain():
    assert explain(([1], [[1.0]], [5])).sentence == "h is constant on these points, but for rounding."
    found = explain(constructions.tight(3, 2))
    parity = found.sentence
    assert parity.startswith("h is as sensitive to flips as a function of its variance can be: AS(h) = 48 = n Var h.")
    assert "4 W^2 E |R_x|^2, which counts active neurons, is 1 times that." in parity
    assert found.notes == (
        "Of the factor 64 between AS(h) and 4 s^2 W^2, sparsity is 64 (100% on a logarithmic scale); cancellation 1, "
        "alignment 1, unequal lengths 1, what edges add 1.",
    )
    small = explain(([1, -1], [[1, 1], [-1, -1]], [1, 1])).sentence
    assert "is 2 times less sensitive" in small and "Sparsity explains none of it" in small
    assert "which counts active neurons, is 4, 4 times n Var h" in small
    junta = explain(constructions.junta([1, -1, -1, 1], n=6, half=True)).sentence
    assert "is 3 times less sensitive" in junta and "Sparsity explains a factor 3:" in junta
    assert "Gradients explain a factor 3" in junta


@pytest.mark.parametrize("n", [5, 7])
def test_at_a_tie_sparsity_explains_nothing(n):
    """h(x) = x_1 + ... + x_n in two halves, one of them active at each x: 4 W^2 E |R_x|^2 = 4 W^2 = s^2 W^2."""
    tied = explain(([1, -1], [[1] * n, [-1] * n], [0, 0])).sentence
    assert f"Sparsity explains none of it: {ladder.COUNTED}, which counts active neurons, is {4 * n}, " in tied
    assert "1 times s^2 W^2, which does not." in tied and "Sparsity explains a factor" not in tied


@pytest.mark.parametrize(
    "u, W, b, least",
    [([1, 1], [[1, -2], [1, 1]], [1, -3], 5.5), ([-1, 1, -1], [[1, 2], [1, 1], [0, -1]], [-3, 3, 0], 6.5)],
)
def test_at_a_tie_gradients_explain_nothing(u, W, b, least):
    """Their bound is n Var h, but for rounding, and the network is less sensitive than that."""
    found = explain((u, W, b))
    value = {rung.formula: rung.value.value for rung in (*found.chains[0].rungs, *found.chains[0].beside)}
    assert min(value[ladder.SIGNS], value[ladder.GRADIENT]) == pytest.approx(least) == pytest.approx(value["n Var h"])
    assert "less sensitive" in found.sentence and "Gradients" not in found.sentence


def test_signs_that_cancel_are_found_as_such():
    """Two neurons on n - 1 of the same bits, with opposite signs: nothing but one bit is left of them."""
    n = 6
    W = np.ones((2, n))
    W[1, 0] = -1
    found = explain(([1, -1], W, [-9.0, -9.0]))
    assert found.factors[ladder.CANCELLATION] == pytest.approx(4 * n / 4)
    assert found.factors[ladder.SPARSITY] == found.factors[ladder.MEAN] == 1.0


def test_a_sample_of_the_cube_has_intervals_and_says_between_what_k_is(monkeypatch):
    net = network(5, n=6, s=8, integers=False)
    large = SparseNetwork(net.u, np.pad(net.W, ((0, 0), (0, 16))), net.b)
    exact, sampled = explain(net), explain(large)
    assert "exact" in exact.chains[0].title and "estimated from 4096 points" in sampled.chains[0].title
    for rung, want in zip(sampled.chains[0].rungs[:7], values(exact.chains[0]), strict=False):
        middle, low, high = rung.value
        assert low < middle < high and abs(middle - want) < 2 * (high - low)
    wide = SparseNetwork(RNG(0).standard_normal(40), RNG(1).standard_normal((40, 30)), np.zeros(40))
    found = explain(wide)
    k = found.chains[0].rungs[7].value
    assert k.low < k.value == found.chains[0].rungs[8].value.value
    assert found.notes[1].startswith("The largest number k of neurons active at once is between")


def test_a_large_cube_is_sampled_along_its_edges_alone(monkeypatch):
    net = network(5, n=8, s=8, integers=False)
    exact = explain(net)
    monkeypatch.setattr(observation, "EDGE_TRIPLES", 100 * net.W.size)
    sampled, report = explain(net), examine(net)
    assert "estimated from 100 points" in sampled.chains[0].title
    for rung, want in zip(sampled.chains[0].rungs[:7], values(exact.chains[0]), strict=False):
        assert rung.value.low < rung.value.value < rung.value.high and want == pytest.approx(rung.value.value, rel=0.4)
    assert {row.evidence for row in report["ours-gradient", "ours-gradient-nonnegative"]} == {"sampled, 100 points"}
    assert report["lemma-9"].rows[0].evidence == "exact"


def test_given_points_say_what_applies_to_them():
    net = network(1, n=3, s=4, integers=False)
    X = 3 * RNG(0).standard_normal((50, 3))
    found = explain(net, X)
    assert found.chains[0].title == "Mean squared gradient at 50 given points"
    r = np.abs(X).max()
    counted = values(found.chains[0])[3]
    assert "do not apply to given points" in found.notes[0]
    assert f"{4 * r**2 * counted:.4g}, r = max |x_i| = {r:.4g}" in found.notes[1]
    titles = [chain.title for chain in found.chains]
    assert titles[1].startswith("Rademacher complexity") and "any distribution" in titles[2]


def test_the_complexity_on_points_is_the_least_of_all_bounds():
    """Dense, the bound of one neuron; sparse and on many points those of sparsity; on average less than at most."""
    rng, m, s = RNG(0), 4000, 3000
    X = rng.choice([-1.0, 1.0], (m, 12))
    net = SparseNetwork(np.ones(s), rng.choice([-1.0, 1.0], (s, 12)), np.full(s, 9.0))
    active = net.active_count(X)
    (W, B), R, k, mean = net.scale, sqrt(12), int(active.max()), float(active.mean())
    M = W * R + B
    dense = s * (1 + sqrt(2)) / 2 * M / sqrt(m)
    forms = [ours.rademacher(m, s, k, W, B, R, form) for form in ("joint", "separated", "trivial")]
    width = ours.rademacher_width(m, s, k, W, B, R)
    average = ours.rademacher_mean(m, s, mean, W, B, R)
    chain = explain(net, X).chains[1]
    assert values(chain) == pytest.approx([min(average, width, dense, *forms), min(width, dense, *forms), dense])
    assert [rung.value.value for rung in chain.beside] == pytest.approx([*forms, width])
    assert [rung.id for rung in chain.rungs][1:] == ["rademacher-definition", "ours-one-neuron"] and k < 40
    small = explain(network(1, n=3, s=4, integers=False), RNG(0).standard_normal((50, 3))).chains[1]
    assert {rung.id for rung in small.rungs} == {"ours-one-neuron"}
    rare = explain(SparseNetwork([1] * 1000, [[1.0]] * 1000, [0] * 1000), [[1.0], *[[-1.0]] * 3999]).chains[1]
    average = ours.rademacher_mean(4000, 1000, 0.25, 1.0, 0.0, 1.0)
    assert values(rare)[0] == pytest.approx(average) and average < values(rare)[1]
    *_, every = explain(SparseNetwork([1], [[1.0]], [0]), [[1.0]]).chains[1].rungs
    assert every.value.value == 1.0 and every.id == "rademacher-definition"  # s (WR + B) on a single point


@pytest.mark.parametrize("s, b, R", [(2, 0.0, 1.0), (3, 0.5, 2.0)])
def test_on_a_single_point_the_top_is_what_the_neurons_can_reach(s, b, R):
    *_, every = explain(SparseNetwork([1] * s, [[1.0]] * s, [b] * s), [[R]]).chains[1].rungs
    assert every.value.value == pytest.approx(s * (R + b)) and every.id == "rademacher-definition"


def test_degrees_are_the_least_that_a_bound_allows():
    net, eps = constructions.appendix_a(2, 6, rng=RNG(0)), 0.1
    found = explain(net, eps=eps)
    by_bound = dict(zip([rung.formula for rung in found.chains[0].rungs], values(found.chains[0]), strict=True))
    own, *rungs = found.chains[1].rungs
    assert own.formula.endswith("by the Fourier weights") and rungs[0].gives_up == ladder.MARKOV
    variance = net.values().var()
    tail = ours.tail_from_average_sensitivity
    for rung in rungs:
        degree, formula = int(rung.formula.split(",")[0].split()[1]), rung.formula.partition(", by ")[2]
        assert degree == net.n or tail(by_bound[formula], degree, variance) <= eps
        assert degree == 0 or tail(by_bound[formula], degree - 1, variance) > eps
        assert rung.value.value == ours.least_squares_samples(net.n, degree, 0.05)
    assert [rung.formula for rung in rungs][0] == "degree 5, by AS(h)"  # (AS - Var) / eps is 4.6, AS / eps 7.9


def test_least_squares_is_named_after_the_number_of_its_runs():
    for delta, name in ((0.05, "ours-one-run"), (1e-6, "ours-least-squares")):
        assert explain(network(0), delta=delta).chains[1].rungs[0].id == name


def test_a_ladder_is_shown_as_text_html_and_json():
    rungs = (Rung("sensitivity", "AS(h)", exactly(0)), Rung("lemma-9", "<b> R_x^2", exactly(4), "signs"))
    shown = Ladder(
        "Why.", (Chain("Title", rungs, (Rung("lemma-6", "n", exactly(2), "all"),)),), ("Note.",), ("Known.",)
    )
    assert shown.text().split("\n") == [
        "Why.",
        "",
        "Title",
        "bound      statement    value  times  gives up",
        "AS(h)      sensitivity  0",
        "<b> R_x^2  lemma-9      4      inf    signs",
        "n          lemma-6      2             (all)",
        "",
        "Known.",
        "Note.",
    ]
    assert repr(shown) == shown.text()
    page = shown._repr_html_()
    assert page.startswith("<p>Why.</p>") and "<p>Known.<br>Note.</p></details>" in page
    assert "&lt;b&gt; R\u2093\u00b2" in page and "<b>" not in page
    assert '<span class="claim" data-claim="lemma-9">lemma-9</span>' in page
    plain = json.loads(json.dumps(shown.to_dict(), allow_nan=False))
    assert (
        plain["chains"][0]["factors"] == {"signs": "Infinity"}
        and plain["notes"] == ["Note."]
        and [*plain][0] == "assumed"
    )
    assert plain["chains"][0]["beside"][0]["value"] == [2.0, 2.0, 2.0]
    whole = json.loads(json.dumps(explain(network(0)).to_dict(), allow_nan=False))
    assert [chain["rungs"][0]["id"] for chain in whole["chains"]][0] == "sensitivity"


def test_a_ladder_begins_with_what_sums_of_single_inputs_explain():
    exact = explain(([1, 1], [[1, 1, 0], [0, 0, 1]], [1, -1]))  # x_3 + 1 + (1 + x_1) (1 + x_2) / 4
    assert exact.simplicity == "3 uniform bits: the best affine function explains 94.7% of the variance."
    lines = exact.document().lines
    assert lines.index(exact.simplicity) < lines.index(exact.sentence)
    assert exact.to_dict()["simplicity"] == examine(([1, 1], [[1, 1, 0], [0, 0, 1]], [1, -1])).summary[0]
    assert explain(([1], [[1.0]], [5])).simplicity == ""


def test_what_sums_explain_is_certified_where_the_cube_is_too_large_or_points_are_given():
    """relu(x_1 + x_2 - 1) + x_3 + 1 again, with inputs that are not read."""
    W = np.zeros((2, 24))
    W[0, :2] = W[1, 2] = 1
    net = [1, 1], W, [1, -1]
    rows = np.random.default_rng(0).choice([-1.0, 1.0], (5000, 24))
    for X, words in ((None, "24 uniform bits"), (rows, "24 shuffled columns")):
        found = re.match(r"(.*): the best sum of functions of single inputs explains ([\d.]+)% to ([\d.]+)% ",
                         explain(net, X).simplicity)  # fmt: skip
        assert found[1] == words and float(found[2]) < 1800 / 19 < float(found[3])
    rare = np.where(np.arange(40) == np.arange(40)[:, None], 1.0, -1.0)  # a one in each column, and once in all
    seen = explain(([1], np.ones((1, 40)), [39]), np.vstack([rare, np.ones(40)])).simplicity
    assert seen.startswith(
        "How much sums of functions of single inputs explain is not measured: Argument 'f' must vary"
    )
