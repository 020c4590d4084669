"""General distributions: exact Rademacher complexities. Section 5."""

from . import rademacher

__all__ = ["rademacher"]
