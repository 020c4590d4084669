r"""The laboratory: check every statement on one network h(x) = sum_j u_j relu(<w_j, x> - b_j), your own.

``examine`` takes arrays, a ``SparseNetwork`` or a trained scikit-learn MLP with one ReLU layer, and returns a
``Report``: for each statement of the paper and of the companion with two computable sides, both of them, their ratio,
the evidence, and the hypotheses that fail, with the numbers. Everything is computed when it is called.

Paper: sections 1, 2, 3 and 5. The statements are in ``table``.
"""

from __future__ import annotations

import html
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from math import inf, isfinite, isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _tables, checks
from .._arrays import Array
from ..cube.hypercube import points
from ..network.network import SparseNetwork
from ..network.sparsity import AUTO_PAIRS, Sparsity
from .measurements import Measurements, measure
from .table import NetworkClass, Row, rows, sizes

__all__ = ["Report", "WithConstant", "as_network", "balanced", "examine"]

# The dimension of the largest cube that is visited point by point.
EXACT_N = 20
# (point, neuron) pairs up to which the flips are tried at every point of the cube: a few seconds.
EXACT_PAIRS = 1 << 24
# (point, neuron, flip) triples in a sample of the cube, which sets its size between MIN_SAMPLE and MAX_SAMPLE points:
# some ten seconds.
SAMPLED_TRIPLES = 1 << 28
MIN_SAMPLE = 256
MAX_SAMPLE = 4096
# Inputs up to which the flips of a sample are tried: a quarter of a minute, and less than a gigabyte.
MAX_INPUTS = 1 << 18
# s^2 n up to which pairs of neurons are compared: a second.
PAIR_GRAPH = 1 << 26
# The largest W and B of a network, and coordinate of a point: squares of sums of them stay below the 1e60 that bounds
# accept.
MAX_SCALE = 1e20
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
# Definitions and steps of proofs, whose bounds are no results.
STEPS = ("definition-", "lemma-9-", "eq-U", "eq-V")
RELATION_SIGNS = {"<=": "\N{LESS-THAN OR EQUAL TO}", "==": "="}


@dataclass(frozen=True)
class WithConstant:
    """h(x) + constant: a network and the output bias that stands beside it.

    >>> WithConstant(SparseNetwork([1], [[1]], [0]), 0.5)([[1.0], [-1.0]])
    array([1.5, 0.5])
    """

    net: SparseNetwork
    constant: float = 0.0

    def __call__(self, X: ArrayLike) -> Array:
        """h(x) + constant for each row x of X."""
        return self.net(X) + self.constant


def as_network(source: Any, output: int | None = None) -> WithConstant:
    """h(x) + constant from arrays u (s,), W (s, n), b (s,), a ``SparseNetwork`` or a trained scikit-learn MLP.

    An ``MLPRegressor`` or ``MLPClassifier`` must be fitted and have one hidden layer with activation 'relu'; if it has
    several outputs, ``output`` is the number of one, from 0. Values are those before the output function: for a binary
    classifier the logit, for several classes the score of class ``classes_[output]``.

    >>> as_network(([1, -1], [[1, 1], [-1, 0]], [0, 0.5])).net
    SparseNetwork(n=2, s=2, W=1.41421, B=0.5)
    >>> from sklearn.neural_network import MLPRegressor
    >>> X, mlp = [[1], [-1]], MLPRegressor(hidden_layer_sizes=(3,), solver="lbfgs", random_state=0)
    >>> bool(np.allclose(as_network(mlp.fit(X, [1.0, 0.0]))(X), mlp.predict(X)))
    True
    """
    if isinstance(source, WithConstant):
        return source
    if isinstance(source, SparseNetwork):
        return WithConstant(source)
    if isinstance(source, (tuple, list)) and len(source) == 3:
        return WithConstant(_from_arrays(*source))
    from sklearn.neural_network import MLPClassifier, MLPRegressor  # slow to load: only for what may be one of these

    if isinstance(source, (MLPRegressor, MLPClassifier)):
        return _from_sklearn(source, output)
    advice = " Of a pipeline pass the last step, pipeline[-1]." if hasattr(source, "steps") else ""
    raise TypeError(
        "Argument 'network' must be arrays (u, W, b), a SparseNetwork, or a fitted MLPRegressor or MLPClassifier, "
        f"not {type(source).__name__}.{advice}"
    )


