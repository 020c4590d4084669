r"""Watch a model of PyTorch while it runs, however it is run, and count what its activation functions return.

    with watch(model) as seen:
        model.generate(tokens)
    seen.layers

Nothing of the model is changed but hooks, which are gone afterwards. PyTorch is not imported here: where there is a
module of it, it is in ``sys.modules``.
"""

from __future__ import annotations

import re
import sys
from contextlib import ExitStack
from threading import Lock, get_ident, local
from typing import Any
from weakref import WeakSet

from .layers import Layers, chosen, selection
from .networks import is_module
from .notes import Weight
from .running import Run
from .sites import Site, named
from .tracing import Tracer

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
        self.layer, above = selection(layer, above)
        self.model = getattr(model, "_orig_mod", model)
        self.modules = {part: name for name, part in self.model.named_modules()}
        self.run = Run(above)
        self.tracer = Tracer(self.run, _weights(self.model), _lists(self.modules), layer)

    def __enter__(self) -> watch:
        if any(getattr(part, "has_uninitialized_params", bool)() for part in self.modules):
            raise ValueError("Argument 'model' must have its weights: a lazy layer of it gets them when it first runs.")
        with _claiming:
            if any(part in _watched for part in self.modules):
                raise ValueError("Argument 'model' is being watched already, perhaps in another thread: one at a time.")
            _watched.update(self.modules)
        with ExitStack() as stack:
            stack.callback(_watched.difference_update, [*self.modules])
            _hook(self.modules, self.run, stack)
            _show_operators(stack)
            _inner.watchers = [*getattr(_inner, "watchers", ()), self.tracer]
            stack.callback(_inner.watchers.remove, self.tracer)
            stack.enter_context(_mode(self.tracer))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.close()
        self.tracer.notes.clear()

    @property
    def layers(self) -> Layers:
        """What was counted so far, by the names of layers, in the order in which the model ran."""
        sites = self._sites()
        names = {name: (name, *site.names) for name, site in sites.items()}
        shown = [name for name in names if self.layer in names[name]]
        shown = shown or [name for name in names if any(chosen(self.layer, one) for one in names[name])]
        notes = [f"Not recognised: {name} reads {', '.join(sorted(ops))}." for name, ops in self.tracer.unknown.items()]
        others = [name for name in sites if name not in shown]
        if others:
            notes.append(f"Not shown: {', '.join(others)}.")
        pads = [name for name in shown if sites[name].pads]
        if pads:
            notes.append(f"No mask that was given fits {', '.join(pads)}: if there is padding, it is counted.")
        return Layers({name: sites[name].measurement(name) for name in shown}, tuple(notes))

    @property
    def names(self) -> list[str]:
        """What the argument ``layer`` may name."""
        return [*dict.fromkeys(one for name, site in self._sites().items() for one in (name, *site.names))]

    def _sites(self) -> dict[str, Site]:
        self.run.finish([*self.run.waiting])
        return named([site for site in self.run.sites.values() if site.stays])


def _weights(model: Any) -> Any:
    """The notes of the weights of a model, as long as these live."""
    notes = sys.modules["torch"].utils.weak.WeakTensorKeyDictionary()
    for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
        # That of its module, if it is the weight of one, also a parametrised one: mlp.fc1 for mlp.fc1.weight.
        notes[tensor] = Weight(re.sub(r"\.parametrizations\..*|\.[^.]*weight[^.]*$", "", name))
    return notes


def _lists(modules: dict[Any, str]) -> dict[str, list[str]]:
    """Modules that hold others without running them, as the experts of a mixture: the names in them."""
    nn: Any = sys.modules["torch"].nn
    lists = [(part, name) for part, name in modules.items() if isinstance(part, (nn.ModuleList, nn.ModuleDict))]
    return {name: [key for key, _ in part.named_children()] for part, name in lists}


def _hook(modules: dict[Any, str], run: Run, stack: ExitStack) -> None:
    """Say which modules run, in this thread."""
    thread = get_ident()

    def enters(part: Any, args: Any, kwargs: Any) -> None:
        if get_ident() == thread:
            run.enter(modules[part], part, args, kwargs)

    def leaves(part: Any, args: Any, output: Any) -> None:
        if get_ident() == thread and len(run.path) > 1:
            run.leave()

    for part in modules:
        if not isinstance(part, sys.modules["torch"].jit.ScriptModule):
            stack.callback(part.register_forward_pre_hook(enters, with_kwargs=True).remove)
            stack.callback(part.register_forward_hook(leaves, always_call=True).remove)


def _show_operators(stack: ExitStack) -> None:
    """Do without kernels that fuse a whole layer of a transformer, and without compiled code: no operators are seen."""
    torch: Any = sys.modules["torch"]
    stack.callback(torch.backends.mha.set_fastpath_enabled, torch.backends.mha.get_fastpath_enabled())
    torch.backends.mha.set_fastpath_enabled(False)
    if "torch._dynamo" in sys.modules:  # nothing is compiled without it, and to import it takes seconds
        stack.enter_context(torch.compiler.set_stance("force_eager"))


def _mode(tracer: Tracer) -> Any:
    """A context in which a tracer is told of the operators that this thread runs."""
    torch: Any = sys.modules["torch"]

    class Mode(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # it would import the compiler, in seconds

        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            if torch.is_inference_mode_enabled():  # where linear maps are no smaller operators yet
                with self:
                    output = function.decompose(*args, **kwargs)
                if output is not NotImplemented:
                    return output
            output = function(*args, **kwargs)
            # Not what another watcher inside this one sees, and not the gradients.
            if _inner.watchers[-1] is tracer and torch._C._current_graph_task_id() == -1:
                name = function.overloadpacket.__name__.rstrip("_")
                tracer.follow(function, name, (*args, *kwargs.values()), output)
            return output

    return Mode()
