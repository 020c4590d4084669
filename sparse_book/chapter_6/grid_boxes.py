r"""Boxes {a_1, b_1} x ... x {a_t, b_t} in a product of t finite sets, and neurons that are active on just one of them.

A point of the grid is tau = (tau_1, ..., tau_t); a box is a list of t pairs of different symbols, and has 2^t points.

*Box lemma.* A set of density >= d in [q_1] x ... x [q_t] contains a box if q_i >= (2/d)^(2^(i-1)): some pair a != b of
first coordinates has a set {y : (a, y), (b, y) in D} of density at least d^2/2, and so on. Hence for *every* choice of
signs monochromatic boxes can be stripped off until both colours have density below 1/8: they cover 3/4 of the grid.

*Neurons on the cube.* Symbols are rows of signs: a part where all are 1, a fraction rho, and one where any four are
independent. A point is the tensor product of its symbols; the neuron of a box is the mean of its 2^t points, with
entries 0 and +-1. Two disjoint boxes have opposite signs at so many entries that they are never active together.

Paper: section 5, `ours-conjecture-20-box`, `ours-conjecture-20-cube`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparse_core import checks

__all__ = ["box_in", "monochromatic_boxes", "neuron", "point", "symbols"]

Box = list[tuple[int, int]]

# Irreducible polynomials over GF(2), by degree, as bit masks.
MODULI = {1: 0b11, 2: 0b111, 3: 0b1011, 4: 0b10011}


def box_in(D: ArrayLike) -> Box | None:
    """A box inside the set D, an array of truth values, or None where the greedy choice of the box lemma finds none.

    Each step takes the pair of first coordinates with the most common continuations, at least as many as the average.

    >>> box_in([[1, 1, 0], [0, 1, 1], [1, 1, 0]])
    [(0, 2), (0, 1)]
    """
    rest = checks.real_array("D", D, None, convert=False).astype(np.bool_)
    if rest.ndim == 0 or min(rest.shape) == 0:
        rule = "must be an array of truth values with positive sides"
        raise ValueError(f"Argument 'D' {rule}, not of shape {rest.shape}.")
    box: Box = []
    while rest.ndim > 1:
        rows = rest.reshape(len(rest), -1).astype(np.float32)
        common = np.triu(rows @ rows.T, 1)
        a, b = (int(i) for i in np.unravel_index(int(np.argmax(common)), common.shape))
        if common[a, b] == 0:
            return None
        box.append((a, b))
        rest = rest[a] & rest[b]
    last = np.flatnonzero(rest)[:2].tolist()
    return [*box, (last[0], last[1])] if len(last) == 2 else None


def monochromatic_boxes(signs: ArrayLike, least: float = 1 / 8) -> tuple[list[Box], NDArray[np.bool_]]:
    """Disjoint boxes, each with one sign, until each colour's uncovered points have density below ``least``.

    Also which points they cover. It stops early only where ``box_in`` returns None.

    >>> boxes, covered = monochromatic_boxes(np.ones((2, 4)))
    >>> boxes, float(covered.mean())
    ([[(0, 1), (0, 1)], [(0, 1), (2, 3)]], 1.0)
    """
    zeta = checks.real_array("signs", signs, None, convert=False)
    least = checks.real("least", least, 0, 1)
    checks.signs("signs", zeta.reshape(1, -1))
    checks.integer("the number of signs", zeta.size, 1)
    covered = np.zeros(zeta.shape, dtype=np.bool_)
    boxes: list[Box] = []
    for colour in (1, -1):
        free = zeta == colour
        while free.mean() >= least and (box := box_in(free)):
            boxes.append(box)
            free[np.ix_(*box)] = False
            covered[np.ix_(*box)] = True
    return boxes, covered


def symbols(r: int, common: int) -> NDArray[np.int8]:
    """2^r - 1 rows of signs: ``common`` ones, and then (-1)^<(z, z^3), y> over y in GF(2)^(2r), z != 0 in GF(2^r).

    Any four of the vectors (z, z^3) are linearly independent over GF(2) (the BCH code of distance 5; for r >= 3), so
    that in the second part any four rows show each pattern of signs equally often.

    >>> symbols(1, 1)
    array([[ 1,  1, -1, -1,  1]], dtype=int8)
    """
    r = checks.integer("r", r, 1, 4)
    common = checks.integer("common", common, 0, 10**6)
    labels = [z | _times(z, _times(z, z, r), r) << r for z in range(1, 1 << r)]
    parity = np.bitwise_count(np.array(labels)[:, None] & np.arange(1 << 2 * r)) & 1
    return np.hstack([np.ones((len(labels), common)), 1 - 2.0 * parity]).astype(np.int8)


def _times(x: int, y: int, r: int) -> int:
    """The product in GF(2^r)."""
    result = 0
    for bit in range(r):
        result ^= (x << bit) * (y >> bit & 1)
    for bit in reversed(range(r, 2 * r)):
        result ^= (MODULI[r] << bit - r) * (result >> bit & 1)
    return result


def point(rows: ArrayLike, tau: Sequence[int]) -> NDArray[np.int8]:
    """r_{tau_1} x ... x r_{tau_t}: the tensor product of the symbols, a point of a cube.

    >>> point(np.array([[1, 1], [1, -1]], dtype=np.int8), [1, 0])
    array([ 1,  1, -1, -1], dtype=int8)
    """
    signs = checks.signs("rows", rows).astype(np.int8)
    chosen = [checks.integer("tau", a, 0, len(signs) - 1) for a in checks.listed("tau", tau)]
    if not chosen:
        raise ValueError("Argument 'tau' must have at least one symbol.")
    return reduce(np.kron, [signs[a] for a in chosen])


def neuron(rows: ArrayLike, box: Sequence[tuple[int, int]]) -> NDArray[np.int8]:
    """The mean of the 2^t points of a box, the tensor product of the (r_a + r_b) / 2: entries -1, 0 and 1.

    >>> neuron(np.array([[1, 1], [1, -1]], dtype=np.int8), [(0, 1), (0, 1)])
    array([1, 0, 0, 0], dtype=int8)
    """
    signs = checks.signs("rows", rows).astype(np.int8)
    pairs = [checks.integer_array("box", pair) for pair in checks.listed("box", box)]
    if not pairs or any(pair.shape != (2,) or pair[0] == pair[1] for pair in pairs):
        raise ValueError(f"Argument 'box' must be pairs of different symbols, not {box}.")
    for a in np.ravel(pairs):
        checks.integer("box", a, 0, len(signs) - 1)
    return reduce(np.kron, [(signs[a] + signs[b]) // 2 for a, b in pairs])
