"""Learning over the uniform distribution: sparse networks have low degree, and the low-degree algorithm. Section 3.

The steps of Lemma 9 as objects; moments of samples, which add up across shards, and polynomial regression; the
algorithm as a scikit-learn estimator, with which scikit-learn is loaded; exact risks; the certified share of
interactions in any model.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import interactions, lemma_9, moments, risks
from .moments import Moments

if TYPE_CHECKING:
    from . import lowdegree
    from .lowdegree import LowDegreeRegressor

__all__ = ["LowDegreeRegressor", "Moments", "interactions", "lemma_9", "lowdegree", "moments", "risks"]


def __getattr__(name: str) -> Any:
    """The estimator, which loads scikit-learn: half a second."""
    if name not in ("LowDegreeRegressor", "lowdegree"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    lowdegree = import_module(f"{__name__}.lowdegree")
    return lowdegree if name == "lowdegree" else lowdegree.LowDegreeRegressor
