"""The ledger cannot lie: each rule has a test that breaks it."""

import json
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sphinx_claims import record as ledger

CONTROL = {"4 becomes 1": 1.0}


def passing(claim="lemma-9", over="networks", **changes):
    arguments = {"evidence": "exhaustive", "control": CONTROL, **changes}
    return ledger.check(claim, [1.0, 2.0], 4.0, over=over, **arguments)


# check

SHARED = np.array([1.0, 2.0, 3.0, 4.0])
SAMPLED = {"evidence": "sampled", "seed": 0}
SAME = "lemma-9: every instance is 1 == 1, and no control changes the left side"


@pytest.mark.parametrize(
    "lhs, rhs, changes, message",
    [
        (5.0, 4.0, {}, "fails on 1 of 1 networks: 5 <= 4 is false"),
        ([1.0, 9.0], 4.0, {}, r"fails on 1 of 2 networks: 9 <= 4 is false \(instance 1\)"),
        ([], 4.0, {}, "lemma-9: a check over zero instances"),
        (1.0, 4.0, {"control": {"nothing": []}}, "lemma-9: a check over zero instances"),
        (np.nan, 4.0, {}, "not a number"),
        ([Fraction(1), np.nan], 4, {}, "not a number"),
        (np.inf, 4.0, {}, "inf <= 4 is false"),
        (1.0, -np.inf, {}, "1 <= -inf is false"),
        (np.inf, 4.0, {"relation": "=="}, "inf == 4 is false"),
        (4.0, np.inf, {"relation": "=="}, "4 == inf is false"),
        # a control that fails whatever the bound is, or has no name
        (1.0, 4.0, {"control": {"the right side becomes infinite": np.inf}}, "was not caught"),
        (1.0, 4.0, {"control": {"the right side becomes infinite": -np.inf}}, "fails by an infinite side alone"),
        ([1.0, 2.0], 4.0, {"control": {"a side explodes": ([np.inf, 2.0], 4.0)}}, "fails by an infinite side alone"),
        (1.0, 4.0, {"control": {" ": 0.5}}, "must have a name"),
        (1.0, 4.0, {"control": {"4 -> 1/2": 0.5}}, "must have a name"),
        (1.0, 4.0, {"control": {"4 becomes 1/2": [0.5, 0.5]}}, "'4 becomes 1/2' has 2 instances, and the check 1"),
        ([1.0, 3.0], 4.0, {"control": {"no bound": 0.0}}, "'no bound' has no positive bound"),
        ([1.0, 3.0], 4.0, {"control": {"less than nothing": ([1.0, 3.0], [-1.0, -4.0])}}, "has no positive bound"),
        # a bound that holds whatever was computed
        (1.0, np.inf, {}, "or by infinity, holds whatever was computed"),
        ([-np.inf, -2.0], [3.0, 4.0], {}, "a bound on what is negative"),
        # instances that nobody computed
        (np.ones((3, 1)), np.ones(3), {}, r"sides of the shapes \(3, 1\) and \(3,\) would multiply"),
        (SHARED, SHARED[:], {"relation": "=="}, "both sides are the same object"),
        (SHARED[1:3], SHARED[1:-1], {"relation": "=="}, "both sides are the same object"),
        # negative sides are compared by their sizes
        (-1.0, -1.0 - 1e-7, {}, "-1 <= -1 is false"),
        (-1.0, -1.0 - 1e-7, {"relation": "=="}, "-1 == -1 is false"),
        (2.0, 1.0, {"relation": "=="}, "2 == 1 is false"),
        (2.0, 3.0, SAMPLED | {"interval": (100.0, 101.0)}, "meets neither side"),
        (2.0, 3.0, SAMPLED | {"interval": (-3.0, 1.9)}, "meets neither side"),
        (1.0, np.nan, {}, "not a number"),
        (1.0, 4.0, {"control": {"both sides": (1.0, 4.0)}}, "control 'both sides' was not caught"),
        (1.0, 4.0, {"control": {"4 becomes 3": 3.0}}, "control '4 becomes 3' was not caught"),
        (1.0, 1.0 + 1e-8, {"relation": "=="}, "1 == 1 is false"),
        (1, 2, {"relation": "=="}, "1 == 2 is false"),
        (Fraction(1, 3), Fraction(1, 3) - Fraction(1, 10**30), {}, "is false"),
        (10**30 + 1, 10**30, {}, "is false"),
        (1.0, 1.0 - 1e-12, {"rtol": 1e-13}, "is false"),
        (1e-300, 0.0, {"relation": "=="}, "is false"),  # zero has no relative tolerance
        ([1.0], 1.0, {"relation": "==", "evidence": "exhaustive", "control": {"1 becomes 2": 2.0}}, SAME),
        ([1.0, 1.0], 1.0, {"relation": "==", "control": {"1 becomes 2": 2.0}}, SAME),
        ([1, 1], 1, {"relation": "==", "evidence": "certified"}, SAME),
        ([1.0], 1.0, {"relation": "==", "evidence": "exhaustive", "control": {"both sides": (1.0, 2.0)}}, SAME),
    ],
)
def test_a_check_that_does_not_hold_raises(lhs, rhs, changes, message):
    with pytest.raises(ledger.LedgerError, match=message):
        ledger.check("lemma-9", lhs, rhs, **{"evidence": "exact", "over": "networks", **changes})


