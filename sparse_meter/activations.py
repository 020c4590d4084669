"""Which functions are activation functions: the one table that a new function goes into.

The names are those of PyTorch's operators, which every way of calling a function ends in (``nn.ReLU``, ``F.relu``,
``torch.relu_``, a compiled or a scripted module), and those by which Keras calls its own.
"""

from __future__ import annotations

__all__ = ["ABOVE", "ACTIVATIONS", "GATES", "threshold"]

# The size above which an output counts, of a function that is hardly ever 0: a hundredth of the unit to which
# normalised layers scale their inputs. The report says which share of the outputs is small enough to be dropped.
ABOVE = 0.01
# Activation functions wherever they are called, and the size above which an output is active: 0 for those that are
# exactly 0 on a half-line.
ACTIVATIONS = {
    "relu": 0.0, "relu6": 0.0, "threshold": 0.0, "hardswish": 0.0, "softshrink": 0.0, "hardshrink": 0.0,
    "gelu": ABOVE, "silu": ABOVE, "swish": ABOVE, "mish": ABOVE, "elu": ABOVE, "celu": ABOVE, "selu": ABOVE,
    "leaky_relu": ABOVE, "_prelu_kernel": ABOVE, "rrelu_with_noise": ABOVE, "softplus": ABOVE, "glu": ABOVE,
    "log_sigmoid_forward": ABOVE,
}  # fmt: skip
# Functions that are as often gates: they count where a linear map reads them, and where they multiply something.
GATES = {
    "sigmoid": ABOVE, "hardsigmoid": ABOVE, "tanh": ABOVE, "hardtanh": ABOVE, "erf": ABOVE,
    "gt": 0.0, "ge": 0.0, "lt": 0.0, "le": 0.0,
}  # fmt: skip


def threshold(name: str) -> float | None:
    """The size above which an output of an activation function, or of a gate, is active; None of another function.

    >>> threshold("relu"), threshold("gelu"), threshold("add")
    (0.0, 0.01, None)
    """
    return {**ACTIVATIONS, **GATES}.get(name) if isinstance(name, str) else None
