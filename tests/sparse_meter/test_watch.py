"""``watch`` and ``measure`` on a stand-in for PyTorch; the real one is in ``tests/frameworks``."""

import sys

import numpy as np
import pytest

from sparse_meter import measure, watch
from tests.sparse_meter import fake_torch
from tests.sparse_meter.fake_torch import Module, Tensor, call

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def stands_in(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", fake_torch.torch)


class Linear(Module):
    def __init__(self, n, s):
        super().__init__(weight=Tensor(RNG.standard_normal((s, n))))

    def forward(self, x):
        return call("mm", lambda x, W: x @ W.T, x, self.weight)


class Function(Module):
    def __init__(self, name, function):
        super().__init__()
        self.forward = lambda x: call(name, function, x)


def relu(x):
    return np.maximum(x, 0)


class Model(Module):
    """Two linear maps, and what stands between them."""

    def __init__(self, between, **parts):
        super().__init__(fc1=Linear(6, 9), fc2=Linear(9, 2), **parts)
        self.between = between

    def forward(self, x, attention_mask=None):
        return self.fc2(self.between(self, self.fc1(x)))


X = RNG.standard_normal((40, 6))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def add_in_place(model, z):
    h = call("relu", relu, z)
    h.array += 5
    return call("add_", lambda h: h, h)


BETWEEN = {  # what is between, the layer's name, its outputs, the size above which one is active
    "module": (lambda model, z: model.act(z), "act", relu, 0),
    "function": (lambda model, z: call("relu_", relu, z), "fc2", relu, 0),
    "clamp": (lambda model, z: call("clamp", lambda z, least: np.clip(z, least, None), z, 0), "fc2", relu, 0),
    "gate": (
        lambda model, z: call("mul", np.multiply, z, call("sigmoid", sigmoid, z)),
        "fc2",
        lambda z: z * sigmoid(z),
        0.01,
    ),
    "tanh": (lambda model, z: call("tanh", np.tanh, z), "fc2", np.tanh, 0.01),
    "square": (lambda model, z: call("pow", np.power, call("relu", relu, z), 2), "fc2", relu, 0),
    "in place": (add_in_place, "fc2", relu, 0),
}


@pytest.mark.parametrize("name", BETWEEN)
def test_what_stands_between_two_linear_maps(name):
    between, layer, function, above = BETWEEN[name]
    model = Model(between, act=Function("relu", relu))
    found = measure(model, X)
    A = np.abs(function(X @ model.fc1.weight.array.T)) > above
    assert list(found) == [layer]
    assert found.only.active_at.tolist() == A.sum(axis=0).tolist()
    assert found.only.histogram.tolist() == np.bincount(A.sum(axis=1), minlength=10).tolist()
    assert not any(part.before or part.after for part in model.modules()) and fake_torch.mha.fast
    assert all(part.training for part in model.modules())


def test_what_is_not_recognised_is_said_and_padding_is_left_out():
    model = Model(lambda model, z: call("sin", np.sin, z), act=Function("relu", relu))
    with pytest.raises(ValueError, match="none was seen. Not recognised: fc2 reads sin."):
        measure(model, X)
    model = Model(lambda model, z: model.act(z), act=Function("relu", relu))
    mask = np.ones((5, 8), int)
    mask[2, 6:] = 0
    assert measure(model, (X.reshape(5, 8, 6), mask)).only.inputs == 38
    with watch(model) as seen:
        model(Tensor(X))
        model(Tensor(X[:3]))
        with pytest.raises(ValueError, match="is being watched already"):
            measure(model, X)
    assert seen.layers.only.inputs == 43


def test_a_mask_that_the_model_lengthens_is_followed():
    model = Model(lambda model, z: model.act(z), act=Function("relu", relu))
    inner = model.forward

    def forward(x, attention_mask):
        call("cat", lambda mask: np.pad(mask, ((0, 0), (1, 0)), constant_values=1), attention_mask)
        return inner(call("constant_pad_nd", lambda x: np.pad(x, ((0, 0), (1, 0), (0, 0))), x))

    model.forward = forward
    mask = np.ones((5, 8), int)
    mask[2, 6:] = 0
    found = measure(model, (X.reshape(5, 8, 6), mask))
    assert found.only.inputs == 43 and not found.notes
