r"""Networks of the paper's form from arrays and libraries: affine maps with a function between, U sigma(W x + c) + d.

A network is read from arrays or an MLP of scikit-learn. The libraries agree neither on the sign of the bias nor on
whether a neuron is a row or a column: what was assumed is said in ``notes``. No framework is imported: a network is
recognised by its methods.

Paper: Definition 1, with several outputs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from sparse_core import checks
from sparse_core._arrays import Array
from sparse_core.network.network import SparseNetwork
from sparse_core.network.training import Layered

__all__: list[str] = []  # called by ``measure``, ``watch`` and ``examine``

DEFINITION = "Arrays (u, W, b) are those of Definition 1: one neuron in each row of W, the bias subtracted."
SQUARE = "W is square: if its columns are the neurons, as in Keras and scikit-learn, pass W.T."
COLUMNS = "scikit-learn keeps one neuron in each column and adds the bias: transposed, and b of Definition 1 is -bias."
# The types of PyTorch that NumPy does not have, or counts slowly.
HALF = ("torch.bfloat16", "torch.float16")
FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "relu": lambda z: np.where(z > 0, z, 0),
    "tanh": np.tanh,
    "logistic": expit,
    "identity": lambda z: z,
}


class Network(NamedTuple):
    """The maps (A, c) of x -> A x + c in order, one neuron in each row, how they were taken, and what is between."""

    maps: list[tuple[Array, Array]]
    notes: tuple[str, ...]
    function: str = "relu"

    def run(self, x: Array) -> list[Array]:
        """The pre-activations of each layer, and the outputs.

        >>> Network([(np.ones((1, 2)), np.zeros(1)), (np.ones((1, 1)), np.ones(1))], ()).run(np.ones((1, 2)))
        [array([[2.]]), array([[3.]])]
        """
        A, c = self.maps[0]
        found = [x @ A.T + c]
        for A, c in self.maps[1:]:
            found.append(FUNCTIONS[self.function](found[-1]) @ A.T + c)
        return found


def plain(name: str, value: Any) -> NDArray[Any]:
    """The value as an array, also a table or a tensor, of which half precisions become float32.

    >>> plain("X", [1.0, 2.0])
    array([1., 2.])
    """
    if hasattr(value, "detach"):  # a tensor of PyTorch, perhaps with a gradient, on another device, or in bfloat16
        try:
            value = value.detach().cpu()
            if value.is_quantized:
                value = value.dequantize()
            if str(value.dtype) in HALF:
                value = value.float()
            value = value.numpy()
        except Exception as error:  # sparse, quantised or without data: PyTorch says which
            raise TypeError(f"Argument '{name}' must be a dense tensor of real numbers: {error}") from None
    elif hasattr(value, "to_numpy"):
        value = value.to_numpy()
    return checks.rectangular(name, value)


def numbers(name: str, value: Any, ndim: int | None = None, shape: tuple[int | None, ...] | None = None) -> Array:
    """The value as an array of float64, checked.

    >>> numbers("W", [[1, 2]], 2)
    array([[1., 2.]])
    """
    return checks.real_array(name, plain(name, value), ndim, shape=shape).astype(np.float64)


def _of_arrays(u: Any, W: Any, b: Any) -> Network:
    W = numbers("W", W, 2)
    b = numbers("b", b, 1)
    if len(W) != len(b) == W.shape[1]:
        raise ValueError(
            f"Argument 'W' must have one neuron in each row, not in each column as here, where its shape is {W.shape}: "
            "pass W.T."
        )
    if not len(W):
        raise ValueError("Argument 'W' must have at least one row, which is a neuron; it has none.")
    b = numbers("b", b, 1, (len(W),))
    U = numbers("u", np.atleast_2d(numbers("u", u)), 2, (None, len(W)))
    return Network([(W, -b), (U, np.zeros(len(U)))], (DEFINITION, *([SQUARE] if len(W) == W.shape[1] else ())))


@contextmanager
def evaluating(module: Any) -> Iterator[None]:
    """A module in evaluation mode, without gradients; afterwards all its parts are in the modes in which they were."""
    modes = [(part, part.training) for part in module.modules()]
    try:
        with suppress(NotImplementedError):  # an exported program has no mode
            module.eval()
        with sys.modules["torch"].no_grad():
            yield
    finally:
        for part, training in modes:
            part.training = training


def is_module(source: Any) -> bool:
    """Whether it is a module of PyTorch."""
    return hasattr(source, "named_modules") and hasattr(source, "register_forward_hook")


def read(source: Any) -> Network:
    """The affine maps of a network, and how they were taken.

    >>> [A.shape for A, _ in read(([1, -1], [[1], [-1]], [0, 0])).maps]
    [(2, 1), (1, 2)]
    """
    if isinstance(source, SparseNetwork):
        return Network([(source.W, -source.b), (source.u[None], np.zeros(1))], ())
    if isinstance(source, Layered):
        return Network([(W, -b) for W, b in zip(source.W, source.b, strict=True)], ("One neuron in each row of W.",))
    if hasattr(source, "coefs_"):
        pairs = zip(source.coefs_, source.intercepts_, strict=True)
        maps = [(numbers("network", A).T, numbers("network", c)) for A, c in pairs]
        return Network(maps, (COLUMNS, f"The model has {source.activation}."), source.activation)
    if isinstance(source, tuple) and len(source) == 3:
        return _of_arrays(*source)
    advice = " It must be fitted first." if hasattr(source, "hidden_layer_sizes") else ""
    if hasattr(source, "named_steps"):
        advice = " Of a pipeline pass the last step, pipeline[-1], or inputs."
    if hasattr(source, "graph") or hasattr(source, "get_providers"):  # a model of ONNX, or its session
        advice = " Of a model in ONNX, give the outputs of its activation functions: measure(outputs, above=0)."
    raise TypeError(
        "Argument 'network' must be arrays (u, W, b), a SparseNetwork, a module of PyTorch, a model of Keras or a "
        f"fitted MLP of scikit-learn, not {type(source).__name__}.{advice}"
    )


def last_step(network: Any, X: Any) -> tuple[Any, Any]:
    """The last step of a fitted pipeline, and X as that step sees it; of anything else, both as they are.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import FunctionTransformer
    >>> last_step(make_pipeline(FunctionTransformer(lambda x: 2 * x), "an MLP"), 3)
    ('an MLP', 6)
    """
    if not hasattr(network, "named_steps"):
        return network, X
    return network[-1], network[:-1].transform(X) if len(network) > 1 else X
