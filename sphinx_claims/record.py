r"""Verdicts that are stored in the notebook: ``check`` and ``refute``.

``check`` compares the two sides of a statement on instances that have been computed; ``refute`` shows an instance on
which the printed form of a statement fails. Both raise an error if the comparison fails, both refuse zero instances,
and both return a ``Record``, which is shown as one line and stored as data in the output of its notebook cell. The
ledger page of a site is made of those data, of the boxes on its pages and of the files of claims. This module imports
NumPy alone: it works in a kernel, and in a browser, without Sphinx.

Words of evidence. *exact*: the instances that are named, computed without sampling: on the whole cube, by a closed form
or in exact arithmetic; floats up to the tolerance. *exhaustive*: every member of the family that is named. *certified*:
bounded by a certificate that was checked. *sampled*: random instances from a named seed; it is reported as "no
counterexample among N", never as a proof. *refuted*: a witness with its margin. So what is sampled names its seed, and
what is exact or exhaustive has none.

A check that cannot fail shows nothing. So each has a *control*: the same comparison with a hypothesis or a constant
mutated, which must fail. The control of a refutation is the corrected form, which must hold on the same witness. A
control that gives the right side alone keeps the instances; one that changes a hypothesis gives both sides, on
instances of its own, whose number is shown.

A check whose sides are one object or one part of the memory, or whose instances are all the same two numbers while no
control changes the left one, is refused, and so is a control that fails whatever it is compared with: by an infinite
side alone, or for want of a positive bound. The number of instances is counted here: ``over`` names them
and must not claim a number of its own, and no side is spread over the instances of the other but a single number.
What a cell does has to be read: that two sides were computed in two ways, no comparison of them can tell.

An exercise may check or refute a claim that has been changed: under the id of the claim with ``exercise-`` before it.
Such a record is shown like any other, and never counts as evidence for a claim.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Rational, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LedgerError", "Record", "check", "label", "misnamed_seed", "refute"]

MIME = "application/vnd.sphinx-claims.record+json"
# Before the id of the claim that an exercise changes.
EXERCISE = "exercise-"
EVIDENCE = ("exact", "exhaustive", "certified", "sampled")
RELATIONS = ("<=", "==")
# The relative tolerance of a comparison of floats: sums of some 10^6 terms stay well below it. Integers and fractions
# are compared exactly.
RTOL = 1e-9
# A number in the words of a check, the signs that give a parameter its values, and what stands between such values.
NUMBER = re.compile(r"(?<![\w.^])(?:\d{1,3}(?: \d{3})+|\d+\^\d+|\d+(?:\.\d+)?(?:e\d+)?)(?!\w)")
SIGN = re.compile(r"[=<>]")
LISTED = re.compile(r"\b(?:and|or|to)\b")
# What the name of a control has.
LETTER = re.compile(r"[^\W\d_]")
# Words for a number of instances, of an exhaustive family; smaller ones, as in "two vertices", are those of parameters.
MAGNITUDE = re.compile(r"\b(?:hundred|thousand|million|billion|trillion)s?\b")
# The largest relative tolerance: what central differences need; little else needs more than 1e-8.
MAX_RTOL = 1e-5
# The largest absolute tolerance: sums of some 10^4 numbers of order 1, of which one side may be 0, need no more.
MAX_ATOL = 1e-9


# Sides of a comparison, one number for each instance; whether each compares as it must.
Array = NDArray[Any]


class LedgerError(AssertionError):
    """A statement that does not hold as claimed, or claims and evidence that disagree."""


@dataclass(frozen=True)
class Record:
    """One line of the ledger, as data."""

    claim: str
    evidence: str
    relation: str
    over: str
    count: int
    pairs: int  # of sides that differ, so that copies of one instance count once
    slack: tuple[float, float] | None = None  # min and max of right side / left side, for "<="
    deviation: float | None = None  # for "==": largest |left - right|, of numbers above 1 relative to them
    margin: str | None = None  # left side - right side at the witness, for a refutation
    sides: tuple[str, str] | None = None  # both sides at the witness
    rtol: float = 0.0
    atol: float = 0.0
    seed: int | None = None
    interval: tuple[float, float] | None = None
    controls: tuple[str, ...] = ()
    page: str = ""  # on which it stands, as far as its notebook has been read

    @classmethod
    def of(cls, data: Any, page: str = "") -> Record:
        """The record whose data the notebook of a page has stored; what has another form is refused.

        >>> record = check("lemma-9", [1, 1], [2, np.inf], evidence="exact", over="pairs")
        >>> Record.of({**asdict(record), "slack": [2.0, "inf"]}) == record
        True
        """
        kinds = {"claim": str, "over": str, "count": int, "pairs": int}
        names = {field.name for field in fields(cls)} - {"page"}
        sound = isinstance(data, dict) and data.keys() >= names and data["evidence"] in (*EVIDENCE, "refuted")
        if not sound or {key: type(data[key]) for key in kinds} != kinds:
            raise LedgerError(f"{page}: this is no record of ledger.check or ledger.refute: {data!r:.99}")
        found: dict[str, Any] = {"page": page}
        for name in names:
            value = data[name]
            found[name] = tuple(value) if isinstance(value, list) else value
        if found["slack"]:
            found["slack"] = tuple(map(float, found["slack"]))
        return cls(**found)

    @property
    def anchor(self) -> str:
        """The place of this record on its page: an HTML id that depends on what is claimed, not on what was found."""
        text = "|".join((self.claim, self.evidence, self.relation, self.over))
        return f"record-{self.claim}-{hashlib.sha256(text.encode()).hexdigest()[:6]}"

    @property
    def tightness(self) -> str | None:
        """min right / left <= 1.5: "tight"; <= 10: "within 10×"; beyond: "loose". Of an identity: "equality".

        None for a refutation, and where no instance with a positive left side has a finite right side.

        >>> check("lemma-9", [0, 1, 2], 4, evidence="exact", over="graphs").tightness
        'within 10×'
        """
        if self.evidence == "refuted":
            return None
        if self.relation == "==":
            return "equality"
        if self.slack is None or self.slack[0] == np.inf:
            return None
        if self.slack[0] <= 1.5:
            return "tight"
        if self.slack[0] <= 10:
            return "within 10×"
        return "loose"

    @property
    def finding(self) -> str:
        """What was found, in words: the line without the name of the claim."""
        many = grouped(self.count)
        if self.evidence == "refuted":
            left, right = self.sides or ("", "")
            sign = ">" if self.relation == "<=" else "≠"
            parts = [f"{left} {sign} {right}", f"margin {self.margin}", self.over]
        elif self.evidence == "sampled":
            parts = [f"no counterexample among {many} {self.over}", f"seed {self.seed}"]
        else:
            parts = [f"{many} {self.over}"]
        if self.slack is not None:
            ends = dict.fromkeys(map(_number, self.slack))  # one where both read alike
            parts.append(f"slack {'–'.join(ends)}×")
        if self.deviation == 0:
            parts.append("equal")
        elif self.deviation is not None:
            # an upper bound of round-off as a power of ten, so that the line is the same on every machine
            order = max(1e-12, 10.0 ** np.ceil(np.log10(self.deviation)))
            parts.append(f"equal to {order:.0e}")
        if self.atol:
            parts.append(f"absolute tolerance {self.atol:g}")
        if self.interval is not None:
            parts.append(f"95 % interval [{_number(self.interval[0])}, {_number(self.interval[1])}]")
        return " · ".join(parts)

    def __str__(self) -> str:
        lines = [f"{label(self.claim)} · {self.evidence} · {self.finding}"]
        return "\n".join(lines + [f"  control: {c}" for c in self.controls])

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The line for readers of the notebook, and the data that the book shows and counts: those of a comparison."""
        if self not in _FOUND:
            return {"text/plain": f"{self}\n  (no comparison found this)"}
        text = json.dumps({**asdict(self), "anchor": self.anchor}, default=int)  # a seed may be an integer of NumPy
        data = json.loads(text, parse_constant=lambda name: repr(float(name)))  # infinite numbers as text
        del data["page"]
        return {"text/plain": str(self), MIME: data}


