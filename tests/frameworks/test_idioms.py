"""Idioms of PyTorch that stand in models of users: who is active is what a forward pass of the test's own says.

In an environment of its own: ``pip install torch pytest pytest-timeout .``, then ``pytest tests/frameworks``.
"""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

from sparse_meter import Layers, measure, watch  # noqa: E402

N, S, M = 20, 30, 48
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.fixture
def X():
    return torch.randn(M, N, generator=torch.Generator().manual_seed(1))


def assert_counts(found, A):
    found = found.only if isinstance(found, Layers) else found
    A = np.asarray(A)
    A = A.reshape(-1, A.shape[-1])
    assert (found.inputs, found.s) == A.shape
    assert found.active_at.tolist() == A.sum(axis=0).tolist()
    assert found.histogram.tolist() == np.bincount(A.sum(axis=1), minlength=A.shape[1] + 1).tolist()
    runs = A[: len(A) // 16 * 16].reshape(-1, 16, A.shape[1]).any(axis=1)
    assert (found.runs, found.run_used) == (len(runs), np.count_nonzero(runs))


class Between(nn.Module):
    """Two linear maps and a function between them."""

    def __init__(self, function, width=S):
        super().__init__()
        self.fc1, self.fc2, self.function = nn.Linear(N, S), nn.Linear(width, N), function

    def forward(self, x):
        return self.fc2(self.function(self.fc1(x)))


def swish(z):
    return z * torch.sigmoid(z)


def gelu_by_hand(z):
    return 0.5 * z * (1 + torch.tanh(0.7978845608 * (z + 0.044715 * z**3)))


def keep_five(z):
    values, places = z.topk(5)
    return torch.zeros_like(z).scatter(-1, places, values)


def jump(z):
    return z * (z > 0.5)


def relu_twice(z):
    return torch.relu(z) * torch.relu(z)


class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z):
        return torch.relu(z) ** 2


def glu_in_place(z):
    h = F.silu(z)
    h *= 2 * z
    return h


