"""What the chapters of the book import beside ``sparse_core``: checks, figures, and devices of single proofs.

``ledger`` holds the checks that are stored with a chapter; ``claims`` finds a claim by its id and computes its evidence
again. ``figures`` draws what a chapter shows, with matplotlib, and is imported by name; ``ladders`` draws ladders of
bounds, ``moving_proof`` the proof of chapter 2 in six steps. ``experiments`` has the stored measurements of chapter 9,
``runs`` what chapters 8 and 9 share. The other modules serve the proofs of chapters 1, 2, 6 and 7.
"""

from . import ledger
from .ledger import check, refute

__all__ = ["check", "ledger", "refute"]
