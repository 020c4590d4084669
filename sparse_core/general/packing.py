r"""Set packing: which sets to take, so that no point is covered more than k times and the total value is largest.

The points are 0, ..., m-1 and a set of them is a bit mask. This is how the neurons of a k-sparse network share a
sample: neuron j takes the set of points on which it is active, and each point has room for k neurons.

Paper: section 5, where the sets I_j of a 1-sparse network are disjoint.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks

__all__ = ["pack"]

MAX_STATES = 1 << 24  # numbers in the table: 128 MB


def pack(values: ArrayLike, s: int, k: int) -> NDArray[np.float64]:
    """max of values[I_1] + ... + values[I_t] over t sets that cover no point more than k times, for t = 0, ..., s.

    Parameters
    ----------
    values : (2^m,) the value of each set; a set may be taken more than once, or not at all.
    s : the largest number of sets.
    k : the capacity of each point.

    Notes
    -----
    f(t, capacities) = max over I of f(t - 1, capacities less one on I) + values[I]: an exact dynamic programme over a
    table of (s+1) (k+1)^m numbers, with k passes for each set of positive value, which may be taken k times.

    Examples
    --------
    >>> pack([0, 3, 3, 5], s=2, k=1)                 # both points at once, or one by one
    array([0., 5., 6.])
    >>> pack([0, 3, 3, 5], s=4, k=2)
    array([ 0.,  5., 10., 11., 12.])
    """
    array, m = checks.length_2n("values", values)
    s, k = checks.integer("s", s, 0), checks.integer("k", k, 1)
    used = min(s, k * m)  # every set of value takes a point, so more sets than that do not fit
    if (used + 1) * (k + 1) ** m > MAX_STATES:
        raise ValueError(f"{m} points with k = {k} and s = {s} need a table of more than {MAX_STATES} numbers.")
    best = np.zeros((used + 1, *(k + 1,) * m))  # the axes: t, then the capacity of each point
    for mask in np.flatnonzero(array[1:] > 0) + 1:
        inside = (mask >> np.arange(m) & 1).tolist()
        after = (slice(1, None), *(slice(1, None) if i else slice(None) for i in inside))
        before = (slice(-1), *(slice(-1) if i else slice(None) for i in inside))
        for _ in range(k):
            best[after] = np.maximum(best[after], best[before] + array[mask])
    return np.append(best.reshape(used + 1, -1)[:, -1], np.full(s - used, best.flat[-1]))
