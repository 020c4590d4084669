r"""One hidden layer with its conventions: z = W x - b, neuron j active iff z_j > 0, outputs U sigma(z) + constant.

The frameworks agree neither on the sign of the bias nor on whether a neuron is a row or a column. ``as_layer`` turns
arrays, a dictionary of tensors, a network of PyTorch, Keras or scikit-learn with one hidden layer into a ``Layer`` and
says in its ``notes`` how they were taken; ``as_network`` takes one output of it. No framework is imported: tensors are
recognised by their methods. Weights alone do not say what is computed with them, so that what was assumed is said, a
module of PyTorch is compared with the outputs of its ``Layer``, and what may normalise or scale weights is refused.

Paper: Definition 1, with several outputs and with the units of today's networks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from sparse_core import checks
from sparse_core._arrays import Array
from sparse_core.network.network import SparseNetwork
from sparse_core.network.training import Layered

from . import modules, naming
from .tables import printable

__all__ = ["Layer", "Unit", "WithConstant", "as_layer", "as_network", "balanced"]

Floats = NDArray[Any]  # float32 or float64
# Functions that are exactly 0 on a half-line; with these the active neurons are those of nonzero output.
KINDS = ("relu", "relu2", "shifted", "thresholded", "top-k")


def _sigmoid(z: Floats) -> Floats:
    """1 / (1 + e^-z), seven times as quick in single precision as scipy.special.expit."""
    found = np.negative(z, out=np.empty_like(z))
    with np.errstate(over="ignore"):  # then e^-z is infinity, and the quotient 0
        np.exp(found, out=found)
    found += 1
    return np.divide(1, found, out=found)


# Functions that are hardly ever 0, of which the size of the output is counted.
FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "gelu": lambda z: z * ndtr(z),
    "gelu-tanh": lambda z: z * _sigmoid(float(np.sqrt(8 / np.pi)) * (z + 0.044715 * z * z * z)),
    "quick-gelu": lambda z: z * _sigmoid(1.702 * z),
    "silu": lambda z: z * _sigmoid(z),
    "sigmoid": lambda z: _sigmoid(z),
    "softplus": lambda z: np.logaddexp(z, 0),
    "tanh": np.tanh,
    "identity": lambda z: z,
}
# What is said of outputs that were seen and not computed: those that are not 0, or whose size is above a threshold.
SEEN = ("nonzero", "above")
# Other names of activation functions in the configurations and classes of models.
ALIASES = {
    "relu_squared": "relu2", "squared_relu": "relu2", "relusquared": "relu2", "swish": "silu", "logistic": "sigmoid",
    "gelu_new": "gelu-tanh", "gelu_fast": "gelu-tanh", "gelu_pytorch_tanh": "gelu-tanh", "gelu_tanh": "gelu-tanh",
    "gelu_python": "gelu", "quick_gelu": "quick-gelu", "linear": "identity",
}  # fmt: skip
# The size above which an output of such a function counts, if nobody names another: a hundredth of the unit to which
# normalised layers scale their inputs. The report says it, and what other thresholds give.
ABOVE = 0.01
# The types of quantised weights, of which the numbers alone mean nothing, in NumPy, PyTorch and .safetensors.
QUANTISED = ("int8", "uint8", "I8", "U8", "qint8", "quint8")
# Random points at which a module is compared with its weights: one would do, but for outputs that happen to be equal.
POINTS = 16
# Modules that do nothing in evaluation mode.
PASSED = ("Identity", "Dropout", "AlphaDropout", "Flatten", "ParametrizationList", "_WeightNorm")
ADDED = "The bias is added, as {} does: b of Definition 1 is its negative."


@dataclass(frozen=True, eq=False)
class Unit:
    """sigma and who is active under it: z > 0; z > threshold; z > 0 and among the k largest; or |output| > threshold.

    kind : "relu", max(z, 0); "relu2", its square; "shifted", max(z - t, 0); "thresholded", z if z > t, else 0;
        "top-k", max(z, 0) for the k largest z of an input, of equal ones the first; one of FUNCTIONS, as "gelu", of
        which |sigma(z)| > t is counted; "nonzero" and "above", of outputs that are given: those that are not 0, and
        those with |output| > t.
    threshold : t, one number or one for each neuron.
    """

    kind: str = "relu"
    threshold: Any = 0.0
    k: int | None = None

    @classmethod
    def parse(cls, text: str | Unit, name: str = "activation") -> Unit:
        """A unit from its name and its parameter; a unit as it is. An error speaks of the argument ``name``.

        >>> Unit.parse("top-k:32"), Unit.parse("shifted:0.5"), Unit.parse("gelu")
        (top-k:32, shifted:0.5, gelu:0.01)
        """
        if isinstance(text, Unit):
            return text
        kind, _, value = str(text).partition(":")
        kind = ALIASES.get(kind.lower(), kind.lower())
        checks.one_of(name, kind, (*KINDS, *FUNCTIONS, *SEEN))
        if kind in ("relu", "relu2", "nonzero"):
            if value:
                raise ValueError(f"Argument '{name}' must have no parameter for {kind!r}, not {value!r}.")
            return cls(kind)
        if not value and (kind in FUNCTIONS or kind == "above"):
            return cls(kind, ABOVE)
        try:
            number = float(value)
        except ValueError:
            raise ValueError(f"Argument '{name}' must have a number, as in '{kind}:1', not {text!r}.") from None
        if kind == "top-k":
            whole = int(number) if number.is_integer() else number
            return cls(kind, k=checks.size("k", whole))
        return cls(kind, checks.real("threshold", number, 0))

    @property
    def by_size(self) -> bool:
        """Whether |output| is counted, and not the sign of the pre-activation."""
        return self.kind not in KINDS

    def output(self, z: Floats) -> Floats:
        """The outputs at pre-activations z, of units whose outputs are counted by size; what was given, as it is.

        >>> Unit.parse("silu").output(np.zeros(1))
        array([0.])
        """
        z = checks.real_array("z", z, None, finite=False)
        return FUNCTIONS[self.kind](z) if self.kind in FUNCTIONS else z

    def __repr__(self) -> str:
        if self.kind == "top-k":
            return f"{self.kind}:{self.k}"
        if self.kind in ("relu", "relu2", "nonzero"):
            return self.kind
        one = np.ndim(self.threshold) == 0
        return f"{self.kind}:{self.threshold:g}" if one else f"{self.kind}, a threshold for each neuron"


@dataclass(frozen=True, eq=False)
class Layer:
    """z = W x - b and the outputs U sigma(z) + constant, or U (sigma(z) * (up x)) + constant for a gated layer.

    W, b : (s, n) and (s,): one neuron in each row, the bias subtracted, as in Definition 1. Of a gated layer these are
        the gate's: neuron j is a row of the gate, the same row of ``up`` and a column of U.
    U : (o, s), or None if only the activity is wanted.
    up : (s, n) for a gated layer.
    unit : a ``Unit``, or its name as in "top-k:32".
    constant : (o,), the biases of the outputs; None if there are none.
    notes : how the arrays were taken from where they came, and what was assumed.

    >>> Layer(W=[[1, 1], [-1, -1]], b=[1, 1], U=[[1, -1]])
    Layer(n=2, s=2, outputs=1, unit=relu)
    """

    W: Floats
    b: Floats
    U: Floats | None = None
    up: Floats | None = None
    unit: Unit = Unit()
    constant: Floats | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        W = numbers("W", self.W, 2)
        s, n = W.shape
        if s == 0:
            raise ValueError("Argument 'W' must have at least one row, which is a neuron; it has none.")
        U = None if self.U is None else numbers("U", self.U, 2, (None, s))
        up = None if self.up is None else numbers("up", self.up, 2, (s, n))
        constant = self.constant
        if constant is not None:
            constant = numbers("constant", constant, 1, (len(U),) if U is not None else None)
        unit = Unit.parse(self.unit, "unit")
        if np.ndim(unit.threshold):
            unit = replace(unit, threshold=numbers("threshold", unit.threshold, 1, (s,)))
        if unit.k is not None and unit.k > s:
            raise ValueError(f"Argument 'k' must be at most the number of neurons, {s}, not {unit.k}.")
        vars(self).update(W=W, b=numbers("b", self.b, 1, (s,)), U=U, up=up, unit=unit, constant=constant)

    @property
    def n(self) -> int:
        """The number of inputs."""
        return int(self.W.shape[1])

    @property
    def s(self) -> int:
        """The number of neurons."""
        return int(self.W.shape[0])

    @property
    def outputs(self) -> int | None:
        """The number of outputs, if they are known."""
        return None if self.U is None else len(self.U)

    def network(self, output: int = 0) -> SparseNetwork:
        """The network of one output, h(x) = sum_j U_ij relu(<w_j, x> - b_j), for plain and shifted ReLU.

        >>> Layer([[1]], [0], U=[[2], [3]]).network(1).u
        array([3.])
        """
        if self.U is None or self.up is not None or self.unit.kind not in ("relu", "shifted"):
            raise ValueError(f"Only a layer of ReLU with outputs is a SparseNetwork, not {self!r}.")
        output = checks.integer("output", output, 0, len(self.U) - 1)
        return SparseNetwork(self.U[output], self.W, self.b + self.unit.threshold)

    def __repr__(self) -> str:
        gated = ", gated" if self.up is not None else ""
        return f"Layer(n={self.n}, s={self.s}, outputs={self.outputs}, unit={self.unit!r}{gated})"


@dataclass(frozen=True)
class WithConstant:
    """h(x) + constant: a network and the output bias that stands beside it; how both were taken, in ``notes``.

    >>> WithConstant(SparseNetwork([1], [[1]], [0]), 0.5)([[1.0], [-1.0]])
    array([1.5, 0.5])
    """

    net: SparseNetwork
    constant: float = 0.0
    notes: tuple[str, ...] = ()

    def __call__(self, X: ArrayLike) -> Array:
        """h(x) + constant for each row x of X."""
        return self.net(X) + self.constant


def numbers(name: str, value: Any, ndim: int | None = None, shape: tuple[int | None, ...] | None = None) -> Floats:
    """The value as an array of float32 or float64, checked: also a tensor of PyTorch, of any device, or half precision.

    >>> numbers("W", [[1, 2]], 2)
    array([[1., 2.]])
    """
    return checks.real_array(name, plain(name, value), ndim, shape=shape)


def plain(name: str, value: Any) -> NDArray[Any]:
    """The value as an array, also a tensor; half precisions become float32, which holds them. Nothing else is checked.

    >>> plain("X", np.ones(2, np.float16)).dtype.name
    'float32'
    """
    value = value.load() if hasattr(value, "load") else value  # an array in a file
    if hasattr(value, "detach"):  # a tensor of PyTorch, perhaps with a gradient, on another device, or in bfloat16
        try:
            value = value.detach().cpu()
            if str(value.dtype) in ("torch.bfloat16", "torch.float16"):
                value = value.float()
            value = value.numpy()
        except Exception as error:  # sparse, quantised or without data: PyTorch says which
            raise TypeError(f"Argument '{name}' must be a dense tensor of real numbers: {error}") from None
    array = checks.rectangular(name, value)
    if array.dtype.name in ("bfloat16", "float16"):
        array = array.astype(np.float32)
    return array


def as_layer(source: Any, layer: str | None = None, activation: str | Unit | None = None) -> Layer:
    """The ``Layer`` of arrays, a ``SparseNetwork``, or what PyTorch, Keras and scikit-learn keep of a network.

    Parameters
    ----------
    source : a ``Layer`` or ``SparseNetwork``; arrays (u, W, b) of Definition 1, where u may have a row for each output;
        the ``state_dict()`` of a module, another dictionary of named arrays, or a ``files.read(path)``; the four
        arrays ``get_weights()`` of a model of Keras; a model of Keras or an MLP of scikit-learn; a module of PyTorch
        that is Linear, ReLU, Linear: it is run, and its outputs are compared with those of its weights.
    layer : which one, if there are several: its name, a part of the name between dots, a pattern such as "*.3.mlp", or
        the arrays themselves, "inner,outer" or "gate,down,up".
    activation : the activation function, as for ``Unit``, if not that of the source: weights do not name theirs, and
        ReLU is assumed.

    >>> as_layer(([1, -1], [[1, 1], [-1, -1]], [1, 1]))
    Layer(n=2, s=2, outputs=1, unit=relu)
    >>> found = as_layer({"0.weight": [[1.0, 2.0]] * 3, "0.bias": [1, 2, 3], "2.weight": [[1, 1, 1.0]]})
    >>> found, found.b
    (Layer(n=2, s=3, outputs=1, unit=relu), array([-1., -2., -3.]))
    """
    naming.name("layer", layer)
    if activation is None:
        return _found(source, layer, "")
    unit = Unit.parse(activation)
    note = f"The activation function is {unit!r}, as the argument 'activation' says."
    return replace(found := _found(source, layer, note), unit=unit, notes=found.notes)


def as_network(source: Any, output: int | None = None) -> WithConstant:
    """h(x) + constant, the output of that number of what ``as_layer`` takes; it may be left out if there is only one.

    Values are those before the output function: for a binary classifier of scikit-learn the logit, for several classes
    the score of class ``classes_[output]``.

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
    layer = as_layer(source)
    if output is None and layer.outputs is not None and layer.outputs > 1:
        classes = f", those of the classes {source.classes_.tolist()}" if hasattr(source, "classes_") else ""
        raise ValueError(f"Argument 'output' must be given: the network has {layer.outputs} outputs{classes}.")
    output = 0 if output is None else output
    net = layer.network(output)
    return WithConstant(net, 0.0 if layer.constant is None else float(layer.constant[output]), layer.notes)


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


