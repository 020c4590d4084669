r"""One network h(x) = sum_j u_j relu(<w_j, x> - b_j) from what people have: arrays or a trained scikit-learn MLP.

Paper: section 1. The statements about the network are in ``table``, the bounds beside each other in ``ladder``.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any

import numpy as np

from .. import checks
from ..network.network import SparseNetwork
from .layer import WithConstant, as_layer

__all__ = ["as_network", "balanced"]


def as_network(source: Any, output: int | None = None) -> WithConstant:
    """h(x) + constant from arrays u (s,), W (s, n), b (s,), a ``SparseNetwork``, a module of PyTorch, and others.

    An ``MLPRegressor`` or ``MLPClassifier`` must be fitted and have one hidden layer with activation 'relu'; if it has
    several outputs, ``output`` is the number of one, from 0. Values are those before the output function: for a binary
    classifier the logit, for several classes the score of class ``classes_[output]``. Whatever else ``as_layer`` takes,
    such as a module of PyTorch or ``files.read(path)``, is read by it, without the output bias.

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
    if hasattr(source, "hidden_layer_sizes"):
        return _from_sklearn(source, output)
    if hasattr(source, "named_steps"):
        raise TypeError(
            f"Argument 'network' must be a network, not a {type(source).__name__}: of a pipeline pass the last step, "
            "pipeline[-1]."
        )
    layer = as_layer(source)
    if output is None and layer.outputs is not None and layer.outputs > 1:
        raise ValueError(f"Argument 'output' must be given: the network has {layer.outputs} outputs.")
    return WithConstant(layer.network(0 if output is None else output))


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
            stacklevel=5,  # the line that called ``examine``
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
