"""The stored experiments: every cell is there, a cell can be measured again, and one that was changed is noticed."""

import json
import random
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from sparse_book import experiments
from sparse_book.experiments import (
    correlation,
    depth,
    emergence,
    inputs,
    learners,
    minimiser,
    penalties,
    photographs,
    signatures,
    simplicity,
    skipping,
    sparsity,
    systems,
)
from sparse_book.runs import digits
from sparse_core.cube import fourier, hypercube
from sparse_core.learning.lowdegree import LowDegreeRegressor
from sparse_core.network import training

# The commit draws the rows that are measured again: nobody knows them before, and who looks at it draws them again.
COMMIT = subprocess.run(["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True).stdout
DRAWN = {name: random.Random(COMMIT + name).choice(experiments.experiment(name).CELLS) for name in experiments.NAMES}


@pytest.mark.parametrize("name", experiments.NAMES)
def test_each_cell_is_stored_and_all_numbers_are_finite(name):
    module = experiments.experiment(name)
    for parameters in {cell[:-1] for cell in module.CELLS}:
        table = experiments.stored(name, *parameters)
        assert all(len(values) == module.RUNS and np.isfinite(values).all() for values in table.values())
    rows = json.loads((experiments.RESULTS / f"{name}.json").read_text())
    assert [tuple(cell) for cell, _ in rows] == module.CELLS


def test_a_cell_measured_again_agrees_and_a_changed_table_does_not(tmp_path, monkeypatch):
    """Of one experiment; the audit of chapter 9 measures a cell of each again, and below a row of each is drawn."""
    name, cell = "correlation", correlation.CELLS[0]
    again = correlation.measure(*cell)
    monkeypatch.setattr(correlation, "measure", lambda *_: again)
    assert experiments.deviation(name, *cell) < 0.05
    rows = json.loads((experiments.RESULTS / f"{name}.json").read_text())
    rows[0][1] = {column: (1.5 * np.array(value) + 1).tolist() for column, value in rows[0][1].items()}
    (tmp_path / f"{name}.json").write_text(json.dumps(rows))
    monkeypatch.setattr(experiments, "RESULTS", tmp_path)
    assert experiments.deviation(name, *cell) > 0.3


@pytest.mark.parametrize("name, cell", DRAWN.items())
def test_a_row_that_the_commit_draws_agrees_when_it_is_measured_again(name, cell):
    """All rows are cheap, a few seconds each. On another processor errors change sides and noise takes another way: a
    column moves by up to a third of its size, where one that was made three times as large differs by 2/3."""
    (stored,) = (row for key, row in experiments._table(name).items() if key == cell)
    for column, value in experiments.experiment(name).measure(*cell).items():
        now, then = (np.array(numbers) for numbers in (value, stored[column]))
        if column == "accuracy":
            now, then = 1 - now, 1 - then
        assert np.abs(now - then).sum() <= 0.5 * np.maximum(np.abs(now), np.abs(then)).sum(), (cell, column)


@pytest.mark.parametrize(
    "measure, tester",
    [
        (lambda: systems.measure("dense", 3), (systems.System, "forward")),
        (lambda: depth.measure("SGD", 1, 3), (training.Layered, "predict")),
        (lambda: emergence.measure("SGD", 3), (training.Layered, "predict")),
    ],
    ids=["systems", "depth", "emergence"],
)
def test_no_image_is_trained_on_and_tested_on(measure, tester, monkeypatch):
    """Those that are trained on, and those that are tested on, are all images, each of them once."""
    seen = []

    def watch(owner, name):
        original = getattr(owner, name)

        def watched(*arguments, **options):
            seen.append(next(a for a in arguments if isinstance(a, np.ndarray) and a.ndim == 2))
            return original(*arguments, **options)

        monkeypatch.setattr(owner, name, watched)

    watch(training, "descend")
    watch(*tester)
    measure()
    trained, tested = (next(images for images in seen if len(images) == count) for count in (1437, 360))
    together, every = (np.concatenate(parts) for parts in ((trained, tested), digits(7, 7)[::2]))
    assert np.array_equal(together[np.lexsort(together.T)], every[np.lexsort(every.T)])


def test_generate_writes_the_table_that_stored_reads(tmp_path, monkeypatch):
    module = experiments.experiment("sparsity")
    monkeypatch.setattr(experiments, "RESULTS", tmp_path)
    monkeypatch.setattr(module, "CELLS", [(1, 2, 0), (1, 3, 0), (1, 2, 1)])
    monkeypatch.setattr(module, "measure", lambda k, s, run: {"third": 1 / 3, "pair": [k + s, run]})
    experiments.generate("sparsity")
    found = experiments.stored("sparsity", 1, 2)
    assert found["third"].tolist() == [0.333333] * 2
    assert found["pair"].tolist() == [[3.0, 0.0], [3.0, 1.0]]


def test_the_times_are_stored_with_their_machine_and_day(tmp_path, monkeypatch):
    before = experiments.times()
    monkeypatch.setattr(experiments, "RESULTS", tmp_path)
    monkeypatch.setattr("sparse_book.experiments.timing.REPEATS", 1)
    experiments.generate("times")
    now = experiments.times()
    assert now.keys() == before.keys()
    assert all(now[way] > 0 and before[way] > 0 for way in ("all", "gathered", "predicted and gathered"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", before["date"]) and "NumPy" in before["machine"]


def test_skipping_is_measured_on_this_machine_and_the_points_of_the_gpus_stay(tmp_path, monkeypatch, capsys):
    before = experiments.times("skipping")
    monkeypatch.setattr(experiments, "RESULTS", tmp_path)
    for name, value in {"INPUTS": 64, "NEURONS": 200, "REPEATS": 3, "BATCHES": (1, 4)}.items():
        monkeypatch.setattr(skipping, name, value)
    experiments.generate("skipping")
    now = experiments.times("skipping")
    assert [path.name for path in tmp_path.iterdir()] == ["skipping.json"]
    assert now.keys() == before.keys() and now["rows"][0].keys() == before["rows"][0].keys()
    assert [row["union"] for row in now["rows"]] == [0.03, pytest.approx(1 - 0.97**4, abs=0.02)]
    assert [row["m"] for row in before["rows"]] == list(emergence.BATCHES) and "NumPy" in before["machine"]
    assert all(low <= middle <= high for row in before["rows"] for low, middle, high in (row["factor"], row["dead"]))
    possible(before["rows"], before["share"])


def possible(rows, share):
    """No way is faster than the share of the rows that it reads, but for 5 % of noise: for a layer reads them all."""
    for row in rows:
        assert row["factor"][1] * row["union"] < 1.05 and row["dead"][1] * row.get("share", share) < 1.05, row


def test_the_layer_with_gathered_rows_is_that_of_the_union_and_another_is_noticed(monkeypatch):
    rng = np.random.default_rng(0)
    W, U, X = (rng.standard_normal((rows, 16), np.float32) for rows in (50, 50, 3))
    union, room = np.array([1, 4, 30]), (np.zeros_like(W), np.zeros_like(U))
    expected = np.maximum(X @ W.T, 0)[:, union] @ U[union]
    assert skipping.gathered(X, W, U, union, room) == pytest.approx(expected, rel=1e-4)
    skipping._compare(X, W, U, union, room)
    monkeypatch.setattr(skipping, "gathered", lambda X, W, U, union, room: skipping.layer(X, W[:3], U[:3]))
    with pytest.raises(ValueError, match="is off by"):
        skipping._compare(X, W, U, union, room)


def test_the_stored_points_of_the_gpus_keep_the_law():
    """The stored unions are those of the sets that were drawn: even ones near 1 - (1 - p)^m, uneven ones below."""
    points = skipping.points()
    for point in points:
        even = 1 - (1 - point["share"]) ** point["m"]
        near = pytest.approx(even, rel=0.02)
        assert point["union"] == near if point["kind"] == "even" else point["union"] < 1.001 * even
    possible(points, None)
    assert len(skipping.measured("uneven", "H200")) == 8 and len({p["device"] for p in skipping._cards()}) == 2


def test_the_rates_are_a_third_and_three_times_that_of_the_name():
    for plain, (slow, fast) in emergence.RATES.items():
        rate = emergence.SETTINGS[plain].get("rate", 0.03)
        assert slow == pytest.approx(rate / 3, rel=0.12) and fast == pytest.approx(3 * rate, rel=0.12)
    found = emergence.by_rate()
    assert np.array_equal(found["both noises"][1]["active"], experiments.stored("emergence", "both noises")["active"])
    assert all(row[0]["active"].mean() > row[2]["active"].mean() for row in found.values())


def test_exponents_are_found_in_noise():
    rng = np.random.default_rng(0)
    values = np.array([[5 * k**1.5 * s**-0.5] * 3 for k, s in sparsity.GRID]) * np.exp(
        0.01 * rng.standard_normal((12, 3))
    )
    assert sparsity.exponents(values) == pytest.approx(np.array([[1.5] * 3, [-0.5] * 3]), abs=0.03)


def test_no_polynomial_of_the_learner_is_below_the_weight_above_its_degree():
    for pair in sparsity.PAIRS:
        found = experiments.stored("sparsity", *pair)
        assert (found["polynomial"] >= found["above degree 3"][:, None]).all()
        assert (found["above degree 3"] * 4 <= found["AS"]).all()


def test_the_classes_of_the_minimiser_are_sparse_and_have_no_network_twice():
    values, ends = minimiser.listed()
    X = hypercube.points(5)
    H = np.maximum(X @ X.T - 1, 0)
    assert values.shape == (max(ends.values()), 32)
    alone = {tuple(sign * row) for row in H for sign in (1, -1)}
    first = {tuple(row) for row in values[: ends[1]].astype(int)}
    assert alone <= first
    assert np.abs(values[: ends[1]]).max() == H.max()  # no two neurons are active together
    assert np.abs(values[ends[1] : ends[2]]).max() <= 2 * H.max()


def test_the_random_class_of_the_minimiser_has_the_target():
    """So that with many samples its risk is 0, as that of the others."""
    found = experiments.stored("minimiser")
    assert all((risk[:, -1] == 0).all() for risk in found.values())


@pytest.mark.parametrize("name, dense", [(name, name == "dense") for name in penalties.TARGETS])
def test_the_targets_of_the_penalties_are_sparse_but_for_one(name, dense):
    net = penalties.planted(name, np.random.default_rng(2))
    share = net.active(hypercube.points(16)).mean()
    assert share == pytest.approx(0.5, abs=1e-3) if dense else share < 0.15


def test_a_network_finds_its_own_neurons_and_no_others():
    rng = np.random.default_rng(3)
    net, other = (penalties.planted("dense", rng) for _ in range(2))
    assert penalties.found_share(net, net) == 1 and penalties.found_share(net, other) < 0.3


def test_lifted_inputs_repeat():
    assert len(np.unique(inputs.draw("lifted", 3000, np.random.default_rng(4)), axis=0)) == 256


def test_degree_3_is_least_squares_with_a_ridge_over_all_monomials():
    """On five bits with repeated rows."""
    rng = np.random.default_rng(5)
    X, y = rng.choice(np.array([-1, 1], np.int8), (60, 5)), rng.standard_normal(60)
    model = LowDegreeRegressor(3, "least_squares", ridge=learners.RIDGE).fit(X, y)
    cube = hypercube.points(5)
    assert learners.cubic(X, y)(cube) == pytest.approx(model.predict(cube))


def test_bits_are_found_in_both_samples_of_a_visible_junta_and_the_corner_breaks_the_promise():
    rng = np.random.default_rng(7)
    X = rng.choice(np.array([-1, 1], np.int8), (2000, signatures.BITS))
    assert signatures.bits_found(X, X[:, 3] + 0.5 * X[:, 7] * X[:, 2]) == [2, 3, 7]
    shares = [np.mean(signatures.broken(q).active_count() > 1) for q in signatures.CORNERS]
    assert shares == [0.5**q for q in signatures.CORNERS]


def test_no_chapter_reads_a_clock():
    book = Path(__file__).parents[2] / "book"
    clocks = r"perf_counter|process_time|monotonic|timeit|datetime|time\.time\b"
    assert [path.name for path in book.glob("*.md") if re.search(clocks, path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("name, variance", [("exclusive", 0), ("independent", 1.5), ("blocks", 6), ("nested", 12)])
def test_the_families_have_equal_shares_and_these_variances(name, variance):
    net = correlation.family(name, "random", np.random.default_rng(1))
    active = net.active(hypercube.points(16))
    assert (active.mean(axis=0) == 0.25).all()
    assert active.sum(axis=1).var() == variance
    assert np.ptp(np.linalg.norm(net.W, axis=1)) < 1e-12


def test_the_complexity_is_that_of_one_cell_by_hand():
    """With one point, the norm of the sum is that of the point, for each active neuron."""
    net = correlation.family("nested", "equal", np.random.default_rng(0))
    x = hypercube.points(16)[net.active(hypercube.points(16)).all(axis=1)][:1]
    assert correlation.complexity(net, x, np.ones((1, 1))) == pytest.approx(net.scale.W * 8 * 4)


@pytest.mark.parametrize("name", systems.SYSTEMS)
def test_the_gradient_of_a_system_is_that_of_its_loss(name):
    """Central differences along a random direction, with double precision; the balance of the experts left out."""
    net = systems.train(name, 0, epochs=0)
    for part in ("W", "b", "U", "c", "router"):
        setattr(net, part, getattr(net, part).astype(float))
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], (32, 64))
    truth = np.eye(10)[rng.integers(0, 10, 32)]

    def loss():
        scores, H, shares = net.forward(X)
        total = -np.mean(np.log((np.exp(scores) * truth).sum(axis=1) / np.exp(scores).sum(axis=1)))
        if name == "l1":
            total += systems.L1 * H.sum(axis=1).mean()
        if name.startswith("experts"):
            often = (net.chosen(shares) > 0).mean(axis=0)
            total += systems.BALANCE * systems.EXPERTS * (shares * often).sum(axis=1).mean()
        return total

    gradient = systems._gradient(net, X, truth)
    for part, g in zip(("W", "b", "U", "c", "router"), gradient, strict=True):
        start = getattr(net, part)
        direction = rng.standard_normal(start.shape) * (net.seen if part == "W" else 1)
        ends = []
        for step in (1e-6, -1e-6):
            setattr(net, part, start + step * direction)
            ends.append(loss())
        setattr(net, part, start)
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx((g * direction).sum(), rel=1e-4, abs=1e-7), part


def test_the_gates_let_through_as_many_as_they_should():
    X = np.random.default_rng(0).choice(np.array([-1, 1], np.float32), (50, 64))
    for name, most in (("top-k", 16), ("look-up", 4), ("experts, top 1", 32), ("experts, top 2", 64)):
        count = (systems.train(name, 0, epochs=0).forward(X)[1] > 0).sum(axis=1)
        assert count.max() <= most and count.min() > 0
    assert (systems.train("dense", 0, epochs=0).forward(X)[1] > 0).sum(axis=1).min() > 64
    weights = systems.train("static", 0, epochs=1).W
    assert 0.1 < np.mean(weights != 0) < 0.15
    assert systems.train("dense", 0, epochs=0).work() == 256 * 74
    assert (
        systems.train("dense, 38", 0, epochs=0).work() == 38 * 74 < systems.train("experts, top 1", 0, epochs=0).work()
    )


def test_a_guess_of_full_rank_is_exact_and_one_of_rank_one_is_not():
    net, (X, _, test, _) = systems.train("l1", 0, epochs=2), digits(0, 0)
    Z = test @ net.W.T - net.b
    assert systems.predictor(net, X, 65)(test) == pytest.approx(Z, abs=1e-4)
    assert np.abs(systems.predictor(net, X, 1)(test) - Z).max() > 0.1


def test_the_predictor_computes_its_share_of_the_network_trained_with_noise():
    net, noisy = (systems.train(name, 0, epochs=1) for name in ("predictor", "noise"))
    X = digits(0, 0)[2]
    assert np.array_equal(net.W, noisy.W)
    H, whole = (some.forward(X)[1] for some in (net, noisy))
    assert (H > 0).sum(axis=1).max() <= systems.COMPUTED == round(0.3 * systems.WIDTH)
    assert np.array_equal(H[H > 0], whole[H > 0])
    assert net.work() == systems.RANK * (64 + 256) + systems.COMPUTED * 74


def test_a_planted_target_is_standardised_and_below_its_bound():
    values, active, bound = depth.planted(3, np.random.default_rng(1))
    assert (values.mean(), values.var()) == pytest.approx((0, 1))
    assert active == pytest.approx([0.25] * 3, abs=0.01)
    assert fourier.average_sensitivity(values) < bound


def test_a_score_that_is_a_mean_of_pixels_is_additive_in_patches_and_its_exponential_is_not():
    def net(pictures):
        brightness = 30 * pictures.mean(axis=(1, 2, 3))
        return np.stack([brightness, 0 * brightness], axis=1)

    row = photographs.row(net, "china", "blurred", 2, "logit", 600)
    assert row["low"] > 0.99 and row["fit"] > 0.99 and row["probability"] > 0.5
    bent = photographs.row(lambda pictures: np.exp(net(pictures)), "china", "grey", 2, "logit", 600)
    assert bent["fit"] < 0.95 and bent["low"] < 0.99 and bent["evaluations"] <= 600


def test_what_patches_explain_of_photographs_is_stored():
    rows = experiments.times("photographs")["rows"]
    assert len(rows) > 1 and all(
        0 <= row["low"] <= row["estimate"][0] <= row["estimate"][1] <= row["high"] for row in rows
    )
    cases = [tuple(row[name] for name in ("photograph", "blank", "grid", "score")) for row in rows]
    assert cases == [case[:4] for case in photographs.CASES]
    used = [row["evaluations"] / case[4] for row, case in zip(rows, photographs.CASES, strict=True)]
    assert 0.99 < min(used) <= max(used) <= 1


def test_rivals_find_the_shares_of_a_known_function():
    """Half of the variance is of single columns, of which a line finds three quarters; the rest is a product."""
    x = np.random.default_rng(0).choice([-1.0, 0, 0.5, 2.0], (8000, 3))
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    bent = x[:, 0] ** 2 - np.polyval(np.polyfit(x[:, 0], x[:, 0] ** 2, 1), x[:, 0])
    y = x[:, 1] * 0.75**0.5 + bent / bent.std() / 2 + x[:, 1] * x[:, 2]
    found = [simplicity._held_out(x, y, f) for f in (lambda x: x, simplicity._steps(x), simplicity._products)]
    assert found == pytest.approx([3 / 8, 1 / 2, 7 / 8], abs=0.03)
    points = simplicity.inputs(None, 4, None, None)
    share, low, high = simplicity._pick_freeze(lambda x: x[:, 0] + x[:, 1] * x[:, 2], points, np.random.default_rng(0))
    assert low < 0.5 < high and share == pytest.approx(0.5, abs=0.05)
