"""General distributions: exact Rademacher complexities, and the families that show how large they get. Section 5."""

from . import grid_boxes, grid_family, interval, perceptron_cover, rademacher
from .grid_family import GridFamily

__all__ = ["GridFamily", "grid_boxes", "grid_family", "interval", "perceptron_cover", "rademacher"]
