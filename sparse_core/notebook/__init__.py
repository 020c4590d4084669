"""What a chapter shows: checks that travel with the notebook, and figures that follow the page.

``figures`` needs matplotlib and is imported by name.
"""

from . import ledger
from .ledger import check, refute

__all__ = ["check", "ledger", "refute"]
