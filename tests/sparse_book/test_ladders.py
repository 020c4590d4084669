"""The figures of ladders: their data are those of the ladders."""

import csv
import io

import pytest

from sparse_book import ladders
from sparse_core import SparseNetwork
from sparse_core.network import constructions
from sparse_meter import explain

TIGHT = constructions.tight(3, 2, n=6)
CANCELLING = SparseNetwork([1, -1], [[1] * 6, [-1, 1, 1, 1, 1, 1]], [-9, -9])


def rows(figure):
    return list(csv.DictReader(io.StringIO(figure.csv)))


def test_the_data_of_one_ladder_are_its_rungs():
    found = explain(CANCELLING)
    figure = ladders.rungs(found, "Signs cancel")
    shown = rows(figure)
    assert [row["rung"] for row in shown] == [rung.formula for rung in found.chains[0].rungs]
    assert [float(row["times"]) for row in shown[1:]] == pytest.approx(list(found.factors.values()))
    assert figure.alt.startswith("Signs cancel: AS(h) is 4;") and "cancellation 6" in figure.alt


def test_the_groups_multiply_to_the_whole_distance():
    found = {"tight": explain(TIGHT), "cancelling": explain(CANCELLING)}
    shown = rows(ladders.beside(found, "Two"))
    for name, ladder in found.items():
        factors = {row["group"]: float(row["factor"]) for row in shown if row["network"] == name}
        low, *_, high = (rung.value.value for rung in ladder.chains[0].rungs)
        product = 1.0
        for factor in factors.values():
            product *= factor
        assert product == pytest.approx(high / low)
        assert factors["cancellation"] == pytest.approx(6 if name == "cancelling" else 1)
