"""The mathematics of sparsely activated networks, one subpackage for each part of the paper.

The companion to "Learning Neural Networks with Sparse Activations" (Awasthi, Dikkala, Kamath and Meka, COLT 2024)
imports from here the mathematics that it runs. A subpackage is loaded when it is first used.

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

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from ._lazy import lazy

if TYPE_CHECKING:
    from . import bounds, cube, general, hardness, laboratory, learning, network
    from .laboratory import examine, explain
    from .laboratory.measure import measure
    from .learning import LowDegreeRegressor
    from .network import SparseNetwork

__all__ = [
    "LowDegreeRegressor", "SparseNetwork", "bounds", "cube", "examine", "explain", "general", "hardness",
    "laboratory", "learning", "measure", "network",
]  # fmt: skip
try:
    __version__ = version("sparse_core")
except PackageNotFoundError:  # imported from a folder and not installed, as by the chapters of the book
    __version__ = "0.0.0.dev0"


__getattr__ = lazy(
    __name__,
    {name: name for name in __all__}
    | {"SparseNetwork": "network", "LowDegreeRegressor": "learning", "examine": "laboratory"}
    | {"explain": "laboratory", "measure": "laboratory.measure"},
)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
