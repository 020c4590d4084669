"""Every bound of the paper, and ours, as functions with explicit constants.

``bounds.paper`` holds the bounds in the order of the paper. A constant that the paper leaves inside O(.) is the keyword
``constant``, 1 by default: a reading, not a claim. Where the printed derivation slips, ``form="repaired"`` (or a
function of its own) is the bound that the paper's own route gives once it is repaired, with every constant explicit.

``bounds.ours`` holds what the companion proves instead. There no constant is free: each is computed from the ones
that it rests on.

Conventions, stated once. Logarithms are natural unless the name says otherwise. The name of an argument means the same
in every bound. A size (degree, samples, queries) is returned as a real number, so that it can be plotted; it is
infinite where it, or a power on the way to it, exceeds the largest float. A risk is E (f - h)^2, twice the paper's
loss; the theorems of the paper allow a loss of eps, which is a risk of 2 eps.
"""

from . import ours, paper

__all__ = ["ours", "paper"]
