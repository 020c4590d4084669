"""Tensors and modules where the theorems are checked, with the real PyTorch.

In an environment of its own: ``pip install torch pytest pytest-timeout .``, then ``pytest tests/frameworks``.
"""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

from sparse_meter import as_network, examine, explain, measure  # noqa: E402

N, S, OUTPUTS, M = 24, 50, 5, 120


@pytest.fixture
def X():
    torch.manual_seed(0)
    return torch.randn(M, N, generator=torch.Generator().manual_seed(1))


class Late(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.a, self.b, self.function = nn.Linear(N, S), nn.Linear(S, OUTPUTS), function

    def forward(self, x):
        return self.b(self.function(self.a(x)))


def test_theorems_are_about_modules_of_their_form_alone(X):
    model = nn.Sequential(nn.Linear(N, S), nn.ReLU(), nn.Dropout(), nn.Linear(S, OUTPUTS))
    for module in (model, Late(torch.relu)):
        known = as_network(module, 2)
        with torch.no_grad():
            np.testing.assert_allclose(known(X.numpy()), module.eval()(X)[:, 2].numpy(), atol=1e-5)
    assert "Read from 2 linear maps of a module" in explain(model, X.numpy(), output=2).text()
    for function in (F.softplus, F.gelu, lambda x: torch.relu(x) ** 2, lambda x: torch.relu(x) + 0.2):
        with pytest.raises(ValueError, match="must be a module that computes what its weights say"):
            explain(Late(function), output=0)
    for middle in (nn.Softplus(), nn.LayerNorm(S)):
        with pytest.raises(ValueError, match="must be a module that computes what its weights say"):
            examine(nn.Sequential(nn.Linear(N, S), middle, nn.Linear(S, OUTPUTS)), output=0)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_tensors_as_arrays_and_tensors_without_data(dtype, X):
    module = Late(torch.relu).to(dtype)
    W, b, U = module.a.weight, module.a.bias, module.b.weight
    found = measure((U, W, -b), X).only
    assert found.mean_active == pytest.approx(float((X @ W.T.float() + b.float() > 0).sum(1).float().mean()), rel=1e-2)
    assert measure(X @ W.T.float() + b.float()).only.inputs == M  # numbers with a gradient
    with pytest.raises(TypeError, match="Argument 'W' must be a dense tensor of real numbers"):
        measure((U, W.to("meta"), -b), X)
