"""Certified shares of interactions: T against the variances that it estimates, by enumeration; when intervals err."""

import dataclasses
from itertools import chain, combinations, permutations, product
from math import prod

import matplotlib
import numpy as np
import pytest

import sparse_core
from sparse_core.learning import _bets, _colours
from sparse_core.learning.interactions import interactions

RNG = np.random.default_rng


def variances(f, laws):
    """The variance of each term of the ANOVA decomposition of a table f, from its definition."""
    found = {}
    for T in chain.from_iterable(combinations(range(f.ndim), r) for r in range(f.ndim + 1)):
        term = f
        for i, law in enumerate(laws):
            mean = np.expand_dims(np.tensordot(term, law, axes=(i, 0)), i)
            term = term - mean if i in T else mean + 0 * term
        found[T] = float((np.multiply.outer(np.multiply.outer(laws[0], laws[1]), laws[2]) * term**2).sum())
    return found


@pytest.mark.parametrize("order, colours", [(1, 2), (1, 3), (2, 3)])
def test_T_has_the_mean_of_the_theorem_under_any_product_law(order, colours):
    """For each colouring the variance of the terms that meet order + 1 colours; between p W and W in the mean."""
    shape = 2, 3, 3
    laws = [RNG(i).dirichlet(np.ones(size)) for i, size in enumerate(shape)]
    f = RNG(9).standard_normal(shape)
    found = variances(f, laws)
    points = list(product(*map(range, shape)))
    chance = np.array([prod(law[i] for law, i in zip(laws, point, strict=True)) for point in points])
    pairs = [(x, y) for x in points for y in points]
    means = []
    for colour in set(permutations(i % colours for i in range(3))):
        corners = _colours.corners(order, colours)
        H = np.array(
            [
                [f[tuple(b if corner >> c & 1 else a for a, b, c in zip(x, y, colour, strict=True))] for x, y in pairs]
                for corner in corners
            ]
        )
        mean = _colours.statistic(H, order, colours) @ np.outer(chance, chance).ravel()
        assert mean == pytest.approx(sum(v for T, v in found.items() if len({colour[i] for i in T}) > order))
        means.append(mean)
    W = sum(v for T, v in found.items() if len(T) > order)
    assert _colours.chance(3, order, colours) * W <= np.mean(means) * (1 + 1e-12) <= W * (1 + 2e-12)


@pytest.mark.parametrize("inputs, order, colours", [(2, 1, 2), (5, 1, 2), (6, 1, 4), (5, 2, 3), (7, 1, 7)])
def test_p_is_the_chance_that_inputs_have_different_colours(inputs, order, colours):
    ways = [len({c % colours for c in chosen}) > order for chosen in permutations(range(inputs), order + 1)]
    assert _colours.chance(inputs, order, colours) == pytest.approx(np.mean(ways))
    if colours == 2 and inputs % 2 == 0:
        assert _colours.chance(inputs, order, colours) == pytest.approx(inputs / (2 * (inputs - 1)))


@pytest.mark.parametrize("order, colours", [(1, 2), (1, 3), (1, 4), (1, 5), (2, 3)])
def test_T_stays_in_its_range_and_attains_it(order, colours):
    """T is convex in each value, but for f(x) and f(y) if there are more than four colours."""
    count = len(_colours.corners(order, colours))
    H = np.array(list(product([0.0, 1.0], repeat=count))).T
    T = _colours.statistic(H, order, colours)
    most, least = _colours.extremes(order, colours)
    assert T.max() == most and T.min() == (least if colours > order + 1 else 0) >= least
    T = _colours.statistic(RNG(0).random((count, 10_000)), order, colours)
    assert least < T.min() < T.max() < most


@pytest.mark.parametrize("order, most", [(1, 0.7), (2, 0.9)])
def test_rare_large_values_do_not_forbid_a_good_upper_end(order, most):
    """A bet must survive the largest value of its game: T >= 0 for d + 1 colours, so that only V counts there."""
    found = interactions(lambda x: np.maximum((x > 0).sum(axis=1) - 9, 0) / 3, n=12, clip=(0, 1), order=order,
                         evaluations=2**13, random_state=0)  # fmt: skip
    assert found.colours == order + 1 and found.high < most