@pytest.mark.parametrize(
    "lhs, rhs, slack",
    [
        ([1.0, 2.0], 8.0, (4.0, 8.0)),
        ([0.0, 0.5], 1.0, (2.0, 2.0)),  # nothing is said about a left side of 0
        ([0, -1], 1, None),
        ([2, Fraction(1, 2)], [3, 1], (1.5, 2.0)),
        (0.0, 0.0, None),
        (3, 3, (1.0, 1.0)),
        ([np.inf, 0.0], [np.inf, 1.0], None),
    ],
)
def test_the_slack_is_between_the_ratios_of_the_positive_sides(lhs, rhs, slack):
    assert ledger.check("lemma-9", lhs, rhs, evidence="exact", over="pair").slack == slack


@pytest.mark.parametrize(
    "lhs, rhs, word",
    [
        ([1, 2], [100, 3], "tight"),  # the smallest slack decides, and 3/2 is tight
        ([2.0, 0.0, -1.0], [3.001, 0.0, 0.0], "within 10×"),
        (1, 10, "within 10×"),
        (1, Fraction(101, 10), "loose"),
        ([1, 1], [np.inf, 20], "loose"),
        ([1.0, 0.0], [np.inf, 1.0], None),
        ([0, -1], 1, None),
    ],
)
def test_the_smallest_slack_has_a_word(lhs, rhs, word):
    assert ledger.check("lemma-9", lhs, rhs, evidence="exact", over="pairs").tightness == word


@pytest.mark.parametrize(
    "lhs, rhs, words",
    [
        (3, 3, "equal"),
        ([0.0, 7.5], [0.0, 7.5], "equal"),
        (1.0, 1.0 + 4e-15, "equal to 1e-12"),
        ([1000.0, 1.0], [1000.0 + 2e-7, 1.0], "equal to 1e-09"),  # relative above 1
        ([np.inf, 2e50], [np.inf, 2e50 * (1 + 1e-15)], "equal to 1e-12"),
    ],
)
def test_an_equality_reports_its_deviation_as_a_power_of_ten(lhs, rhs, words):
    record = ledger.check("lemma-9", lhs, rhs, relation="==", evidence="exact", over="pairs")
    assert record.slack is None
    assert str(record).endswith(f" pairs · {words}")


