r"""The learners of the experiments: a polynomial whose degree is validated, a network trained by Adam, and two rivals.

The first two hold out a fifth of the sample, by which they choose the degree and when to stop. The rivals are the mean
of the labels at the nearest points of the sample, and a polynomial of degree 3 where inputs repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core._arrays import Array
from sparse_core.learning import moments
from sparse_core.learning.lowdegree import LowDegreeRegressor
from sparse_core.network import training

__all__ = ["Predictor", "Row", "cubic", "nearest", "network", "polynomial", "risks"]

Row = dict[str, Any]  # numbers, or lists of numbers, by name
Predictor = Callable[[NDArray[np.int8]], Array]

# The share of a sample that is held out, as a divisor.
HELD_OUT = 5
# Added to the Gram matrix, in units of one monomial's mean square: it decides where samples are fewer than monomials.
RIDGE = 0.01


def polynomial(X: NDArray[np.int8], y: Array, degrees: tuple[int, ...] = (1, 2, 3)) -> Predictor:
    """The polynomial by least squares of the degree that is best on the fifth that is held out.

    >>> from sparse_core.cube import hypercube
    >>> X = hypercube.points(6)
    >>> f = polynomial(X, 1.0 * X[:, 0] * X[:, 1])
    >>> bool(abs(f(X) - X[:, 0] * X[:, 1]).max() < 0.1)
    True
    """
    held = len(X) // HELD_OUT
    fits = [LowDegreeRegressor(d, "least_squares", ridge=RIDGE).fit(X[held:], y[held:]) for d in degrees]
    errors = [np.mean((fit.predict(X[:held]) - y[:held]) ** 2) for fit in fits]
    best: Predictor = fits[int(np.argmin(errors))].predict
    return best


def network(
    X: NDArray[np.int8], y: Array, *, rng: np.random.Generator, width: int = 64, steps: int = 1000, l1: float = 0.0
) -> Predictor:
    """A network of so many neurons after 1000 steps of Adam, or where it was best on the fifth that is held out.

    The labels are standardised for the training, so that its learning rate suits labels of any size.

    >>> from sparse_core.cube import hypercube
    >>> X = hypercube.points(6)
    >>> f = network(X, 3.0 * X[:, 0], rng=np.random.default_rng(0))
    >>> bool(np.mean((f(X) - 3 * X[:, 0]) ** 2) < 0.9)
    True
    """
    held = len(X) // HELD_OUT
    centre = y.mean()
    scale = y.std() or 1.0  # constant labels are learned as they are
    z = (y - centre) / scale
    points = X.astype(np.float32)
    net = training.fit(
        points[held:], z[held:], width, steps=steps, l1=l1, rng=rng, validation=(points[:held], z[:held])
    )
    return lambda inputs: np.asarray(centre + scale * net(inputs))


def nearest(X: NDArray[np.int8], y: Array) -> Predictor:
    """The mean label at the points of the sample that are nearest in Hamming distance: a table, where they repeat.

    >>> X = np.array([[1, 1, 1], [1, 1, 1], [-1, -1, -1]], dtype=np.int8)
    >>> nearest(X, np.array([1.0, 2.0, 5.0]))(np.array([[1, 1, -1], [-1, -1, -1]], dtype=np.int8))
    array([1.5, 5. ])
    """
    sample = X.astype(np.float32)

    def predict(points: NDArray[np.int8]) -> Array:
        products = points.astype(np.float32) @ sample.T  # integers, and the larger the nearer
        closest = products == products.max(axis=1, keepdims=True)
        return np.asarray(closest @ y / closest.sum(axis=1))

    return predict


def cubic(X: NDArray[np.int8], y: Array) -> Predictor:
    """The polynomial of degree at most 3 by least squares with the ridge of ``polynomial``, for a sample with repeats.

    The dual equations have an unknown for each point that occurs, (K + m ridge / count) a = mean label.

    >>> from sparse_core.cube import hypercube
    >>> X = hypercube.points(6)
    >>> f = cubic(X, X[:, :3].prod(axis=1).astype(float))
    >>> bool(abs(f(X) - X[:, :3].prod(axis=1)).max() < 0.05)
    True
    """
    points, where, counts = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    means = np.bincount(where.ravel(), y) / counts
    n = X.shape[1]

    def kernel(sample: NDArray[np.int8]) -> Array:
        """The sum of the monomials of degree at most 3 at the products of the entries."""
        t = sample.astype(np.float64) @ points.T
        return np.asarray(1 + t + (t**2 - n) / 2 + (t**3 - (3 * n - 2) * t) / 6)

    K = kernel(points)
    K[np.diag_indices_from(K)] += len(X) * RIDGE / counts
    dual = moments.solve(K, means)
    return lambda inputs: np.asarray(kernel(inputs) @ dual)


def risks(
    X: NDArray[np.int8],
    y: Array,
    sizes: Sequence[int],
    risk: Callable[[Predictor], Any],
    *,
    rng: np.random.Generator,
    degrees: tuple[int, ...] = (1, 2, 3),
) -> Row:
    """The risks of both learners on the first m samples, for each m of ``sizes``.

    >>> from sparse_core.cube import hypercube
    >>> X = hypercube.points(6)
    >>> found = risks(X, 1.0 * X[:, 0], [32, 64], lambda f: np.mean(f(X) ** 2), rng=np.random.default_rng(0))
    >>> {name: len(values) for name, values in found.items()}
    {'polynomial': 2, 'network': 2}
    """
    return {
        "polynomial": [risk(polynomial(X[:m], y[:m], degrees)) for m in sizes],
        "network": [risk(network(X[:m], y[:m], rng=rng)) for m in sizes],
    }