@pytest.mark.parametrize("colours", [2, 3, 5, 8])
def test_T_is_nothing_where_f_is_additive(colours):
    u, v = RNG(0).standard_normal((2, colours, 50))
    H = np.array(
        [np.where([[c >> i & 1] for i in range(colours)], v, u).sum(axis=0) for c in _colours.corners(1, colours)]
    )
    assert _colours.statistic(H, 1, colours) == pytest.approx(np.zeros(50), abs=1e-12)


def three(x):
    """On bits: variance 1 of order 1, 1/4 of order 2, 1/2 of order 3."""
    return x[:, 0] + x[:, 1] * x[:, 2] / 2 + x[:, 3] * x[:, 4] * x[:, 5] / 2**0.5


TABLE = RNG(5).exponential(size=(7, 4))
ROWS = RNG(6).standard_normal((3, 4)), RNG(7).standard_normal((2, 4))


def game(x):
    return np.exp(x[:, 0] / 3 + x[:, 1] / 2) * (1 + x[:, 2] * x[:, 3])


def share(f, points, weights, inputs, order):
    """1 - W / Var by least squares: indicators of the values of so many inputs at once, in points of a product law."""
    columns = [np.ones(len(points))]
    for chosen in combinations(range(inputs.shape[1]), order):
        labels = np.unique(inputs[:, chosen], axis=0, return_inverse=True)[1].ravel()
        columns += list(np.eye(labels.max() + 1)[labels].T)
    root = np.sqrt(weights)
    values = f(points) - weights @ f(points)
    A = np.array(columns).T * root[:, None]
    rest = values * root - A @ np.linalg.lstsq(A, values * root, rcond=None)[0]
    return 1 - rest @ rest / (weights @ values**2), weights @ values**2


def enumerated(law, order):
    """The share under one of the laws below, from all points."""
    if "X" in law:
        groups = np.array(law.get("groups", range(4)))
        inputs = np.array(list(product(range(len(TABLE)), repeat=groups.max() + 1)))
        points = TABLE[inputs[:, groups], np.arange(4)]
        return share(game, points, np.full(len(points), 1 / len(points)), inputs, order)[0]
    masks = np.array(list(product([0, 1], repeat=4)))
    uniform = np.full(16, 1 / 16)
    tables = [np.atleast_2d(table) for table in law["pair"]]
    games = [share(game, np.where(masks, b, a), uniform, masks, order) for a in tables[0] for b in tables[1]]
    return sum(part * variance for part, variance in games) / sum(variance for _, variance in games)