@pytest.mark.parametrize(
    "changes, rule",
    [
        ({"rtol": 1}, "'rtol' must be at most 1e-05, not 1.0"),
        ({"rtol": -1e-9}, "'rtol' must be at least 0"),
        ({"rtol": np.nan}, "'rtol' must be finite"),
        ({"rtol": "1e-6"}, "'rtol' must be a real number, not '1e-6'"),
        ({"atol": 1e-3}, "'atol' must be at most 1e-09, not 0.001"),
        ({"interval": (5, 1)}, "'interval' must be finite numbers (low, high) with low <= high, not (5, 1)"),
        ({"interval": (0.0, np.nan)}, "'interval' must be finite numbers"),
        ({"over": "9 networks"}, "'over' must not begin with a number, which is counted: '9 networks'"),
        ({"over": "10^9 networks", "evidence": "sampled", "seed": 0}, "'over' must not begin with a number"),
        ({"over": "all networks with at most 10^9 neurons"}, "'over' names 10^9, more than the 2 instances"),
        ({"over": "all 65 536 functions"}, "'over' names 65 536, more than the 2 instances that were checked"),
        ({"over": "functions, n = 4, all 16"}, "'over' names 16, more than"),
        ({"evidence": "sampled"}, "'seed' must be an integer for evidence 'sampled', not None"),
        ({"evidence": "sampled", "seed": "7"}, "'seed' must be an integer for evidence 'sampled', not '7'"),
        ({"evidence": "sampled", "seed": True}, "'seed' must be an integer for evidence 'sampled', not True"),
        ({"evidence": "exact", "seed": 0}, "'seed' must be None for evidence 'exact', not 0"),
        ({"seed": 7}, "'seed' must be None for evidence 'exhaustive', not 7"),
        ({"evidence": "verified"}, "'evidence' must be one of 'exact'"),
        ({"relation": ">="}, "'relation' must be one of"),
    ],
)
def test_the_arguments_of_a_check_have_their_rules(changes, rule):
    with pytest.raises((TypeError, ValueError), match=f"^Argument {re.escape(rule)}"):
        passing(**changes)


@pytest.mark.parametrize("lhs, rhs", [([1 + 5j], [1.0]), ([1j], [1j]), ([1.0], np.array([1j, 1], object)[:1])])
def test_complex_numbers_are_refused(lhs, rhs):
    with pytest.raises(TypeError, match="Argument '[lr]hs' must be real; compare real and imaginary parts"):
        ledger.check("lemma-9", lhs, rhs, relation="==", evidence="exact", over="numbers")
    with pytest.raises(TypeError, match="Argument '[lr]hs' must be real"):
        ledger.refute("E1", lhs, rhs, relation="==", margin=1, over="numbers")


def test_one_array_on_both_sides_is_refused():
    side = np.array([1.0, 2.0])
    with pytest.raises(ledger.LedgerError, match="lemma-9: both sides are the same object"):
        ledger.check("lemma-9", side, side, relation="==", evidence="exact", over="numbers")
    with pytest.raises(ledger.LedgerError, match="E1: both sides are the same object"):
        ledger.refute("E1", side, side, margin=1, over="numbers")


@pytest.mark.parametrize("over", ["functions, n = 64 and 4096", "pairs k <= 2, 3, ..., 9", "both of 2 networks", "x10"])
def test_the_words_of_a_check_may_name_parameters_and_smaller_numbers(over):
    assert passing(over=over).over == over


def test_a_sampled_check_never_calls_itself_proved():
    line = str(passing(evidence="sampled", seed=7))
    assert "no counterexample among 2 networks · seed 7" in line
    assert "proved" not in line and "verified" not in line


# refute


@pytest.mark.parametrize(
    "lhs, rhs, changes, message",
    [
        (1.0, 1.0, {}, "is not refuted"),
        (1.0, 2.0, {}, "is not refuted"),
        (1.1, 1.0, {"margin": 0.2}, "E1 is not refuted: 1.1 exceeds 1 by 0.1, less than the margin 0.2"),
        (1.0 + 1e-12, 1.0, {"margin": 1e-13}, "does not exceed the round-off"),
        (1e6 + 1, 1e6, {"margin": 1e-4}, "does not exceed the round-off"),
        (2, 1, {"margin": 0}, "does not exceed the round-off"),
        (2, 1, {"control": {"corrected": Fraction(2) - Fraction(1, 10**12)}}, "fails on the witness"),
        (2.0, 1.0, {"control": {"corrected": 1.5}}, "corrected form 'corrected' fails on the witness"),
        ([], [], {}, "E1: a check over zero instances"),
        (2.0, 1.0, {"control": {"corrected": []}}, "E1: a check over zero instances"),
    ],
)
def test_a_refutation_without_a_witness_raises(lhs, rhs, changes, message):
    with pytest.raises(ledger.LedgerError, match=message):
        ledger.refute("E1", lhs, rhs, **{"margin": 0.05, "over": "m = 1", **changes})