def _from_arrays(u: Any, W: Any, b: Any) -> SparseNetwork:
    """The network of three arrays; W with one neuron in each column, as in other libraries, is refused if its shape
    shows it.
    """
    try:
        net = SparseNetwork(u, W, b)
    except ValueError:
        if _fits(u, W, b):
            raise ValueError(
                f"Argument 'W' must have one neuron in each row, not in each column as here, where its shape is "
                f"{np.shape(W)}: pass W.T."
            ) from None
        raise
    if isinstance(W, np.ndarray) and net.n == net.s and not np.array_equal(W, W.T):
        warnings.warn(
            "W is square, and its rows were taken for the neurons. If they are its columns, as in scikit-learn and "
            "Keras, pass W.T; pass SparseNetwork(u, W, b) if they are rows.",
            stacklevel=4,
        )
    return net


def _fits(u: Any, W: Any, b: Any) -> bool:
    """Whether u, W.T and b are the arrays of a network."""
    with suppress(ValueError, TypeError):
        SparseNetwork(u, np.transpose(W), b)
        return True
    return False


def _from_sklearn(mlp: Any, output: int | None) -> WithConstant:
    from sklearn.base import is_classifier
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(mlp)
    if mlp.activation != "relu":
        raise ValueError(f"Argument 'network' must have activation 'relu', not {mlp.activation!r}.")
    if len(mlp.coefs_) != 2:
        raise ValueError(f"Argument 'network' must have one hidden layer, not {len(mlp.coefs_) - 1}.")
    inner, outer = mlp.coefs_
    bias, constant = mlp.intercepts_
    many = outer.shape[1]
    if output is None and many > 1:
        names = f", those of the classes {mlp.classes_.tolist()}" if is_classifier(mlp) else ""
        raise ValueError(f"Argument 'output' must be given: the network has {many} outputs{names}.")
    j = checks.integer("output", 0 if output is None else output, 0, many - 1)
    return WithConstant(SparseNetwork(outer[:, j], inner.T, -bias), float(constant[j]))


def balanced(net: SparseNetwork) -> SparseNetwork:
    """h(x) = sum_j sgn(u_j) relu(<|u_j| w_j, x> - |u_j| b_j): same function and activity, least scale.

    W becomes max_j |u_j| ||w_j|| instead of max_j |u_j| max_j ||w_j||, and B likewise. Neurons with u_j = 0 go.

    >>> net = SparseNetwork([10, 0.1], [[0.1, 0], [0, 10]], [0, 1])
    >>> net.scale, balanced(net).scale
    (Scale(W=100.0, B=10.0), Scale(W=1.0, B=0.1))
    """
    kept = net.u != 0
    size = np.abs(net.u[kept])
    return SparseNetwork(np.sign(net.u[kept]), size[:, None] * net.W[kept], size * net.b[kept])


