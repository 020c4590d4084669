r"""One output of a network with one hidden layer, as the paper has it: h(x) + constant.

Paper: Definitions 1 and 2.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparse_core import checks
from sparse_core._arrays import Array
from sparse_core.network.network import SparseNetwork

from ..networks import Network, evaluating, is_module, numbers, read

__all__ = ["WithConstant", "as_network", "balanced"]

# Random points at which a module is compared with its weights: one would do, but for outputs that happen to be equal.
POINTS = 16


@dataclass(frozen=True)
class WithConstant:
    """h(x) + constant: a network and the output bias that stands beside it; how both were taken, in ``notes``.

    >>> WithConstant(SparseNetwork([1], [[1]], [0]), 0.5)([[1.0], [-1.0]])
    array([1.5, 0.5])
    """

    net: SparseNetwork
    constant: float = 0.0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checks.having("net", self.net, "u", "W", "b")
        vars(self).update(constant=checks.real("constant", self.constant))

    def __call__(self, X: ArrayLike) -> Array:
        """h(x) + constant for each row x of X."""
        return self.net(X) + self.constant


def as_network(source: Any, output: int | None = None) -> WithConstant:
    """h(x) + constant, the output of that number of a network; it may be left out if there is only one.

    source : arrays (u, W, b) of Definition 1, where u may have a row for each output; a ``SparseNetwork``; a fitted MLP
        of scikit-learn; a module of PyTorch that is Linear, ReLU, Linear: it is run, and its outputs are compared with
        those of its weights.

    Values are those before the output function: for a binary classifier of scikit-learn the logit, for several classes
    the score of class ``classes_[output]``.

    >>> as_network(([1, -1], [[1, 1], [-1, 0]], [0, 0.5])).net
    SparseNetwork(n=2, s=2, W=1.41421, B=0.5)
    >>> from sklearn.neural_network import MLPRegressor
    >>> X, mlp = [[1], [-1]], MLPRegressor(hidden_layer_sizes=(3,), solver="lbfgs", random_state=0)
    >>> bool(np.allclose(as_network(mlp.fit(X, [1.0, 0.0]))(X), mlp.predict(X)))
    True
    """
    which = 0 if output is None else output
    if isinstance(source, (WithConstant, SparseNetwork)):
        checks.integer("output", which, 0, 0)
        return source if isinstance(source, WithConstant) else WithConstant(source)
    if is_module(source):
        maps, notes, function = _of_module(source)
    else:
        maps, notes, function = read(source)
    if function != "relu":
        raise ValueError(f"Argument 'network' must have ReLU between its layers, not {function}.")
    if len(maps) != 2:
        raise ValueError(f"Argument 'network' must have one hidden layer, not {len(maps) - 1}; measure counts each.")
    (W, c), (U, constants) = maps
    if output is None and len(U) > 1:
        classes = f", those of the classes {source.classes_.tolist()}" if hasattr(source, "classes_") else ""
        raise ValueError(f"Argument 'output' must be given: the network has {len(U)} outputs{classes}.")
    which = checks.integer("output", which, 0, len(U) - 1)
    return WithConstant(SparseNetwork(U[which], W, -c), float(constants[which]), notes)


def _of_module(module: Any) -> Network:
    """The linear maps of a module, if relu between them gives the module's own outputs at random points."""
    torch: Any = sys.modules["torch"]
    linear = [part for part in module.modules() if getattr(part, "in_features", None) and hasattr(part, "weight")]
    if not linear:
        raise ValueError("Argument 'network' must be a module with linear maps; it has none.")
    maps = []
    for part in linear:
        A = numbers("network", part.weight)
        c = getattr(part, "bias", None)
        maps.append((A, np.zeros(len(A)) if c is None else numbers("network", c)))
    points = np.random.default_rng(0).standard_normal((POINTS, linear[0].in_features))
    with evaluating(module):
        outputs = numbers("network", module(torch.as_tensor(points).to(linear[0].weight)))
    found = Network(
        maps, (f"Read from {len(maps)} linear maps of a module; equal to its own outputs at {POINTS} random points.",)
    )
    fits = all(A.shape[0] == B.shape[1] for (A, _), (B, _) in pairwise(maps))
    allowed = 1e-3 * float(np.abs(outputs).max(initial=0))
    if not (fits and np.allclose(found.run(points)[-1], outputs, rtol=1e-3, atol=allowed)):
        raise ValueError(
            "Argument 'network' must be a module that computes what its weights say, relu between its linear maps; at "
            "random points its outputs are others."
        )
    return found


def balanced(net: SparseNetwork) -> SparseNetwork:
    """h(x) = sum_j sgn(u_j) relu(<|u_j| w_j, x> - |u_j| b_j): same function and activity, least scale.

    W becomes max_j |u_j| ||w_j|| instead of max_j |u_j| max_j ||w_j||, and B likewise. Neurons with u_j = 0 go.

    >>> net = SparseNetwork([10, 0.1], [[0.1, 0], [0, 10]], [0, 1])
    >>> net.scale, balanced(net).scale
    (Scale(W=100.0, B=10.0), Scale(W=1.0, B=0.1))
    """
    checks.having("net", net, "u", "W", "b")
    kept = net.u != 0
    size = np.abs(net.u[kept])
    return SparseNetwork(np.sign(net.u[kept]), size[:, None] * net.W[kept], size * net.b[kept])
