"""Lower bounds for learning 1-sparse networks: parities, statistical queries, learning with rounding. Section 4.

The lifts that turn parities and rounded linear functions into networks, oracles for statistical queries, and linear
algebra modulo q for the learners that the lower bounds do not exclude.
"""

from . import modular, reductions, statistical_queries
from .statistical_queries import AdversarialOracle, StatisticalQueryOracle

__all__ = ["AdversarialOracle", "StatisticalQueryOracle", "modular", "reductions", "statistical_queries"]
