"""Run a module of PyTorch as it is used, and leave it as it was: in evaluation mode, without gradients, with hooks.

PyTorch is not imported: where there is a module of it, it is in ``sys.modules``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

__all__: list[str] = []  # called by ``running`` and ``layer``


class ModuleRun:
    """A module that can be called with arrays, tensors or what a tokenizer gives, and hooks that are removed later."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.handles: list[Any] = []
        parameters = [*module.parameters(), *module.buffers()]
        self.device = next((one.device for one in parameters), "cpu")
        self.dtype = next((one.dtype for one in parameters if one.is_floating_point()), None)

    def hook(self, part: Any, after: Callable[..., Any]) -> None:
        """Call after(part, inputs, output) each time when this part has run."""
        self.handles.append(part.register_forward_hook(after))

    def before(self, part: Any, before: Callable[..., Any]) -> None:
        """Call before(part, inputs) each time when this part is going to run."""
        self.handles.append(part.register_forward_pre_hook(before))

    def __call__(self, batch: Any) -> Any:
        """What the module returns; numbers that are not integers are given to it in its own precision."""
        if isinstance(batch, Mapping):
            return self.module(**{name: self.tensor(value) for name, value in batch.items()})
        return self.module(self.tensor(batch))

    def tensor(self, value: Any) -> Any:
        """The tensor of an array; what is no array, as an option in a dictionary, as it is."""
        torch: Any = sys.modules["torch"]
        if isinstance(value, (list, tuple)):
            value = np.asarray(value)
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in "biuf":
                raise TypeError(f"Argument 'X' must be an array of real numbers, not of type {value.dtype}.")
            value = torch.tensor(value)
        if not isinstance(value, torch.Tensor):
            return value
        kept = not value.is_floating_point() or self.dtype is None
        return value.detach().to(self.device, value.dtype if kept else self.dtype)


@contextmanager
def watched(module: Any) -> Iterator[ModuleRun]:
    """A module to be run: afterwards its parts are in training or evaluation mode as before, and the hooks are gone.

        with watched(model) as run:
            run.hook(model.act, lambda part, inputs, output: saved.append(output))
            run(X)

    >>> watched("no module").__enter__()
    Traceback (most recent call last):
    AttributeError: 'str' object has no attribute 'modules'
    """
    parts = [*module.modules()]
    if any(getattr(part, "has_uninitialized_params", bool)() for part in parts):
        raise ValueError(
            "Argument 'network' must have its weights: a lazy layer of it gets them when the module first runs."
        )
    modes = [(part, part.training) for part in parts]
    torch: Any = sys.modules["torch"]
    run = ModuleRun(module)
    try:
        module.eval()
        with torch.no_grad():
            yield run
    finally:
        for handle in run.handles:
            with suppress(Exception):  # one that is gone already must not keep the others
                handle.remove()
        for part, training in modes:
            part.training = training
