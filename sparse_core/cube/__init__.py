"""Functions on {-1, 1}^n: points and characters, Fourier coefficients, truth tables in bits. Section 2.

The conventions of the whole package (order of the points, the quarter in AS and NS) are stated in ``hypercube``.
"""

from . import fourier, hypercube, packed
from .hypercube import character, dimension, monomials, points

__all__ = ["character", "dimension", "fourier", "hypercube", "monomials", "packed", "points"]
