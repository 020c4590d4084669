r"""The laboratory: your own network h(x) = sum_j u_j relu(<w_j, x> - b_j), and every statement held against it.

``examine`` takes arrays, a ``SparseNetwork`` or a trained scikit-learn MLP with one ReLU layer, and returns a
``Report``: for each statement of the paper and of the companion that has two computable sides, both of them, how far
apart they are, by what evidence, and which hypotheses fail with the numbers. Everything is computed when it is called.

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
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from .._arrays import Array
from ..cube.hypercube import index, points
from ..network.network import SparseNetwork
from ..network.sparsity import AUTO_PAIRS, Sparsity
from .measurements import Facts, look
from .table import Class, Row, rows, sizes

__all__ = ["WithConstant", "Report", "balanced", "examine", "read"]


EXACT_N = 20  # the largest cube that is visited point by point
EXACT_PAIRS = 1 << 24  # pairs of a point and a neuron, for which all flips are tried
SAMPLED_PAIRS = 1 << 28  # triples of a point, a neuron and a flip in a sample
PAIR_GRAPH = 1 << 26  # s^2 n up to which pairs of neurons are compared
# The largest weight W or B, and coordinate of a point: squares of sums of them stay below the 1e60 that bounds accept.
MAX_SCALE = 1e20
PARTS = {  # of a whole report, by the statement that begins each
    "definition-1": "The class",
    "claim-2-1-parseval": "Section 2: Fourier weights and half-spaces",
    "lemma-9-decomposition": "Section 3: the steps of Lemma 9",
    "lemma-9": "Section 3: average sensitivity",
    "lemma-10": "Section 3: noise, tails and degree",
    "activation-budget": "Section 5: any distribution",
}
ERRATA = {  # why a printed form can fail, by the names of the errata page
    "claim-2-1-tail": "E9", "lemma-6": "E10", "eq-U": "E12", "lemma-9-boundary": "E13", "lemma-9-concavity": "E14",
    "lemma-9-union": "E15", "eq-V": "E16", "lemma-9-last-line": "E16", "lemma-9": "E17", "lemma-10": "E18",
    "theorem-8": "E19", "eq-15": "E25", "theorem-19": "E25", "conjecture-20": "E27",
}  # fmt: skip
STEPS = ("definition-", "lemma-9-", "eq-U", "eq-V")
SIGNS = {"<=": "\N{LESS-THAN OR EQUAL TO}", "==": "="}


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


def read(source: Any, output: int | None = None) -> WithConstant:
    """h(x) + constant from arrays u (s,), W (s, n), b (s,), a ``SparseNetwork`` or a trained scikit-learn MLP.

    An ``MLPRegressor`` or ``MLPClassifier`` must be fitted and have one hidden layer with activation 'relu'; ``output``
    is which one, from 0, if it has several. Values are those before the output function: for a binary classifier the
    logit, for several classes the score of class ``classes_[output]``.

    >>> read(([1, -1], [[1, 1], [-1, 0]], [0, 0.5])).net
    SparseNetwork(n=2, s=2, W=1.41421, B=0.5)
    >>> from sklearn.neural_network import MLPRegressor
    >>> X, mlp = [[1], [-1]], MLPRegressor(hidden_layer_sizes=(3,), solver="lbfgs", random_state=0)
    >>> bool(np.allclose(read(mlp.fit(X, [1.0, 0.0]))(X), mlp.predict(X)))
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
    way_out = " Of a pipeline pass the last step, pipeline[-1]." if hasattr(source, "steps") else ""
    raise TypeError(
        "Argument 'network' must be arrays (u, W, b), a SparseNetwork, or a fitted MLPRegressor or MLPClassifier, "
        f"not {type(source).__name__}.{way_out}"
    )


def _from_arrays(u: Any, W: Any, b: Any) -> SparseNetwork:
    """The network of three arrays; other libraries keep one neuron in each column of W, which may be seen or not."""
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
            "Keras, pass W.T; a SparseNetwork in place of the arrays says that they are rows.",
            stacklevel=4,
        )
    return net


