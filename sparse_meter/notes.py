"""What is known of a tensor while a model runs: where it comes from, which weight it is, or what it chooses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from .sites import Site

__all__: list[str] = []  # called by ``tracing``


@dataclass(eq=False)
class Choice:
    """Integers that come from a choice for each of so many inputs."""

    inputs: int


class Rows(NamedTuple):
    """Which of how many inputs the rows of a tensor are, in a tensor of one neuron; -1 is none.

    scope : the module that picked them; ``chosen``, whether by a choice.
    """

    inputs: Any
    total: int
    scope: str
    chosen: bool


@dataclass(frozen=True, eq=False)
class Weight:
    """A weight, or a part of it: its name, the number of its inputs, and of which of ``count`` experts it is.

    expert : a number, or one for each row that is multiplied, picked by a ``choice``.
    """

    name: str
    n: int | None = None
    expert: Any = None
    count: int = 1
    choice: Choice | None = None


@dataclass(frozen=True, eq=False)
class Trace:
    """Where a tensor comes from.

    axis : along which the neurons are.
    writer : the last linear map.
    site : the activation function whose output it is, perhaps scaled.
    doubts : what changed it since the last linear map and was not recognised.
    rows : of which inputs of a mixture its rows are, if an expert was given only some.
    """

    axis: int
    writer: Weight = Weight("")
    site: Site | None = None
    doubts: frozenset[str] = frozenset()
    rows: Rows | None = None
