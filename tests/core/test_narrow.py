"""Every public function where NumPy's own integers have 32 bits; the machine of the tests has 64."""

import numpy as np
import pytest

from sparse_book.experiments import minimiser
from sparse_core.cube import hypercube
from sparse_core.hardness import reductions
from sparse_core.learning.lowdegree import LowDegreeRegressor
from sparse_core.network import SparseNetwork
from sparse_meter import examine, measure
from tests.core.calls import NAMES, WORKING
from tests.narrow import TOLD_APART, narrow

pytestmark = pytest.mark.skipif(not TOLD_APART, reason="this machine has one type of 64-bit integers")


@pytest.fixture(autouse=True)
def narrow_machine():
    with narrow():
        yield


@pytest.mark.parametrize(
    "fails",
    [
        lambda: np.arange(32) * 0x9E3779B1,
        lambda: np.bincount(reductions.lwr_label(range(8), 2, 8)),
        lambda: np.bincount(np.random.default_rng(0).integers(0, 5, 9)),
        lambda: np.repeat(np.ones(2), np.array([2, 3]).astype(np.int64)),
        lambda: np.zeros(3, dtype=int) + 2**40,
    ],
)
def test_what_fails_on_such_a_machine_fails_here(fails):
    with pytest.raises((TypeError, OverflowError)):
        fails()


@pytest.mark.parametrize("call", WORKING)
def test_a_public_function_answers(call):
    assert eval(call, {**NAMES, "rng": np.random.default_rng(0)}) is not None


def test_a_long_table_is_the_one_computed_point_by_point():
    rng = np.random.default_rng(0)
    net = SparseNetwork(rng.standard_normal(2), rng.standard_normal((2, 17)), np.array([0.0, 9.0]))  # one rarely active
    assert net.values()[::999] == pytest.approx(net(hypercube.points(17)[::999]))


@pytest.mark.parametrize("n", [4, 22])
def test_the_meter_answers(n):
    rng = np.random.default_rng(0)
    weights = rng.standard_normal(3), rng.standard_normal((3, n)), rng.standard_normal(3)
    X = 1 - 2 * rng.integers(0, 2, (40, n))
    for inputs in (None, X):
        assert examine(weights, inputs).rows
    assert measure(weights, X).only.inputs == 40


@pytest.mark.parametrize("n", [40, 62])
def test_a_monomial_beyond_the_32nd_bit_keeps_its_name(n):
    X = 1 - 2 * np.random.default_rng(0).integers(0, 2, (300, n))
    model = LowDegreeRegressor(2, "threshold", level=2).fit(X, 3.0 * X[:, 5] * X[:, n - 1])
    assert model.monomials_.tolist() == [1 << 5 | 1 << (n - 1)]


def test_an_experiment_that_counts_what_it_drew_is_measured():
    assert len(minimiser.measure(0)["random"]) == len(minimiser.SIZES)
