"""`pytest --nbval book/02-uniform.ipynb` runs and compares a notebook as tests/book/test_notebooks.py does."""

import os

from companion.building.chapters import differences
from nbval.plugin import IPyNbCell

import make

make.BUILD.mkdir(exist_ok=True)  # a kernel does not start where the folder of its settings cannot be made
os.environ.update(make.ENVIRONMENT)


def compare_outputs(cell, outputs, stored, skip_compare=None):
    cell.comparison_traceback = differences(outputs, stored)
    return not cell.comparison_traceback


IPyNbCell.compare_outputs = compare_outputs
