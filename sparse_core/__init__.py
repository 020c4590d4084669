"""The mathematics of sparsely activated networks, one object per module.

The companion to "Learning Neural Networks with Sparse Activations" (Awasthi, Dikkala, Kamath and Meka, COLT 2024)
imports everything that it runs from here.
"""

__version__ = "0.1.0"
