"""What the chapters of the book import beside ``sparse_core``: checks, figures, and devices of single proofs.

``ledger`` holds the checks that are stored with a chapter and ``figures`` draws what it shows, with matplotlib, and is
imported by name. ``small_networks``, ``lemma_10``, ``perceptron_cover`` and ``grid_boxes`` serve one chapter each.
"""

from . import ledger
from .ledger import check, refute

__all__ = ["check", "ledger", "refute"]
