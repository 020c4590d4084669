"""Measure a network of your own, say what sparsity explains of it, and check every statement of the paper on it.

``measure`` counts who is active on given inputs, ``watch`` while you run a model yourself; both give ``Layers``. In a
room of its own, ``examiner``, ``explain`` returns the ladder of bounds on a network, and ``examine`` the ladder and a
table of all statements. ``command`` is ``sparse-meter``. The mathematics is that of ``sparse_core``, which knows
nothing of this package.
"""

from . import activations, counting, examiner, files, layers, measuring, networks, tables, watching
from .counting import Measurement
from .examiner import Ladder, Report, WithConstant, as_network, balanced, examine, explain
from .layers import Layers
from .measuring import measure
from .watching import watch

__all__ = [
    "Ladder", "Layers", "Measurement", "Report", "WithConstant", "activations", "as_network", "balanced", "counting",
    "examine", "examiner", "explain", "files", "layers", "measure", "measuring", "networks", "tables", "watch",
    "watching",
]  # fmt: skip
