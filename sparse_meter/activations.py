"""Which functions are activation functions: the one table that a new function goes into.

The names are those of PyTorch's operators, which every way of calling a function ends in (``nn.ReLU``, ``F.relu``,
``torch.relu_``, a compiled or a scripted module), and those by which Keras and scikit-learn call their own.
"""

from __future__ import annotations

__all__ = ["ABOVE", "ACTIVATIONS", "GATES"]

# The size above which an output counts, of a function that is hardly ever 0: a hundredth of the unit to which
# normalised layers scale their inputs. The report says which share of the outputs is small enough to be dropped.
ABOVE = 0.01
# Functions that are exactly 0 on a half-line, and those that are hardly ever 0.
EXACT = "relu relu6 threshold hardswish softshrink hardshrink"
SMOOTH = """gelu silu swish mish elu celu selu leaky_relu _prelu_kernel rrelu_with_noise softplus glu
    log_sigmoid_forward"""
# Functions that are as often gates: they count where a linear map reads them, and where they multiply something.
STEPS = "gt ge lt le"
SMOOTH_GATES = "sigmoid logistic hardsigmoid tanh hardtanh erf"
GATES = frozenset(f"{STEPS} {SMOOTH_GATES}".split())
# Activation functions, and the size above which an output of them is active.
ACTIVATIONS = {
    **dict.fromkeys(f"{EXACT} {STEPS}".split(), 0.0),
    **dict.fromkeys(f"{SMOOTH} {SMOOTH_GATES}".split(), ABOVE),
}
