r"""The laboratory: check every statement on one network h(x) = sum_j u_j relu(<w_j, x> - b_j), your own.

``examine`` returns a ``Report``: the ladder of bounds on the network, and for each statement of the paper and of the
companion with two computable sides, both of them, their ratio, the evidence, and the hypotheses that fail, with the
numbers. Everything is computed when it is called.

Paper: sections 1, 2, 3 and 5. The statements are in ``table``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparse_core import checks
from sparse_core._arrays import Array
from sparse_core.cube.hypercube import points
from sparse_core.network.sparsity import Sparsity

from .. import tables
from .ladder import Ladder, climb
from .observation import Observation, observe
from .outputs import WithConstant, balanced
from .table import NetworkClass, Row, rows, sizes

__all__ = ["Report", "examine"]

# The first statement of each part of a whole report, and the title of the part.
PARTS = {
    "definition-1": "The class",
    "claim-2-1-parseval": "Section 2: Fourier weights and half-spaces",
    "lemma-9-decomposition": "Section 3: the steps of Lemma 9",
    "lemma-9": "Section 3: average sensitivity",
    "lemma-10": "Section 3: noise, tails and degree",
    "activation-budget": "Section 5: any distribution",
}
# The erratum of each statement whose printed form can fail.
ERRATA = {
    "claim-2-1-tail": "E9", "lemma-6": "E10", "eq-U": "E12", "lemma-9-boundary": "E13", "lemma-9-concavity": "E14",
    "lemma-9-union": "E15", "eq-V": "E16", "lemma-9-last-line": "E16", "lemma-9": "E17", "lemma-10": "E18",
    "theorem-8": "E19", "eq-15": "E25", "theorem-19": "E25", "conjecture-20": "E27",
}  # fmt: skip


@dataclass(frozen=True)
class Report(tables.Shown):
    """The statements, checked on one network: ``rows`` of type ``table.Row``, and ``sizes`` of samples.

    A whole report is shown as its summary, and ``print(report.text())`` shows the ladder and all rows; in a notebook
    they can be unfolded. Iterate over the rows, select some by their ids as in ``report["lemma-9", "ours-tail"]`` or by
    a condition with ``only``, or convert the report with ``to_dict``. A selection is shown as its rows.
    """

    title: tuple[str, ...]
    rows: tuple[Row, ...]
    sizes: tuple[tuple[str, str, float], ...] = ()
    ladder: Ladder | None = None
    assumed: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, names: str | tuple[str, ...]) -> Report:
        """The rows of one statement, or of several, by their ids."""
        wanted = (names,) if isinstance(names, str) else names
        if not (isinstance(wanted, (tuple, list)) and all(isinstance(name, str) for name in wanted)):
            raise TypeError(f"A report takes ids, as in report['lemma-9'], not {names!r}; its rows are report.rows.")
        known = dict.fromkeys(row.id for row in self)
        if unknown := [name for name in wanted if name not in known]:
            near = get_close_matches(unknown[0], known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the report has {', '.join(known)}"
            raise KeyError(f"{unknown[0]!r}; {hint}")
        return self.only(lambda row: row.id in wanted)

    def only(self, keep: Callable[[Row], Any]) -> Report:
        """The rows for which ``keep`` is true, under the first line of the title.

        >>> from sparse_core.network import SparseNetwork
        >>> report = examine(SparseNetwork([1], [[1]], [-2]))                       # relu(x + 2)
        >>> [row.id for row in report.only(lambda row: row.verdict == "fails" and row.form == "printed")]
        ['eq-U']
        """
        checks.function("keep", keep)
        return replace(self, title=self.title[:1], rows=tuple(row for row in self if keep(row)), sizes=(), ladder=None)

    @property
    def summary(self) -> tuple[str, ...]:
        """What sums of single inputs explain, and sparsity; what fails, by which erratum; how much is vacuous.

        >>> examine(([1, -1], [[1, 1], [-1, -1]], [1, 1])).summary[2:4]
        ('44 of 48 statements apply.', '1 fails: lemma-9-boundary (E13).')
        """
        applicable = [row for row in self if row.applies]
        statements = {row.id for row in self}
        apply = {row.id for row in applicable}
        fails = dict.fromkeys(row.id for row in applicable if row.verdict == "fails")
        informative = {row.id for row in applicable if row.trivial is not None and not row.vacuous}
        vacuous = {row.id for row in applicable if row.vacuous}.difference(informative, fails)
        known = [f"{name} ({ERRATA.get(name, 'no erratum: please report it')})" for name in fails]
        failing = f"{len(fails)} fail{'s' if len(fails) == 1 else ''}: {', '.join(known)}." if fails else "None fails."
        return (
            *(self.ladder.sentences if self.ladder else ()),
            f"{len(apply)} of {len(statements)} statements apply.",
            failing,
            f"{len(vacuous) or 'None'} {'are' if len(vacuous) > 1 else 'is'} vacuous "
            "(no stronger than the trivial bound).",
        )

    def document(self) -> tables.Document:
        """The summary, what was assumed, the title, the ladder and all tables; of a selection, its rows."""
        if not self.sizes:
            return tables.Document((), (_table("\n".join(self.title), self.rows),), "", 1)
        parts: dict[str, list[Row]] = {}
        name = ""
        for row in self:
            name = PARTS.get(row.id, name)
            parts.setdefault(name, []).append(row)
        needed = [[tables.Claim(name), form, _number(m)] for name, form, m in self.sizes]
        found = (
            *(self.ladder.document().tables if self.ladder else ()),
            *(_table(name, some) for name, some in parts.items()),
            tables.Table("Samples needed", ["statement", "form", "samples"], needed, headed=True),
        )
        notes = self.ladder.notes if self.ladder else ()
        claims = frozenset((*(row.id for row in self), *ERRATA.values()))
        more = f"What was assumed, the ladder and all {len(self.rows)} rows"
        remarks = (*self.assumed, *notes, *self.title)
        return tables.Document(self.summary, found, more, claims=claims, remarks=remarks)

    def to_dict(self) -> dict[str, Any]:
        """Lists, dictionaries, strings and numbers for JSON, where numbers that are not finite are the strings
        "Infinity", "-Infinity" and "NaN", which ``float`` reads.

        >>> from sparse_core.network import SparseNetwork
        >>> sorted(examine(SparseNetwork([1], [[1]], [0])).to_dict())
        ['assumed', 'ladder', 'rows', 'sizes', 'summary', 'title']
        """
        derived = ("applies", "slack", "vacuous", "verdict")
        found = {
            "assumed": self.assumed,
            "summary": self.summary,
            "title": self.title,
            "ladder": self.ladder and self.ladder.to_dict(),
            "rows": [{**asdict(row), **{name: getattr(row, name) for name in derived}} for row in self],
            "sizes": [{"id": name, "form": form, "samples": m} for name, form, m in self.sizes],
        }
        plain: dict[str, Any] = tables.for_json(found)
        return plain

    def __repr__(self) -> str:
        return self.document().text(folded=False)


def _table(title: str, some: Iterable[Row]) -> tables.Table:
    header = ["statement", "form", "left", "right", "slack", "verdict", "evidence and remarks"]
    return tables.Table(title, header, [_cells(row) for row in some], headed=True, kind="report")


def _number(x: float | None) -> str:
    return "" if x is None else "not a number" if isnan(x) else f"{x:.4g}"


def _cells(row: Row) -> list[str]:
    left, right = (None if side is None else side.value for side in (row.left, row.right))
    remarks = [row.evidence, row.at]
    for name, side in (("left", row.left), ("right", row.right)):
        if side is not None and side.low < side.high:
            remarks.append(f"{name} in [{side.low:.4g}, {side.high:.4g}]")
    if row.vacuous:
        remarks.append(f"vacuous: left {row.relation} {_number(row.trivial)} in any case")
    remarks += row.failed
    verdict = row.verdict if row.applies else f"({row.verdict})"
    compared = "" if right is None else f"{row.relation} {_number(right)}"
    numbers = _number(left), compared, _number(row.slack)
    return [tables.Claim(row.id), row.form, *numbers, verdict, "; ".join(filter(None, remarks))]


def examine(
    network: Any, X: ArrayLike | None = None, *, output: int | None = None,
    k: int | None = None, W: float | None = None, B: float | None = None, degree: int = 1, rho: float = 0.9,
    eps: float | None = None, delta: float = 0.05, seed: int = 0,
) -> Report:  # fmt: skip
    """left <= right for every statement with two computable sides, checked on one network.

    Parameters
    ----------
    network, output : as for ``as_network``, or with X a pipeline that ends in an MLP: X then passes through the steps
        before it. An output bias is ignored: it changes no sensitivity and no tail.
    X : (m, n) points, on which the inputs are then uniform, and which are the sample of the Rademacher complexities.
        The statements about uniform bits are left out. Without X the inputs are uniform on {-1, 1}^n.
    k, W, B : the class H_{n,s,k}^{W,B} of the bounds; by default the smallest that contains the network, as far as k
        can be certified. A k from ``net.sparsity(...)`` is used with its certificate, which must be
        one of this network; any other integer is an assumption.
    degree, rho : of the Fourier tails and of the noise, 0 <= degree and abs(rho) < 1.
    eps, delta : the loss and the failure probability of the learners; eps is a tenth of the loss of the best constant,
        Var h / 20, by default, and 0.1 for a constant h.
    seed : of everything that is sampled.

    Notes
    -----
    For n up to 20, if the cube and the neurons make no more than 2^24 pairs, the whole cube is visited and the rows are
    exact. Otherwise they rest on a sample, with 95 % intervals, and the best verdict is "no counterexample".

    A verdict in brackets is about a statement some of whose hypotheses fail. "vacuous" is a bound that is no stronger
    than what holds for every function of the same variance, or of the same range. The empty network counts as one
    neuron of weight 0, and a cube of dimension 0 as one of dimension 1 whose coordinate is not read.

    >>> report = examine(([2], [[1, 1]], [1]))                                      # 2 [x = (1, 1)]
    >>> [(row.form, row.left.value, round(row.right.value, 9)) for row in report["eq-U"]]
    [('printed', 0.0, 2.0), ('repaired', 0.0, 8.0)]
    """
    rho = checks.real("rho", rho, above=-1, below=1)
    delta = checks.real("delta", delta, 0, 1)
    degree = checks.integer("degree", degree, 0)
    known, found, sparsity = observe(network, X, output=output, k=k, seed=seed)
    net = found.net
    c = NetworkClass(
        net.n, net.s,
        min(net.s, max(1, sparsity.upper) if k is None else checks.integer("k", k, 1)),
        net.scale.W if W is None else checks.real("W", W, 0),
        net.scale.B if B is None else checks.real("B", B, 0),
    )  # fmt: skip
    eps = found.loss(eps)
    # Not the stream of numbers that the sample of the cube comes from.
    rng = np.random.default_rng([seed, 1])
    sample = _five(net.n, rng) if X is None else found.X
    table = tuple(rows(found, c, sparsity, sample, degree, rho, eps, rng))
    R = float(np.linalg.norm(np.ones((1, net.n)) if X is None else sample, axis=1).max()) or 1.0
    title = _title(known, found, sparsity, c, eps, delta)
    needed = tuple(sizes(found, c, R, eps, delta))
    return Report(title, table, needed, climb(found, sparsity, eps, delta, seed), (*known.notes, found.inputs))


def _five(n: int, rng: np.random.Generator) -> Array:
    """Five random points of the cube, or all if there are no more: few enough for exact complexities."""
    if n <= 2:
        return points(n).astype(np.float64)
    return rng.choice([-1.0, 1.0], (5, n))


def _title(
    known: WithConstant, found: Observation, sparsity: Sparsity, c: NetworkClass, eps: float, delta: float
) -> tuple[str, ...]:
    net = known.net
    even = balanced(net).scale
    k = f"{c.k} (assumed)" if sparsity.upper > c.k else c.k
    compared = f"Compared with the class H, n = {c.n}, s = {c.s}, k = {k}, W = {c.W:.4g}, B = {c.B:.4g}"
    if even.W < net.scale.W * (1 - 1e-9):
        compared += f"; balanced, the same function has W = {even.W:.4g}, B = {even.B:.4g}"
    padding = found.net.s - net.s
    never_active = int(np.count_nonzero(~found.active.any(axis=0))) - padding
    seen = (
        f"Active on average: {found.K.mean():.4g} of {tables.counted(net.s, 'neuron')}; "
        f"never active: {never_active}; variance {found.variance:.4g}."
    )
    if known.constant:
        seen += f" The output bias {known.constant:.4g} is ignored."
    return (
        f"{tables.counted(net.n, 'input')}, {tables.counted(net.s, 'neuron')}; active at once: {sparsity!r}.",
        f"{compared}.",
        seen,
        f"Learners: loss {eps:.4g} with probability {1 - delta:g}.",
    )