# The function, the size above which its outputs are active.
FUNCTIONS = {
    "relu": (F.relu, 0), "in place": (lambda z: F.relu(z, inplace=True), 0), "method": (lambda z: z.relu(), 0),
    "clamp": (lambda z: z.clamp(min=0), 0), "clamp_min": (lambda z: z.clamp_min(0), 0), "relu6": (F.relu6, 0),
    "maximum": (lambda z: torch.maximum(z, torch.zeros(())), 0), "where": (lambda z: torch.where(z > 0, z, 0.0), 0),
    "max of zeros": (lambda z: torch.max(z, torch.zeros_like(z)), 0), "mask": (lambda z: z * (z > 0), 0),
    "threshold": (lambda z: F.threshold(z, 0.2, 0.0), 0), "jump": (jump, 0), "squared": (lambda z: F.relu(z) ** 2, 0),
    "its own square": (lambda z: F.relu(z).square(), 0), "autograd": (Own.apply, 0),
    "scripted": (lambda z: torch.jit.script(relu_twice)(z), 0),
    "gelu": (F.gelu, 0.01), "silu": (F.silu, 0.01), "mish": (F.mish, 0.01), "elu": (F.elu, 0.01),
    "selu": (F.selu, 0.01),
    "softplus": (F.softplus, 0.01), "leaky": (F.leaky_relu, 0.01), "hardswish": (F.hardswish, 0),
    "tanh": (torch.tanh, 0.01), "sigmoid": (torch.sigmoid, 0.01), "swish": (swish, 0.01),
    "by hand": (gelu_by_hand, 0.01),
    "quick": (lambda z: z * torch.sigmoid(1.702 * z), 0.01),
    "swish in place": (lambda z: z.mul_(torch.sigmoid(z)), 0.01),
    "erf": (lambda z: z * 0.5 * (1 + torch.erf(z / 2**0.5)), 0.01), "glu": (glu_in_place, 0.01),
    "clipped": (lambda z: F.gelu(z).clip(-0.1, 0.5), 0.01), "k largest": (lambda z: keep_five(F.relu(z)), 0),
    "relu of k largest": (lambda z: F.relu(keep_five(z)), 0), "softshrink": (F.softshrink, 0),
    "two gates": (lambda z: F.silu(z) * torch.sigmoid(z), 0.01), "float steps": (lambda z: (z > 0).float(), 0),
    "in bfloat16": (lambda z: F.relu(z.bfloat16()).float(), 0),
    "dropout": (lambda z: F.dropout(F.relu(z), 0.5, False), 0),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_between_two_linear_maps(name, X):
    function, above = FUNCTIONS[name]
    model = Between(function)
    found = measure(model, X)
    assert list(found) == ["fc2"]
    with torch.no_grad():
        assert_counts(found.only, function(model.fc1(X)).abs() > above)
    assert not any("Not recognised" in note for note in found.notes)


def test_half_of_a_gated_linear_unit(X):
    model = Between(F.glu, S // 2)
    with torch.no_grad():
        assert_counts(measure(model, X).only, F.glu(model.fc1(X)).abs() > 0.01)


CHANGED = {
    "added": lambda h, x: h.add_(1.0),
    "residual": lambda h, x: h.__iadd__(x.repeat(1, 2)[:, :S]),
    "centred": lambda h, x: h.sub_(h.mean(dim=-1, keepdim=True)),
    "a view": lambda h, x: h[:, :7].fill_(3.0),
    "by index": lambda h, x: h.__setitem__(h < 1, 5.0),
    "scaled twice": lambda h, x: h.mul_(2).neg_(),
}


@pytest.mark.parametrize("name", CHANGED)
def test_what_is_changed_in_place_afterwards_was_counted_before(name, X):
    class Changed(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(N, S), nn.Linear(S, N)

        def forward(self, x):
            h = F.relu(self.fc1(x))
            CHANGED[name](h, x)
            return self.fc2(h)

    model = Changed()
    with torch.no_grad():
        assert_counts(measure(model, X).only, F.relu(model.fc1(X)) > 0)


def test_a_product_changed_in_place_is_the_first_product(X):
    class Messages(nn.Module):
        def __init__(self):
            super().__init__()
            self.core, self.gate, self.bond, self.out = (nn.Linear(N, N) for _ in range(4))

        def messages(self, x):
            return F.silu(self.core(x)) * torch.sigmoid(self.gate(x))

        def forward(self, x):
            m = self.messages(x)
            m *= self.bond(x)
            return self.out(m)

    model = Messages()
    found = measure(model, X)
    with torch.no_grad():
        assert_counts(found.only, model.messages(X).abs() > 0.01)


def test_what_is_not_recognised_has_a_line(X):
    model = Between(torch.sin)
    model = nn.Sequential(model, nn.ReLU(), nn.Linear(N, 3))
    found = measure(model, X)
    assert list(found) == ["1"]
    assert "Not recognised: 0.fc2 reads sin." in found.notes and "fc2 reads sin" in found.text()
    recurrent = nn.Sequential(nn.Linear(N, N), nn.ReLU(), nn.LSTM(N, S))
    assert any("lstm" in note.lower() or "rnn" in note for note in measure(recurrent, X).notes)
    seen = measure(model, X, layer="0.fc2")
    with torch.no_grad():
        assert_counts(seen.only, torch.sin(model[0].fc1(X)).abs() > 0.01)
    with pytest.raises(ValueError, match="none was seen. Not recognised: fc2 reads sin"):
        measure(Between(torch.sin), X)


class LinearBlock(nn.Module):
    """A class with "Linear" in its name that has no weight of its own."""

    def __init__(self, n, s):
        super().__init__()
        self.fc, self.act = nn.Linear(n, s), nn.ReLU()

    def forward(self, x):
        return self.act(self.fc(x))


def test_modules_of_any_name_and_names_of_layers(X):
    model = nn.Sequential(LinearBlock(N, S), LinearBlock(S, S), nn.Linear(S, 3))
    found = measure(model, X)
    assert list(found) == ["0.act", "1.act"]
    with torch.no_grad():
        h = model[0](X)
        assert_counts(found["0.act"], h > 0)
        assert_counts(found["1.act"], model[1](h) > 0)
    shared = nn.ReLU()
    twice = nn.Sequential(nn.Linear(N, S), shared, nn.Linear(S, S), shared, nn.Linear(S, 3))
    found = measure(twice, X)
    assert list(found) == ["2", "4"]
    with torch.no_grad():
        assert_counts(found["4"], twice[:4](X) > 0)
    assert list(measure(twice, X, layer="4")) == ["4"]
    with pytest.raises(ValueError, match="'layer' must name one of .*, not be '7'"):
        measure(twice, X, layer="7")


# Ways in which a model is kept and run


def sequence():
    return nn.Sequential(nn.Linear(N, S), nn.ReLU(), nn.Linear(S, 3))


KEPT = {
    "compiled": lambda model, X: torch.compile(model, backend="eager"),
    "compiled and run": lambda model, X: (made := torch.compile(model, backend="eager"), made(X))[0],
    "compiled in place": lambda model, X: (model.compile(backend="eager"), model)[1],
    "scripted": lambda model, X: torch.jit.script(model),
    "traced": lambda model, X: torch.jit.trace(model, X),
    "exported": lambda model, X: torch.export.export(model, (X,)).module(),
    "symbolic": lambda model, X: torch.fx.symbolic_trace(model),
    "a part scripted": lambda model, X: nn.Sequential(torch.jit.script(model[:2]), model[2]),
}


@pytest.mark.parametrize("name", KEPT)
def test_models_that_are_compiled_scripted_or_exported(name, X):
    model = sequence()
    found = measure(KEPT[name](model, X), X)
    with torch.no_grad():
        assert_counts(found.only, model[:2](X) > 0)


def test_a_quantised_model(X):
    model = torch.ao.quantization.quantize_dynamic(sequence(), {nn.Linear})
    with torch.no_grad():
        assert_counts(measure(model, X).only, model[:2](X) > 0)


@pytest.mark.parametrize("norm", [nn.BatchNorm1d, nn.LayerNorm])
def test_in_training_the_activation_itself_is_counted_and_gradients_are_not(norm, X):
    model = nn.Sequential(nn.Linear(N, S), norm(S), nn.SiLU(), nn.Dropout(0.5), nn.Linear(S, 3))
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    saved = []
    model[2].register_forward_hook(lambda part, inputs, output: saved.append(output.detach().abs() > 0.01))
    with watch(model) as seen:
        for _ in range(3):
            optimiser.zero_grad()
            F.softplus(model(X)).sum().backward()
            optimiser.step()
            assert seen.layers["2"].inputs == M * len(saved)
    assert list(seen.layers) == ["2"] and model.training
    assert_counts(seen.layers.only, torch.cat(saved))


def test_checkpointed_layers_are_counted_once(X):
    class Saving(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.outer = LinearBlock(N, S), nn.Linear(S, 3)

        def forward(self, x):
            return self.outer(torch.utils.checkpoint.checkpoint(self.inner, x, use_reentrant=False))

    model = Saving()
    with watch(model) as seen:
        model(X.requires_grad_()).sum().backward()
    assert seen.layers.only.inputs == M


def test_nothing_is_left_behind_and_one_watches_at_a_time(X):
    model = nn.Sequential(LinearBlock(N, S), nn.Dropout(), nn.Linear(S, 3))
    model[1].eval()
    for bad in (X[:, 1:], X.double() * np.nan):
        with pytest.raises(ValueError):
            measure(model, bad)
    with pytest.raises(KeyboardInterrupt), watch(model):
        model(X)
        raise KeyboardInterrupt
    with watch(model) as seen:
        with pytest.raises(ValueError, match="is being watched already"):
            measure(model, X)
        model(X)
    assert [part.training for part in model] == [True, False, True]
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in model.modules())
    assert torch.is_grad_enabled() and torch.backends.mha.get_fastpath_enabled()
    assert measure(model, X).only.inputs == seen.layers.only.inputs == M


def test_another_model_that_runs_in_the_block_is_not_counted(X):
    teacher, student = sequence(), sequence()
    inner = []
    student[2].register_forward_hook(lambda *_: inner.append(measure(teacher, X).only))
    with watch(student) as seen:
        with torch.no_grad():
            F.relu(teacher(X))
        student(X)
        with torch.no_grad():
            F.relu(teacher(X))
    with torch.no_grad():
        assert_counts(seen.layers.only, student[:2](X) > 0)
        assert_counts(inner[0], teacher[:2](X) > 0)


def test_two_threads(X):
    from concurrent.futures import ThreadPoolExecutor

    models = [sequence() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(lambda model: [measure(model, X[:k]).only for k in (16, 32, 48)], models)]
    for model, ones in zip(models, found, strict=True):
        with torch.no_grad():
            for one, k in zip(ones, (16, 32, 48), strict=True):
                assert_counts(one, model[:2](X[:k]) > 0)

    def attempt(k):
        try:
            return measure(models[0], X[:k]).only.inputs == k
        except ValueError as error:
            return "is being watched already" in str(error)

    with ThreadPoolExecutor(2) as pool:
        assert all(pool.map(attempt, [16, 48] * 20))


# Inputs


def test_tuples_masks_tables_and_loaders(X):
    model = sequence()
    pandas = pytest.importorskip("pandas")
    with torch.no_grad():
        A = model[:2](X) > 0
    dataset = torch.utils.data.TensorDataset(X, torch.zeros(M))
    assert "Of each batch of 2 the model was given the first 1." in measure(model, (X, torch.zeros(M))).notes
    for given in (
        X.numpy(), pandas.DataFrame(X.numpy()), (X, torch.zeros(M)), [X[:20], X[20:]], {"input": X}, X.tolist(),
        torch.utils.data.DataLoader(dataset, batch_size=17), (part for part in X.split(7)),
    ):  # fmt: skip
        assert_counts(measure(model, given).only, A)


def test_a_frame_of_several_layers(X):
    pytest.importorskip("pandas")
    found = measure(nn.Sequential(LinearBlock(N, S), LinearBlock(S, 9), nn.Linear(9, 3)), X)
    frame = found.to_frame()
    assert list(frame.index) == ["0.act", "1.act"] and frame.loc["1.act", "neurons"] == 9
    assert frame["mean_active"].tolist() == [one.mean_active for one in found.values()]


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.block = nn.Embedding(50, N), Between(nn.ReLU())

    def forward(self, ids, attention_mask=None, **other):
        return self.block(self.table(ids))


def test_padding_by_any_of_its_names():
    model = Masked()
    ids = torch.randint(50, (4, 9))
    mask = torch.ones(4, 9, dtype=torch.long)
    mask[1:3, 6:] = 0
    with torch.no_grad():
        A = (model.block.fc1(model.table(ids)) > 0)[mask.bool()]
    given = [{"attention_mask": mask}, {"src_key_padding_mask": mask == 0}, {"padding_mask": mask == 0}, {"mask": mask}]
    for more in given:
        assert_counts(measure(model, {"ids": ids, **more}).only, A)
    for batch in ((ids, mask), [(ids[:2], mask[:2]), (ids[2:], mask[2:])]):
        found = measure(model, batch).only
        assert found.inputs == len(A) and found.active_at.tolist() == A.sum(axis=0).tolist()
    for name in ("bool_masked_pos", "mask_time_indices", "global_attention_mask", "head_mask"):
        assert measure(model, {"ids": ids, name: mask}).only.inputs == 36
    labels = torch.full((4, 9), 7)
    assert measure(model, (ids, labels)).only.inputs == 36  # no mask: these are labels


@pytest.mark.parametrize("change", ["a row more", "half the rows", "one row"])
def test_a_mask_that_fits_no_inputs_has_a_line(change):
    ways = {"a row more": lambda h: F.pad(h, (0, 0, 1, 0)), "half the rows": lambda h: h[:, ::2]}
    model = Masked()
    block, model.block = model.block, nn.Identity()
    model.block.forward = lambda h: block(ways.get(change, lambda h: h.mean(1))(h))
    model.inner = block
    found = measure(model, {"ids": torch.randint(50, (4, 10)), "attention_mask": torch.ones(4, 10)})
    line = "No mask that was given fits inner.function: if there is padding, it is counted."
    assert [*found.notes] == [line] * (change != "one row")


LENGTHENED = {
    "joined": lambda mask: torch.cat([mask.new_ones(len(mask), 1), mask], 1).bool(),
    "padded": lambda mask: F.pad(mask, (1, 0), value=1) > 0,
    "of what is hidden": lambda mask: ~torch.cat([torch.zeros(len(mask), 1, dtype=torch.bool), mask == 0], 1),
}


@pytest.mark.parametrize("how", LENGTHENED)
def test_a_model_with_a_token_of_its_own_lengthens_the_mask(how):
    model = Masked()
    mask = torch.ones(4, 9, dtype=torch.long)
    mask[1:3, 6:] = 0
    longer = []

    def forward(ids, attention_mask):
        longer.append(LENGTHENED[how](attention_mask))
        return model.block(F.pad(model.table(ids), (0, 0, 1, 0)))

    model.forward = forward
    ids = torch.randint(50, (4, 9))
    with torch.no_grad():
        found = measure(model, {"ids": ids, "attention_mask": mask})
        assert_counts(found, model.block.fc1(F.pad(model.table(ids), (0, 0, 1, 0)))[longer[0]] > 0)
    assert not found.notes and found.only.inputs == 34


def test_a_model_that_puts_positions_first_turns_the_mask():
    model = Masked()
    ids = torch.randint(50, (9, 9))  # so that the mask would fit as it is
    mask = torch.ones(9, 9, dtype=torch.long)
    mask[2, 5:] = 0
    model.forward = lambda ids, attention_mask: (attention_mask.T.contiguous(), model.block(model.table(ids.T)))
    with torch.no_grad():
        A = model.block.fc1(model.table(ids.T)) > 0
    assert_counts(measure(model, {"ids": ids, "attention_mask": mask}), A[mask.T.bool()])


@pytest.mark.parametrize("first", [True, False])
def test_padding_of_the_encoder_of_pytorch_itself(first):
    layer = nn.TransformerEncoderLayer(N, 2, S, batch_first=first)
    model = nn.TransformerEncoder(layer, 2)
    X = torch.randn(7, 7, N)
    hidden = torch.zeros(7, 7, dtype=torch.bool)
    hidden[2, 3:] = True
    saved = []
    model.layers[1].linear2.register_forward_pre_hook(lambda part, args: saved.append(args[0] > 0))
    found = measure(model, {"src": X, "src_key_padding_mask": hidden})
    A = saved[0][~hidden] if first else saved[0][~hidden.T]
    assert list(found) == ["layers.0.linear2", "layers.1.linear2"]
    assert_counts(found["layers.1.linear2"], A)


def test_a_mask_of_the_encoder_hides_nothing_of_the_decoder():
    model = nn.Transformer(N, 2, 1, 1, S, batch_first=True)
    src, tgt = torch.randn(3, 6, N), torch.randn(3, 6, N)
    hidden = torch.zeros(3, 6, dtype=torch.bool)
    hidden[0, 4:] = True
    found = measure(model, {"src": src, "tgt": tgt, "src_key_padding_mask": hidden, "memory_key_padding_mask": hidden})
    assert [one.inputs for one in found.values()] == [16, 18]
    found = measure(model, {"src": src, "tgt": tgt, "tgt_key_padding_mask": hidden})
    assert [one.inputs for one in found.values()] == [18, 16]


@pytest.mark.parametrize("causal", ["mask", "tgt_mask"])
def test_a_mask_of_who_attends_to_whom_hides_no_position(causal):
    kind = nn.TransformerEncoderLayer if causal == "mask" else nn.TransformerDecoderLayer
    model = nn.ModuleList([kind(N, 2, S, batch_first=True)])[0]
    if causal == "mask":
        model = nn.TransformerEncoder(model, 1)
    X = torch.randn(7, 7, N)  # so that the mask would fit
    given = {"src": X} if causal == "mask" else {"tgt": X, "memory": X}
    found = measure(model, {**given, causal: torch.ones(7, 7, dtype=torch.bool).triu(1)})
    assert found.only.inputs == 49


class Towers(nn.Module):
    """Two texts of one length, each with a mask of its own, under another name in the towers."""

    def __init__(self):
        super().__init__()
        self.table, self.query, self.document = nn.Embedding(50, N), Between(nn.ReLU()), Between(nn.GELU())

    class Tower(nn.Module):
        def __init__(self, block):
            super().__init__()
            self.block = block

        def forward(self, x, valid):
            return (self.block(x) * valid[..., None]).sum(1)

    def forward(self, query, document, query_mask=None, document_mask=None):
        first, second = self.towers
        return first(self.table(query), query_mask) * second(self.table(document), document_mask)


def test_two_towers_have_their_own_masks():
    model = Towers()
    model.towers = nn.ModuleList(Towers.Tower(block) for block in (model.query, model.document))
    ids = torch.randint(50, (2, 4, 9))
    masks = torch.ones(2, 4, 9, dtype=torch.long)
    masks[0, 1, 3:] = masks[1, 2:, 7:] = 0
    with torch.no_grad():
        A = [block.function(block.fc1(model.table(text))).abs() > above
             for block, text, above in zip((model.query, model.document), ids, (0, 0.01), strict=True)]  # fmt: skip
    names = {"query": ids[0], "document": ids[1], "query_mask": masks[0], "document_mask": masks[1]}
    for given in (names, tuple(names.values())):
        found = measure(model, given)
        for one, active, mask in zip(found.values(), A, masks, strict=True):
            assert_counts(one, active[mask.bool()])


def test_a_model_in_inference_mode(X):
    class Products(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.down = nn.Parameter(torch.randn(N, S)), nn.Parameter(torch.randn(S, 3))

        def forward(self, x):
            return F.relu(x @ self.up).reshape(-1, S).matmul(self.down)

    model = Products()
    with torch.inference_mode(), watch(model) as seen:
        model(X.reshape(4, 12, N))
        assert list(seen.layers) == ["down"]
        assert_counts(seen.layers.only, X @ model.up > 0)


# Convolutions


class Standardised(nn.Conv2d):
    """Weights that are computed when it runs, in a class of another name."""

    def forward(self, x):
        weight = (self.weight - self.weight.mean()) / self.weight.std()
        return F.conv2d(x, weight, self.bias, padding=1)


class ByFunction(nn.Module):
    def __init__(self, n, s):
        super().__init__()
        self.kernel = nn.Parameter(torch.randn(s, n, 3, 3) / 5)

    def forward(self, x):
        return F.conv2d(x, self.kernel, padding=1)


CONVOLUTIONS = {
    "Conv2d": lambda: nn.Conv2d(3, 8, 3), "standardised": lambda: Standardised(3, 8, 3),
    "by function": lambda: ByFunction(3, 8), "transposed": lambda: nn.ConvTranspose2d(3, 8, 3),
}  # fmt: skip


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_the_neurons_of_a_convolution_are_its_channels(name):
    conv = CONVOLUTIONS[name]()
    model = nn.Sequential(conv, nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 4, 3), nn.ReLU(),
                          nn.Flatten(),
                          nn.LazyLinear(5), nn.ReLU(), nn.Linear(5, 2))  # fmt: skip
    X = torch.randn(3, 3, 16, 16)
    model.eval()(X)
    with torch.no_grad():
        A, B = model[:3](X) > 0, model[:9](X) > 0
    found = measure(model, X)
    assert list(found) == ["2", "5", "8"]
    assert_counts(found["2"], A.movedim(1, -1))
    assert (found["2"].images, found["2"].image_used) == (3, int(A.flatten(2).any(-1).sum()))
    assert_counts(found["8"], B)
    assert found["8"].in_an_image is None


@pytest.mark.parametrize("norm", ["instances", "flat"])
def test_channels_that_were_merged_with_images_are_parted_again(norm):
    """As InstanceNorm merges them inside."""
    ways = {"instances": nn.InstanceNorm2d(12), "flat": lambda h: F.layer_norm(h.flatten(0, 1), (8, 8)).view(h.shape)}
    model = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.Identity(), nn.ReLU(), nn.Conv2d(12, 2, 1))
    model[1].forward = ways[norm]
    X = torch.randn(4, 3, 8, 8)
    found = measure(model, X)
    with torch.no_grad():
        assert_counts(found, (model[:3](X) > 0).movedim(1, -1))
    assert found.only.images == 4


def test_a_gate_of_channels_scales_what_the_next_convolution_reads():
    class Excited(nn.Module):
        def __init__(self):
            super().__init__()
            self.expand, self.depthwise = nn.Conv2d(3, 8, 1), nn.Conv2d(8, 8, 3, groups=8)
            self.squeeze, self.excite, self.project = nn.Conv2d(8, 4, 1), nn.Conv2d(4, 8, 1), nn.Conv2d(8, 2, 1)

        def inner(self, x):
            return F.hardswish(self.depthwise(F.relu6(self.expand(x))))

        def forward(self, x):
            h = self.inner(x)
            gate = self.excite(F.relu(self.squeeze(h.mean((2, 3), keepdim=True))))
            return self.project(h * gate.sigmoid())

    model = Excited().to(memory_format=torch.channels_last)
    X = torch.randn(3, 3, 12, 12).to(memory_format=torch.channels_last)
    found = measure(model, X)
    assert list(found) == ["depthwise", "project", "excite"]
    with torch.no_grad():
        assert_counts(found["depthwise"], (F.relu6(model.expand(X)) > 0).movedim(1, -1))
        assert_counts(found["project"], (model.inner(X) != 0).movedim(1, -1))
    assert found["excite"].inputs == 3


def test_channels_behind_a_transposition_and_in_one_dimension():
    class Waves(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.norm, self.b = nn.Conv1d(1, 10, 5), nn.LayerNorm(10), nn.Conv1d(10, 4, 3)

        def inner(self, x):
            return F.gelu(self.norm(self.a(x).mT).mT)

        def forward(self, x):
            return self.b(self.inner(x))

    model = Waves()
    X = torch.randn(2, 1, 14)  # so that there are as many positions as channels
    with torch.no_grad():
        A = model.inner(X).abs() > 0.01
    assert A.shape[1] == A.shape[2]
    assert_counts(measure(model, X).only, A.movedim(1, -1))
    assert_counts(measure(model, X[0]).only, A[:1].movedim(1, -1))  # without a batch


# Mixtures of experts


class Mixture(nn.Module):
    """Linear-ReLU-Linear experts, of which each input is given k."""

    def __init__(self, E=5, k=2, how="rows"):
        super().__init__()
        self.router = nn.Linear(N, E)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(N, 12), nn.ReLU(), nn.Linear(12, N)) for _ in range(E))
        self.k, self.how = k, how

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        weights, choice = self.router(x).softmax(-1).topk(self.k)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            if self.how == "sorted":
                break
            if self.how == "rows":
                rows, slot = torch.where(choice == e)
                if len(rows):
                    out.index_add_(0, rows, expert(x[rows]) * weights[rows, slot, None])
            else:
                mask = (choice == e).any(-1)
                out[mask] += expert(x[mask])
        if self.how == "sorted":  # as DeepSeek's own code does
            order = choice.view(-1).argsort()
            counts = torch.bincount(choice.view(-1), minlength=len(self.experts)).tolist()
            parts = x[order // self.k].split(counts)
            made = torch.cat([expert(part) for expert, part in zip(self.experts, parts, strict=True) if len(part)])
            out = (torch.empty_like(made).index_put((order,), made).view(*choice.shape, -1) * weights[..., None]).sum(1)
        return out.reshape(shape)

    def truth(self, x):
        x = x.reshape(-1, x.shape[-1])
        choice = self.router(x).softmax(-1).topk(self.k).indices
        H = torch.stack([expert[:2](x) > 0 for expert in self.experts], dim=1)
        H &= torch.stack([(choice == e).any(-1) for e in range(len(self.experts))], dim=1)[:, :, None]
        return H.flatten(1)


@pytest.mark.parametrize("how", ["rows", "mask", "sorted"])
@pytest.mark.parametrize("k", [1, 2])
def test_a_mixture_of_experts_is_one_layer(how, k, X):
    model = nn.Sequential(Mixture(k=k, how=how), nn.Linear(N, S), nn.ReLU(), nn.Linear(S, N),
                          Mixture(E=3, k=1, how=how))  # fmt: skip
    found = measure(model, X.reshape(4, 12, N))
    with torch.no_grad():
        assert_counts(found["0.experts.*.1"], model[0].truth(X))
        middle = model[:4](X)
        assert_counts(found["4.experts.*.1"], model[4].truth(middle))
    assert [one.s for one in found.values()] == [60, S, 36]
    parts = measure(model, [X[:20], X[20:]])  # 16 inputs that follow each other may be of two batches
    assert all(parts[name].to_dict() == one.to_dict() for name, one in found.items())


class Stacked(nn.Module):
    """Experts in a weight of three axes, which are given their inputs in buffers, or all of which are given each."""

    def __init__(self, how, E=5, k=2, width=12):
        super().__init__()
        self.router = nn.Linear(N, E)
        self.up, self.down = nn.Parameter(torch.randn(E, N, width)), nn.Parameter(torch.randn(E, width, N))
        self.how, self.k, self.room = how, k, 20

    def forward(self, x):
        weights, choice = self.router(x).softmax(-1).topk(self.k)
        if self.how == "slices":
            return sum(F.relu(x @ up) @ down for up, down in zip(self.up, self.down, strict=True))
        expert = choice.reshape(-1)
        one_hot = F.one_hot(expert, len(self.up))
        place = (one_hot.cumsum(0) * one_hot).sum(-1) - 1
        if self.how == "products":
            there = one_hot[..., None] * F.one_hot(place.clamp(max=self.room - 1), self.room)[:, None]
            there = there.float().unflatten(0, (len(x), self.k)).sum(1)
            h = F.relu(torch.einsum("ecd,edw->ecw", torch.einsum("tec,td->ecd", there, x), self.up))
            return torch.einsum("tec,ecd->td", there, h @ self.down)
        spot = torch.where(place < self.room, expert * self.room + place, len(self.up) * self.room)
        buffer = torch.zeros(len(self.up) * self.room + 1, N)
        buffer = buffer.scatter(0, spot[:, None].expand(-1, N), x.repeat_interleave(self.k, 0))
        h = F.relu(buffer[:-1].unflatten(0, (-1, self.room)) @ self.up) @ self.down
        made = torch.cat([h.flatten(0, 1), torch.zeros(1, N)])[spot]
        return (made * weights.reshape(-1, 1)).unflatten(0, (-1, self.k)).sum(1)

    def truth(self, x):
        return (torch.einsum("td,edw->tew", x, self.up) > 0).flatten(1)


def test_experts_in_one_weight_are_one_layer(X):
    model = nn.Sequential(nn.LayerNorm(N), Stacked("slices"), Stacked("slices", E=3, k=1))
    with torch.no_grad():
        found = measure(model, X)
        assert list(found) == ["1.down", "2.down"]
        assert_counts(found["1.down"], model[1].truth(model[0](X)))
        assert_counts(found["2.down"], model[2].truth(model[:2](X)))


@pytest.mark.parametrize("how", ["products", "buffers"])
def test_experts_that_are_given_an_unknown_order_of_inputs_have_a_line(how, X):
    model = nn.Sequential(nn.Linear(N, N), nn.ReLU(), Stacked(how))
    found = measure(model, X)
    assert list(found) == ["1"]
    assert any("2.up reads inputs of experts in an order that is not known" in note for note in found.notes)


def test_an_autoencoder_is_seen_also_where_it_is_no_module_that_runs(X):
    class Sparse(nn.Module):
        def __init__(self):
            super().__init__()
            self.W_enc, self.W_dec = nn.Parameter(torch.randn(N, 64)), nn.Parameter(torch.randn(64, N))

        def encode(self, x):
            values, places = (x @ self.W_enc).topk(5)
            z = torch.zeros(*x.shape[:-1], 64)
            return z.scatter_(-1, places, F.relu(values))

        def decode(self, z):
            return z @ self.W_dec

    model = Sparse()
    with watch(model) as seen, torch.no_grad():
        model.decode(z := model.encode(X))
    assert list(seen.layers) == ["W_dec"]
    assert_counts(seen.layers.only, z > 0)


# Ways to give every input to each of several experts, or to each its own part of what describes the input.
EVERY_EXPERT = {
    "in one product": lambda x, W: torch.einsum("bi,eio->beo", x, W),
    "moved": lambda x, W: torch.bmm(x.expand(len(W), -1, -1), W).transpose(0, 1),
    "moved and copied": lambda x, W: torch.bmm(x.expand(len(W), -1, -1), W).transpose(0, 1).contiguous(),
    "stacked": lambda x, W: torch.stack([x.view(2, -1, N) @ one for one in W], 2).flatten(0, 1),
    "by parts": lambda x, W: torch.einsum("bei,eio->beo", x.repeat(1, len(W)).view(len(x), len(W), -1), W),
}


class EveryExpert(nn.Module):
    def __init__(self, how, E=4, width=10):
        super().__init__()
        self.how = EVERY_EXPERT[how]
        self.up, self.down = nn.Parameter(torch.randn(E, N, width)), nn.Parameter(torch.randn(E, width, N))

    def forward(self, x):
        return torch.bmm(self.how(x, self.up).relu().transpose(0, 1), self.down).sum(0)


@pytest.mark.parametrize("how", EVERY_EXPERT)
def test_experts_that_all_run_are_one_layer(how, X):
    model = nn.Sequential(nn.Linear(N, N), EveryExpert(how), nn.LayerNorm(N), EveryExpert(how, E=3, width=7))
    found = measure(model, X)
    assert list(found) == ["1.down", "3.down"] and not found.notes
    with torch.no_grad():
        assert_counts(found["1.down"], torch.einsum("bi,eio->beo", model[0](X), model[1].up).flatten(1) > 0)
        assert_counts(found["3.down"], torch.einsum("bi,eio->beo", model[:3](X), model[3].up).flatten(1) > 0)


def chosen(x, E):
    """Whether an expert is the one of an input."""
    return x[:, :E].topk(1).indices == torch.arange(E)


def joined(x, W):
    """The inputs of each expert in turn, as in JetMoe."""
    order = x[:, : len(W)].topk(1).indices[:, 0].sort().indices
    parts = x[order].split(chosen(x, len(W)).sum(0).tolist())
    H = torch.cat([part @ one for part, one in zip(parts, W, strict=True)]).relu()
    return x.new_zeros(len(x), W.shape[2]).index_add(0, order, H)


def repeated(x, W):
    """All inputs for each expert, times 0 where it is not chosen, as in Llama 4."""
    scores = chosen(x, len(W)).float().T.reshape(-1, 1)
    return torch.bmm((x.repeat(len(W), 1) * scores).view(len(W), len(x), -1), W).relu().sum(0)


@pytest.mark.parametrize("how", [joined, repeated])
def test_experts_that_share_one_activation_function(how, X):
    model = EveryExpert("moved")
    model.forward = lambda x: how(x, model.up) @ model.down[0]
    with torch.no_grad():
        found = measure(nn.Sequential(nn.LayerNorm(N), model), X)
        x = nn.LayerNorm(N)(X)
        A = (torch.einsum("bi,eio->beo", x, model.up) > 0) & chosen(x, 4)[..., None]
    assert_counts(found.only, A.flatten(1))


def test_experts_whose_outputs_stand_side_by_side_have_a_line(X):
    model = EveryExpert("moved")
    model.forward = lambda x: torch.cat([x @ one for one in model.up], 1).relu() @ model.down.flatten(0, 1)
    found = measure(nn.Sequential(nn.Linear(N, N), nn.ReLU(), model), X)
    assert list(found) == ["1"] and "2.up reads inputs of experts" in found.notes[0]


class Latents(nn.Module):
    """Vectors of the model's own that attend to the inputs, as in a Perceiver."""

    def __init__(self, how, k=8):
        super().__init__()
        self.how, self.own = how, nn.Parameter(torch.randn(k, N))
        self.query, self.key, self.fc1, self.fc2 = nn.Linear(N, N), nn.Linear(N, N), nn.Linear(N, S), nn.Linear(S, N)
        self.attention = nn.MultiheadAttention(N, 4, batch_first=True)

    def forward(self, x, mask):
        z = self.own.expand(len(x), -1, -1)
        if self.how == "module":
            y = self.attention(z, x, x, key_padding_mask=mask == 0)[0]
        elif self.how == "function":
            y = F.scaled_dot_product_attention(self.query(z), self.key(x), x, attn_mask=mask[:, None] > 0)
        else:
            y = (self.query(z) @ self.key(x).mT).masked_fill(mask[:, None] == 0, -1e9).softmax(-1) @ x
        self.z = z + y
        return self.fc2(self.fc1(self.z).relu())


@pytest.mark.parametrize("how", ["module", "function", "products"])
def test_a_mask_of_inputs_hides_no_latents(how, X):
    model = Latents(how).eval()
    mask = torch.ones(6, 8)
    mask[3, 2:] = 0
    found = measure(model, {"x": X.view(6, 8, N), "mask": mask})
    assert not found.notes
    with torch.no_grad():
        assert_counts(found.only, model.fc1(model.z) > 0)


def test_what_is_picked_and_joined_is_read(X):
    class Edges(nn.Module):
        def __init__(self):
            super().__init__()
            self.nodes, self.message = nn.Linear(N, S), nn.Linear(2 * S, 3)

        def forward(self, x):
            h = self.nodes(x).tanh()
            return self.message(torch.cat([h[:5], h[[7, 3, 1, 1, 0]]], 1))

    model = Edges()
    with torch.no_grad():
        assert_counts(measure(model, X), model.nodes(X).tanh().abs() > 0.01)


@pytest.mark.parametrize("how", ["product", "repeated", "flat"])
def test_each_head_has_a_network_of_its_own(how, X):
    up, down = nn.Parameter(torch.randn(5, 6, 7)), nn.Parameter(torch.randn(5, 7, 6))
    model = nn.Module()
    model.inner, model.up, model.down = nn.Linear(N, S), up, down

    def forward(x):
        z = model.inner(x).unflatten(-1, (5, 6)).transpose(1, 2)
        if how == "product":
            return (z @ up).relu() @ down
        if how == "flat":
            return torch.bmm((z @ up).flatten(0, 1).relu(), down.expand(len(x), -1, -1, -1).flatten(0, 1))
        return torch.bmm(torch.bmm(z.flatten(0, 1), up.repeat(len(x), 1, 1)).relu(), down.repeat(len(x), 1, 1))

    model.forward = forward
    found = measure(model, X.view(6, 8, N))
    with torch.no_grad():
        assert_counts(found, torch.einsum("nhd,hdw->nhw", model.inner(X).unflatten(-1, (5, 6)), up).flatten(1) > 0)


def test_heads_in_another_order_than_their_inputs_have_a_line(X):
    model = EveryExpert("moved")
    model.forward = lambda x: torch.bmm(x.view(8, 6, N), model.up.repeat_interleave(2, 0)).relu()
    with pytest.raises(ValueError, match="up reads inputs of experts in an order that is not known"):
        measure(model, X)


def test_heads_of_attention_that_are_joined_are_the_neurons_of_the_next_map(X):
    model = nn.Module()
    model.out = nn.Linear(N, 3)
    x = X.view(6, 8, N)

    def attended(x):
        heads = x.unflatten(-1, (4, 5)).transpose(1, 2)
        return F.scaled_dot_product_attention(heads, heads, heads).transpose(1, 2).flatten(2)

    model.forward = lambda x: model.out(F.hardswish(attended(x)))
    assert_counts(measure(model, x), F.hardswish(attended(x)) != 0)


def test_heads_are_neurons_of_one_map(X):
    model = nn.Sequential(nn.Linear(N, S), nn.Unflatten(1, (5, -1)), nn.ReLU(), nn.Flatten(), nn.Linear(S, 2))
    assert_counts(measure(model, X).only, model[0](X).detach() > 0)
