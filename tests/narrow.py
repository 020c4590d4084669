"""NumPy as on a machine of 32 bits, where what counts and indexes has 32 bits and an integer asked for as int64 has 64.

There NumPy refuses to count or repeat by longer integers, and a product that the default integer cannot hold. Here
both types have 64 bits. What was asked for as int64, is drawn at random, or comes from a function of ours that says so
in its annotation is told apart as C's "long long" (until a remainder or a shift of it, which NumPy computes as "long").
Indices, as of ``nonzero``, keep their 64 bits: a sum of them that overflows there does not overflow here.

``pytest -p tests.narrow tests/core`` runs tests in this way, and with PYTHONPATH=book/_ext ``python -m tests.narrow
04-rounding`` the cells of a page.
"""

import contextlib
import functools
import inspect
import sys

import numpy as np
import pytest

from tests.core.calls import MODULES

MAKERS = ("arange", "array", "asarray", "empty", "full", "ones", "zeros")
DRAWN = ("binomial", "choice", "geometric", "hypergeometric", "integers", "multinomial", "poisson")
# Whether this machine has two types of 64 bits, one for indices and another one; on Windows they are the same.
TOLD_APART = np.dtype(np.intp).char == "l" and np.dtype(np.longlong).itemsize == np.dtype(np.intp).itemsize == 8


def narrowed(make):
    """The function of NumPy, whose array of default integers has 32 bits where its entries do."""

    def made(*args, **kwargs):
        array = make(*args, **kwargs)
        if array.dtype.char != "l" or (args and isinstance(args[0], np.ndarray)):
            return array
        named = isinstance(kwargs.get("dtype"), str)  # as "<i8"
        fits = not named and (not array.size or (-(2**31) <= array.min() and array.max() < 2**31))
        return array.astype(np.int32 if fits else np.longlong)

    return made


def refusing(function, place):
    """The function of NumPy, whose argument at this place becomes an index: no longer integer can."""

    def called(*args, **kwargs):
        found = np.asarray(args[place])
        if found.dtype.char != "l" and found.size and not np.can_cast(found.dtype, np.int32):
            raise TypeError("Cannot cast array data from dtype('int64') to dtype('int32') according to the rule 'safe'")
        return function(*args, **kwargs)

    return called


def long(function):
    """The function, whose array of 64-bit integers is one of "long long"."""

    @functools.wraps(function)
    def called(*args, **kwargs):
        found = function(*args, **kwargs)
        return found.astype(np.longlong) if isinstance(found, np.ndarray) and found.dtype.char == "l" else found

    return called


class Generator(np.random.Generator):
    """A generator whose integers have 64 bits on every machine."""


for drawn in DRAWN:
    setattr(Generator, drawn, long(getattr(np.random.Generator, drawn)))


def promises(thing):
    """Whether this is a function that is annotated to return 64-bit integers."""
    return inspect.isfunction(thing) and thing.__annotations__.get("return") in ("Integers", "NDArray[np.int64]")


@contextlib.contextmanager
def narrow():
    default_rng = np.random.default_rng
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "int64", np.longlong)
        for name in MAKERS:
            patch.setattr(np, name, narrowed(getattr(np, name)))
        patch.setattr(np, "bincount", refusing(np.bincount, 0))
        patch.setattr(np, "repeat", refusing(np.repeat, 1))
        for module in map(sys.modules.get, MODULES):
            for name, thing in list(vars(module).items()):
                if promises(thing):
                    patch.setattr(module, name, long(thing))
        patch.setattr(np.random, "default_rng", lambda seed=None: Generator(default_rng(seed).bit_generator))
        yield


@pytest.fixture(autouse=True)
def narrow_machine():
    with narrow():
        yield


def main(name):
    from companion.building import chapters
    from companion.places import BOOK
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    with narrow():
        for place, cell in enumerate(chapters.code_cells(chapters.read(BOOK / f"{name}.md")), 1):
            shell.run_cell(cell["source"]).raise_error()
            print(f"{name}, cell {place}: done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