def _fits(u: Any, W: Any, b: Any) -> bool:
    """Whether these would be the arrays of a network with W.T in place of W."""
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
    (inner, outer), (bias, constant) = mlp.coefs_, mlp.intercepts_
    many = outer.shape[1]
    if output is None and many > 1:
        names = f", those of the classes {mlp.classes_.tolist()}" if is_classifier(mlp) else ""
        raise ValueError(f"Argument 'output' must be given: the network has {many} outputs{names}.")
    chosen = checks.integer("output", 0 if output is None else output, 0, many - 1)
    return WithConstant(SparseNetwork(outer[:, chosen], inner.T, -bias), float(constant[chosen]))


def balanced(net: SparseNetwork) -> SparseNetwork:
    """h(x) = sum_j sgn(u_j) relu(<|u_j| w_j, x> - |u_j| b_j): the same function and activity, the least scale.

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
    """The statements, held against one network: ``rows`` of type ``table.Row``, and ``sizes`` of samples.

    Iterate over it, select with ``report["lemma-9", "ours-tail"]`` or by a condition with ``only``, or take it along
    with ``to_dict``. ``print`` shows the summary and the tables of all parts; in a notebook each part can be folded.
    """

    title: tuple[str, ...]
    rows: tuple[Row, ...]
    sizes: tuple[tuple[str, str, float], ...] = ()

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, names: str | tuple[str, ...]) -> Report:
        """The rows of one statement, or of several, by their ids."""
        wanted = (names,) if isinstance(names, str) else names
        if not (isinstance(wanted, (tuple, list)) and all(isinstance(name, str) for name in wanted)):
            raise TypeError(f"A report takes ids, as in report['lemma-9'], not {names!r}; its rows are report.rows.")
        known = dict.fromkeys(row.id for row in self)
        for name in wanted:
            if name not in known:
                near = get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"the report has {', '.join(known)}"
                raise KeyError(f"{name!r}; {hint}")
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
        """What fails, and by which erratum; how much is vacuous; the bounds that are farthest below the trivial ones.

        >>> examine(([1, -1], [[1, 1], [-1, -1]], [1, 1])).summary[:2]
        ('Of 41 statements 38 apply.', '1 fails: lemma-9-boundary (E13).')
        """
        held = [row for row in self if row.applies]
        fails = dict.fromkeys(row.id for row in held if row.verdict == "fails")
        telling = {row.id for row in held if row.trivial is not None and not row.vacuous}
        vacuous = {row.id for row in held if row.vacuous}.difference(telling, fails)
        factors = {row.id: _factor(row) for row in sorted(held, key=_factor) if _factor(row) > 1}
        best = [f"{name} ({factor:.3g} times)" for name, factor in list(factors.items())[:-4:-1]]
        known = [f"{name} ({ERRATA.get(name, 'no erratum: please report it')})" for name in fails]
        return (
            f"Of {len({row.id for row in self})} statements {len({row.id for row in held})} apply.",
            f"{len(fails) or 'None'} fail{'' if len(fails) > 1 else 's'}{': ' * bool(fails)}{', '.join(known)}.",
            f"{len(vacuous) or 'None'} {'are' if len(vacuous) > 1 else 'is'} vacuous: no smaller than what is clear "
            "without the statement.",
            f"Most informative, by how far they are below that: {', '.join(best) or 'none'}.",
        )

    def _parts(self) -> list[tuple[str, Report]]:
        """The rows by the part of the paper that they belong to."""
        parts: dict[str, list[Row]] = {}
        name = ""
        for row in self:
            name = PARTS.get(row.id, name)
            parts.setdefault(name, []).append(row)
        return [(name, replace(self, title=(name,), rows=tuple(some), sizes=())) for name, some in parts.items()]

    def to_dict(self) -> dict[str, Any]:
        """Plain Python: lists, dictionaries, strings and numbers, for JSON or a data frame.

        >>> sorted(examine(SparseNetwork([1], [[1]], [0])).to_dict())
        ['rows', 'sizes', 'title']
        """
        derived = ("applies", "slack", "vacuous", "verdict")
        return {
            "title": list(self.title),
            "rows": [{**asdict(row), **{name: getattr(row, name) for name in derived}} for row in self],
            "sizes": [{"id": name, "form": form, "samples": m} for name, form, m in self.sizes],
        }

    def __repr__(self) -> str:
        if self.sizes:
            sizes = [[name, form, _number(m)] for name, form, m in self.sizes]
            told = _text([["samples asked for", "form", "m"], *sizes])
            parts = [repr(part) for _, part in self._parts()]
            return "\n\n".join(["\n".join(self.summary), "\n".join(self.title), *parts, told])
        header = ["statement", "form", "left", "", "right", "slack", "verdict", "evidence", "remarks"]
        return "\n\n".join(["\n".join(self.title), _text([header, *map(_cells, self)])])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        if not self.sizes:
            return {"text/plain": repr(self), "text/html": self._table(self.title)}
        summary, title = ("<br>".join(map(html.escape, lines)) for lines in (self.summary, self.title))
        named = {row.id for row in self} | set(ERRATA.values())
        linked = re.sub(r"[\w-]+", lambda word: _claim(word[0]) if word[0] in named else word[0], summary)
        shown = f"<p>{linked}</p><p>{title}</p>"
        for name, part in self._parts():
            fails = sum(row.applies and row.verdict == "fails" for row in part)
            vacuous = sum(row.applies and row.vacuous for row in part)
            counts = f"{len(part)} rows, {fails} fail, {vacuous} vacuous"
            shown += f"<details><summary>{name} ({counts})</summary>{part._table([f'{name}.'])}</details>"
        sizes = [[name, form, _number(m)] for name, form, m in self.sizes]
        table = _html(["statement", "samples"], sizes, ["How many samples the learners ask for"])
        shown += f"<details><summary>Samples that the learners ask for</summary>{table}</details>"
        return {"text/plain": repr(self), "text/html": shown}

    def _table(self, caption: Iterable[str]) -> str:
        lines = []
        for name, form, left, sign, right, slack, verdict, *remarks in map(_cells, self):
            right = f"{SIGNS[sign]}\N{NO-BREAK SPACE}{right}" if right else ""
            lines.append([name, form, left, right, slack, verdict, "; ".join(filter(None, remarks))])
        return _html(["statement", "left", "right", "slack", "verdict", "evidence and remarks"], lines, caption)


def _factor(row: Row) -> float:
    """How far a bound that holds is below the trivial one; definitions, steps and printed forms do not count."""
    held = row.verdict in ("holds", "no counterexample") and not (
        row.form.startswith("printed") or row.id.startswith(STEPS)
    )
    if not (held and row.trivial and row.right is not None and row.right.value > 0) or row.vacuous:
        return 0.0
    return row.trivial / row.right.value


def _text(lines: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def _html(header: list[str], lines: list[list[str]], caption: Iterable[str]) -> str:
    """An accessible table; a statement and its form head a row."""
    head = "".join(f'<th scope="col">{name}</th>' for name in header)
    named = [f'<td data-name="{name}">' for name in header[1:]]
    body = "".join(
        f'<tr><th scope="row">{_claim(name)}<br><span style="font-weight: normal">{html.escape(form)}</span></th>'
        + "".join(f"{td}{html.escape(x)}</td>" for td, x in zip(named, cells, strict=True))
        + "</tr>"
        for name, form, *cells in lines
    )
    title = "<br>".join(map(html.escape, caption))
    kind = "table numbers many report" if len(header) > 4 else "table numbers"  # many: a card for each row on a phone
    table = f'<caption style="text-align: left">{title}</caption>'
    table += f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="pst-scrollable-table-container"><table class="{kind}">{table}</table></div>'


def _claim(name: str) -> str:
    """The id of a statement or an erratum; the book makes it a link."""
    return f'<span class="claim" data-claim="{name}">{name}</span>'


def _number(x: float) -> str:
    return "not a number" if isnan(x) else f"{x:.4g}"


def _cells(row: Row) -> list[str]:
    sides = ["" if side is None else _number(side.value) for side in (row.left, row.right)]
    intervals = [
        f"{name} in [{side.low:.4g}, {side.high:.4g}]"
        for name, side in (("left", row.left), ("right", row.right))
        if side is not None and side.low < side.high
    ]
    known = row.vacuous and row.trivial is not None
    vacuous = [f"vacuous: left {row.relation} {_number(row.trivial or 0.0)} in any case"] if known else []
    remarks = [*filter(None, [row.at]), *intervals, *vacuous, *row.failed]
    verdict = row.verdict if row.applies else f"({row.verdict})"
    slack = "" if row.slack is None else _number(row.slack)
    return [row.id, row.form, sides[0], row.relation, sides[1], slack, verdict, row.evidence, "; ".join(remarks)]


def examine(
    network: Any, X: ArrayLike | None = None, *, law: str | None = None, output: int | None = None,
    k: int | None = None, W: float | None = None, B: float | None = None, degree: int = 1, rho: float = 0.9,
    eps: float | None = None, delta: float = 0.05, seed: int = 0,
) -> Report:  # fmt: skip
    """left <= right for every statement with two computable sides, held against one network.

    Parameters
    ----------
    network, output : as for ``read``, or with X a pipeline that ends in an MLP: X then passes through the steps before
        it. An output bias is set aside: it moves no sensitivity and no tail.
    X : (m, n) points: the support of the law, and the sample of the Rademacher complexities.
    law : "cube", uniform on {-1, 1}^n, the default without X; "points", uniform on the rows of X, the default with X.
    k, W, B : the class H_{n,s,k}^{W,B} to be held against; by default the smallest that contains the network, as far
        as k can be certified. A k from ``net.sparsity(...)`` brings its certificate along.
    degree, rho : of the Fourier tails and of the noise, 0 <= degree and abs(rho) < 1.
    eps, delta : the loss and the failure probability of the learners; eps is a tenth of the loss of the best constant,
        Var h / 20, by default, and 0.1 for a constant h.
    seed : of everything that is sampled.

    Notes
    -----
    For n up to 20, if the cube and the neurons make no more than 2^24 pairs, all of the cube is visited
    and the rows are exact. Beyond, they rest on a sample, with 95 % intervals, and say at most "no counterexample".

    A verdict in brackets is about a statement some of whose hypotheses fail: nothing was promised. "vacuous" is a bound
    that is no smaller than what holds for every function of the same variance, or of the same range. The empty network
    counts as one neuron of weight 0, and a cube of dimension 0 as one of dimension 1 whose coordinate is not read.

    >>> report = examine(([2], [[1, 1]], [1]))                                      # 2 [x = (1, 1)]
    >>> [(row.form, row.left.value, round(row.right.value, 9)) for row in report["eq-U"]]
    [('printed', 0.0, 2.0), ('repaired', 0.0, 8.0)]
    """
    if X is not None and hasattr(network, "steps") and len(network) > 1:
        network, X = network[-1], network[:-1].transform(X)
    known = read(network, output)
    if X is None and law is None and hasattr(network, "coefs_"):
        warnings.warn(
            "The inputs are taken to be uniform on {-1, 1}^n. If the network was trained on others, pass them, as in "
            "examine(mlp, X); if not, say law='cube'.",
            stacklevel=2,
        )
    net = _padded(known.net)
    with np.errstate(over="ignore"):
        scale = max(net.scale)
    if scale > MAX_SCALE:
        raise ValueError(f"Argument 'network' must have a scale (W, B) of at most {MAX_SCALE:g}, not {scale:g}.")
    X = None if X is None else np.asarray(checks.real_array("X", X, 2, shape=(None, known.net.n)), dtype=np.float64)
    if X is not None:
        checks.integer("the number of rows of X", len(X), 1)
        checks.entries("X", X, np.abs(X) <= MAX_SCALE, f"must be at most {MAX_SCALE:g} in size")
        X = np.pad(X, ((0, 0), (0, net.n - X.shape[1])), constant_values=1.0)
    law = checks.one_of("law", ("cube" if X is None else "points") if law is None else law, ("cube", "points"))
    if law == "points" and X is None:
        raise ValueError("Argument 'X' must be given for the law 'points'.")
    if law == "cube" and X is not None:
        X = np.asarray(checks.signs("X", X))
    rho, delta = checks.real("rho", rho, above=-1, below=1), checks.real("delta", delta, 0, 1)
    degree, rng = checks.integer("degree", degree, 0), np.random.default_rng(checks.integer("seed", seed, 0))

    facts = _look(net, X if law == "points" else None, seed, rng)
    found = _sparsity(net, facts, k)
    asked = Class(
        net.n, net.s,
        min(net.s, max(1, int(found))) if k is None else min(net.s, checks.integer("k", k, 1)),
        net.scale.W if W is None else checks.real("W", W, 0),
        net.scale.B if B is None else checks.real("B", B, 0),
    )  # fmt: skip
    usual = facts.variance / 20 if facts.variance > facts.round_off else 0.1
    eps = checks.real("eps", usual if eps is None else eps, 0)
    sample = X if X is not None else _five(net.n, rng)
    table = tuple(rows(facts, asked, found, sample, degree, rho, eps, rng))
    R = float(np.linalg.norm(sample if law == "points" else np.ones((1, net.n)), axis=1).max()) or 1.0
    title = _title(known, facts, found, asked, eps, delta)
    return Report(title, table, tuple(sizes(facts, asked, R, eps, delta)))


def _padded(net: SparseNetwork) -> SparseNetwork:
    """The same function with n, s >= 1, for which the paper's bounds are stated."""
    u, b = (net.u, net.b) if net.s else (np.zeros(1), np.zeros(1))
    W = np.zeros((len(u), max(net.n, 1)))
    W[: net.s, : net.n] = net.W
    return SparseNetwork(u, W, b)