def test_a_refutation_knows_two_relations():
    with pytest.raises(ValueError, match="Argument 'relation' must be one of '<=', '==', not '>'"):
        ledger.refute("E1", 2, 1, margin=1, over="m = 1", relation=">")


# the record


ROUNDED = ledger.check("lemma-9", 1e-15, 0.0, relation="==", evidence="exact", over="error", atol=1e-12)
FAMILY = {"relation": "==", "evidence": "exhaustive", "over": "tables"}
CORRECTED = {"other sides": (1.0, 1.0), "rounded": 2.0 * (1 - 1e-12)}


@pytest.mark.parametrize(
    "record, name, value",
    [
        (passing(control={"both": ([5.0, 3.0], 4.0)}), "controls", ("both: fails on 1 of 2",)),
        # a control shows that the left side of a constant family was computed
        (
            ledger.check("removal", [1.0] * 3, 1, **FAMILY, control={"a neuron that never acts": (0.0, 1.0)}),
            "controls",
            ("a neuron that never acts: fails on 1 of 1",),
        ),
        (
            ledger.refute("E1", 2.0, 1.0, margin=0.5, over="m = 1", control=CORRECTED),
            "controls",
            ("other sides: holds", "rounded: holds"),
        ),
        (ledger.check("lemma-9", 1, 1, relation="==", evidence="exact", over="named network"), "count", 1),
        (ledger.check("lemma-9", 1, 1, relation="==", evidence="exact", over="pair"), "tightness", "equality"),
        (ledger.refute("E1", 2, 1, margin=1, over="m = 1"), "tightness", None),
        (ledger.refute("E1", 2, 1, relation="==", margin=1, over="m = 1"), "tightness", None),
        (passing(evidence="certified", seed=7), "seed", 7),  # a certificate may rest on random instances
        (passing(evidence="certified"), "seed", None),
        (ledger.check("lemma-9", 1.0, 1.0 - 1e-12, evidence="exact", over="pair", rtol=1e-9), "rtol", 1e-9),
        (ledger.check("lemma-9", 10**30, 10**30 + 1, evidence="exact", over="pair", atol=1e-12), "atol", 0),
        (ROUNDED, "atol", 1e-12),
        (ROUNDED, "deviation", 1e-15),
        (ledger.refute("E1", 1, 2, relation="==", margin=1, over="m = 1"), "margin", "1"),
        (ledger.refute("E1", 10**12 + 1, 10**12, margin=1, over="m = 1"), "margin", "1"),
        (ledger.refute("E1", [1, 5, 3], 2, margin=1, over="m <= 3"), "sides", ("5", "2")),  # the largest gap
        (ledger.refute("E1", [1, 5, 3], 2, margin=1, over="m <= 3"), "margin", "3"),
        (ledger.refute("E1", [1, 5, 3], 2, margin=1, over="m <= 3"), "count", 3),
    ],
)
def test_a_record_has_these_parts(record, name, value):
    assert getattr(record, name) == value


def test_the_line_of_a_record_names_its_tolerance():
    assert str(ROUNDED) == "Lemma 9 · exact · 1 error · equal to 1e-12 · absolute tolerance 1e-12"


def test_the_record_is_stored_as_data():
    record = passing(over='networks <script>alert("x")</script>')
    bundle = json.loads(json.dumps(record._repr_mimebundle_()))
    assert bundle[ledger.MIME]["claim"] == "lemma-9" and bundle[ledger.MIME]["anchor"] == record.anchor
    again = ledger.Record(**{k: v for k, v in bundle[ledger.MIME].items() if k != "anchor"})
    assert again.finding == record.finding


