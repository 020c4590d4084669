"""What sparsity explains of one network of the paper's form, and every statement of the paper on it.

``explain`` returns the ladder of bounds on a network, ``examine`` the ladder and a table of all statements;
``observation`` has the quantities of the network, ``table`` the statements.
"""

from .ladder import Ladder, explain
from .outputs import WithConstant, as_network, balanced
from .report import Report, examine

__all__ = ["Ladder", "Report", "WithConstant", "as_network", "balanced", "examine", "explain"]