def _look(net: SparseNetwork, X: Array | None, seed: int, rng: np.random.Generator) -> Facts:
    """What the network does under the law: on given points, on the whole cube, or on a sample of it."""
    n, small = net.n, net.n <= EXACT_N and net.s << net.n <= EXACT_PAIRS
    if X is not None and not (small and np.isin(X, (-1, 1)).all() and _lists_the_cube(X)):
        return look(net, X, exact=True, cube=False)
    if small:
        return look(net, points(n), exact=True, cube=True)
    N = int(np.clip(SAMPLED_PAIRS // (n * net.s), 256, 4096))
    sample = rng.choice(np.array([-1, 1], dtype=np.int8), (N, n))
    return look(net, sample, exact=False, cube=True, evidence=f"sampled, {N} points, seed {seed}")


def _lists_the_cube(X: Array) -> bool:
    return np.array_equal(np.sort(index(X)), np.arange(1 << X.shape[1]))


def _sparsity(net: SparseNetwork, facts: Facts, k: int | None) -> Sparsity:
    """max |R_x| on the support of the law, as far as it can be settled quickly and in the same way everywhere."""
    if not facts.cube:
        return net.sparsity(facts.X)
    if isinstance(k, Sparsity):
        return k
    if net.n <= EXACT_N and net.s << net.n <= AUTO_PAIRS:
        return net.sparsity(method="enumeration")
    seen = int(facts.K.max())
    if net.s**2 * net.n > PAIR_GRAPH:
        return Sparsity(net.s, seen, "pairs", "the number of neurons")
    found = net.sparsity(method="pairs")
    return Sparsity(found.upper, max(found.lower, seen), found.method, found.how)


def _five(n: int, rng: np.random.Generator) -> Array:
    """Five random points of the cube, or all if there are no more: few enough for exact complexities."""
    if n <= 2:
        return points(n).astype(np.float64)
    return rng.choice([-1.0, 1.0], (5, n))


def _title(known: WithConstant, facts: Facts, found: Sparsity, c: Class, eps: float, delta: float) -> tuple[str, ...]:
    net, many = known.net, len(facts.X)
    where = f"all {many} points of the cube" if facts.exact else f"a sample of {many} points of the cube"
    lazy = int(np.count_nonzero(~facts.active.any(axis=0))) - (facts.net.s - net.s)
    W, B = balanced(net).scale
    return (
        f"{net.n} inputs, {net.s} neurons; active at once: {found!r}.",
        f"Held against H with n = {c.n}, s = {c.s}, k = {c.k}, W = {c.W:.4g}, B = {c.B:.4g}"
        + (f"; balanced, the same function has W = {W:.4g}, B = {B:.4g}." if W < net.scale.W * (1 - 1e-9) else "."),
        f"Inputs: uniform on {where if facts.cube else f'{many} given points'}. "
        f"There {facts.K.mean():.4g} neurons are active on average and {lazy} never; variance {facts.variance:.4g}."
        + (f" The constant {known.constant:.4g} is set aside." if known.constant else ""),
        f"Learners: loss {eps:.4g} with probability {1 - delta:g}.",
    )
