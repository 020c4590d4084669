"""README.md as a package index can show it: without pictures and links that lead into the repository."""

import re
from pathlib import Path

from setuptools import setup

readme = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
readme = re.sub(r"!\[[^\]]*\]\((?!https?:)[^)]*\)\n*", "", readme)
readme = re.sub(r"\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", readme)
setup(long_description=readme, long_description_content_type="text/markdown")
