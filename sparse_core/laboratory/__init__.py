"""Measure a network, say what sparsity explains of it, and check every statement of the paper, and ours, on it.

``measure`` counts who is active on given inputs; ``explain`` returns the ladder of bounds on a network, and ``examine``
the ladder and a table of all statements. ``layer`` takes networks from arrays and frameworks, ``files`` from files;
``observation`` has the quantities of the network, ``table`` the statements; ``command`` is ``sparse-core``. Sections 1,
2, 3 and 5.
"""

from . import files, ladder, layer, measure, naming, observation, onnx_graph, report, stored, table
from .ladder import Ladder, explain
from .layer import Layer, Unit, WithConstant, as_layer, as_network, balanced
from .measure import Measurement
from .report import Report, examine

__all__ = [
    "Ladder", "Layer", "Measurement", "Report", "Unit", "WithConstant", "as_layer", "as_network", "balanced", "examine",
    "explain", "files", "ladder", "layer", "measure", "naming", "observation", "onnx_graph", "report", "stored",
    "table",
]  # fmt: skip