def kind_of(source: Any) -> str:
    """What a network is, by its type or its methods, since no framework is imported: a key of READERS, or nothing.

    >>> kind_of({"W": 3}), kind_of(([1], [[1]], [0])), kind_of(3)
    ('mapping', 'definition', '')
    """
    return next((kind for kind, (matches, _) in READERS.items() if matches(source)), "")


def _found(source: Any, layer: str | None, note: str) -> Layer:
    """The layer, with a note on its activation function, which is ``note`` if the user names the function."""
    if kind := kind_of(source):
        return READERS[kind][1](source, layer, note)
    advice = ""
    if hasattr(source, "hidden_layer_sizes"):
        advice = " It must be fitted first."
    elif hasattr(source, "named_steps"):
        advice = " Of a pipeline pass the last step, pipeline[-1]."
    elif isinstance(source, str):
        advice = " A file is read by sparse_meter.files.read."
    raise TypeError(
        "Argument 'network' must be arrays (u, W, b), a Layer, a SparseNetwork, a module or dictionary of tensors, "
        f"a Keras model or a fitted MLP of scikit-learn, not {type(source).__name__}.{advice}"
    )


def _from_network(net: SparseNetwork) -> Layer:
    return Layer(net.W, net.b, net.u[None])


def _from_layered(net: Layered) -> Layer:
    if len(net.W) != 2:
        raise ValueError(f"Argument 'network' must have one hidden layer, not {len(net.W) - 1}; measure counts each.")
    return Layer(net.W[0], net.b[0], net.W[1], constant=-net.b[1])


