"""Measure a network of your own, say what sparsity explains of it, and check every statement of the paper on it.

``measure`` counts who is active on given inputs; ``explain`` returns the ladder of bounds on a network, and ``examine``
the ladder and a table of all statements. ``layer`` takes networks from arrays and frameworks, ``files`` from files;
``observation`` has the quantities of the network, ``table`` the statements; ``command`` is ``sparse-meter``. The
mathematics is that of ``sparse_core``, which knows nothing of this package.
"""

from . import (
    counting,
    files,
    ladder,
    layer,
    measuring,
    modules,
    naming,
    observation,
    report,
    running,
    table,
    tables,
)  # fmt: skip
from .counting import Measurement, Measurements
from .ladder import Ladder, explain
from .layer import Layer, Unit, WithConstant, as_layer, as_network, balanced
from .measuring import measure
from .report import Report, examine

__all__ = [
    "Ladder", "Layer", "Measurement", "Measurements", "Report", "Unit", "WithConstant", "as_layer", "as_network",
    "balanced", "counting", "examine", "explain", "files", "ladder", "layer", "measure", "measuring", "modules",
    "naming", "observation", "report", "running", "table", "tables",
]  # fmt: skip
