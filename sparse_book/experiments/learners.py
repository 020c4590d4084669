r"""The two learners of the experiments: a polynomial whose degree is validated, and a network trained by Adam.

Both hold out a fifth of the sample, by which they choose the degree and when to stop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core._arrays import Array
from sparse_core.learning.lowdegree import LowDegreeRegressor
from sparse_core.network import training

__all__ = ["Predictor", "Row", "network", "polynomial", "risks"]

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