def _from_mapping(source: Mapping[str, Any], layer: str | None, note: str) -> Layer:
    found = from_named(source, layer)
    if hasattr(source, "configured") and any(str(name).lower() == "w_enc" for name in source):
        found = source.configured(found)
    elif not note:
        unit, note = source.unit() if hasattr(source, "unit") else named_unit("", "A dictionary of arrays")
        found = replace(found, unit=found.unit if found.unit.kind == "thresholded" else unit)
    return replace(found, notes=(*found.notes, note)) if note else found


def _from_keras(model: Any, layer: str | None, note: str) -> Layer:
    dense = [part for part in model.layers if part.get_weights()]
    if any(len(part.get_weights()) != 2 for part in dense):
        raise ValueError(
            "Argument 'network' must be a model of Dense layers with biases alone, so that its weights say what it "
            "computes; measure(model, X) runs it."
        )
    functions = [getattr(getattr(part, "activation", None), "__name__", "") for part in dense]
    return _from_columns("Keras", [part.get_weights() for part in dense], functions, layer, note)


def _from_sklearn(mlp: Any, layer: str | None, note: str) -> Layer:
    pairs = list(zip(mlp.coefs_, mlp.intercepts_, strict=True))
    return _from_columns("scikit-learn", pairs, [mlp.activation] * len(pairs), layer, note)


