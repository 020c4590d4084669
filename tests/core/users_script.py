"""What a user writes, under `mypy --strict`: the names of the package have types, and none of them is Any."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

from sparse_core import LowDegreeRegressor, SparseNetwork, __version__
from sparse_core.cube import fourier, hypercube
from sparse_core.network import constructions
from sparse_meter import Layers, Measurement, Report, examine, measure

net = constructions.indexing(2)
assert_type(net, SparseNetwork)
assert_type(net(hypercube.points(6)), NDArray[np.float64])
assert_type(fourier.average_sensitivity(net.values()), float)
assert_type(examine(net), Report)
assert_type(measure(net, hypercube.points(6)), Layers)
assert_type(measure(net, hypercube.points(6)).only, Measurement)
model = LowDegreeRegressor(degree=2)
assert_type(model, LowDegreeRegressor)
assert_type([row.id for row in examine(net).only(lambda row: row.verdict == "fails")], list[str])
assert_type(__version__, str)
