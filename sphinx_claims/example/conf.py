"""The settings of Sphinx. The one line that a project of yours needs for its ledger is that of the extensions."""

project = "A small paper"
extensions = ["sphinx_claims"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
exclude_patterns = ["_build"]
