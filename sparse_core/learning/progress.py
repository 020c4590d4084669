r"""Long computations that show how far they are and can be interrupted.

A progress bar is one line per stage of the work, on a terminal only. The bars are those of tqdm
(``pip install .[progress]``), which is imported only when they are wanted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .. import checks

__all__ = ["Progress", "all_or_nothing"]


class Progress:
    """callback(stage, share): what ``regression.least_squares`` and others report to, shown where ``verbose`` is true.

    >>> with Progress(verbose=False) as report:
    ...     report("moments", 0.5)
    """

    def __init__(self, verbose: bool) -> None:
        self._make: Any = None
        self._bar: Any = None
        self._stage = ""
        if checks.flag("verbose", verbose):
            try:
                from tqdm import tqdm
            except ImportError:
                raise ImportError("Argument 'verbose' needs tqdm: pip install .[progress]") from None
            self._make = tqdm

    def __call__(self, stage: str, share: float) -> None:
        if self._make is None:
            return
        if stage != self._stage:
            self.__exit__()
            form = "{desc}: {percentage:3.0f}% |{bar}| {elapsed}, {remaining} left"
            self._stage, self._bar = stage, self._make(total=1.0, desc=stage, bar_format=form, disable=None)
        self._bar.update(max(0.0, share - self._bar.n))

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.close()


@contextmanager
def all_or_nothing(model: Any) -> Iterator[None]:
    """What fails or is interrupted inside leaves the attributes of the model as they were.

    >>> from types import SimpleNamespace
    >>> model = SimpleNamespace(degree=1)
    >>> with all_or_nothing(model):
    ...     model.degree = 2
    ...     raise InterruptedError
    Traceback (most recent call last):
    InterruptedError
    >>> model
    namespace(degree=1)
    """
    before = vars(model).copy()
    try:
        yield
    except BaseException:
        vars(model).clear()
        vars(model).update(before)
        raise
