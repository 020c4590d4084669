"""Measure a network, say what sparsity explains of it, and check every statement of the paper, and ours, on it.

``measure`` counts who is active on given inputs; ``explain`` returns the ladder of bounds on a network, and ``examine``
the ladder and a table of all statements. ``files`` reads networks, ``layer`` and ``networks`` take them from arrays and
frameworks; ``measurements`` has the quantities of the network, ``table`` the statements; ``command`` is
``sparse-core``. Sections 1, 2, 3 and 5.
"""

from . import files, ladder, layer, measure, measurements, naming, networks, onnx_graph, report, stored, table
from .ladder import Ladder, explain
from .layer import Layer, Unit, WithConstant, as_layer
from .measure import Measurement
from .networks import as_network, balanced
from .report import Report, examine

__all__ = [
    "Ladder", "Layer", "Measurement", "Report", "Unit", "WithConstant", "as_layer", "as_network", "balanced", "examine",
    "explain", "files", "ladder", "layer", "measure", "measurements", "naming", "networks", "onnx_graph", "report",
    "stored", "table",
]  # fmt: skip
