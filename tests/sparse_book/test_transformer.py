"""What is measured of the transformers: by hand on a few bits, and what is stored again from its parts."""

import numpy as np
import pytest

from sparse_book.chapter_8 import transformer_figures
from sparse_book.experiments import transformer
from sparse_book.experiments.emergence import BATCHES
from sparse_core.network import activity

PLACES = 64 * 128


def test_a_layer_in_which_one_neuron_follows_the_letter_by_hand(monkeypatch):
    monkeypatch.setattr(transformer, "BATCHES", (1, 2))
    codes = np.array([[0, 1, 0, 1], [1, 0, 1, 0]])
    on = np.stack([codes == 1, codes == 0, codes < 0, codes >= 0], axis=-1)[None]  # on at 1, on at 0, dead, always on
    found = transformer.measure(on, codes, 3)
    assert found["counts"].tolist() == [[4, 4, 0, 8]]
    assert found["union"][0, 0] == found["row"][0, 0] == 0.5 and found["row"][0, 1] == 0.75
    assert found["letters"][0, :2].tolist() == [0.5, 0.5] and np.isnan(found["letters"][0, 2])
    nearby, same, _ = found["overlap"][0]
    assert nearby == pytest.approx(1 / 3) and same == pytest.approx((6 + 1 / 3) / 7)


def test_a_table_of_pairs_knows_what_follows_and_not_what_is_new():
    text = np.array([0, 1, 2] * 40)
    single, pairs = transformer.tables(text, text, 3, 2)
    assert single == pytest.approx(np.log(3)) and pairs < 0.1
    assert transformer.tables(text, np.array([2, 1, 0]), 3, 2)[1] > np.log(3)  # pairs that never occurred


def test_what_is_stored_agrees_with_its_parts():
    table = transformer.stored()
    assert table["tables"].tolist() == sorted(table["tables"], reverse=True)
    runs = [key.removesuffix(" path") for key in table if key.endswith(" path")]
    assert {"relu 0", "relu 1", "relu 2"} <= set(runs)
    assert sum(len(transformer.runs(name, "path")) for name in {run.rpartition(" ")[0] for run in runs}) == len(runs)
    for run in runs:
        counts, last = table[f"{run} counts"], table[f"{run} path"][-1]
        np.testing.assert_allclose(counts.mean(axis=1) / PLACES, last[2:6], rtol=1e-5)
        np.testing.assert_allclose((counts == 0).mean(axis=1), last[6:], rtol=1e-5)
        predicted = [[activity.union(row, PLACES, m) / len(row) for m in BATCHES] for row in counts]
        np.testing.assert_allclose(table[f"{run} union"], predicted, atol=0.03)


def test_the_windows_that_are_shown_are_as_active_as_the_others():
    table = transformer.stored()
    shown = np.unpackbits(table["shown"], axis=-1)
    codes = table["shown codes"]
    np.testing.assert_allclose(shown.mean(axis=(1, 2, 3)), table["relu 0 path"][-1, 2:6], rtol=0.15)
    # What each letter of these windows activates in the first layer, against the stored mean of all windows.
    often = [letter for letter in range(len(table["letters"])) if (codes == letter).sum() > 20]
    here = [shown[0][codes == letter].mean() for letter in often]
    np.testing.assert_allclose(here, table["relu 0 letters"][0][often], rtol=0.1)


def test_neighbours_need_no_more_neurons_than_inputs_at_random_in_networks_of_others():
    rows = transformer.others()
    assert len({row["model"] for row in rows}) == 5
    for row in rows:
        assert 0 < row["active"] < row["row"] < row["union"] <= 1 - row["dead"] and row["always"] < row["active"]
        assert row["activation"] != "ReLU" or row["needed"] < row["active"]  # what is 0 holds nothing


def test_a_table_of_settings_has_an_interval_where_there_are_several_runs():
    header, rows = transformer_figures.settings().header, transformer_figures.settings().rows
    for row in rows:
        column = dict(zip(header, row, strict=True))
        assert ("±" in column["active"]) == (column["runs"] != "1") and 0 < float(column["loss"].split()[0]) < 2
