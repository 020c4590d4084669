"""h(x) = sum_j u_j relu(<w_j, x> - b_j) with at most k active neurons a point. Section 1, Appendix A.

Networks and their scale, who is active where, how sparse a network is and by which proof, the constructions of the
paper, exact evaluation that skips neurons which are inactive, and a small trainer.
"""

from . import activity, certificates, constructions, evaluation, evaluator, gradients, sparsity, training
from .evaluator import SparseEvaluator
from .network import Scale, SparseNetwork
from .sparsity import Sparsity

__all__ = [
    "Scale", "SparseEvaluator", "SparseNetwork", "Sparsity", "activity", "certificates", "constructions",
    "evaluation", "evaluator", "gradients", "sparsity", "training",
]  # fmt: skip
