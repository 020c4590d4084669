"""Run a module of PyTorch as it is used, and leave it as it was: in evaluation mode, without gradients, with hooks.

PyTorch is not imported: where there is a module of it, it is in ``sys.modules``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

__all__: list[str] = []  # called by ``running`` and ``layer``


def call(module: Any, batch: Any) -> Any:
    """What a module returns for arrays, tensors or what a tokenizer gives; real numbers in the module's own precision.

    >>> call("no module", [1.0])
    Traceback (most recent call last):
    AttributeError: 'str' object has no attribute 'parameters'
    """
    parameters = [*module.parameters(), *module.buffers()]
    device = next((tensor.device for tensor in parameters), "cpu")
    dtype = next((tensor.dtype for tensor in parameters if tensor.is_floating_point()), None)
    if isinstance(batch, Mapping):
        return module(**{name: _tensor(value, device, dtype) for name, value in batch.items()})
    return module(_tensor(batch, device, dtype))


def _tensor(value: Any, device: Any, dtype: Any) -> Any:
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
    return value.detach().to(device=device, dtype=dtype if value.is_floating_point() else None)


@contextmanager
def watched(module: Any) -> Iterator[list[Any]]:
    """A module to be run: afterwards its parts are in training or evaluation mode as before, and the hooks are gone.

        with watched(model) as hooks:
            hooks.append(model.act.register_forward_hook(lambda part, inputs, output: saved.append(output)))
            call(model, X)

    >>> watched("no module").__enter__()
    Traceback (most recent call last):
    AttributeError: 'str' object has no attribute 'modules'
    """
    modes = [(part, part.training) for part in module.modules()]
    if any(getattr(part, "has_uninitialized_params", bool)() for part, _ in modes):
        raise ValueError(
            "Argument 'network' must have its weights: a lazy layer of it gets them when the module first runs."
        )
    torch: Any = sys.modules["torch"]
    hooks: list[Any] = []
    try:
        module.eval()
        with torch.no_grad():
            yield hooks
    finally:
        for hook in hooks:
            with suppress(Exception):  # one that is gone already must not keep the others
                hook.remove()
        for part, training in modes:
            part.training = training
