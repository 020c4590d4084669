"""What a chapter finds in a kernel that was forked: what it finds in one that was started for it alone."""

import nbformat
from companion.building import chapters, kernels

CELL = """
import os, signal, sys
import matplotlib, numpy
found = [sys.path, sys.argv[1], sys.warnoptions, os.getcwd(), matplotlib.get_backend(), os.environ["MPLBACKEND"]]
found += [os.getsid(0) == os.getpid(), signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGCHLD)]
found += [os.read(0, 1), sorted(dir()), hasattr(numpy, "mark")]
numpy.mark = "left by another chapter"
print(found)
"""


def test_chapters_that_run_together_find_what_one_finds_alone(tmp_path):
    cells = [nbformat.v4.new_code_cell(CELL)]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=chapters.METADATA)
    alone = chapters.execute(notebook, tmp_path)
    together = {name: done for name, done, _ in chapters.execute_all(dict.fromkeys("abc", notebook), tmp_path)}
    assert together.keys() == set("abc")
    for done in together.values():
        assert done["cells"][0]["outputs"] == alone["cells"][0]["outputs"]


def test_only_packages_that_start_nothing_are_imported_before():
    cells = ["import os, numpy\nimport numpy as np", "%pip install x\nimport numpy", "if True:\n    import scipy"]
    assert kernels.imports(cells) == ["import numpy as np"]
    assert kernels.imports(["from numpy import pi\nfrom distributed import Client"] * 2) == ["from numpy import pi"]