def _from_definition(u: Any, W: Any, b: Any) -> Layer:
    W = numbers("W", W, 2)
    b = numbers("b", b, 1)
    rows, columns = W.shape
    if rows != len(b) and columns == len(b):
        raise ValueError(
            f"Argument 'W' must have one neuron in each row, not in each column as here, where its shape is {W.shape}: "
            "pass W.T."
        )
    notes = ["Arrays (u, W, b) are those of Definition 1: one neuron in each row of W, the bias subtracted."]
    if rows == columns:
        notes.append("W is square: if its columns are the neurons, as in Keras and scikit-learn, pass W.T.")
    U = numbers("u", np.atleast_2d(numbers("u", u)), 2, (None, rows))
    return Layer(W, b, U, notes=tuple(notes))


def _from_four(*arrays: Any) -> Layer:
    """W_1, b_1, W_2, b_2 in the order of Keras or of PyTorch's parameters(), told apart by their shapes."""
    inner, bias, outer, constant = map(numbers, ("W", "b", "U", "constant"), arrays)
    if not (inner.ndim == outer.ndim == 2 and bias.ndim == constant.ndim == 1):
        raise ValueError("Four arrays must be weights, biases, weights, biases: of 2, 1, 2 and 1 axes.")
    rows = inner.shape[0] == len(bias) == outer.shape[1] and outer.shape[0] == len(constant)
    columns = inner.shape[1] == len(bias) == outer.shape[0] and outer.shape[1] == len(constant)
    if rows == columns:
        problem = "fit both ways of storing neurons, in rows and in columns" if rows else "do not fit together"
        shapes = ", ".join(str(array.shape) for array in (inner, bias, outer, constant))
        raise ValueError(f"The shapes {shapes} {problem}: pass Layer(W, b, U), with one neuron in each row of W.")
    note = "Neurons are in the {} of the first array: " + ADDED
    if rows:
        return Layer(inner, -bias, outer, constant=constant, notes=(note.format("rows", "PyTorch"),))
    return Layer(inner.T, -bias, outer.T, constant=constant, notes=(note.format("columns", "Keras"),))