@dataclass(frozen=True)
class Report:
    """The statements, checked on one network: ``rows`` of type ``table.Row``, and ``sizes`` of samples.

    A whole report is shown as its summary, and ``print(report.text())`` shows all rows; in a notebook each part can be
    unfolded. Iterate over the rows, select some by their ids as in ``report["lemma-9", "ours-tail"]`` or by a condition
    with ``only``, or convert the report with ``to_dict``. A selection is shown as its rows.
    """

    title: tuple[str, ...]
    rows: tuple[Row, ...]
    sizes: tuple[tuple[str, str, float], ...] = ()

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
        """The rows for which ``keep`` is true, without the sizes and with the first line of the title.

        >>> report = examine(SparseNetwork([1], [[1]], [-2]))                       # relu(x + 2)
        >>> [row.id for row in report.only(lambda row: row.verdict == "fails" and row.form == "printed")]
        ['eq-U']
        """
        return replace(self, title=self.title[:1], rows=tuple(row for row in self if keep(row)), sizes=())

    @property
    def summary(self) -> tuple[str, ...]:
        """What fails, and by which erratum; how much is vacuous; the largest gains over the trivial bounds.

        >>> examine(([1, -1], [[1, 1], [-1, -1]], [1, 1])).summary[:2]
        ('39 of 43 statements apply.', '1 fails: lemma-9-boundary (E13).')
        """
        applicable = [row for row in self if row.applies]
        statements = {row.id for row in self}
        apply = {row.id for row in applicable}
        fails = dict.fromkeys(row.id for row in applicable if row.verdict == "fails")
        informative = {row.id for row in applicable if row.trivial is not None and not row.vacuous}
        vacuous = {row.id for row in applicable if row.vacuous}.difference(informative, fails)
        gains: dict[str, float] = {}
        for row in sorted(applicable, key=_gain, reverse=True):
            if _gain(row) > 1:
                gains.setdefault(row.id, _gain(row))
        largest = [f"{name} ({gain:.3g} times)" for name, gain in list(gains.items())[:3]]
        known = [f"{name} ({ERRATA.get(name, 'no erratum: please report it')})" for name in fails]
        failing = f"{len(fails)} fail{'s' if len(fails) == 1 else ''}: {', '.join(known)}." if fails else "None fails."
        return (
            f"{len(apply)} of {len(statements)} statements apply.",
            failing,
            f"{len(vacuous) or 'None'} {'are' if len(vacuous) > 1 else 'is'} vacuous "
            "(no stronger than the trivial bound).",
            f"Largest gains over the trivial bound: {', '.join(largest) or 'none'}.",
        )

    def text(self) -> str:
        """The summary, the title and the tables of all parts; of a selection, its rows."""
        if not self.sizes:
            return "\n".join(self.title) + "\n\n" + _rows_as_text(self.rows)
        parts = [f"{name}\n\n{_rows_as_text(some)}" for name, some in self._parts().items()]
        needed = _tables.as_text(["samples needed", "form", "m"], self._sizes())
        return "\n\n".join([repr(self), *parts, needed])

    def to_dict(self) -> dict[str, Any]:
        """Lists, dictionaries, strings and numbers for JSON, where numbers that are not finite are the strings
        "Infinity", "-Infinity" and "NaN", which ``float`` reads.

        >>> sorted(examine(SparseNetwork([1], [[1]], [0])).to_dict())
        ['rows', 'sizes', 'summary', 'title']
        """
        derived = ("applies", "slack", "vacuous", "verdict")
        found = {
            "summary": self.summary,
            "title": self.title,
            "rows": [{**asdict(row), **{name: getattr(row, name) for name in derived}} for row in self],
            "sizes": [{"id": name, "form": form, "samples": m} for name, form, m in self.sizes],
        }
        plain: dict[str, Any] = _for_json(found)
        return plain

    def __repr__(self) -> str:
        return "\n".join([*self.summary, "", *self.title]) if self.sizes else self.text()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        if not self.sizes:
            return {"text/plain": repr(self), "text/html": _rows_as_html(self.rows, self.title)}
        summary, title = ("<br>".join(map(html.escape, lines)) for lines in (self.summary, self.title))
        linked = {row.id for row in self} | set(ERRATA.values())
        summary = re.sub(r"[\w-]+", lambda word: _claim(word[0]) if word[0] in linked else word[0], summary)
        shown = f"<p>{summary}</p><p>{title}</p>"
        for name, part in self._parts().items():
            fails = sum(row.applies and row.verdict == "fails" for row in part)
            vacuous = sum(row.applies and row.vacuous for row in part)
            counts = f"{len(part)} rows, {fails} fail, {vacuous} vacuous"
            table = _rows_as_html(part, [f"{name}."])
            shown += f"<details><summary>{name} ({counts})</summary>{table}</details>"
        heads = [_head(name, form) for name, form, _ in self._sizes()]
        numbers = [[m] for _, _, m in self._sizes()]
        table = _tables.as_html(["statement", "samples"], numbers, heads=heads, caption=["Samples needed"])
        shown += f"<details><summary>Samples that the learners need</summary>{table}</details>"
        return {"text/plain": repr(self), "text/html": shown}

    def _parts(self) -> dict[str, list[Row]]:
        """The rows by the part of the paper that they belong to."""
        parts: dict[str, list[Row]] = {}
        name = ""
        for row in self:
            name = PARTS.get(row.id, name)
            parts.setdefault(name, []).append(row)
        return parts

    def _sizes(self) -> list[list[str]]:
        return [[name, form, _number(m)] for name, form, m in self.sizes]


def _gain(row: Row) -> float:
    """The trivial bound over a bound that holds; 0 if vacuous and for definitions, steps and printed forms."""
    holds = row.verdict in ("holds", "no counterexample")
    if not holds or row.vacuous or row.form.startswith("printed") or row.id.startswith(STEPS):
        return 0.0
    if not row.trivial or row.right is None or row.right.value <= 0:
        return 0.0
    return row.trivial / row.right.value


