"""A model while it runs: which of its modules runs, which inputs are padding, and where its activations are counted."""

from __future__ import annotations

import re
from math import prod
from typing import Any, NamedTuple

import numpy as np

from . import padding
from .counting import empty
from .networks import plain
from .notes import Trace, tensors
from .padding import Mask
from .sites import Site

__all__: list[str] = []  # called by ``watch``


class Part(NamedTuple):
    """A module that runs, and the masks of padding that it is given; nameless, the whole model and what is outside."""

    name: str
    module: Any
    masks: list[Mask]

    @property
    def leaf(self) -> bool:
        """Whether it holds no module and no matrix: it is an activation function, if one is called in it."""
        return self.name != "" and not [*self.module.children()] and all(w.ndim < 2 for w in self.module.parameters())


class Run:
    """The places where activations are counted, and what must be known of the model for it.

    path : the modules that run, the innermost last.
    ran : whether the model ran at all.
    waiting : sites of experts of which not all have run, and the module that gives them inputs.
    """

    def __init__(self, above: float | None) -> None:
        self.above = above
        self.sites: dict[Any, Site] = {}
        self.path = [Part("", None, [])]
        self.ran = False
        self.waiting: dict[Site, str] = {}

    @property
    def own(self) -> str:
        """The innermost module that runs."""
        return self.path[-1].name

    def enter(self, name: str, model: Any, args: Any, kwargs: Any) -> None:
        """A module begins to run."""
        self.ran = True
        masks = self.path[-1].masks
        if len(self.path) == 1:
            masks = padding.masks(model, args, kwargs)
        elif masks:  # those that it is given, as a tower is given one of two
            masks = [mask for mask in masks if any(one is mask.given for one in (*args, *kwargs.values()))] or masks
        self.path.append(Part(name, model, masks))

    def follow_masks(self, name: str, args: Any, out: Any) -> None:
        """A mask is changed on its way, as by a model that puts a token before the others, or positions first."""
        for mask in [*self.path[-1].masks]:
            if name in padding.RESTATES | padding.MOVES and any(one is mask.given for one in tensors(args)):
                self.path[-1].masks.insert(0, padding.changed(mask, name, out))

    def leave(self) -> None:
        """The innermost module has run: so have the experts for which it picks inputs."""
        scope = self.path.pop().name
        self.finish([site for site, waits_for in self.waiting.items() if waits_for == scope])

    def finish(self, sites: list[Site]) -> None:
        """All experts of these have run."""
        for site in sites:
            site.finish()
            del self.waiting[site]

    def count(self, label: str, note: Trace, out: Any, above: float, gate: bool) -> Site:
        """Count the outputs of a function, at the place where it was used before."""
        site = self._at(label, note, prod(out.shape[axis] for axis in note.axes), above, gate)
        if len(self.path) == 1 and (self.ran or not note.writer.name):  # outside the model, as in a loss
            return site
        rows = note.rows
        if note.writer.expert is None:
            lead = tuple(size for axis, size in enumerate(out.shape) if axis not in note.axes)
            site.add(plain("network", out), note.axes, self._keep(site, lead, note.latent))
        elif rows is not None:  # otherwise it is not known of which inputs
            keep = self._keep(site, (rows.total,))
            A = np.moveaxis(plain("network", out), note.axes[-1], -1)
            site.add_rows(A, plain("network", rows.inputs).ravel(), keep, rows.total)
            self.waiting[site] = rows.scope
        site.said[f"Precision: {str(out.dtype).removeprefix('torch.')}."] = None
        return site

    def _keep(self, site: Site, lead: tuple[int, ...], latent: bool = False) -> Any:
        """Which of the inputs along these axes are no padding, if a mask says so."""
        if latent:
            return slice(None)
        keep, missed = padding.kept(self.path[-1].masks, lead, "decoder" in self.own.split("."))
        if not isinstance(keep, slice):
            site.said["Padding is left out."] = None
        site.pads = site.pads or missed
        return keep

    def _at(self, label: str, note: Trace, s: int, above: float, gate: bool) -> Site:
        """The place where a function is used: all experts of a mixture use it at one."""
        writer = note.writer
        own = self.own
        prefix, star, _ = writer.name.partition(".*")
        if star:
            own = re.sub(rf"^({re.escape(prefix)}\.)[^.]+", r"\1*", own)
        key = own, label, writer.name, s
        if key not in self.sites:
            found = empty(s * writer.count, above, self.above)
            leaf = self.path[-1].leaf
            self.sites[key] = Site(own, leaf, label, writer.name, gate, found, experts=writer.count)
        return self.sites[key]