LAWS = {
    "columns": {"X": TABLE},
    "groups of columns": {"X": TABLE, "groups": [0, 1, 1, 2]},
    "two rows": {"pair": (ROWS[0][0], ROWS[1][0])},
    "rows of two tables": {"pair": ROWS},
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("order", [1, 2])
def test_the_interval_has_the_share_that_an_enumeration_finds(name, order):
    truth = enumerated(LAWS[name], order)
    few, many = (interactions(game, **LAWS[name], order=order, evaluations=2**e, random_state=1) for e in (13, 17))
    for found in (few, many):
        assert found.low <= truth <= found.high and found.evaluations <= 2**17
        assert found.estimate[0] - 0.05 <= truth <= found.estimate[1] + 0.05
        assert found.low <= found.estimate[0] <= found.estimate[1] <= found.high
    assert many.high - many.low < few.high - few.low


@pytest.mark.parametrize("order, truth", [(1, 1 / 1.75), (2, 1.25 / 1.75), (3, 1)])
def test_orders_on_bits(order, truth):
    found = interactions(three, n=9, order=order, random_state=0)
    assert found.low <= truth <= found.high and found.high - found.low < 0.3


def test_bits_of_one_group_stay_independent_and_are_one_input():
    """The product of the first two bits is a function of one input, and has a variance."""
    found = interactions(lambda x: x[:, 0] * x[:, 1] + x[:, 2], n=4, groups=["a", "a", "b", "c"], random_state=0)
    assert found.low > 0.9 and found.inputs == "3 uniform bits"


def test_masks_start_at_two_random_points():
    """From the two rows themselves odd orders would vanish: this parity of three masks would look additive."""
    for pair in [(np.ones(5), -np.ones(5)), (np.ones((2, 5)), -np.ones((1, 5)))]:
        assert interactions(lambda x: x[:, :3].prod(axis=1), pair=pair, random_state=0).high < 0.3


def test_a_linear_function_is_certified_and_a_line_helps():
    weights = np.arange(12.0)
    found = interactions(lambda x: x @ weights + 3, n=12, evaluations=2000, random_state=0)
    assert found.low > 0.999 and found.high == 1 and found.clipped == 0
    bent = {"f": lambda x: x @ weights + x[:, 0] * x[:, 1], "n": 12, "evaluations": 4000, "random_state": 0}
    clipped = interactions(**bent, clip=(-70, 70))
    assert interactions(**bent).low > 0.95 > clipped.low


def test_the_upper_end_is_found_below_a_wide_line():
    """The range of V is 120 variances or more; near s = 1 it counts less, and larger bets are allowed."""
    found = interactions(lambda x: x.sum(axis=1) + 6 * x[:, 0] * x[:, 1], n=60, evaluations=2**15, random_state=0)
    assert found.low < 60 / 96 < found.high < 0.85


def false_ends(f, truth, runs, **options):
    """The shares of runs whose lower, and whose upper end is false."""
    found = [interactions(f, **options, random_state=seed) for seed in range(runs)]
    return np.mean([one.low > truth + 1e-9 for one in found]), np.mean([one.high < truth - 1e-9 for one in found])


# Pairs alone: E T = p W, so that the lower end nearly binds. All inputs at once: E T = W, the upper one.
PAIRS = {"f": lambda x: x[:, 0] + x[:, 1] * x[:, 2] + x[:, 3] * x[:, 4], "truth": 1 / 3, "n": 6}
ALL = {"f": lambda x: x.prod(axis=1) + x[:, 0], "truth": 1 / 2, "n": 6}


@pytest.mark.parametrize("case", [PAIRS, ALL], ids=["pairs", "all"])
def test_an_end_that_nearly_binds_is_false_as_rarely_as_was_said(case):
    ends = false_ends(**case, runs=100, evaluations=4000, confidence=0.5, clip=(-3, 3))
    assert max(ends) <= 0.25


def test_without_the_factor_p_the_lower_end_is_false(monkeypatch):
    monkeypatch.setattr(_colours, "number", lambda *arguments: 2)
    assert false_ends(**PAIRS, runs=20, evaluations=2**16, clip=(-3, 3))[0] == 0
    monkeypatch.setattr(_colours, "chance", lambda *arguments: 1.0)
    assert false_ends(**PAIRS, runs=20, evaluations=2**16, clip=(-3, 3))[0] == 1


@pytest.mark.parametrize("chance, mean", [(0.5, 0.6), (0.1, 0.75)])
def test_bets_err_as_rarely_as_they_say_and_find_something(chance, mean):
    """T is 1 / chance with this chance and else 0, and E T = 2 s at s = 1 / 2; the mean alone errs in half."""
    T = (RNG(0).random((500, 400)) < chance) / chance
    found = np.array([_bets.smallest(lambda s, t=t: t - 2 * s, lambda s: 1 / chance, 0.6) for t in T])
    assert np.mean(found < 0.5) <= 0.2 < np.mean(T.mean(axis=1) < 1)
    assert found.mean() < mean


def test_more_evaluations_and_less_confidence_narrow_the_interval():
    def width(**options):
        found = interactions(three, n=9, random_state=0, **options)
        return found.high - found.low

    assert (
        width(evaluations=2**12) > width(evaluations=2**15) > width(evaluations=2**18)
        and width(evaluations=2**18) < 0.12
    )
    assert width(evaluations=2**14, confidence=0.999) > width(evaluations=2**14, confidence=0.5)


@pytest.mark.parametrize("evaluations", [512, 1000, 8192 + 8 * 1024, 12_345])
def test_f_sees_rows_and_no_more_of_them_than_was_said(evaluations):
    seen = []

    def f(x):
        seen.append(len(x))
        return three(x)

    found = interactions(f, n=9, evaluations=evaluations, random_state=0)
    assert min(seen) > 0 and evaluations - 30 < sum(seen) == found.evaluations <= evaluations


def test_a_model_that_squeezes_its_outputs_is_asked_for_one_row_too():
    rows = []

    def squeezed(x):
        rows.append(len(x))
        return np.squeeze(three(x)[:, None])

    found = interactions(squeezed, n=9, evaluations=8200, random_state=0)
    assert 1 in rows and found == interactions(three, n=9, evaluations=8200, random_state=0)


def test_a_wide_table_is_drawn_in_blocks_of_few_rows():
    seen = []

    def f(x):
        seen.append(x.size)
        return x[:, 0] + x[:, -1] + x[:, 0] * x[:, -1]

    wide = np.ones(100_000)
    found = interactions(f, pair=(wide, -wide), groups=np.arange(100_000) // 50_000, evaluations=512, random_state=0)
    assert max(seen) <= 1 << 22 and 0 <= found.low < 2 / 3 < found.high and found.inputs == "2 masks"


def test_what_is_clipped_is_said():
    found = interactions(three, n=9, clip=(-2, 1), random_state=0)
    assert found.clip == (-2, 1) and 0.1 < found.clipped < 0.4
    assert interactions(three, n=9, random_state=0).clipped < 0.001


def test_the_same_seed_gives_the_same_interval():
    one, same, other = (interactions(three, n=9, evaluations=2000, random_state=seed) for seed in (3, RNG(3), 4))
    assert one == same != other
    assert interactions(three, n=9, evaluations=2000) != interactions(three, n=9, evaluations=2000)


def test_the_result_is_a_sentence_and_a_picture():
    found = sparse_core.interactions(three, n=9, order=2, evaluations=4096, random_state=0)
    # what is printed contains what is certified
    exact = dataclasses.replace(found, low=0.699945, high=0.913023, confidence=0.995, clipped=0.0)
    assert str(exact) == (
        "9 uniform bits: the best sum of functions of at most 2 inputs explains 69.9% to 91.4% "
        f"of the variance (99.5% confidence, {found.evaluations} evaluations, 0.00% clipped)"
    )
    assert "of the variance of f as clipped (" in str(dataclasses.replace(found, clipped=0.001))
    with matplotlib.rc_context({"backend": "Agg"}):
        ax = found.plot()
        assert found.plot(ax) is ax
    certified, estimate = ax.patches[:2]
    assert (certified.get_x(), certified.get_x() + certified.get_width()) == pytest.approx((found.low, found.high))
    assert (estimate.get_x(), estimate.get_x() + estimate.get_width()) == pytest.approx(found.estimate)
    assert ax.get_xlabel() == "explained by functions of at most 2 of 9 uniform bits"


def test_a_model_that_writes_into_its_argument_is_measured_like_another():
    def writing(x):
        values = three(x)
        x[:] = 0
        return values

    assert interactions(writing, n=6, random_state=0) == interactions(three, n=6, random_state=0)


@pytest.mark.parametrize("wrong", [lambda x: x[:, 0] + 1j, lambda x: np.full(len(x), "a"), lambda x: x[:, :1]])
def test_what_is_no_real_number_for_each_row_is_refused(wrong):
    with pytest.raises(ValueError, match=r"Argument 'f' must give one number for each of \d+ rows, not \(.*of type"):
        interactions(wrong, n=6)
