"""A ledger of statements about numbers that were made long ago: `sphinx-build docs _build`."""

project = "Statements about numbers"
extensions = ["sphinx_claims"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
exclude_patterns = ["_build"]
