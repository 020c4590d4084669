"""Check every statement of the paper, and ours, on one network: both sides, their ratio, the hypotheses that fail.

``examine`` takes a network and returns the report; ``measurements`` has the quantities of the network, ``table`` the
statements; ``command`` is ``sparse-core examine``. Sections 1, 2, 3 and 5.
"""

from . import measurements, report, table
from .report import Report, WithConstant, as_network, balanced, examine

__all__ = ["Report", "WithConstant", "as_network", "balanced", "examine", "measurements", "report", "table"]