# The records that ``check`` and ``refute`` made: one that was made or changed by hand is none of them.
_FOUND: set[Record] = set()


def _found(record: Record) -> Record:
    _FOUND.add(record)
    return record


def grouped(count: int) -> str:
    """A number with its digits in groups of three."""
    return f"{count:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def label(claim_id: str) -> str:
    """The readable name of a claim's id.

    >>> label("lemma-9"), label("claim-2-1-tail"), label("E16"), label("ours-theorem-e-bias")
    ('Lemma 9', 'Claim 2.1 tail', 'E16', 'Theorem E bias (ours)')
    >>> label("exercise-eq-U")
    'Exercise on Equation (U)'
    """
    if claim_id.startswith(EXERCISE):
        return f"Exercise on {label(claim_id.removeprefix(EXERCISE))}"
    if claim_id.startswith("eq-"):
        return f"Equation ({claim_id[3:]})"
    ours = claim_id.startswith("ours-")
    name = claim_id.removeprefix("ours-")
    name = re.sub(r"(\d)-(?=\d)", r"\1.", name).replace("-", " ")
    name = re.sub(r"(?<=theorem )[a-z]\b", lambda letter: letter[0].upper(), name)
    return name[:1].upper() + name[1:] + (" (ours)" if ours else "")


def check(
    claim_id: str, lhs: Any, rhs: Any, *, evidence: str, over: str, relation: str = "<=",
    control: Mapping[str, Any] | None = None, rtol: float = RTOL, atol: float = 0.0,
    seed: int | None = None, interval: tuple[float, float] | None = None,
) -> Record:  # fmt: skip
    """lhs <= rhs (or lhs == rhs) on every instance, or a LedgerError.

    Parameters
    ----------
    claim_id : the stable id of the claim in the files of claims.
    lhs, rhs : real numbers or arrays that broadcast; one entry per instance. Integers and fractions are compared
        exactly. One array on both sides is refused.
    evidence : "exact", "exhaustive", "certified" or "sampled".
    over : the instances in words, after their number: "graphs with at most 6 vertices". Of "exhaustive"
        a number above the number of instances may only be that of a parameter, after its sign: "q = 1024".
    relation : "<=" or "==".
    control : what was mutated -> the mutated right side, for the same instances, or the pair of both mutated sides.
        Each must fail somewhere. Where all instances of a family are the same two numbers, one has another left side.
    rtol, atol : floats are compared to within rtol * max(|lhs|, |rhs|) + atol, at most 1e-5 and 1e-9.
    seed : of the instances; required for "sampled", refused for "exact" and "exhaustive".
    interval : (low, high), a 95 % confidence interval of what was sampled.

    Examples
    --------
    >>> check("lemma-9", [1.0, 3.0], 4.0, evidence="exhaustive", over="graphs", control={"4 becomes 2": 2.0})
    Lemma 9 · exhaustive · 2 graphs · slack 1.33–4×
      control: 4 becomes 2: fails on 1 of 2
    >>> check("lemma-9", 5, 4, evidence="exact", over="graph")
    Traceback (most recent call last):
    sphinx_claims.record.LedgerError: lemma-9 fails on 1 of 1 graph: 5 <= 4 is false (instance 0).
    """
    _one_of("evidence", evidence, EVIDENCE)
    _one_of("relation", relation, RELATIONS)
    if fault := misnamed_seed(evidence, seed):
        raise ValueError(f"Argument 'seed' {fault}.")
    rtol = _tolerance("rtol", rtol, MAX_RTOL)
    atol = _tolerance("atol", atol, MAX_ATOL)
    if interval is not None:
        low, high = map(float, interval)
        if not -np.inf < low <= high < np.inf:
            rule = "must be finite numbers (low, high) with low <= high"
            raise ValueError(f"Argument 'interval' {rule}, not {interval}.")
        interval = low, high
    left, right, exact = _sides(claim_id, lhs, rhs)
    if exact:
        rtol = 0.0
        atol = 0.0
    if fault := miscounted(over, evidence, left.size):
        raise ValueError(f"Argument 'over' {fault}.")
    bad = np.flatnonzero(_violations(left, right, relation, rtol, atol))
    if bad.size:
        raise LedgerError(
            f"{claim_id} fails on {bad.size} of {left.size} {over}: "
            f"{_number(left[bad[0]])} {relation} {_number(right[bad[0]])} is false (instance {bad[0]})."
        )
    if relation == "<=" and not ((left >= 0) & (right < np.inf)).any():
        raise LedgerError(f"{claim_id}: a bound on what is negative, or by infinity, holds whatever was computed.")
    caught = []
    family = left.size > 1 or evidence in ("exhaustive", "sampled")
    varied = not (family and (left == left[0]).all() and (right == right[0]).all())
    if interval is not None and not _meets(interval, left, right):
        raise LedgerError(f"{claim_id}: the interval {interval} meets neither side of what was sampled.")
    for mutation, changed, against in _mutated(claim_id, lhs, control, left.size):
        varied = varied or (changed != left[0]).any()
        failing = _violations(changed, against, relation, rtol, atol)
        failures = int(failing.sum())
        if failures == 0:
            raise LedgerError(f"{claim_id}: the control '{mutation}' was not caught, so this check cannot fail.")
        if not (failing & _finite(changed, against)).any():
            raise LedgerError(f"{claim_id}: the control '{mutation}' fails by an infinite side alone.")
        if relation == "<=" and changed.shape == left.shape and (changed == left).all() and (against <= 0).all():
            raise LedgerError(
                f"{claim_id}: the control '{mutation}' has no positive bound, so any check would catch it."
            )
        caught.append(f"{mutation}: fails on {failures} of {changed.size}")
    if not varied:
        same = f"{_number(left[0])} {relation} {_number(right[0])}"
        raise LedgerError(
            f"{claim_id}: every instance is {same}, and no control changes the left side, so nothing shows that it was "
            "computed."
        )
    slack = None
    deviation = None
    if relation == "==":
        with np.errstate(invalid="ignore"):  # infinity less infinity
            apart = np.abs(left - right) / np.maximum(1, _size(left, right))
        deviation = float(np.where(left == right, 0, apart).max())
    elif (positive := (left > 0) & (left < np.inf)).any():
        with np.errstate(over="ignore"):  # a slack beyond 1e308 is infinite
            ratio = right[positive] / left[positive]
        slack = float(ratio.min()), float(ratio.max())
    return _found(Record(
        claim_id, evidence, relation, over, left.size, _pairs(left, right), slack=slack, deviation=deviation,
        rtol=rtol, atol=atol, seed=seed, interval=interval, controls=tuple(caught),
    ))  # fmt: skip


