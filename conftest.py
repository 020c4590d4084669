"""All tests run as the commands do; `pytest --nbval` compares notebooks as tests/book/test_notebooks.py does."""

import os
import sys
from pathlib import Path

from hypothesis import settings

ROOT = Path(__file__).parent
sys.path[:0] = [str(ROOT), str(ROOT / "book" / "_ext")]

import make  # noqa: E402  (the line above finds it)

make.BUILD.mkdir(exist_ok=True)
os.environ.update(make.ENVIRONMENT)
settings.register_profile("companion", deadline=None, derandomize=True)
settings.load_profile("companion")


def pytest_configure(config):
    if config.getoption("nbval", False):
        from companion.chapters import differences
        from nbval.plugin import IPyNbCell

        def compare_outputs(cell, outputs, stored, skip_compare=None):
            cell.comparison_traceback = differences(outputs, stored)
            return not cell.comparison_traceback

        IPyNbCell.compare_outputs = compare_outputs