def _from_columns(who: str, pairs: list[Any], functions: list[str], layer: str | None, note: str) -> Layer:
    """The layer of pairs (weights, bias) with one neuron in each column, as Keras and scikit-learn have them."""
    arrays: dict[str, Any] = {}
    for i, (weights, bias) in enumerate(pairs):
        arrays |= {f"{i}.weight": np.transpose(weights), f"{i}.bias": bias}
    block = naming.select(naming.blocks({name: np.shape(array) for name, array in arrays.items()}), layer)
    unit, remark = named_unit(functions[int(block.arrays["W"].partition(".")[0])], "The model")
    notes = (f"{who} keeps one neuron in each column: transposed. {ADDED.format(who)}", note or remark)
    return replace(of_block(block, arrays), unit=unit, notes=notes)


def _from_module(module: Any, layer: str | None) -> Layer:
    """The layer of a module that is Linear, ReLU, Linear, perhaps with BatchNorm1d, which is folded into the weights.

    The module is run on random points, in evaluation mode; h is what its weights say, and must give the same.
    """
    if layer is not None:
        raise ValueError(
            "Argument 'layer' must not be given for a module whose weights are read, which has to be a network "
            "Linear, ReLU, Linear; of a larger one pass module.state_dict()."
        )
    parts = {part: name for name, part in module.named_modules() if not [*part.children()]}
    inner = next((part for part in parts if type(part).__name__ == "Linear"), None)
    if inner is None:
        raise ValueError("Argument 'network' must be a module with layers of the type Linear; it has none.")
    points = np.random.default_rng(0).standard_normal((POINTS, inner.in_features))
    order: list[Any] = []
    with modules.watched(module) as hooks:
        hooks += [part.register_forward_hook(lambda part, *_: order.append(part)) for part in parts]
        outputs = numbers("network", modules.call(module, points), 2).astype(np.float64)
    kinds = [type(part).__name__ for part in order]
    folded = [kind == "BatchNorm1d" and part.running_var is not None for kind, part in zip(kinds, order, strict=True)]
    said = [f"{parts[part]} ({kind})" for kind, part in zip(kinds, order, strict=True)]
    for words, kind, fold in zip(said, kinds, folded, strict=True):
        if not fold and kind not in ("Linear", "ReLU", *PASSED):
            raise ValueError(f"Argument 'network' must be a module Linear, ReLU, Linear; it has {words}.")
    if kinds.count("Linear") != 2 or kinds.count("ReLU") > 1:
        raise ValueError(f"Argument 'network' must be a module Linear, ReLU, Linear; it runs {', '.join(said)}.")
    # Where no part is a ReLU it may be called as a function, before the second map: the outputs show whether it is.
    cut = kinds.index("ReLU") if "ReLU" in kinds else kinds.index("Linear", kinds.index("Linear") + 1)
    W, c = _composed(order[:cut], inner.in_features)
    U, constant = _composed(order[cut:], len(W))
    h = np.maximum(points @ W.T + c, 0) @ U.T + constant
    worst = np.unravel_index(np.abs(h - outputs).argmax(), h.shape)
    dtype = str(inner.weight.dtype).removeprefix("torch.")
    relative = 1e-3 if dtype in ("float32", "float64") else 0.05
    allowed = relative * float(np.abs(outputs).max() + np.abs(constant).max())
    if not abs(h[worst] - outputs[worst]) <= allowed:
        raise ValueError(
            "Argument 'network' must compute what its weights say, relu between two linear maps: at a random point its "
            f"output {worst[1]} is {outputs[worst]:.6g}, and that of its weights {h[worst]:.6g}."
        )
    read = ", ".join(words + ", folded in" * fold for words, fold in zip(said, folded, strict=True))
    note = f"Read from {read}; equal to the module's own output at {POINTS} random points"
    note += f" (in evaluation mode, up to {np.abs(h - outputs).max():.2g})."
    own = np.float64 if dtype == "float64" else np.float32
    return Layer(W.astype(own), (-c).astype(own), U.astype(own), constant=constant.astype(own), notes=(note,))


