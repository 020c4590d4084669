"""What is measured: sides that compute the same, the first of which is this package wherever it takes part.

A side is a function of the arguments of a case. It makes the data, which is not timed, and returns what is timed, or a
`Run`. It imports its library itself by ``pytest.importorskip``, so that one that is missing is skipped alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Run(NamedTuple):
    """What is timed; what is compared of its result; facts for the record; what ends it."""

    call: Callable[[], Any]
    view: Callable[[Any], Any] = lambda result: result
    facts: dict[str, Any] = {}
    close: Callable[[], Any] = lambda: None


class Case(NamedTuple):
    """The sides at these arguments; the first one with two threads as well, where ``twice`` says so."""

    group: str
    sides: dict[str, Callable[..., Any]]
    args: dict[str, Any]
    quick: bool = False
    twice: bool = False
