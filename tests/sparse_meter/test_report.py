"""The laboratory: what comes in, degenerate networks, balancing, scikit-learn, and the report that comes out."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sparse_core._interval import Interval, exactly
from sparse_core.cube.hypercube import points
from sparse_core.network import SparseNetwork, activity, constructions
from sparse_meter import Ladder, Report, WithConstant, as_network, balanced, examine, explain
from sparse_meter.examiner import observation
from sparse_meter.examiner import report as laboratory
from sparse_meter.examiner.table import Row
from sparse_meter.tables import counted
from tests.core.naive import network, networks, sides

CLAIMS = Path(__file__).parents[2] / "book/claims"


# --- Degenerate networks ---


@pytest.mark.parametrize(
    "net",
    [
        SparseNetwork([], np.zeros((0, 3)), []),
        SparseNetwork([], np.zeros((0, 0)), []),
        SparseNetwork([1.0], np.zeros((1, 0)), [-1.0]),
        SparseNetwork([1.0, 2.0], [[1, 1], [1, 1]], [5, 5]),
        SparseNetwork([0.0], [[1.0]], [0.0]),
        SparseNetwork([1.0], [[0.0]], [0.0]),
        SparseNetwork([3.0], [[1.0]], [-7.0]),
    ],
    ids=["s=0", "s=n=0", "n=0", "dead", "u=0", "w=0", "linear"],
)
def test_degenerate_networks_have_a_report(net):
    report = examine(net)
    assert all(row.form.startswith(("printed", "restored")) for row in report if row.verdict == "fails")
    assert f"{counted(net.n, 'input')}, {counted(net.s, 'neuron')}; active at once" in repr(report)
    dead = net.s - int(net.dead().sum())
    assert sides(report, "definition-1")[0] == min(dead, int(net.active_count().max()))
    assert net.n == 0 or len(examine(net, np.zeros((2, net.n))).rows) == 14  # points at the origin


# --- What comes in ---


def test_arrays_networks_and_readings_agree():
    net = network(2)
    arrays_of = net.u, net.W, net.b
    arrays = examine(arrays_of)
    assert examine(net).text() == examine(WithConstant(net)).text() and arrays.rows == examine(net).rows
    assert "W, the bias subtracted" in arrays.assumed[0] and arrays.assumed == explain(arrays_of).assumed
    assert arrays.text().startswith(arrays.summary[0]) and repr(arrays).split("\n\n")[1].startswith(arrays.assumed[0])
    assert arrays._repr_html_().startswith("<p>3 uniform bits") and [*arrays.to_dict()][0] == "assumed"
    assert "The output bias 2.5 is ignored" in examine(WithConstant(net, 2.5)).text()


@settings(max_examples=20)
@given(networks)
def test_balancing_changes_the_scale_and_nothing_else(net):
    even = balanced(net)
    X = points(net.n)
    assert np.allclose(even(X), net(X))
    kept = net.u != 0
    assert np.array_equal(even.active(X), net.active(X)[:, kept])
    assert even.scale.W == pytest.approx((np.abs(net.u) * np.linalg.norm(net.W, axis=1)).max())
    assert even.scale.W <= net.scale.W * (1 + 1e-12) and even.scale.B <= net.scale.B * (1 + 1e-12)


# --- scikit-learn ---


def fitted(kind, targets, **options):
    X = np.random.default_rng(0).choice([-1.0, 1.0], (60, 5))
    y = targets(X)
    options = {"hidden_layer_sizes": (7,), "solver": "lbfgs", "random_state": 1, "alpha": 1.0, "tol": 0.01, **options}
    return kind(**options).fit(X, y), X


def test_a_pipeline_is_examined_on_the_inputs_that_its_last_step_sees():
    mlp, X = fitted(MLPRegressor, lambda X: X[:, 0] + 2)
    pipeline = make_pipeline(FunctionTransformer(lambda raw: 2 * raw - 1), mlp)
    assert examine(pipeline, (X + 1) / 2).text() == examine(mlp, X).text()
    with pytest.raises(TypeError, match=r"not Pipeline. Of a pipeline pass the last step, pipeline\[-1\]"):
        examine(pipeline)


def test_an_output_of_several_is_chosen():
    mlp, X = fitted(MLPRegressor, lambda X: X[:, :2] * X[:, 2:4])
    for j in (0, 1):
        assert np.abs(as_network(mlp, output=j)(X) - mlp.predict(X)[:, j]).max() < 1e-9
    with pytest.raises(ValueError, match="'output' must be given: the network has 2 outputs"):
        examine(mlp)
    with pytest.raises(ValueError, match="'output' must be at most 1, not 2"):
        examine(mlp, output=2)


def test_a_binary_classifier_is_read_as_its_logit_and_a_class_of_several_as_its_score():
    mlp, X = fitted(MLPClassifier, lambda X: X[:, 0] * X[:, 1] > 0)
    assert np.abs(1 / (1 + np.exp(-as_network(mlp)(X))) - mlp.predict_proba(X)[:, 1]).max() < 1e-9
    mlp, X = fitted(MLPClassifier, lambda X: (X[:, 0] + X[:, 1]).astype(int))
    scores = np.column_stack([as_network(mlp, output=j)(X) for j in range(3)])
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert np.abs(shares - mlp.predict_proba(X)).max() < 1e-9
    with pytest.raises(ValueError, match=r"3 outputs, those of the classes \[-2, 0, 2\]"):
        as_network(mlp)


def test_a_matrix_of_neurons_in_columns_is_noticed_where_it_can_be():
    net = SparseNetwork([1, 2], [[1, 2, 3], [4, 5, 6]], [0, 1])
    with pytest.raises(ValueError, match=r"one neuron in each row, .* its shape is \(3, 2\): pass W.T"):
        as_network((net.u, net.W.T, net.b))
    with pytest.raises(ValueError, match="'u' must have"):  # it fits neither way
        as_network(([1], net.W, net.b))
    square = np.array([[1.0, 2.0], [3.0, 4.0]])
    known = as_network(([1, 1], square, [0, 0]))
    assert np.array_equal(known.net.W, square) and "W is square" in known.notes[1]
    assert "W is square" in examine(([1, 1], square, [0, 0])).text()


# --- What comes out ---


def test_each_printed_form_that_can_fail_names_an_erratum_of_its_statement():
    found = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in CLAIMS.glob("0*.yml")]
    claims = {claim["id"]: claim for some in found for claim in some}
    compared = {row.id for report in (examine(network(0), k=1), examine(network(0), k=2)) for row in report}
    assert all(laboratory.ERRATA[name] in claims[name]["errata"] for name in laboratory.ERRATA)
    false = {name for name in compared if claims[name]["verdict"] == "false as printed"}
    assert len(false) > 7 and false <= laboratory.ERRATA.keys()


def test_the_summary_says_what_fails_what_is_vacuous_and_what_is_informative():
    def row(name, left, right, trivial=None, form="ours", **options):
        return Row(name, form, exactly(left), exactly(right), "exact", trivial=trivial, **options)

    rows = (
        row("definition-1", 1, 1, 100),  # measured, not bounded
        row("eq-U", 3, 2, 9),
        row("a", 3, 2, 9),
        row("b", 1, 2, 2),
        row("c", 1, 2, 2), row("c", 1, 2, 8), row("c", 1, 2, 6),
        row("d", 1, 2, 3), row("e", 1, 2, 5), row("f", 1, 2, 4),
        row("g", 1, 2, 40, form="printed, constant 1"),
        row("h", 1, 2, 90, failed=("no",)),
        row("i", 3, 2, failed=("no",)),
    )  # fmt: skip
    assert Report((), rows, ladder=Ladder("Why.", ())).summary == (
        "Why.",
        "9 of 11 statements apply.",
        "2 fail: eq-U (E12), a (no erratum: please report it).",
        "1 is vacuous (no stronger than the trivial bound).",
    )
    assert Report((), ()).summary[1:] == (
        "None fails.",
        "None is vacuous (no stronger than the trivial bound).",
    )


def test_ids_are_those_of_the_ledger():
    known = yaml.safe_load((CLAIMS / "published.yml").read_text(encoding="utf-8")).keys()
    dense, X = network(0), points(3)[:4]
    reports = [examine(dense), examine(dense, X), examine(constructions.indexing(2))]
    names = {row.id for report in reports for row in report} | {name for r in reports for name, _, _ in r.sizes}
    assert names <= known and {"lemma-6", "lemma-9", "lemma-10", "theorem-8", "theorem-17", "theorem-19"} <= names


def test_a_report_is_selected_by_ids_and_is_true_even_if_empty():
    report = examine(network(0))
    assert list(report) == list(report.rows)
    assert {row.id for row in report["lemma-9"]} == {"lemma-9"}
    assert [row.id for row in report["lemma-9", "definition-1"]] == ["definition-1", "lemma-9"]
    with pytest.raises(KeyError, match="'lemma9'; did you mean 'lemma-9'"):
        report["lemma9"]
    with pytest.raises(KeyError, match="'Fermat'; the report has definition-1"):
        report["lemma-9", "Fermat"]
    for wrong in (0, ("lemma-9", 0), slice(2), None):
        with pytest.raises(TypeError, match="takes ids, as in .* its rows are report.rows"):
            report[wrong]
    nothing = report.only(lambda row: False)
    assert nothing.rows == () and bool(nothing) and bool(report)


def test_a_dictionary_of_a_report_is_standard_json():
    left, right = Interval(2.0, 1.0, math.inf), exactly(math.nan)
    report = Report(("title",), (Row("x", "", left, right, "exact"),), (("lemma-7", "printed", math.inf),))
    again = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert again["rows"][0]["left"] == [2.0, 1.0, "Infinity"] and again["rows"][0]["right"] == ["NaN"] * 3
    assert again["sizes"] == [{"id": "lemma-7", "form": "printed", "samples": "Infinity"}]
    assert float(again["sizes"][0]["samples"]) == math.inf and again["title"] == ["title"]
    whole = json.loads(json.dumps(examine(network(0)).to_dict(), allow_nan=False))
    assert whole["rows"][0]["id"] == "definition-1" and whole["summary"][-3].endswith("statements apply.")


def test_a_report_shows_itself_as_text_and_as_accessible_tables():
    report = examine(network(0), k=1)
    page = report._repr_html_()
    assert "not 1-sparse" in report.text() and "Samples needed" in report.text()
    assert page.count("<table") == page.count("<caption ") == 7 + len(report.ladder.chains)
    assert page.count("<summary>") == 1
    assert '(<span class="claim" data-claim="E13">E13</span>)' in examine(network(0))._repr_html_()
    assert "<=" not in page
    assert '<th scope="row"><span class="claim" data-claim="lemma-9">lemma-9</span><br>' in page  # the book links it
    rows = re.findall(r"<tr><th scope=.row.>(.*?)</tr>", page)
    rungs = sum(len(chain.rungs) + len(chain.beside) for chain in report.ladder.chains)
    cells = [3] * rungs + [5] * len(report.rows) + [1] * len(report.sizes)
    assert [row.count("<td data-name=") for row in rows] == cells
    shown = report.only(lambda row: row.verdict == "fails")._repr_html_()
    assert shown.count("<table") == 1 and "<details" not in shown and "statements" not in shown


def test_a_report_by_hand():
    """Every part of both tables: a hypothesis that fails, an interval, a vacuous bound, sides that are missing."""
    row = Row("lemma-9", "a < b", exactly(2), Interval(8, 7, 9), "exact", ("not sparse",), trivial=4.0, at="d = 1")
    rows = (
        row,
        Row("x", "", None, None, "exact"),
        Row("z", "", exactly(1), exactly(math.nan), "sampled", relation="=="),
    )
    report = Report(("1 < 2", "second"), rows, (("theorem-8", "printed", 123456.0),))
    table = [
        "statement  form   left  right            slack  verdict       evidence and remarks",
        "lemma-9    a < b  2     <= 8             4      (holds)       exact; "
        "d = 1; right in [7, 9]; vacuous: left <= 4 in any case; not sparse",
        "x                                               not computed  exact",
        "z                 1     == not a number         not a number  sampled",
    ]
    short = [*report.summary, "", "1 < 2", "second"]
    assert repr(report).split("\n") == short
    assert report.text().split("\n") == [
        *short, "", "Section 3: average sensitivity", *table, "", "Samples needed", "statement  form     samples",
        "theorem-8  printed  1.235e+05",
    ]  # fmt: skip
    assert repr(report.only(lambda row: True)).split("\n") == ["1 < 2", *table]
    page = report._repr_html_()
    lines = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line) for line in re.findall(r"<tr>(.*?)</tr>", page)]
    lines = [[re.sub("(<[^>]*>)+", "|", cell).strip("|") for cell in line] for line in lines]
    no_break = "\N{NO-BREAK SPACE}"
    assert lines == [
        ["statement", "left", "right", "slack", "verdict", "evidence and remarks"],
        [
            "lemma-9|a &lt; b", "2", f"≤{no_break}8", "4", "(holds)",
            f"exact; d = 1; right in [7, 9]; vacuous: left ≤{no_break}4 in any case; not sparse",
        ],
        ["x", "", "", "", "not computed", "exact"],
        ["z", "1", f"={no_break}not a number", "", "not a number", "sampled"],
        ["statement", "samples"],
        ["theorem-8|printed", "1.235e+05"],
    ]  # fmt: skip
    captions = re.findall("<caption[^>]*>(.*?)</caption>", page)
    assert captions == ["Section 3: average sensitivity", "Samples needed"]
    said, remarks = re.findall("<p>(.*?)</p>", page)
    assert re.sub("<(?!br).*?>", "", said) == "<br>".join(report.summary)
    assert f"<summary>What was assumed, the ladder and all 3 rows</summary><p>{remarks}</p>" in page
    assert remarks == "1 &lt; 2<br>second"


DEAD = SparseNetwork([10, 0.1, 0], [[0.1, 0], [0, 10], [1, 1]], [0, 1, 5])
COMPARED = (
    "Compared with the class H, n = 2, s = 3, k = 2, W = 100, B = 50; balanced, the same function has W = 1, B = 0.1."
)


@pytest.mark.parametrize(
    "known, X, active, compared, inputs, loss",
    [
        (
            WithConstant(DEAD, 2.5), None, "3 neurons; active at once: 2, exact by enumeration of 4 points", COMPARED,
            "Active on average: 1 of 3 neurons; never active: 1; variance 0.4525. "
            "The output bias 2.5 is ignored.", "0.02262",
        ),
        (
            DEAD, points(2)[:3], "3 neurons; active at once: 2, exact by evaluation of 3 given points", COMPARED,
            "Active on average: 1.333 of 3 neurons; never active: 1; variance 0.2022.", "0.01011",
        ),
        (
            SparseNetwork([], np.zeros((0, 2)), []), None,
            "0 neurons; active at once: 0, exact by enumeration of 4 points",
            "Compared with the class H, n = 2, s = 1, k = 1, W = 0, B = 0.",
            "Active on average: 0 of 0 neurons; never active: 0; variance 0.", "0.1",
        ),
    ],
)  # fmt: skip
def test_the_title_names_the_network_the_class_and_the_inputs(known, X, active, compared, inputs, loss):
    learners = f"Learners: loss {loss} with probability 0.95."
    assert examine(known, X).title == (f"2 inputs, {active}.", compared, inputs, learners)
    where = "the cube {-1, 1}^2, assumed since no X was given" if X is None else "3 given points"
    assert examine(known, X).assumed[-1].startswith(f"Inputs: uniform on {where}")


def test_the_defaults_are_those_of_the_documentation():
    given = dict(degree=1, rho=0.9, delta=0.05, seed=0, k=2, W=network(0).scale.W, B=network(0).scale.B)
    assert examine(network(0)).text() == examine(network(0), **given).text()


def test_large_cubes_are_sampled_within_a_budget(monkeypatch):
    net = SparseNetwork([1] * 5, network(1, n=6, s=5).W, [0] * 5)
    for limit, value in (("EXACT_N", 5), ("EXACT_PAIRS", 319)):
        with monkeypatch.context() as patch:
            patch.setattr(observation, limit, value)
            for budget, N in ((1, 256), (30 * 1000 + 29, 1000), (10**9, 4096)):
                patch.setattr(observation, "SAMPLED_TRIPLES", budget)
                found = observation.observe(net, None, seed=7)[1]
                assert found.evidence == f"sampled, {N} points, seed 7" and len(found.X) == N
            with monkeypatch.context() as memory:
                memory.setattr(observation, "SAMPLED_ENTRIES", 6 * 700 + 5)
                assert len(observation.observe(net, None)[1].X) == 700
            assert examine(net, seed=7)["lemma-9"].rows[0].evidence == "sampled, 4096 points, seed 7"
            assert examine(net, points(6)[:9])["activation-budget"].rows[0].evidence == "exact"
            patch.setattr(observation, limit, value + 1)
            assert examine(net)["lemma-9"].rows[0].evidence == "exact"


def test_the_sparsity_of_a_sample_is_from_what_was_seen_to_what_the_pairs_allow(monkeypatch):
    net = network(4, n=6, s=5, integers=False)
    monkeypatch.setattr(observation, "EXACT_N", 5)
    seen, pairs = int(net.active_count(points(6)).max()), net.sparsity(method="pairs")
    for limit in (observation.PAIR_GRAPH, 5 * 5 * 6):
        monkeypatch.setattr(observation, "PAIR_GRAPH", limit)
        sparsity = observation.observe(net, None)[2]
        assert (sparsity.upper, sparsity.lower, sparsity.how) == (pairs.upper, max(pairs.lower, seen), pairs.how)
    monkeypatch.setattr(observation, "PAIR_GRAPH", 5 * 5 * 6 - 1)
    (row,) = examine(net)["definition-1"]
    assert row.left == (5, seen, 5) and (row.at, row.evidence) == ("the number of neurons", "certified")


def test_complexities_without_points_are_those_of_five_points_of_the_cube():
    for n, m in ((1, 2), (2, 4), (3, 5), (5, 5)):
        assert sum(row.at == f"m = {m}" for row in examine(network(0, n=n))) > 8


def test_a_function_that_is_constant_but_for_rounding_has_the_usual_loss():
    net = SparseNetwork([0.1, 0.1], [[0.1, 0.2, 0.3], [-0.1, -0.2, -0.3]], [-0.7, -0.7])
    assert 0 <= np.ptp(net.values()) < 1e-15
    assert "loss 0.1 with" in examine(net).text()
    assert all(row.form.startswith(("printed", "restored")) for row in examine(net) if row.verdict == "fails")


def test_the_cube_is_visited_once_and_given_points_are_not_flipped(monkeypatch):
    visits = []
    flips, count = observation.flips, activity.count
    monkeypatch.setattr(observation, "flips", lambda *args: visits.append("flips") or flips(*args))
    monkeypatch.setattr(activity, "count", lambda *args: visits.append("count") or count(*args))
    report = examine(network(2))
    assert visits == ["flips"] and report["definition-1"].rows[0].at == "enumeration of 8 points"
    del visits[:]
    on_points = examine(network(2), points(3)[:4])
    assert visits == ["count"] and "lemma-9" not in {row.id for row in on_points}


def test_the_sample_of_the_widest_network_is_no_smaller_than_the_least():
    assert observation.SAMPLED_ENTRIES // observation.MAX_INPUTS >= observation.MIN_SAMPLE
    with pytest.raises(ValueError, match="'network' must have at most 32768 inputs, not 70000, unless points X"):
        examine(([1], np.ones((1, 70_000)), [0]))


def test_networks_that_are_too_large_are_refused_by_name(monkeypatch):
    for arrays, scale in (
        (([1], [[1e300, 1.0]], [0]), "inf"),
        (([0.0], [[1e300, 1.0]], [0]), "nan"),
        (([1e40], [[1e40]], [0]), "1e\\+80"),
        (([1e10], [[1.0]], [-1e50]), "1e\\+60"),
    ):
        with pytest.raises(ValueError, match=rf"^Argument 'network' must have a scale .* at most 1e\+20, not {scale}"):
            examine(arrays)
    assert examine(([1e9], [[1e10]], [0]))
    many = SparseNetwork([1], np.ones((1, 30)), [0])
    monkeypatch.setattr(observation, "MAX_INPUTS", 29)
    with pytest.raises(ValueError, match="^Argument 'network' must have at most 29 inputs, not 30, unless points X"):
        examine(many)
    assert examine(many, np.ones((2, 30)))