def test_an_exercise_shows_what_it_is_and_leads_to_the_claim():
    shown = ledger.refute("exercise-lemma-9", 2, 1, margin=1, over="n = 1")._repr_mimebundle_()
    assert shown["text/plain"].startswith("Exercise on Lemma 9 · refuted")
    assert shown[ledger.MIME]["claim"] == "exercise-lemma-9"  # which the book counts for no claim


def test_a_record_that_no_comparison_made_leaves_no_data():
    made = passing()
    assert ledger.MIME in made._repr_mimebundle_()
    for forged in (replace(made, count=10**9), ledger.Record("lemma-9", "exhaustive", "<=", "networks", 10**9, 10**9)):
        assert list(forged._repr_mimebundle_()) == ["text/plain"] and "no comparison" in str(forged._repr_mimebundle_())


class Liar(int):
    """A number that calls itself equal to each other and less."""

    __ne__ = __gt__ = lambda self, other: False


def test_objects_that_compare_as_they_like_are_numbers_or_refused():
    with pytest.raises(ledger.LedgerError, match="5 <= 4 is false"):
        ledger.check("lemma-9", [Liar(5), 3], 4, evidence="exact", over="pairs")
    with pytest.raises(TypeError, match="must hold numbers, not Always"):
        Always = type("Always", (), {"__gt__": lambda *_: False, "__ne__": lambda *_: False})
        ledger.check("lemma-9", np.array([Always(), Always()]), 4, evidence="exact", over="pairs")


def test_negative_sides_are_refuted_and_measured_by_their_sizes():
    record = ledger.refute("E1", [-3.0, -2.0], [-1.0, -2.5], relation="==", margin=1.5, over="m = 1")
    assert record.margin == "2"  # the larger gap, though its left side is less
    with pytest.raises(ledger.LedgerError, match="does not exceed the round-off"):
        ledger.refute("E1", -1e12, -1e12 - 1.0, margin=1.0, over="m = 1")
    equal = ledger.check("lemma-9", [-1e6, -2e6], [-1e6, -2e6 - 1e-4], relation="==", evidence="exact", over="pairs")
    assert equal.deviation == pytest.approx(5e-11)


@pytest.mark.parametrize(
    "lhs, rhs, pairs",
    [
        (np.tile([1.0, 2.0, 3.0], 1000), 4.0, 3),
        (np.linspace(0.1, 1.0, 4) + 1e-14 * np.arange(3)[:, None], 4.0, 4),  # round-off is no instance of its own
        ([0.0, 1e-17, -1e-17], 1.0, 1),
        ([-2.0, 2.0, 0.5, 0.500002, 1e6, 1e6 + 2], 1e7, 6),
        ([Fraction(1, 3), Fraction(2, 6), 1], 2, 2),
        ([1, 1, 2], [5, 6, 6], 3),
    ],
)
def test_copies_of_an_instance_are_one_pair_of_sides(lhs, rhs, pairs):
    record = ledger.check("lemma-9", lhs, rhs, evidence="exact", over="instances")
    assert record.pairs == pairs and record.count == np.size(lhs)


def test_a_chain_overlaps_and_is_no_comparison_with_itself():
    chain = ledger.check("lemma-9", SHARED[:-1], SHARED[1:], evidence="exact", over="links of a chain")
    assert chain.count == 3


@pytest.mark.parametrize("over", ["all ten thousand networks", "a million of tables"])
def test_instances_are_not_counted_in_words(over):
    with pytest.raises(ValueError, match="counts in words"):
        ledger.check("lemma-9", [1, 2], 3, evidence="exhaustive", over=over)


def test_a_corrected_form_holds_by_more_than_an_infinite_side():
    with pytest.raises(ledger.LedgerError, match="holds by an infinite side alone"):
        ledger.refute("E1", 2.0, 1.0, margin=1.0, over="m = 1", control={"no bound at all": np.inf})
