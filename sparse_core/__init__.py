"""The mathematics of sparsely activated networks, one room for each part of the paper.

The companion to "Learning Neural Networks with Sparse Activations" (Awasthi, Dikkala, Kamath and Meka, COLT 2024)
imports everything that it runs from here. A room is loaded when it is first used.

Large calls use as many threads as BLAS has: OMP_NUM_THREADS or OPENBLAS_NUM_THREADS says so at the start, and
``threadpoolctl.threadpool_limits`` for a while; by default it is the number of cores. The work is cut into the same
blocks whatever that number is, and their results are combined in the same order, so the bits of a result are the same.
Where the pieces of the work are short for Python to hand out, they stay on one thread. Small calls, of less than a
millisecond, leave threads to BLAS, with the round-off that it has on them.

>>> import sparse_core
>>> net = sparse_core.SparseNetwork(u=[1, -1], W=[[1], [-1]], b=[-1, -1])  # h(x) = relu(x + 1) - relu(-x + 1) = 2 x
>>> sparse_core.cube.fourier.average_sensitivity(net.values())
4.0
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import bounds, cube, general, hardness, laboratory, learning, network
    from .laboratory import examine
    from .learning import LowDegreeRegressor
    from .network import SparseNetwork

__all__ = [
    "LowDegreeRegressor", "SparseNetwork", "bounds", "cube", "examine", "general", "hardness", "laboratory",
    "learning", "network",
]  # fmt: skip
try:
    __version__ = version("sparse_core")
except PackageNotFoundError:  # used from its folder, as by the chapters of the book
    __version__ = "0+folder"
_NOUNS = {"SparseNetwork": "network", "LowDegreeRegressor": "learning", "examine": "laboratory"}


def __getattr__(name: str) -> Any:
    if name in _NOUNS:
        return getattr(import_module(f"{__name__}.{_NOUNS[name]}"), name)
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