def misnamed_seed(evidence: str, seed: int | None) -> str | None:
    """The rule for seeds that is broken, with the value; None if "sampled" has one and "exact", "exhaustive" have none.

    >>> misnamed_seed("exact", 7)
    "must be None for evidence 'exact', not 7"
    >>> misnamed_seed("sampled", None)
    "must be an integer for evidence 'sampled', not None"
    """
    if evidence == "sampled" and (seed is None or isinstance(seed, bool) or not hasattr(seed, "__index__")):
        return f"must be an integer for evidence 'sampled', not {seed!r}"
    if evidence in ("exact", "exhaustive") and seed is not None:
        return f"must be None for evidence '{evidence}', not {seed!r}"
    return None


def miscounted(over: str, evidence: str, count: int) -> str | None:
    """The rule for numbers in ``over`` that is broken, with the value; None if it claims no number of instances.

    It sees numbers in figures, also 10^9 and 65 536, and large ones in words. It does not see those behind a sign, as
    in N = 10^9, nor whether the words are true.

    >>> miscounted("44 vertices", "exact", 44)
    "must not begin with a number, which is counted: '44 vertices'"
    >>> miscounted("graphs with at most 10^9 vertices", "exhaustive", 44)
    "names 10^9, more than the 44 instances that were checked: 'graphs with at most 10^9 vertices'"
    >>> miscounted("tables, N = 64 and 10^9", "exhaustive", 44)
    """
    if NUMBER.match(over):
        return f"must not begin with a number, which is counted: {over!r}"
    if evidence == "exhaustive" and (word := MAGNITUDE.search(over)):
        return f"counts in words, '{word[0]}', what is counted here: {over!r}"
    for number in NUMBER.finditer(over) if evidence == "exhaustive" else ():
        before = over[: number.start()]
        # after the last sign stand at most other values of the same parameter
        of_parameter = SIGN.search(before) and not re.search(r"[^\W\d]", LISTED.sub("", SIGN.split(before)[-1]))
        base, _, power = number[0].replace(" ", "").partition("^")
        if not of_parameter and Decimal(base) ** int(power or 1) > count:
            return f"names {number[0]}, more than the {count} instances that were checked: {over!r}"
    return None


