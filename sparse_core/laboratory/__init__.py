"""Every statement of the paper, and ours, held against one network: both sides, the slack, the hypotheses that fail.

``examine`` takes a network and gives the report; ``measurements`` is what it measures, ``table`` what it compares;
``command`` is ``sparse-core examine``. Sections 1, 2, 3 and 5.
"""

from . import measurements, report, table
from .report import Report, WithConstant, balanced, examine, read

__all__ = ["Report", "WithConstant", "balanced", "examine", "measurements", "read", "report", "table"]
