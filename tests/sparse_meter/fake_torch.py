"""What ``watch`` needs of PyTorch, on NumPy, so that tests without the real one follow operators too."""

import sys
from contextlib import nullcontext
from types import SimpleNamespace
from weakref import WeakKeyDictionary

import numpy as np

modes = []


class Tensor:
    """An array that knows which operators exist."""

    untyped_storage = requires_grad = is_quantized = False
    device = "cpu"

    def __init__(self, array):
        self.array = np.asarray(array)
        self.shape, self.ndim, self.dtype = self.array.shape, self.array.ndim, f"torch.{self.array.dtype.name}"

    def numel(self):
        return self.array.size

    def is_floating_point(self):
        return self.array.dtype.kind == "f"

    def detach(self):
        return self

    cpu = detach

    def to(self, device, dtype=None):
        return self

    def numpy(self):
        return self.array

    def float(self):
        return Tensor(self.array.astype(np.float32))


def call(name, function, *args):
    """The value of an operator, of which the mode is told that is entered."""
    operator = SimpleNamespace(overloadpacket=SimpleNamespace(__name__=name), run=function)
    made = Operator(operator, name)
    return modes[-1].__torch_dispatch__(made, (), args) if modes else made(*args)


class Operator:
    def __init__(self, operator, name):
        self.operator, self.overloadpacket = operator, operator.overloadpacket
        self.is_view = False

    def __call__(self, *args):
        return Tensor(self.operator.run(*(arg.array if isinstance(arg, Tensor) else arg for arg in args)))


class Module:
    """A module of PyTorch, with hooks."""

    training = True

    def __init__(self, **parts):
        self.parts, self.before, self.after = parts, [], []
        vars(self).update(parts)

    def named_modules(self, name=""):
        yield name, self
        for key, part in self.parts.items():
            if isinstance(part, Module):
                yield from ((f"{name}.{inner}".strip("."), one) for inner, one in part.named_modules(key))

    def modules(self):
        return (part for _, part in self.named_modules())

    def children(self):
        return (part for part in self.parts.values() if isinstance(part, Module))

    def named_parameters(self):
        for name, part in self.named_modules():
            yield from ((f"{name}.{key}".strip("."), one) for key, one in part.parts.items() if isinstance(one, Tensor))

    def parameters(self):
        return (tensor for _, tensor in self.named_parameters())

    def named_buffers(self):
        return ()

    buffers = named_buffers

    def eval(self):
        for part in self.modules():
            part.training = False
        return self

    def register_forward_pre_hook(self, hook, with_kwargs):
        self.before.append(hook)
        return SimpleNamespace(remove=lambda: self.before.remove(hook))

    def register_forward_hook(self, hook, always_call):
        self.after.append(hook)
        return SimpleNamespace(remove=lambda: self.after.remove(hook))

    def __call__(self, *args, **kwargs):
        for hook in self.before:
            hook(self, args, kwargs)
        try:
            output = self.forward(*args, **kwargs)
        finally:
            for hook in self.after:
                hook(self, args, None)
        return output


class Mode:
    def __enter__(self):
        modes.append(self)

    def __exit__(self, *error):
        modes.pop()


class Stub(Module):
    """No module of a test is a script or a list."""


mha = SimpleNamespace(fast=True, get_fastpath_enabled=lambda: mha.fast)
mha.set_fastpath_enabled = lambda value: setattr(mha, "fast", value)
torch = SimpleNamespace(
    Tensor=Tensor, tensor=Tensor, as_tensor=Tensor, no_grad=nullcontext, compiler=SimpleNamespace(),
    is_inference_mode_enabled=lambda: False,
    utils=SimpleNamespace(weak=SimpleNamespace(WeakTensorKeyDictionary=WeakKeyDictionary),
                          _python_dispatch=SimpleNamespace(TorchDispatchMode=Mode)),
    jit=SimpleNamespace(ScriptModule=Stub), nn=SimpleNamespace(ModuleList=Stub, ModuleDict=Stub),
    backends=SimpleNamespace(mha=mha), _C=SimpleNamespace(_current_graph_task_id=lambda: -1),
)  # fmt: skip
sys.modules.setdefault("fake_torch", torch)
