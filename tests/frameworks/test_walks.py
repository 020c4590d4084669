"""Models of PyTorch that stand for those of users: who is active is what a forward pass of the test's own says.

In an environment of its own: ``pip install torch transformers pytest pytest-timeout ".[files]"``, then
``pytest tests/frameworks``. With ``-s`` a line for each walk shows what ``measure`` says, and the own number.
"""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torch.nn.utils import prune  # noqa: E402

from sparse_meter import measure  # noqa: E402
from tests.frameworks.test_idioms import assert_counts  # noqa: E402

N, S, OUTPUTS, M = 24, 50, 5, 120


@pytest.fixture
def X():
    return torch.randn(M, N, generator=torch.Generator().manual_seed(1))


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def mlp(*middle, **options):
    return nn.Sequential(nn.Linear(N, S), *middle, nn.Linear(S, OUTPUTS), **options)


def trained(model, X):
    """With running statistics of the inputs, and left in training mode."""
    with torch.no_grad():
        for _ in range(3):
            model.train()(2 * X + 1)
    return model


@torch.no_grad()
def outputs(model, X):
    """Those of all but the last map, in evaluation mode, for a sequence."""
    training = model.training
    A = model.eval()[:-1](X)
    model.train(training)
    return A


NORMED = {
    "BatchNorm between": lambda: mlp(nn.BatchNorm1d(S), nn.ReLU()),
    "LayerNorm between": lambda: mlp(nn.LayerNorm(S), nn.ReLU()),
    "LayerNorm before": lambda: nn.Sequential(nn.LayerNorm(N), nn.Linear(N, S), nn.ReLU(), nn.Linear(S, OUTPUTS)),
    "dropout": lambda: mlp(nn.ReLU(), nn.Dropout(0.5)),
    "ReLU6": lambda: mlp(nn.ReLU6()),
    "weight norm": lambda: nn.Sequential(
        nn.utils.parametrizations.weight_norm(nn.Linear(N, S)), nn.ReLU(), nn.Linear(S, OUTPUTS)
    ),
    "pruned": lambda: nn.Sequential(
        prune.l1_unstructured(nn.Linear(N, S), "weight", 0.9), nn.ReLU(), nn.Linear(S, OUTPUTS)
    ),
    "in place": lambda: mlp(nn.ReLU(inplace=True)),
}


@pytest.mark.parametrize("name", NORMED)
def test_whatever_stands_between_is_seen(name, X):
    model = trained(NORMED[name](), X)
    hooks = [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in model]
    before = {key: value.clone() for key, value in model.state_dict().items()}
    found = measure(model, X)
    A = outputs(model, X) != 0
    assert_counts(found, A.numpy())
    assert found.only.threshold == 0
    assert model.training
    assert hooks == [len(part._forward_hooks) + len(part._forward_pre_hooks) for part in model]
    assert all(torch.equal(before[key], value) for key, value in model.state_dict().items())
    assert "\nLayer " in repr(found)


@pytest.mark.parametrize("kind", ["GELU", "SiLU", "Softplus", "SELU", "Hardswish", "PReLU", "LeakyReLU", "Tanh"])
def test_functions_that_are_hardly_ever_0_are_counted_by_size(kind, X):
    model = mlp(getattr(nn, kind)())
    found = measure(model, X)
    A = outputs(model, X).abs()
    if kind == "Hardswish":
        assert_counts(found, (A != 0).numpy())
        return
    assert_counts(found, (A > 0.01).numpy())
    assert found.only.threshold == 0.01
    assert_counts(measure(model, X, above=0.3), (A > 0.3).numpy())
    t, share = found.only.dropped()
    A = A[::2]  # whose sizes are counted
    assert share == pytest.approx(float((A < t).double().mean()), abs=1e-12)
    assert float((A[A < t] ** 2).sum() / (A**2).sum()) < 0.11


def test_the_second_layer_of_a_model_is_measured_on_what_the_first_one_gives(X):
    model = nn.Sequential(nn.Linear(N, N), nn.ReLU(), nn.Linear(N, N), nn.ReLU(), nn.Linear(N, OUTPUTS))
    found = measure(model, X)
    with torch.no_grad():
        first = F.relu(model[0](X))
        second = F.relu(model[2](first))
    assert list(found) == ["1", "3"]
    for name, A in (("1", first), ("3", second)):
        assert_counts(found[name], (A > 0).numpy())
    assert_counts(measure(model, X, layer="3"), (second > 0).numpy())
    assert_counts(measure(model, X, layer="4"), (second > 0).numpy())  # the map that reads it
    assert found.to_dict()["layers"]["3"]["neurons"] == N
    with pytest.raises(ValueError, match="Argument 'layer' must name one of 1, 2, 3, 4, not be '7'"):
        measure(model, X, layer="7")


