"""What the chapters of the book import beside ``sparse_core``: checks, figures, and devices of single proofs.

``ledger`` holds the checks that are stored with a chapter; ``claims`` finds a claim by its id and computes its evidence
again. ``figures`` draws what a chapter shows, with matplotlib, and is imported by name; ``ladders`` draws ladders of
bounds. ``experiments`` has the stored measurements of chapters 8 and 9, ``runs`` what they share. What one chapter
alone needs, a device of its proof, is in a folder of its number.
"""

from . import ledger
from .ledger import check, refute

__all__ = ["check", "ledger", "refute"]