def refute(
    claim_id: str, lhs: Any, rhs: Any, *, margin: Any, over: str, relation: str = "<=",
    control: Mapping[str, Any] | None = None,
) -> Record:  # fmt: skip
    """lhs >= rhs + margin on some instance, so that the printed lhs <= rhs is false; or a LedgerError.

    For the relation "==", the two sides differ by at least ``margin``. The margin is what separates a refutation from
    round-off: for floats it must exceed 1e-9 of the sides. ``control`` names the corrected form and gives its right
    side, or its two sides; it must hold on every instance.

    >>> from fractions import Fraction
    >>> refute("E10", Fraction(1, 4), Fraction(1, 8), margin=Fraction(1, 8), over="the dictator, n = 1",
    ...        control={"with the factor 1/2": Fraction(1, 4)})
    E10 · refuted · 1/4 > 1/8 · margin 1/8 · the dictator, n = 1
      control: with the factor 1/2: holds
    """
    _one_of("relation", relation, RELATIONS)
    left, right, exact = _sides(claim_id, lhs, rhs)
    gaps = _gaps(left, right, relation)
    i = int(np.argmax(gaps))
    gap, largest_left, largest_right = map(_number, (gaps[i], left[i], right[i]))
    floor = 0 if exact else RTOL * max(abs(left[i]), abs(right[i]))
    if not margin > floor:
        raise LedgerError(f"{claim_id}: a margin of {margin} does not exceed the round-off of the sides, {floor}.")
    if not gaps[i] >= margin:
        less = f"{largest_left} exceeds {largest_right} by {gap}, less than the margin {_number(margin)}"
        raise LedgerError(f"{claim_id} is not refuted: {less}.")
    for corrected, true, bound in _mutated(claim_id, lhs, control, left.size):
        if _violations(true, bound, relation, RTOL, 0.0).any():
            raise LedgerError(f"{claim_id}: the corrected form '{corrected}' fails on the witness as well.")
        if not _finite(true, bound).any():
            raise LedgerError(f"{claim_id}: the corrected form '{corrected}' holds by an infinite side alone.")
    return _found(Record(
        claim_id, "refuted", relation, over, left.size, _pairs(left, right), margin=gap,
        sides=(largest_left, largest_right), controls=tuple(f"{corrected}: holds" for corrected in control or {}),
    ))  # fmt: skip


