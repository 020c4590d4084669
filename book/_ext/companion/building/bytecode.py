"""What a browser then need not do at each start: modules are compiled, and matplotlib's fonts are listed.

It runs in the Python of the browser (in_node.cjs), on a folder with `ours`, our packages, imports.py, what the cells of
the pages import, and python_stdlib.zip. It writes ours.zip, which has beside them the bytecode of all that is imported,
and python_stdlib.zip with bytecode alone. Bytecode of a package knows the digest of its source, and is not used beside
another one.
"""

import contextlib
import importlib.util
import pkgutil
import py_compile
import runpy
import shutil
import site
import sys
from collections.abc import Sequence
from pathlib import Path

CHECKED = py_compile.PycInvalidationMode.CHECKED_HASH
UNCHECKED = py_compile.PycInvalidationMode.UNCHECKED_HASH  # where no source is left


def import_all(imports: Path, ours: Sequence[str]) -> None:
    """Import what the cells do, and every module of our packages."""
    runpy.run_path(str(imports))
    importlib.import_module("companion.building.in_browser")
    for name in ours:
        for module in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
            with contextlib.suppress(ImportError):  # of what the browser does not have
                if not module.name.endswith("__main__"):
                    importlib.import_module(module.name)


def main(folder: Path, ours: Sequence[str]) -> None:
    packages = Path(site.getsitepackages()[0])
    shutil.copytree(folder / "ours", packages, dirs_exist_ok=True)
    importlib.invalidate_caches()
    import_all(folder / "imports.py", ours)
    made = [packages / "matplotlib/fontlist.json"]
    for module in list(sys.modules.values()):
        path = Path(getattr(module, "__file__", None) or "")
        if path.suffix == ".py" and path.is_relative_to(packages):
            py_compile.compile(str(path), doraise=True, invalidation_mode=CHECKED)
            made.append(Path(importlib.util.cache_from_source(str(path))))
    for path in made:
        target = folder / "ours" / path.relative_to(packages)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    shutil.make_archive(str(folder / "ours"), "zip", folder / "ours")

    library = folder / "library"
    shutil.unpack_archive(folder / "python_stdlib.zip", library)
    for path in library.rglob("*.py"):
        shown = f"/lib/python312.zip/{path.relative_to(library)}"
        with contextlib.suppress(py_compile.PyCompileError):  # of a template, which is no program
            py_compile.compile(str(path), f"{path}c", shown, doraise=True, invalidation_mode=UNCHECKED)
            path.unlink()
    shutil.make_archive(str(folder / "python_stdlib"), "zip", library)


main(Path(sys.argv[1]), sys.argv[2:])
