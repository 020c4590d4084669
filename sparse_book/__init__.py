"""What the chapters of the book import beside ``sparse_core``: figures, and devices of single proofs.

``ledger`` is what records checks, of ``sphinx_claims``; ``claims`` finds a claim of this book by its id and computes
its evidence again. ``figures`` draws what a chapter shows, with matplotlib, and is imported by name; ``ladders`` draws
ladders of bounds. ``experiments`` has the stored measurements of chapters 8 and 9, ``runs`` what they share. What one
chapter alone needs, a device of its proof, is in a folder of its number.
"""

from sphinx_claims import check, refute
from sphinx_claims import record as ledger

__all__ = ["check", "ledger", "refute"]