def _mutated(
    claim_id: str, lhs: Any, control: Mapping[str, Any] | None, count: int
) -> Iterator[tuple[str, Array, Array]]:
    """The name and both sides of each control; one that gives the right side alone is of the instances of the check."""
    for name, sides in (control or {}).items():
        if not LETTER.search(name):
            raise LedgerError(f"{claim_id}: a control must have a name that says what is changed, not {name!r}.")
        alone = not isinstance(sides, tuple)
        if alone:
            sides = lhs, sides
        left, right, _ = _sides(claim_id, *sides)
        if alone and left.size != count:
            raise LedgerError(f"{claim_id}: the control '{name}' has {left.size} instances, and the check {count}.")
        yield name, left, right


def _one_of(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"Argument '{name}' must be one of {', '.join(map(repr, choices))}, not {value!r}.")


def _tolerance(name: str, value: Any, largest: float) -> float:
    """0 <= value <= largest, as a float."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"Argument '{name}' must be a real number, not {value!r}.")
    number = float(value)
    rules = {"finite": isfinite(number), "at least 0": number >= 0, f"at most {largest}": number <= largest}
    for rule, holds in rules.items():
        if not holds:
            raise ValueError(f"Argument '{name}' must be {rule}, not {number}.")
    return number


def _finite(left: Array, right: Array) -> Array:
    finite: Array = np.isfinite(np.array([left, right], float)).all(axis=0)
    return finite


def _meets(interval: tuple[float, float], left: Array, right: Array) -> bool:
    """Whether an interval has a number between the least and the greatest of both sides."""
    numbers = np.array([left, right], float)
    numbers = numbers[np.isfinite(numbers)]
    return bool(numbers.size) and interval[0] <= numbers.max() and interval[1] >= numbers.min()


def _sides(claim_id: str, lhs: Any, rhs: Any) -> tuple[Array, Array, bool]:
    """Both sides as flat arrays of one length, and whether they can be compared exactly."""
    if np.ndim(lhs) > 0 and (lhs is rhs or _same_memory(lhs, rhs)):  # two equal numbers may be one object
        raise LedgerError(f"{claim_id}: both sides are the same object, so the comparison cannot fail.")
    shapes = np.shape(lhs), np.shape(rhs)
    if np.broadcast_shapes(*shapes) not in shapes:
        raise LedgerError(f"{claim_id}: sides of the shapes {shapes[0]} and {shapes[1]} would multiply the instances.")
    left, right = map(np.ravel, np.broadcast_arrays(lhs, rhs))
    if left.size == 0:
        raise LedgerError(f"{claim_id}: a check over zero instances says nothing.")
    for name, side in (("lhs", left), ("rhs", right)):
        if np.iscomplexobj(side) or side.dtype == object and any(isinstance(v, complex) for v in side):
            raise TypeError(f"Argument '{name}' must be real; compare real and imaginary parts.")
    kinds = left.dtype.kind + right.dtype.kind
    if "f" not in kinds and not ("O" in kinds and any(isinstance(v, float) for v in (*left, *right))):
        return _exact("lhs", left), _exact("rhs", right), True
    left = left.astype(float)
    right = right.astype(float)
    if np.isnan(left).any() or np.isnan(right).any():
        raise LedgerError(f"{claim_id}: a side is not a number.")
    return left, right, False


def _same_memory(lhs: Any, rhs: Any) -> bool:
    """Whether two arrays are views of the same numbers in the same order; a chain, x[:-1] and x[1:], is none."""
    arrays = isinstance(lhs, np.ndarray) and isinstance(rhs, np.ndarray)
    return arrays and lhs.__array_interface__ == rhs.__array_interface__


def _exact(name: str, side: Array) -> Array:
    """Integers and fractions of Python, which compare as numbers do; objects that compare as they like are refused."""
    if side.dtype != object:
        return side.astype(object)
    for value in side:
        if not isinstance(value, (Rational, Decimal)):
            raise TypeError(f"Argument {name!r} must hold numbers, not {type(value).__name__}.")
    return np.array([Fraction(value) for value in side], dtype=object)


def _pairs(left: Array, right: Array) -> int:
    """How many pairs of sides differ. Floats are counted by a grid of six digits, below 1/1000 of nine places, so that
    round-off, which depends on the processor, makes no pair of its own; 1/3 keeps round numbers off the lines."""
    if left.dtype != object:
        left, right = np.floor(1e6 * np.arcsinh(1e3 * np.array([left, right])) + 1 / 3)
    return len({*zip(left.tolist(), right.tolist(), strict=True)})


def _violations(left: Array, right: Array, relation: str, rtol: float, atol: float) -> Array:
    bad: Array = left > right if relation == "<=" else left != right
    if left.dtype == object:
        return bad
    with np.errstate(invalid="ignore"):
        allowed = rtol * _size(left, right) + atol
        beyond = _gaps(left, right, relation) > allowed
    return np.where(_finite(left, right), beyond, bad)  # infinity has no round-off


def _gaps(left: Array, right: Array, relation: str) -> Array:
    """By how much each left side exceeds its right side; for "==", how far they are apart."""
    gaps: Array = left - right
    if relation == "==":
        gaps = np.abs(gaps)
    return gaps


def _size(left: Array, right: Array) -> Array:
    return np.asarray(np.maximum(np.abs(left), np.abs(right)))


def _number(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.3g}"
    return str(value)
