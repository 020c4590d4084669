r"""Watch a model of PyTorch while it runs, however it is run, and count what its activation functions return.

    with watch(model) as seen:
        model.generate(tokens)
    seen.layers

Nothing of the model is changed but hooks, which are gone afterwards. PyTorch is not imported here: where there is a
module of it, it is in ``sys.modules``.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from threading import Lock, get_ident, local
from typing import Any
from weakref import WeakSet

import numpy as np

from sparse_core import checks

from .activations import ABOVE
from .experts import Weight
from .layers import Layers
from .networks import is_module
from .sites import Site, named
from .tracing import Trace, Tracer

__all__ = ["watch"]

_claiming = Lock()
_watched: WeakSet[Any] = WeakSet()
_inner = local()  # ``watchers``: those of this thread, of which the last one alone counts


class watch:
    """What the activation functions of a model return in a ``with`` block: ``layers``.

    Parameters
    ----------
    model : a module of PyTorch, also a compiled one. It is run by the block, as it is, in the mode in which it is.
    layer : which layers are shown: an activation function, or the linear map that reads it, by name, by a part of the
        name between dots, or by a pattern. The name of a linear map counts what it reads, whatever that is.
    above : counts outputs above this size; by default those that are not 0, or of more than 0.01 for functions as GELU.

    >>> watch(3)
    Traceback (most recent call last):
    TypeError: Argument 'model' must be a module of PyTorch, not int.
    """

    def __init__(self, model: Any, *, layer: str | None = None, above: float | None = None) -> None:
        if not is_module(model):
            raise TypeError(f"Argument 'model' must be a module of PyTorch, not {type(model).__name__}.")
        if layer is not None and not isinstance(layer, str):
            raise TypeError(f"Argument 'layer' must be a name, as {str(layer)!r}, not {layer!r}.")
        self.model = getattr(model, "_orig_mod", model)
        self.layer = layer
        self.above = None if above is None else checks.real("above", above, 0)
        self.names: dict[Any, str] = {part: name for name, part in self.model.named_modules()}
        # Modules that hold others without running them, as the experts of a mixture: the names in them.
        nn: Any = sys.modules["torch"].nn
        self.lists = {
            name: [key for key, _ in part.named_children()]
            for part, name in self.names.items()
            if isinstance(part, (nn.ModuleList, nn.ModuleDict))
        }
        self.holders = {name for part, name in self.names.items() if [*part.children()]}
        self.two_sided = {"encoder", "decoder"} <= {*".".join(self.names.values()).split(".")}
        self.thread = 0
        self.stack: list[str] = []
        self.masks: dict[str, Any] = {}
        self.ran = False
        self.pending: set[Site] = set()  # whose experts have not all run
        self.sites: dict[Any, Site] = {}
        self.tracer: Tracer | None = None
        self._stack = ExitStack()

    def __enter__(self) -> watch:
        torch: Any = sys.modules["torch"]
        if any(getattr(part, "has_uninitialized_params", bool)() for part in self.names):
            raise ValueError("Argument 'model' must have its weights: a lazy layer of it gets them when it first runs.")
        with _claiming:
            if any(part in _watched for part in self.names):
                raise ValueError("Argument 'model' is being watched already, perhaps in another thread: one at a time.")
            _watched.update(self.names)
        self._stack.callback(_watched.difference_update, [*self.names])
        self.thread = get_ident()
        weights = torch.utils.weak.WeakTensorKeyDictionary()
        for name, tensor in [*self.model.named_parameters(), *self.model.named_buffers()]:
            weights[tensor] = Weight(_of_weight(name))
        self.tracer = Tracer(weights, self.site, self.count, self)
        for part in self.names:
            if not isinstance(part, torch.jit.ScriptModule):
                self._stack.callback(part.register_forward_pre_hook(self._enters, with_kwargs=True).remove)
                self._stack.callback(part.register_forward_hook(self._leaves, always_call=True).remove)
        # Kernels that fuse a whole layer of a transformer, and compiled code, show no operators.
        self._stack.callback(torch.backends.mha.set_fastpath_enabled, torch.backends.mha.get_fastpath_enabled())
        torch.backends.mha.set_fastpath_enabled(False)
        if "torch._dynamo" in sys.modules:  # nothing is compiled without it, and to import it takes seconds
            self._stack.enter_context(torch.compiler.set_stance("force_eager"))
        _inner.watchers = [*getattr(_inner, "watchers", ()), self]
        self._stack.callback(lambda: _inner.watchers.remove(self))
        self._stack.enter_context(_mode(self))
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.close()
        self._finish("")
        if self.tracer is not None:
            self.tracer.notes = {}

    @property
    def layers(self) -> Layers:
        """What was counted so far, by the names of layers, in the order in which the model ran."""
        self._finish("")
        sites = named([site for site in self.sites.values() if site.stays])
        shown = {name: site for name, site in sites.items() if self._shown(name, site)}
        unknown = {} if self.tracer is None else self.tracer.unknown
        notes = [f"Not recognised: {reader} reads {', '.join(sorted(ops))}." for reader, ops in unknown.items()]
        others = [name for name in sites if name not in shown]
        notes += [f"Not shown: {', '.join(others)}."] if others else []
        return Layers({name: site.measurement(name) for name, site in shown.items()}, tuple(notes))

    def _shown(self, name: str, site: Site) -> bool:
        names = {name, site.own, *site.readers} - {""}
        every = {other for one in self.sites.values() if one.stays for other in (one.own, *one.readers)}
        exact = self.layer in every or self.layer == name
        return self.layer in names if exact else any(chosen(self.layer, one) for one in names)

    # What the tracer asks

    @property
    def path(self) -> str:
        """The innermost module that runs."""
        return self.stack[-1] if self.stack else ""

    def weight(self) -> Weight:
        """A weight that is not known, by the module that runs."""
        return Weight(self.path)

    def expert(self, weight: Weight, scope: str) -> Weight:
        """The weight as that of an expert, if it is in a list of modules inside the one that picks rows."""
        lists = [name for name in self.lists if f"{name}.".startswith(scope and f"{scope}.")]
        lists = [name for name in lists if weight.name.startswith(f"{name}.")]
        if not lists:
            return weight
        outer = min(lists, key=len)
        key, dot, rest = weight.name[len(outer) + 1 :].partition(".")
        keys = self.lists[outer]
        return replace(weight, name=f"{outer}.*{dot}{rest}", expert=keys.index(key), count=len(keys))

    def site(self, function: str, writer: Weight | None, s: int, above: float = ABOVE, **more: Any) -> Site:
        """The place where a function is used: that of the same function before."""
        own, before = self.path, "" if writer is None else writer.name
        prefix, star, _ = before.partition(".*")
        if star and own.startswith(f"{prefix}."):
            own = f"{prefix}.*.{own[len(prefix) + 1 :].partition('.')[2]}"
        key = own, function, before, s
        if key not in self.sites:
            module = bool(self.path) and self.path not in self.holders
            above = above if self.above is None else self.above
            self.sites[key] = Site(own, function, s, above, module, writer=before, n=getattr(writer, "n", None), **more)
        return self.sites[key]

    def count(self, site: Site, tensor: Any, note: Trace) -> None:
        """Count the outputs in a tensor."""
        if not self.stack and self.ran:  # outside the model, as in a loss
            return
        A = numbers(tensor)
        site.precision = str(tensor.dtype).removeprefix("torch.")
        writer = note.writer
        rows = A.size // max(1, site.s)
        if writer is not None and writer.expert is not None and note.axis == A.ndim - 1:
            tokens, total = _tokens(note, writer, rows)
            if tokens is not None:
                keep = self._mask((total,), site)
                site.add_rows(A.reshape(-1, site.s), writer.expert, tokens, (note.chosen, total, writer.count), keep)
                site.scope = None if note.chosen is None else note.chosen.scope
                if site.scope is None:
                    site.finish()
                else:
                    self.pending.add(site)
                return
        site.add(A, note.axis, self._mask(A.shape[: note.axis] + A.shape[note.axis + 1 :], site))

    def _mask(self, lead: tuple[int, ...], site: Site) -> Any:
        """Which of the inputs are no padding, if a mask says so."""
        decodes = "decoder" in self.path.split(".")
        for name, mask in self.masks.items():
            if self.two_sided and name.startswith(("decoder", "tgt")) != decodes:
                continue  # the mask of an encoder hides nothing of its decoder
            for one in (mask, mask.T):
                if lead in (one.shape, (one.size,)):
                    site.said["Padding is left out."] = None
                    return one.ravel()
        return None

    # What the hooks say

    def _enters(self, part: Any, args: Any, kwargs: Any) -> None:
        if get_ident() == self.thread:
            if not self.stack:
                self.masks = _masks(part, args, kwargs)
                self.ran = True
            self.stack.append(self.names[part])

    def _leaves(self, part: Any, args: Any, output: Any) -> None:
        if get_ident() == self.thread and self.stack:
            self._finish(self.stack.pop())
            if not self.stack:
                self.masks = {}

    def _finish(self, path: str) -> None:
        """The module of this name has run: so have the experts for which it picks inputs."""
        for site in [site for site in self.pending if f"{site.scope}.".startswith(path and f"{path}.")]:
            site.finish()
            self.pending.remove(site)


def _mode(watcher: watch) -> Any:
    """A context in which the operators that this thread runs are told to a watcher."""
    torch: Any = sys.modules["torch"]
    tracer: Any = watcher.tracer
    names: dict[Any, str] = {}

    class Mode(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # it would import the compiler, in seconds

        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            output = function(*args, **(kwargs or {}))
            name = names.get(function)
            if name is None:
                name = names[function] = function.overloadpacket.__name__.rstrip("_")
            # Not what another watcher inside this one sees, and not the gradients.
            if _inner.watchers[-1] is watcher and torch._C._current_graph_task_id() == -1:
                tracer.follow(name, (*args, *(kwargs or {}).values()), output)
            return output

    return Mode()


def _of_weight(name: str) -> str:
    """The name of a weight: that of its module, if it has one weight.

    >>> _of_weight("mlp.fc1.weight"), _of_weight("fc.parametrizations.weight.original1"), _of_weight("W_dec")
    ('mlp.fc1', 'fc', 'W_dec')
    """
    head, _, tail = name.partition(".parametrizations.")[0].rpartition(".") if ".param" not in name else ("", "", "")
    if ".parametrizations." in name:
        return name.partition(".parametrizations.")[0]
    return head if head and "weight" in tail else name


def numbers(tensor: Any) -> Any:
    """The numbers of a tensor in float32 or float64."""
    tensor = tensor.detach()
    tensor = tensor.dequantize() if tensor.is_quantized else tensor
    tensor = tensor if str(tensor.dtype) in ("torch.float32", "torch.float64") else tensor.float()
    return tensor.cpu().numpy()


def _tokens(note: Trace, writer: Weight, rows: int) -> tuple[Any, int]:
    """Of which input each row is that experts are given, and how many inputs there are."""
    if note.tokens is not None:
        return (note.tokens, note.total) if len(note.tokens) == rows else (None, 0)
    if writer.chosen is not None:  # each input stands as often as it has experts
        return np.arange(rows) // max(1, rows // writer.chosen.inputs), writer.chosen.inputs
    if np.ndim(writer.expert) == 1 and len(writer.expert) == rows:  # each expert is given all inputs
        return np.arange(rows) % (rows // writer.count), rows // writer.count
    return None, 0


def _masks(part: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    """The masks of padding among the arguments of a model, by their names: true where there is an input."""
    given = dict(kwargs)
    with suppress(TypeError, ValueError):  # what has no signature, or other arguments than it says
        given |= inspect.signature(part.forward).bind_partial(*args).arguments
    found = {}
    for name, value in given.items():
        cross = name.startswith(("encoder", "memory", "cross"))  # of what a decoder reads, not of its inputs
        if "mask" in name and getattr(value, "ndim", 0) == 2 and not cross:
            mask = numbers(value)
            boolean = str(value.dtype) == "torch.bool"
            hides = ("pad" in name and boolean) or mask.min(initial=0) < 0  # added to scores: -inf
            mask = mask == 0 if hides else mask != 0
            found[name] = mask.T if name.endswith("key_padding_mask") and _sequence_first(part) else mask
    return found


def _sequence_first(model: Any) -> bool:
    """Whether the parts of a model count positions along the first axis, as those of PyTorch do by default."""
    return any(getattr(part, "batch_first", True) is False for part in model.modules())


def chosen(layer: str | None, name: str) -> bool:
    """Whether ``layer`` is this name, a pattern of it, or a part of it between dots; None is all.

    >>> chosen("1", "layers.1.act"), chosen("*.fc2", "layers.1.act")
    (True, False)
    """
    return layer is None or (name != "" and (fnmatchcase(name, layer) or f".{layer}." in f".{name}."))


@contextmanager
def evaluating(model: Any) -> Iterator[None]:
    """A module in evaluation mode, without gradients; afterwards all its parts are in the modes in which they were."""
    torch: Any = sys.modules["torch"]
    modes = [(part, part.training) for part in model.modules()]
    try:
        with suppress(NotImplementedError), torch.no_grad():  # an exported program has no mode
            model.eval()
        with torch.no_grad():
            yield
    finally:
        for part, training in modes:
            part.training = training