def _for_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _for_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_for_json(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return {inf: "Infinity", -inf: "-Infinity"}.get(value, "NaN")
    return value


def _rows_as_text(table: Iterable[Row]) -> str:
    header = ["statement", "form", "left", "", "right", "slack", "verdict", "evidence", "remarks"]
    return _tables.as_text(header, map(_cells, table))


def _rows_as_html(table: Iterable[Row], caption: Iterable[str]) -> str:
    heads = []
    lines = []
    for name, form, left, relation, right, slack, verdict, *remarks in map(_cells, table):
        right = f"{RELATION_SIGNS[relation]}\N{NO-BREAK SPACE}{right}" if right else ""
        heads.append(_head(name, form))
        lines.append([left, right, slack, verdict, "; ".join(filter(None, remarks))])
    header = ["statement", "left", "right", "slack", "verdict", "evidence and remarks"]
    return _tables.as_html(header, lines, heads=heads, caption=caption, kind="report")


def _head(name: str, form: str) -> str:
    return f'{_claim(name)}<br><span style="font-weight: normal">{html.escape(form)}</span>'


def _claim(name: str) -> str:
    """The id of a statement or an erratum; the book makes it a link."""
    return f'<span class="claim" data-claim="{name}">{name}</span>'


def _number(x: float) -> str:
    return "not a number" if isnan(x) else f"{x:.4g}"


def _cells(row: Row) -> list[str]:
    left, right = ("" if side is None else _number(side.value) for side in (row.left, row.right))
    remarks = [row.at] if row.at else []
    for name, side in (("left", row.left), ("right", row.right)):
        if side is not None and side.low < side.high:
            remarks.append(f"{name} in [{side.low:.4g}, {side.high:.4g}]")
    if row.vacuous and row.trivial is not None:
        remarks.append(f"vacuous: left {row.relation} {_number(row.trivial)} in any case")
    remarks += row.failed
    verdict = row.verdict if row.applies else f"({row.verdict})"
    slack = "" if row.slack is None else _number(row.slack)
    return [row.id, row.form, left, row.relation, right, slack, verdict, row.evidence, "; ".join(remarks)]


def examine(
    network: Any, X: ArrayLike | None = None, *, distribution: str | None = None, output: int | None = None,
    k: int | None = None, W: float | None = None, B: float | None = None, degree: int = 1, rho: float = 0.9,
    eps: float | None = None, delta: float = 0.05, seed: int = 0,
) -> Report:  # fmt: skip
    """left <= right for every statement with two computable sides, checked on one network.

    Parameters
    ----------
    network, output : as for ``as_network``, or with X a pipeline that ends in an MLP: X then passes through the steps
        before it. An output bias is ignored: it changes no sensitivity and no tail.
    X : (m, n) points: the support of the distribution, and the sample of the Rademacher complexities.
    distribution : "cube", uniform on {-1, 1}^n, the default without X; "points", uniform on the rows of X, the default
        with X. The statements about the uniform distribution on the cube are then left out.
    k, W, B : the class H_{n,s,k}^{W,B} of the bounds; by default the smallest that contains the network, as far as k
        can be certified. A k from ``net.sparsity(...)`` is used with its certificate.
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
    if X is not None and hasattr(network, "steps") and len(network) > 1:
        X = network[:-1].transform(X)
        network = network[-1]
    known = as_network(network, output)
    if X is None and distribution is None and hasattr(network, "coefs_"):
        warnings.warn(
            "The inputs are taken to be uniform on {-1, 1}^n. If the network was trained on others, pass them, as in "
            "examine(mlp, X); if not, pass distribution='cube'.",
            stacklevel=2,
        )
    net = _padded(known.net)
    with np.errstate(over="ignore", invalid="ignore"):
        scale = max(net.scale)
    if not scale <= MAX_SCALE:
        raise ValueError(f"Argument 'network' must have a scale (W, B) of at most {MAX_SCALE:g}, not {scale:g}.")
    if X is not None:
        X = np.asarray(checks.real_array("X", X, 2, shape=(None, known.net.n)), dtype=np.float64)
        checks.integer("the number of rows of X", len(X), 1)
        checks.entries("X", X, np.abs(X) <= MAX_SCALE, f"must be at most {MAX_SCALE:g} in size")
        X = np.pad(X, ((0, 0), (0, net.n - X.shape[1])), constant_values=1.0)
    usual = "cube" if X is None else "points"
    distribution = checks.one_of("distribution", usual if distribution is None else distribution, ("cube", "points"))
    if distribution == "points" and X is None:
        raise ValueError("Argument 'X' must be given for the distribution 'points'.")
    if distribution == "cube" and X is not None:
        X = np.asarray(checks.signs("X", X))
    rho = checks.real("rho", rho, above=-1, below=1)
    delta = checks.real("delta", delta, 0, 1)
    degree = checks.integer("degree", degree, 0)
    rng = np.random.default_rng(checks.integer("seed", seed, 0))

    found = _measured(net, X if distribution == "points" else None, seed, rng)
    sparsity = _sparsity(found, k)
    c = NetworkClass(
        net.n, net.s,
        min(net.s, max(1, sparsity.upper) if k is None else checks.integer("k", k, 1)),
        net.scale.W if W is None else checks.real("W", W, 0),
        net.scale.B if B is None else checks.real("B", B, 0),
    )  # fmt: skip
    tenth = found.variance / 20 if found.variance > found.round_off else 0.1
    eps = checks.real("eps", tenth if eps is None else eps, 0)
    sample = X if X is not None else _five(net.n, rng)
    table = tuple(rows(found, c, sparsity, sample, degree, rho, eps, rng))
    R = float(np.linalg.norm(sample if distribution == "points" else np.ones((1, net.n)), axis=1).max()) or 1.0
    title = _title(known, found, sparsity, c, eps, delta)
    return Report(title, table, tuple(sizes(found, c, R, eps, delta)))


def _padded(net: SparseNetwork) -> SparseNetwork:
    """The same function with n, s >= 1, for which the paper's bounds are stated."""
    u, b = (net.u, net.b) if net.s else (np.zeros(1), np.zeros(1))
    W = np.zeros((len(u), max(net.n, 1)))
    W[: net.s, : net.n] = net.W
    return SparseNetwork(u, W, b)


def _measured(net: SparseNetwork, X: Array | None, seed: int, rng: np.random.Generator) -> Measurements:
    """The measurements on given points, on the whole cube, or on a sample of it."""
    n = net.n
    if X is not None:
        return measure(net, X, exact=True, cube=False)
    if n <= EXACT_N and net.s << n <= EXACT_PAIRS:
        return measure(net, points(n), exact=True, cube=True)
    if n > MAX_INPUTS:
        raise ValueError(
            f"Argument 'network' must have at most {MAX_INPUTS} inputs, not {n}, unless points X are given."
        )
    N = int(np.clip(SAMPLED_TRIPLES // (n * net.s), MIN_SAMPLE, MAX_SAMPLE))
    sample = rng.choice(np.array([-1, 1], dtype=np.int8), (N, n))
    return measure(net, sample, exact=False, cube=True, evidence=f"sampled, {N} points, seed {seed}")


def _sparsity(found: Measurements, k: int | None) -> Sparsity:
    """max |R_x| at the points of the distribution, as far as it can be settled quickly."""
    net = found.net
    seen = int(found.K.max())
    if found.flips is None:
        return net.sparsity(found.X)
    if isinstance(k, Sparsity):
        return k
    if found.exact:
        return Sparsity(seen, seen, "enumeration", f"enumeration of {len(found.X)} points")
    if net.n <= EXACT_N and net.s << net.n <= AUTO_PAIRS:
        return net.sparsity(method="enumeration")
    if net.s**2 * net.n > PAIR_GRAPH:
        return Sparsity(net.s, seen, "pairs", "the number of neurons")
    pairs = net.sparsity(method="pairs")
    return Sparsity(pairs.upper, max(pairs.lower, seen), pairs.method, pairs.how)


def _five(n: int, rng: np.random.Generator) -> Array:
    """Five random points of the cube, or all if there are no more: few enough for exact complexities."""
    if n <= 2:
        return points(n).astype(np.float64)
    return rng.choice([-1.0, 1.0], (5, n))


def _title(
    known: WithConstant, found: Measurements, sparsity: Sparsity, c: NetworkClass, eps: float, delta: float
) -> tuple[str, ...]:
    net = known.net
    even = balanced(net).scale
    compared = f"Compared with the class H, n = {c.n}, s = {c.s}, k = {c.k}, W = {c.W:.4g}, B = {c.B:.4g}"
    if even.W < net.scale.W * (1 - 1e-9):
        compared += f"; balanced, the same function has W = {even.W:.4g}, B = {even.B:.4g}"
    many = len(found.X)
    where = f"all {many} points of the cube" if found.exact else f"a sample of {many} points of the cube"
    if found.flips is None:
        where = f"{many} given points, so that the statements about the uniform distribution on the cube are left out"
    padding = found.net.s - net.s
    never_active = int(np.count_nonzero(~found.active.any(axis=0))) - padding
    inputs = (
        f"Inputs: uniform on {where}. On average {found.K.mean():.4g} neurons are active; "
        f"{never_active} are never active; variance {found.variance:.4g}."
    )
    if known.constant:
        inputs += f" The output bias {known.constant:.4g} is ignored."
    return (
        f"{net.n} inputs, {net.s} neurons; active at once: {sparsity!r}.",
        f"{compared}.",
        inputs,
        f"Learners: loss {eps:.4g} with probability {1 - delta:g}.",
    )
