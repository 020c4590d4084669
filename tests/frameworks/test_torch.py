"""Networks of PyTorch, with the real library, which is too large for the tests that always run.

In an environment of its own: ``pip install torch pytest pytest-timeout ".[files]" && pytest tests/frameworks``.
"""

import inspect
import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from safetensors.torch import save_file  # noqa: E402  (after torch, which it needs)

import sparse_meter  # noqa: E402
from sparse_meter import as_layer, files  # noqa: E402
from sparse_meter.command import main  # noqa: E402

N, S, OUTPUTS, M = 24, 70, 5, 300


@pytest.fixture
def module():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(N, S), torch.nn.ReLU(), torch.nn.Linear(S, OUTPUTS))


@pytest.fixture
def X():
    return torch.randn(M, N, generator=torch.Generator().manual_seed(1))


def active(module, X):
    """Who is active, by PyTorch."""
    with torch.no_grad():
        return (module[0](X) > 0).numpy()


def assert_counts(found, A):
    K = A.sum(axis=1)
    assert found.inputs == len(A)
    assert found.active_at.tolist() == A.sum(axis=0).tolist()
    assert found.histogram.tolist() == np.bincount(K, minlength=A.shape[1] + 1).tolist()


def test_a_module_with_gradients_and_a_tensor_of_batches(module, X):
    found = sparse_meter.measure(module, X.reshape(10, 30, N).requires_grad_())
    assert_counts(found, active(module, X))
    assert found.notes[0].startswith("Layer 1: outputs of ReLU (1), read by 2")
    with torch.no_grad():
        net = as_layer(module).network(2)
        expected = module(X)[:, 2] - module[2].bias[2]
    np.testing.assert_allclose(net(X.numpy()), expected.numpy(), atol=1e-5)


def test_the_dictionary_of_a_module_and_a_loader(module, X):
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X), batch_size=17)
    found = sparse_meter.measure(module.state_dict(), (x for (x,) in loader))
    assert_counts(found, active(module, X))


def test_bfloat16(module, X):
    half = module.to(torch.bfloat16)
    found = sparse_meter.measure(half, X.to(torch.bfloat16))
    assert_counts(found, active(half, X.to(torch.bfloat16)))


def test_the_hook_of_the_documentation(X, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    encoder = torch.nn.TransformerEncoderLayer(N, 2, dim_feedforward=S, batch_first=True)
    model = torch.nn.TransformerEncoder(encoder, 4, enable_nested_tensor=False).train()
    for layer in model.layers:
        layer.fc1 = layer.linear1  # another name for it
    lines = inspect.getdoc(sparse_meter.measure).splitlines()
    start = lines.index("    saved = []")
    code = "\n".join(lines[start : lines.index("    model(X)") + 1])
    names = {"model": model.eval(), "X": X.reshape(20, 15, N)}
    with torch.no_grad():
        exec(inspect.cleandoc(code), names)
    names["handle"].remove()
    Z = torch.cat(names["saved"]).reshape(-1, S)
    assert Z.shape == (M, S)
    assert_counts(sparse_meter.measure(names["saved"]), (Z > 0).numpy())
    np.save("Z.npy", Z.numpy())
    assert main(["measure", "Z.npy"]) == 0
    assert capsys.readouterr().out.startswith(repr(sparse_meter.measure(Z)))


def test_another_function_needs_the_module_itself(X):
    module = torch.nn.Sequential(torch.nn.Linear(N, S), torch.nn.GELU(), torch.nn.Linear(S, OUTPUTS))
    with pytest.raises(ValueError, match=r"must be a module Linear, ReLU, Linear; it has 1 \(GELU\)"):
        as_layer(module)
    A = torch.nn.functional.gelu(module[0](X)).abs() > 0.01
    assert_counts(sparse_meter.measure(module, X), A.numpy())
    known = as_layer(module.state_dict(), activation="gelu")
    near = abs(sparse_meter.measure(known, X).active_at - A.numpy().sum(axis=0))  # but for round-off at 0.01
    assert near.max() <= 1


def test_tensors_without_data_are_refused(module):
    with pytest.raises(TypeError, match=r"Argument '0.weight' must be a dense tensor of real numbers"):
        as_layer(module.to("meta").state_dict())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_a_safetensors_file(module, X, tmp_path, dtype):
    path = tmp_path / "net.safetensors"
    module = module.to(dtype)
    save_file(module.state_dict(), path)
    found = as_layer(files.read(path))
    assert np.array_equal(found.W, module[0].weight.detach().double().numpy())
    assert np.array_equal(-found.b, module[0].bias.detach().double().numpy())
    assert np.array_equal(found.U, module[2].weight.detach().double().numpy())


class Gated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate_proj = torch.nn.Linear(N, S, bias=False)
        self.up_proj = torch.nn.Linear(N, S, bias=False)
        self.down_proj = torch.nn.Linear(S, N, bias=False)

    def forward(self, x):
        return self.down_proj(torch.relu(self.gate_proj(x)) * self.up_proj(x))


def test_a_gated_layer_as_a_module_and_a_file(X, tmp_path):
    module = Gated()
    save_file(module.state_dict(), tmp_path / "net.safetensors")
    with torch.no_grad():
        gate = torch.relu(module.gate_proj(X))
        A = (gate * module.up_proj(X) != 0).numpy()
    assert_counts(sparse_meter.measure(files.read(tmp_path / "net.safetensors"), X), (gate > 0).numpy())
    found = sparse_meter.measure(module, X)
    assert_counts(found, A)
    assert found.gated and found.outputs == N


def test_one_layer_of_a_transformer(tmp_path):
    layer = torch.nn.TransformerEncoderLayer(N, 2, dim_feedforward=S)
    module = torch.nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
    found = as_layer(module.state_dict(), layer="layers.1")
    assert np.array_equal(found.W, module.layers[1].linear1.weight.detach().numpy())
    with pytest.raises(ValueError, match="must name one of 3 hidden layers: layers.0"):
        as_layer(module.state_dict())


@pytest.mark.parametrize("kind", ["relu", "thresholded", "top-k"])
def test_a_transcoder(X, tmp_path, kind):
    torch.manual_seed(0)
    arrays = {"W_enc": torch.randn(N, S), "b_enc": torch.randn(S), "W_dec": torch.randn(S, N), "b_dec": torch.randn(N)}
    settings = {"architecture": "transcoder", "activation_fn_str": "relu"}
    Z = X @ arrays["W_enc"] + arrays["b_enc"]
    A = Z > 0
    if kind == "thresholded":
        arrays["threshold"] = torch.rand(S)
        settings["architecture"] = "jumprelu_transcoder"
        A = Z > arrays["threshold"]
    if kind == "top-k":
        settings |= {"activation_fn_str": "topk", "activation_fn_kwargs": {"k": 7}}
        A = torch.zeros_like(A).scatter(1, Z.topk(7).indices, True) & A
    save_file(arrays, tmp_path / "sae_weights.safetensors")
    (tmp_path / "cfg.json").write_text(json.dumps(settings))
    assert_counts(sparse_meter.measure(files.read(tmp_path), X), A.numpy())