def _composed(parts: list[Any], n: int) -> tuple[Array, Array]:
    """A, c of x -> A x + c, on n inputs, which these linear maps and normalisations are one after the other."""
    A, c = np.eye(n), np.zeros(n)
    for part in parts:
        weight, bias = (_doubles(getattr(part, name, None)) for name in ("weight", "bias"))
        if type(part).__name__ == "Linear":
            A, c = weight @ A, weight @ c
        elif type(part).__name__ == "BatchNorm1d":
            a = 1 / np.sqrt(_doubles(part.running_var) + part.eps)
            a = a if weight is None else a * weight
            A, c = a[:, None] * A, a * (c - _doubles(part.running_mean))
        c = c if bias is None else c + bias
    return A, c


def _doubles(value: Any) -> Any:
    return None if value is None else plain("network", value).astype(np.float64)


def named_unit(name: str, who: str) -> tuple[Unit, str]:
    """The unit of an activation function by its name, and what is to be said of it.

    >>> named_unit("swish", "The file")
    (silu:0.01, 'The file has swish.')
    """
    if not name:
        return Unit(), f"{who} does not name the activation function: ReLU is assumed (activation= names another)."
    kind = ALIASES.get(name.lower(), name.lower())
    if kind not in (*KINDS, *FUNCTIONS):
        known = ", ".join((*KINDS, *FUNCTIONS))
        raise ValueError(
            f"{who} has the activation function {printable(name)!r}, which is not computed from weights; known are "
            f"{known}. Run the model itself, or name one: activation='relu'."
        )
    return Unit.parse(kind), f"{who} has {printable(name)}."