class Shared(nn.Module):
    """One ReLU for two layers; the activation of the third is a function."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c, self.d = (nn.Linear(i, o) for i, o in ((N, S), (S, 7), (7, 9), (9, 2)))
        self.act = nn.ReLU()

    def forward(self, x):
        return self.d(F.gelu(self.c(self.act(self.b(self.act(self.a(x)))))))


def test_a_shared_module_and_a_function(X):
    model = Shared()
    found = measure(model, X)
    with torch.no_grad():
        first = F.relu(model.a(X))
        second = F.relu(model.b(first))
        third = F.gelu(model.c(second)).abs()
    assert list(found) == ["b", "c", "d"]
    assert_counts(found["b"], (first > 0).numpy())
    assert_counts(found["c"], (second > 0).numpy())
    assert_counts(found["d"], (third > 0.01).numpy())


class Residual(nn.Module):
    """The same layer three times, with the input added."""

    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Linear(N, S), nn.Linear(S, N)

    def forward(self, x):
        for _ in range(3):
            x = x + self.outer(torch.relu(self.inner(x)))
        return x


def test_several_calls_add(X):
    model = Residual()
    with torch.no_grad():
        x, seen = X, []
        for _ in range(3):
            seen.append(torch.relu(model.inner(x)))
            x = x + model.outer(seen[-1])
    assert_counts(measure(model, X), (torch.cat(seen) > 0).numpy())


@pytest.mark.parametrize("function", ["relu", "gelu"])
@pytest.mark.parametrize("first", [False, True])
def test_a_layer_of_a_transformer(function, first, X):
    layer = nn.TransformerEncoderLayer(N, 4, S, activation=function, batch_first=True, norm_first=first)
    x = X.reshape(12, 10, N)
    found = measure(layer, x)
    with torch.no_grad():
        layer.eval()
        if first:
            y = layer.norm1(x)
            h = x + layer.self_attn(y, y, y)[0]
            A = getattr(F, function)(layer.linear1(layer.norm2(h)))
        else:
            h = layer.norm1(x + layer.self_attn(x, x, x)[0])
            A = getattr(F, function)(layer.linear1(h))
    assert_counts(found, (A.abs() > (0 if function == "relu" else 0.01)).numpy())
    assert f": {function}, read by" in found.only.notes[0]


class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.RMSNorm(N)
        self.gate_proj, self.up_proj = nn.Linear(N, S, bias=False), nn.Linear(N, S, bias=False)
        self.down_proj = nn.Linear(S, N, bias=False)
        self.act_fn = nn.SiLU()

    def forward(self, x):
        x = self.norm(x)
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


def test_a_block_like_that_of_llama(X):
    model = Llama()
    found = measure(model, X)
    with torch.no_grad():
        x = model.norm(X)
        A = (F.silu(model.gate_proj(x)) * model.up_proj(x)).abs()
    assert_counts(found, (A > 0.01).numpy())
    assert "silu times another factor" in found.only.notes[0]


class Opt(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(N)
        self.fc1, self.fc2 = nn.Linear(N, S), nn.Linear(S, N)
        self.activation_fn = nn.ReLU()

    def forward(self, x):
        return x + self.fc2(self.activation_fn(self.fc1(self.norm(x))))


def test_a_block_like_that_of_opt_in_half_precision(X):
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
        model = Opt().to(dtype)
        found = measure(model, X)
        with torch.no_grad():
            A = F.relu(model.fc1(model.norm(X.to(dtype))))
        assert_counts(found, (A > 0).numpy())
        assert str(dtype).removeprefix("torch.") in found.only.notes[1]


def test_a_layer_without_a_successor_and_none_at_all(X):
    model = nn.Sequential(nn.Linear(N, S), nn.ReLU())
    found = measure(model, X)
    with torch.no_grad():
        assert_counts(found, (model(X) > 0).numpy())
    with pytest.raises(
        ValueError, match="must call an activation function that is in sparse_meter.activations; none was"
    ):
        measure(nn.Linear(N, S), X)


def test_an_unknown_activation_function_between_known_names_is_said(X):
    class Own(nn.Module):
        def forward(self, x):
            return x.abs() ** 2

    model = nn.Sequential(nn.Linear(N, N), nn.ReLU(), Opt())
    model[2].activation_fn = Own()
    found = measure(model, X)
    assert list(found) == ["1"] and "Not recognised: 2.fc2 reads abs, pow." in found.text()
    with torch.no_grad():
        second = model[2].activation_fn(model[2].fc1(model[2].norm(F.relu(model[0](X)))))
    assert_counts(measure(model, X, layer="2.fc2"), (second > 0.01).numpy())


def test_a_lazy_layer_has_weights_when_it_has_run(X):
    model = nn.Sequential(nn.LazyLinear(S), nn.ReLU(), nn.LazyLinear(OUTPUTS))
    with pytest.raises(ValueError, match="a lazy layer of it gets them when it first runs"):
        measure(model, X)
    model(X)
    assert_counts(measure(model, X), (outputs(model, X) > 0).numpy())


def test_batches_of_a_loader(X):
    model = mlp(nn.ReLU())
    for data in ((X,), (X, torch.zeros(M))):
        loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(*data), batch_size=17)
        assert_counts(measure(model, loader), (outputs(model, X) > 0).numpy())
    halves = measure(model, X[:64]) + measure(model, X[64:])
    assert_counts(halves, (outputs(model, X) > 0).numpy())


def test_a_model_that_fails_is_left_as_it_was(X):
    model = mlp(nn.ReLU(), nn.Dropout()).train()
    model[2].eval()
    with pytest.raises(ValueError, match="The model cannot be run on X: RuntimeError: mat1 and mat2"):
        measure(model, X[:, 1:])
    assert [part.training for part in model] == [True, True, False, True]
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in model) and torch.is_grad_enabled()


@pytest.mark.filterwarnings("ignore")
def test_the_example_of_the_readme_runs():
    pytest.importorskip("transformers")
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    names = {}
    for part in readme.split("```python\n")[2:4]:
        exec(part.split("```")[0], names)
    found = measure(names["model"], names["tokens"])
    assert list(found) == ["layers.0.mlp.down_proj", "layers.1.mlp.down_proj"]
    assert [one.inputs for one in found.values()] == [128, 128]
    one = measure(names["model"], names["tokens"], layer="layers.1.mlp").only
    seen = names["seen"].layers["layers.1.mlp.down_proj"]
    assert one.active_at.tolist() == found["layers.1.mlp.down_proj"].active_at.tolist() == seen.active_at.tolist()
