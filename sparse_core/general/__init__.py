"""General distributions: exact Rademacher complexities, and the families that show how large they get. Section 5."""

from . import grid_family, rademacher
from .grid_family import GridFamily

__all__ = ["GridFamily", "grid_family", "rademacher"]
