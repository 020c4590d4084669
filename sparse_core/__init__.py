"""The mathematics of sparsely activated networks, one subpackage for each part of the paper.

The companion to "Learning Neural Networks with Sparse Activations" (Awasthi, Dikkala, Kamath and Meka, COLT 2024)
imports from here the mathematics that it runs. What needs SciPy or scikit-learn is loaded when it is first used.

Large computations use as many threads as BLAS does: by default the number of cores, otherwise what OMP_NUM_THREADS or
OPENBLAS_NUM_THREADS says when Python starts, or ``threadpoolctl.threadpool_limits`` for a while. The work is cut into
the same blocks whatever that number is, and their results are combined in the same order, so the bits of a result are
the same. Small pieces of work are done on one thread. Computations of less than a millisecond leave threads to BLAS,
and their round-off may depend on the number of threads.

>>> import sparse_core
>>> net = sparse_core.SparseNetwork(u=[1, -1], W=[[1], [-1]], b=[-1, -1])  # h(x) = relu(x + 1) - relu(-x + 1) = 2 x
>>> sparse_core.cube.fourier.average_sensitivity(net.values())
4.0
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from . import bounds, cube, hardness, network
from .network import SparseNetwork

if TYPE_CHECKING:
    from . import general, learning
    from .learning import LowDegreeRegressor
    from .learning.interactions import interactions

__all__ = [
    "LowDegreeRegressor", "SparseNetwork", "bounds", "cube", "general", "hardness", "interactions", "learning",
    "network",
]  # fmt: skip
try:
    __version__ = version("sparse-activations")
except PackageNotFoundError:  # imported from a folder and not installed, as by the chapters of the book
    __version__ = "0.0.0.dev0"


def __getattr__(name: str) -> Any:
    """What loads SciPy, which takes half a second, or scikit-learn, which takes as long again."""
    if name in ("general", "learning"):
        return import_module(f"{__name__}.{name}")
    if name == "LowDegreeRegressor":
        return import_module(f"{__name__}.learning.lowdegree").LowDegreeRegressor
    if name == "interactions":
        return import_module(f"{__name__}.learning.interactions").interactions
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
