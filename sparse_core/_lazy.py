"""Names that a package imports when they are first used, so that it is light to import."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["lazy"]


def lazy(package: str, found_in: dict[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package that imports each of these names, from this submodule, when it is first used.

    >>> lazy("xml", {"dom": "dom"})("dom").__name__
    'xml.dom'
    """

    def load(name: str) -> Any:
        if name not in found_in:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{found_in[name]}")
        return module if found_in[name] == name else getattr(module, name)

    return load