def from_named(arrays: Mapping[str, Any], layer: str | None = None) -> Layer:
    """The ``Layer`` of named arrays, such as a ``state_dict``: only those of one block are looked up.

    >>> from_named({"u": [1, -1], "W": [[1, 1], [-1, -1]], "b": [1, 1]}).b          # Definition 1
    array([1., 1.])
    """
    if layer is None and {"u", "W", "b"} <= set(arrays):
        return _from_definition(arrays["u"], arrays["W"], arrays["b"])
    if layer is None and list(arrays) == [f"arr_{i}" for i in range(4)]:  # as numpy.savez names them
        return _from_four(*arrays.values())
    shapes = {str(name): tuple(np.shape(array)) for name, array in arrays.items()}
    return of_block(naming.select(naming.blocks(shapes), layer, shapes), arrays)


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


def of_block(block: naming.Block, arrays: Mapping[str, Any]) -> Layer:
    """The ``Layer`` whose arrays have the names of a block.

    >>> of_block(naming.blocks({"0.weight": (1, 1), "1.weight": (1, 1)})[0], {"0.weight": [[2]], "1.weight": [[3]]}).U
    array([[3.]])
    """
    for name in (block.arrays[place] for place in naming.MAPS if place in block.arrays):
        if (kind := _type(arrays[name])) in QUANTISED:
            raise ValueError(
                f"Argument 'network' must have weights that are not quantised: {name!r} is stored as {kind}. Convert "
                "it, with its scales, to floating-point numbers first."
            )
    found = {place: numbers(name, arrays[name], 1 + (place in naming.MAPS)) for place, name in block.arrays.items()}
    if block.columns:
        found |= {place: found[place].T for place in naming.MAPS if place in found}
    unit = Unit("thresholded", found.pop("threshold")) if "threshold" in found else Unit()
    b = -found.pop("b") if "b" in found else np.zeros(block.s, found["W"].dtype)
    return Layer(b=b, unit=unit, notes=block.notes, **found)


def _is(*types: type) -> Callable[[Any], bool]:
    return lambda source: isinstance(source, types)


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda source: all(hasattr(source, name) for name in names)


def _arrays(count: int) -> Callable[[Any], bool]:
    return lambda source: isinstance(source, (list, tuple)) and len(source) == count


# How each kind of network is told and its layer read, the first that fits: a model of Keras may be a module of PyTorch.
READERS: dict[str, tuple[Callable[[Any], bool], Callable[[Any, str | None, str], Layer]]] = {
    "layer": (_is(Layer), lambda source, layer, note: source),
    "constant": (_is(WithConstant), lambda source, layer, note: _from_network(source.net)),
    "network": (_is(SparseNetwork), lambda source, layer, note: _from_network(source)),
    "layered": (_is(Layered), lambda source, layer, note: _from_layered(source)),
    "mapping": (_is(Mapping), _from_mapping),
    "keras": (_has("get_weights", "layers"), _from_keras),
    "torch": (_has("named_modules", "register_forward_hook"), lambda source, layer, note: _from_module(source, layer)),
    "sklearn": (_has("coefs_", "intercepts_"), _from_sklearn),
    "definition": (_arrays(3), lambda source, layer, note: _from_definition(*source)),
    "four": (_arrays(4), lambda source, layer, note: _from_four(*source)),
}


def _type(array: Any) -> str:
    return str(getattr(array, "kind", None) or getattr(array, "dtype", "")).removeprefix("torch.")
