"""A model while it runs: which of its modules runs, which inputs are padding, and where its activations are counted."""

from __future__ import annotations

import re
from math import prod
from typing import Any

import numpy as np

from . import padding
from .counting import empty
from .networks import plain
from .notes import Trace
from .padding import Mask
from .sites import Site

__all__: list[str] = []  # called by ``watch``


class Run:
    """The places where activations are counted, and what must be known of the model for it.

    leaves : modules that may be activation functions.
    path, masks : the modules that run, the innermost last, and the masks of padding of each.
    waiting : sites of experts of which not all have run, and the module that gives them inputs.
    """

    def __init__(self, leaves: set[str], above: float | None) -> None:
        self.leaves = leaves
        self.above = above
        self.sites: dict[Any, Site] = {}
        self.path: list[str] = []
        self.masks: list[list[Mask]] = []
        self.ran = False
        self.waiting: dict[Site, str] = {}

    @property
    def own(self) -> str:
        """The innermost module that runs."""
        return ([""] + self.path)[-1]

    def enter(self, name: str, model: Any, args: Any, kwargs: Any) -> None:
        """A module begins to run."""
        self.ran = True
        if not self.path:
            masks = padding.masks(model, args, kwargs)
        else:  # the masks that it is given, as a tower is given one of two
            own = [mask for mask in self.masks[-1] if any(one is mask.given for one in (*args, *kwargs.values()))]
            masks = own or self.masks[-1]
        self.path.append(name)
        self.masks.append(masks)

    def leave(self) -> None:
        """The innermost module has run: so have the experts for which it picks inputs."""
        self.masks.pop()
        scope = self.path.pop()
        self.finish([site for site, waits_for in self.waiting.items() if waits_for == scope])

    def finish(self, sites: list[Site]) -> None:
        """All experts of these have run."""
        for site in sites:
            site.finish()
            del self.waiting[site]

    def count(self, label: str, note: Trace, out: Any, above: float, gate: bool) -> Site:
        """Count the outputs of a function, at the place where it was used before."""
        site = self._at(label, note, prod(out.shape[axis] for axis in note.axes), above, gate)
        if not self.path and (self.ran or not note.writer.name):  # outside the model, as in a loss
            return site
        if note.writer.expert is not None and note.rows is None:  # it is not known of which inputs
            return site
        A = plain("network", out)
        site.said[f"Precision: {str(out.dtype).removeprefix('torch.')}."] = None
        if note.writer.expert is not None and note.rows is not None:
            keep = self._keep(site, (note.rows.total,))
            if keep is None:
                keep = np.ones(note.rows.total, np.bool_)
            site.add_rows(np.moveaxis(A, note.axes[-1], -1), plain("network", note.rows.inputs).ravel(), keep)
            self.waiting[site] = note.rows.scope
        else:
            lead = tuple(size for axis, size in enumerate(A.shape) if axis not in note.axes)
            site.add(A, note.axes, None if note.latent else self._keep(site, lead))
        return site

    def _keep(self, site: Site, lead: tuple[int, ...]) -> Any:
        """Which of the inputs along these axes are no padding, if a mask says so."""
        keep = padding.kept(self.masks[-1] if self.masks else [], lead, "decoder" in self.own.split("."))
        if keep is not None:
            site.said["Padding is left out."] = None
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
            if self.above is not None:
                above = self.above
            found = empty(s * writer.count, above)
            leaf = self.own in self.leaves
            self.sites[key] = Site(own, leaf, label, writer.name, writer.n, gate, found, experts=writer.count)
        return self.sites[key]
