"""What is known of a tensor while a model runs: where it comes from, which weight it is, or what it chooses."""

from __future__ import annotations

from collections.abc import Iterator
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
    experts : if there are several, the numbers are those of input times ``experts`` plus expert.
    """

    inputs: Any
    total: int
    scope: str
    chosen: bool
    experts: int = 1

    def of(self, expert: Any, experts: int) -> Rows:
        """The rows that an expert, or one for each row, makes of these."""
        inputs = self.inputs // self.experts
        slots = inputs * experts + inputs.new_tensor(expert).expand(inputs.numel()).view(inputs.shape)
        return self._replace(inputs=slots.where(inputs >= 0, inputs), experts=experts)


@dataclass(frozen=True, eq=False)
class Weight:
    """A weight, or a part of it: its name, and of which of ``count`` experts it is.

    expert : a number, or one for each row that is multiplied, picked by a ``choice``.
    times : how often it stands there, as a broadcast product repeats it.
    latent : whether it is computed from weights as the inputs of others are, as the queries of a Perceiver.
    """

    name: str
    expert: Any = None
    count: int = 1
    choice: Choice | None = None
    latent: bool = False
    times: int = 1


@dataclass(frozen=True, eq=False)
class Trace:
    """Where a tensor comes from.

    axes : along which the neurons are, as those of a map whose outputs were cut into heads are along two.
    writer : the last linear map.
    site : the activation function whose output it is, perhaps scaled.
    gates : those whose outputs are among its numbers, as picked or joined with others.
    doubts : what changed it since the last linear map and was not recognised.
    rows : of which inputs of a mixture its rows are, if an expert was given only some.
    latent : whether its rows are the model's own, of which a mask of inputs hides none.
    merged : the shape and the axes that it had before a view merged neurons and inputs.
    """

    axes: tuple[int, ...]
    writer: Weight = Weight("")
    site: Site | None = None
    gates: frozenset[Site] = frozenset()
    doubts: frozenset[str] = frozenset()
    rows: Rows | None = None
    latent: bool = False
    merged: tuple[Any, tuple[int, ...]] | None = None


def tensors(args: Any) -> Iterator[Any]:
    """The tensors among arguments, also those in lists.

    >>> list(tensors((1, [None])))
    []
    """
    for arg in args:
        if hasattr(arg, "untyped_storage"):
            yield arg
        elif isinstance(arg, (list, tuple)):
            yield from tensors(arg)
