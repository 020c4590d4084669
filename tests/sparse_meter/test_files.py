"""Networks in files: what the libraries of the formats have written is read as it is, and hostile files are refused.

The files of good networks are written by safetensors and NumPy themselves. Broken and hostile ones are made byte
by byte; each is refused in one line by a ValueError, or by exit code 2 of the command, and nothing in it is run.
"""

import io
import json
import math
import pickle
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save_file

from sparse_meter import as_layer, command, examine, files, measure

N, S, OUTPUTS = 3, 5, 2
RNG = np.random.default_rng(0)
W = RNG.standard_normal((S, N)).astype(np.float32)
BIAS = RNG.standard_normal(S).astype(np.float32)
U = RNG.standard_normal((OUTPUTS, S)).astype(np.float32)
TORCH = {"0.weight": W, "0.bias": BIAS, "2.weight": U, "2.bias": np.zeros(OUTPUTS, np.float32)}
X = RNG.standard_normal((40, N)).astype(np.float32)


def assert_is_the_layer(layer):
    """W, -BIAS, U, bit for bit."""
    assert np.array_equal(layer.W, W) and np.array_equal(layer.b, -BIAS) and np.array_equal(layer.U, U)


def read(path, layer=None, activation=None):
    """The layer of a file."""
    return as_layer(files.read(path), layer, activation)


def said(layer, words):
    return any(words in note for note in layer.notes)


# .safetensors and .npz


def test_a_file_of_the_library(tmp_path):
    save_file(TORCH, tmp_path / "net.safetensors")
    found = read(tmp_path / "net.safetensors")
    assert_is_the_layer(found)
    assert said(found, "0.bias is added: b of Definition 1 is its negative") and said(found, "ReLU is assumed")
    kinds = {name: array.kind for name, array in files.read(tmp_path / "net.safetensors").items()}
    assert kinds == dict.fromkeys(TORCH, "F32")


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint16, np.int64, np.bool_])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3), (2, 1, 2)])
def test_each_type_is_read_as_the_library_wrote_it(tmp_path, dtype, shape):
    array = np.asarray(RNG.integers(0, 100, shape)).astype(dtype)
    save_file({"a": array, "b": np.ones(3)}, tmp_path / "a.safetensors")
    found = np.asarray(files.read(tmp_path / "a.safetensors")["a"])
    assert found.shape == shape and np.array_equal(found, array)


def written(path, table, data=b""):
    """A .safetensors file with this table, which may lie."""
    text = table if isinstance(table, bytes) else json.dumps(table).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def test_bfloat16_is_the_upper_half_of_float32(tmp_path):
    values = np.array([[1.0, -2.5, 3.140625], [0.0, 1e30, -1e-30]], np.float32)
    bits = (values.view(np.uint32) >> 16).astype("<u2")
    table = {"w": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}}
    found = np.asarray(files.read(written(tmp_path / "a.safetensors", table, bits.tobytes()))["w"])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, values, rtol=2**-7)
    assert found[0].tolist() == [1.0, -2.5, 3.140625]


def test_an_archive_of_each_layout(tmp_path):
    np.savez(tmp_path / "torch.npz", **TORCH)
    assert_is_the_layer(read(tmp_path / "torch.npz"))
    np.savez_compressed(tmp_path / "definition.npz", u=U[0], W=np.asfortranarray(W), b=-BIAS)
    found = read(tmp_path / "definition.npz")
    assert np.array_equal(found.W, W) and np.array_equal(found.U, U[:1]) and said(found, "the bias subtracted")
    np.savez(tmp_path / "keras.npz", W.T, BIAS, U.T, np.zeros(OUTPUTS))
    found = read(tmp_path / "keras.npz")
    assert_is_the_layer(found)
    assert said(found, "columns of the first array") and said(found, "as Keras does")
    np.savez(tmp_path / "parameters.npz", W, BIAS, U, np.zeros(OUTPUTS))
    assert_is_the_layer(read(tmp_path / "parameters.npz"))


FAMILIES = {
    "model.decoder.layers.{}.fc1": ("fc2", {}),
    "encoder.layer.{}.intermediate.dense": ("output.dense", {}),
    "transformer.h.{}.mlp.c_fc": ("c_proj", {"columns": True}),
    "gpt_neox.layers.{}.mlp.dense_h_to_4h": ("dense_4h_to_h", {}),
    "model.layers.{}.mlp.gate_proj": ("down_proj", {"up": "up_proj"}),
    "decoder.block.{}.layer.2.DenseReluDense.wi_0": ("wo", {"up": "wi_1"}),
    "layers.{}.linear1": ("linear2", {}),
}


@pytest.mark.parametrize("inner", FAMILIES)
def test_the_names_of_models(tmp_path, inner):
    outer, options = FAMILIES[inner]
    end = next(end for end in ("intermediate.dense", inner.rpartition(".")[2]) if inner.endswith(end))
    prefix = inner.removesuffix(end)
    arrays = {}
    for i in range(12):
        turn = np.ascontiguousarray if not options.get("columns") else lambda array: np.ascontiguousarray(array.T)
        names = {prefix + end: W + i, prefix + outer: U}
        if "up" in options:
            names[prefix + options["up"]] = -W
        arrays |= {f"{name.format(i)}.weight": turn(array) for name, array in names.items()}
        arrays[f"{inner.format(i)}.bias"] = BIAS
        arrays[f"{prefix.format(i)}attention.q.weight"] = np.ones((4, 4), np.float32)
    path = tmp_path / "model.safetensors"
    save_file(arrays, path)
    assert [(s, n) for _, s, n in files.blocks(path)] == [(S, N)] * 12
    names = [name for name, _, _ in files.blocks(path)]
    assert names[2].replace("2", "9", 1) == names[9]  # in the order of their numbers
    for layer in (names[1], names[1].replace(".1", ".?", 1) if names[1].endswith(".1") else names[1]):
        if layer == names[1]:
            found = read(path, layer)
            assert np.array_equal(found.W, W + 1) and np.array_equal(found.U, U)
            assert (found.up is None) == ("up" not in options)
    with pytest.raises(ValueError, match=r"must name one of 12 hidden layers: .* and 4 more"):
        read(path)


def test_a_layer_by_a_part_of_its_name_a_pattern_or_its_arrays(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({f"h.{i}.fc{j}.weight": (W + i if j == 1 else U) for i in range(12) for j in (1, 2)}, path)
    for layer, i in (
        ("1", 1),
        ("h.11", 11),
        ("*.10", 10),
        ("h.7.fc1,h.7.fc2", 7),
        ("h.7.fc1.weight,h.7.fc2.weight", 7),
    ):
        assert np.array_equal(read(path, layer).W, W + i)
    for layer, words in (("h.*", "names several, h.0 "), ("12", "names none of h.0 "), ("a,b", r"\['a', 'b'\] are not"),
                         ("h.1.fc1,h.1.fc1", "fit together")):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            read(path, layer)


def test_names_that_say_nothing(tmp_path):
    path = tmp_path / "net.safetensors"
    save_file({"hidden.weight": W, "hidden.bias": BIAS, "out.weight": U}, path)
    assert_is_the_layer(read(path))  # the only way in which the shapes fit
    save_file({"a": W, "b": U}, path)
    with pytest.raises(ValueError, match=r"No hidden layer was recognised.* There: a \(5, 3\), b \(2, 5\)\."):
        read(path)
    assert np.array_equal(read(path, "a,b").W, W)


def test_shapes_decide_against_a_name(tmp_path):
    """A bias shows where the neurons are, also if the name says otherwise."""
    arrays = {"h.c_fc.weight": W, "h.c_fc.bias": BIAS, "h.c_proj.weight": U}
    save_file(arrays, tmp_path / "net.safetensors")
    assert_is_the_layer(read(tmp_path / "net.safetensors"))


# Folders


@pytest.mark.parametrize(
    "settings, unit, words",
    [
        ({"hidden_act": "relu"}, "relu", "config.json has relu."),
        ({"activation_function": "relu2"}, "relu2", "config.json has relu2."),
        ({"hidden_act": "silu"}, "silu:0.01", "config.json has silu."),
        ({}, "relu", "does not name the activation function"),
    ],
)
def test_a_folder_whose_configuration_names_the_activation(tmp_path, settings, unit, words):
    (tmp_path / "config.json").write_text(json.dumps(settings))
    save_file({"fc1.weight": W, "fc1.bias": BIAS}, tmp_path / "model-00001.safetensors")
    save_file({"fc2.weight": U}, tmp_path / "model-00002.safetensors")
    found = read(tmp_path)
    assert_is_the_layer(found)
    assert repr(found.unit) == unit and said(found, words)
    assert repr(read(tmp_path, activation="top-k:2").unit) == "top-k:2"


def test_the_activation_in_a_configuration_sends_nothing_to_a_terminal_or_a_report(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"hidden_act": "\x1b[31mred"}))
    save_file({"fc1.weight": W, "fc1.bias": BIAS, "fc2.weight": U}, tmp_path / "model.safetensors")
    with pytest.raises(ValueError) as refusal:
        read(tmp_path)
    assert r"has the activation function '\\x1b[31mred'" in str(refusal.value) and str(refusal.value).isprintable()
    assert repr(read(tmp_path, activation="relu").unit) == "relu"


TRANSCODER = {"W_enc": np.ascontiguousarray(W.T), "b_enc": BIAS, "W_dec": np.ascontiguousarray(U.T)}


@pytest.mark.parametrize(
    "settings, more, unit",
    [
        ({"architecture": "transcoder", "activation_fn": "relu"}, {}, "relu"),
        ({"architecture": "jumprelu"}, {"threshold": np.full(S, 0.5)}, "thresholded, a threshold for each neuron"),
        ({"activation_fn_str": "topk", "activation_fn_kwargs": {"k": 3}}, {}, "top-k:3"),
        ({"architecture": "topk", "k": 2, "normalize_activations": "layer_norm"}, {}, "top-k:2"),
        ({"architecture": "skip_transcoder"}, {"W_skip": np.ones((OUTPUTS, N))}, "relu"),
    ],
)
def test_a_transcoder(tmp_path, settings, more, unit):
    (tmp_path / "cfg.json").write_text(json.dumps(settings))
    save_file(TRANSCODER | more, tmp_path / "sae_weights.safetensors")
    for path in (tmp_path, tmp_path / "sae_weights.safetensors"):
        found = read(path)
        assert_is_the_layer(found)
        assert repr(found.unit) == unit and said(found, "W_enc has one neuron in each column, and is transposed")
    assert said(found, "normalised") == ("normalize_activations" in settings) and said(found, "left out") == (
        "W_skip" in more
    )
    active = X @ W.T + BIAS > more.get("threshold", 0)
    if "top-k" not in unit:
        assert measure(found, X).active_at.tolist() == active.sum(axis=0).tolist()


def test_what_a_transcoder_does_to_its_inputs(tmp_path):
    b_dec = np.arange(N, dtype=np.float32)
    save_file(TRANSCODER | {"b_dec": b_dec}, tmp_path / "sae_weights.safetensors")
    settings = {"architecture": "topk", "k": 2, "apply_b_dec_to_input": True, "rescale_acts_by_decoder_norm": True}
    (tmp_path / "cfg.json").write_text(json.dumps(settings))
    Z = ((X - b_dec) @ W.T + BIAS) * np.linalg.norm(U, axis=0)
    found = measure(read(tmp_path), X)
    assert found.active_at.tolist() == measure(Z, activation="top-k:2").active_at.tolist()
    (tmp_path / "cfg.json").write_text(json.dumps(settings | {"rescale_acts_by_decoder_norm": False}))
    assert measure(read(tmp_path), X).active_at.tolist() != found.active_at.tolist()


@pytest.mark.parametrize("text, words", [
    ('{"architecture": "gated"}', "the architecture 'gated' is not read"),
    ('{"architecture": "topk"}', "'activation' must have a number"),
    ("[1]", "cfg.json is broken: an object in JSON was expected"),
    ("{", "cfg.json is broken"),
    ("[" * 100_000, "cfg.json is broken"),
    (" " * (1 << 20) + "{}", "cfg.json is too large"),
])  # fmt: skip
def test_a_configuration_that_does_not_fit(tmp_path, text, words):
    save_file(TRANSCODER, tmp_path / "sae_weights.safetensors")
    (tmp_path / "cfg.json").write_text(text)
    with pytest.raises(ValueError, match=words):
        read(tmp_path)


def test_an_index_says_which_file_has_which_array_and_duplicates_are_refused(tmp_path):
    save_file({"fc1.weight": W, "fc1.bias": BIAS}, tmp_path / "model-1.safetensors")
    save_file({"fc2.weight": U}, tmp_path / "model-2.safetensors")
    save_file({"fc1.weight": 2 * W, "fc1.bias": BIAS, "fc2.weight": U}, tmp_path / "old.safetensors")
    with pytest.raises(ValueError, match="has 'fc1.bias' in model-1.safetensors and in old.safetensors: name"):
        read(tmp_path)
    places = {
        "fc1.weight": "model-1.safetensors",
        "fc1.bias": "model-1.safetensors",
        "fc2.weight": "model-2.safetensors",
    }
    index = tmp_path / files.INDEX
    index.write_text(json.dumps({"weight_map": places}))
    for path in (tmp_path, index):
        assert_is_the_layer(read(path))
    for changed, words in (
        ({"fc2.weight": "model-1.safetensors"}, "'fc2.weight' is not in model-1.safetensors"),
        ({"fc2.weight": "../a.safetensors"}, "named without a path"),
        ({"fc2.weight": "none.safetensors"}, "none.safetensors"),
        ({"fc2.weight": 3}, "has no weight_map"),
    ):
        index.write_text(json.dumps({"weight_map": places | changed}))
        with pytest.raises((ValueError, FileNotFoundError), match=words):
            read(tmp_path)


NOT_PLAIN = {
    "a scale beside": ({**TORCH, "0.weight_scale": np.ones(S)}, "'0.weight_scale' stands beside '0.weight'"),
    "a mask": ({**TORCH, "2.weight_mask": np.ones(U.shape)}, "'2.weight_mask' stands beside '2.weight'"),
    "an adapter": ({**TORCH, "0.lora_A.weight": W}, "'0.lora_A.weight' stands beside '0.weight'"),
    "integers": ({**TORCH, "0.weight": W.astype(np.int8)}, "'0.weight' is stored as (int8|I8)"),
    "BatchNorm between": ({**TORCH, "1.weight": BIAS, "1.running_mean": BIAS}, "nothing that computes between"),
    "PReLU between": ({**TORCH, "1.weight": BIAS[:1]}, "'1.weight' .1,. may normalise"),
    "a norm beside": (
        {"a.fc1.weight": W, "a.fc2.weight": U, "a.bn.running_mean": BIAS}, "between 'a.fc1.weight' and 'a.fc2.weight'"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_PLAIN)
def test_weights_with_which_more_is_computed_are_refused(tmp_path, name):
    arrays, words = NOT_PLAIN[name]
    save_file({key: np.ascontiguousarray(array) for key, array in arrays.items()}, tmp_path / "net.safetensors")
    for source in (files.read(tmp_path / "net.safetensors"), arrays):
        with pytest.raises(ValueError, match=words):
            measure(source, X)


def test_what_stands_elsewhere_is_no_hindrance(tmp_path):
    """A normalisation before the layer, of other width, or in another block; biases of other maps."""
    block = {"h.1.fc1.weight": W, "h.1.fc2.weight": U, "h.1.fc1.bias": BIAS, "h.1.norm.weight": BIAS[:N]}
    others = {"h.0.norm.weight": BIAS, "h.1.attention.out.weight": np.ones((S, S), np.float32)}
    found = measure(block | others | {"h.1.attention.out.bias": BIAS}, X)
    assert found.active_at.tolist() == (X @ W.T + BIAS > 0).sum(axis=0).tolist()
    numbered = {"0.weight": BIAS[:N], "1.weight": W, "1.bias": BIAS, "3.weight": U}
    assert measure(numbered, X).active_at.tolist() == found.active_at.tolist()


def test_gelu_of_a_file_is_computed_and_counted_by_size(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"hidden_act": "gelu"}))
    save_file({"fc1.weight": W, "fc1.bias": BIAS, "fc2.weight": U}, tmp_path / "model.safetensors")
    z = (X @ W.T + BIAS).astype(np.float64)
    A = np.abs(z * (1 + np.vectorize(math.erf)(z / math.sqrt(2))) / 2)
    assert np.abs(A - 0.01).min() > 1e-6
    found = measure(files.read(tmp_path), X)
    assert found.active_at.tolist() == (A > 0.01).sum(axis=0).tolist() and found.unit == "gelu:0.01"
    assert found.notes[-3:-1] == (
        "config.json has gelu.",
        "X is the input of this layer; what stands before it is not looked at.",
    )


# Hostile files


def entry(shape, start, end, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


DATA = bytes(24)
LYING = {
    "outside": {"a": entry([3], 24, 36)},
    "past the end": {"a": entry([100], 0, 400)},
    "backwards": {"a": entry([3], 12, 0)},
    "negative": {"a": entry([3], -12, 0)},
    "overlapping": {"a": entry([4], 0, 16), "b": entry([4], 8, 24)},
    "a gap": {"a": entry([1], 0, 4), "b": entry([1], 20, 24)},
    "shape": {"a": entry([7], 0, 24)},
    "negative shape": {"a": entry([-3, -2], 0, 24)},
    "huge shape": {"a": entry([1 << 62, 1 << 62], 0, 24)},
    "a list": {"a": [1, 2]},
    "no type": {"a": entry([24], 0, 24, ["F32"])},
    "no object": b"[]",
    "no text": b"\xff\xfe{}",
    "deep": b'{"a":' + b"[" * 100_000,
    "digits": b'{"a": ' + b"9" * 10_000 + b"}",
}


@pytest.mark.parametrize("name", LYING)
def test_a_table_that_lies_is_refused(tmp_path, name):
    path = written(tmp_path / "a.safetensors", LYING[name], DATA)
    with pytest.raises(ValueError, match="is not a .safetensors file, or is broken or cut off: ") as refusal:
        files.read(path)
    assert "\n" not in str(refusal.value)


def test_an_array_that_cannot_be_computed_with_is_refused_when_it_is_read(tmp_path):
    table = {"a": entry([24], 0, 24, "F8_E4M3"), "b": entry([0, 1 << 62], 24, 24)}
    arrays = files.read(written(tmp_path / "a.safetensors", table, DATA))
    with pytest.raises(ValueError, match="array 'a' has the type F8_E4M3; read are BOOL"):
        np.asarray(arrays["a"])
    assert arrays["b"].shape == (0, 1 << 62)


@pytest.mark.parametrize("content", [b"", b"\x01", struct.pack("<Q", 1 << 63) + b"{}", struct.pack("<Q", 100) + b"{}"])
def test_a_table_of_false_length_is_refused(tmp_path, content):
    (tmp_path / "a.safetensors").write_bytes(content)
    with pytest.raises(ValueError, match="is not a .safetensors file, or is broken or cut off"):
        files.read(tmp_path / "a.safetensors")


@given(st.data())
def test_a_file_that_is_cut_or_changed_anywhere_is_read_or_refused(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("changed")
    form = data.draw(st.sampled_from(["safetensors", "npz"]))
    path = folder / f"net.{form}"
    if form == "safetensors":
        save_file(TORCH, path)
    else:
        np.savez_compressed(path, **TORCH)
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content)))]
    else:
        for _ in range(data.draw(st.integers(1, 4))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        assert read(path).s > 0
    except (ValueError, TypeError) as refusal:
        assert str(refusal)


# Hostile archives


def archive(path, **contents):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in contents.items():
            file.writestr(f"{name}.npy", content)
    return path


def npy(shape, dtype="<f4", data=b""):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": dtype, "fortran_order": False, "shape": shape})
    return header.getvalue() + data


def test_an_archive_that_would_unpack_to_much(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_ARRAY_BYTES", 1 << 20)
    path = archive(tmp_path / "net.npz", W=npy((1 << 19,), data=bytes(1 << 21)), u=npy((1,), data=bytes(4)))
    assert path.stat().st_size < 10_000
    assert np.asarray(files.read(path)["u"]).tolist() == [0]  # what was not asked for is not unpacked
    with pytest.raises(ValueError, match=r"array 'W' would take 0.0021 GB; the limit is 0.00105 GB"):
        np.asarray(files.read(path)["W"])


@pytest.mark.parametrize("content, words", [
    (npy((10**12,)), "would take 4e.03 GB; the limit is"),
    (npy((1000,), data=bytes(16)), "has not as many numbers as its header says"),
    (npy((2,), data=bytes(16)), "has not as many numbers as its header says"),
    (npy((-4,), data=bytes(16)), "has not as many numbers"),
    (npy((2,), "|O", pickle.dumps([1, 2])), "is not a file of arrays of numbers"),
    (npy((2,), "<M8[s]", bytes(16)), "is not a file of arrays of numbers"),
    (npy((2,), data=bytes(8)).replace(b"}", b"("), "is not a file of arrays of numbers"),  # a bracket that stays open
    (npy((2,), "|S8", bytes(16)), "is not a file of arrays of numbers"),
])  # fmt: skip
def test_a_header_that_lies_is_refused(tmp_path, content, words):
    path = archive(tmp_path / "net.npz", W=content, u=npy((1,), data=bytes(4)), b=npy((1,), data=bytes(4)))
    with pytest.raises(ValueError, match=words):
        read(path)


def test_an_array_whose_header_is_no_literal_is_refused(tmp_path):
    (tmp_path / "X.npy").write_bytes(npy((2,), data=bytes(8)).replace(b"}", b"("))
    with pytest.raises(ValueError, match="X.npy is not an array of numbers"):
        files.points(tmp_path / "X.npy")


class Spy:
    """Runs when it is unpickled."""

    def __reduce__(self):
        return Path.touch, (Path("ran"),)


@pytest.mark.parametrize("name", ["net.pt", "net.pth", "net.bin", "net.pkl", "net.npz", "net.safetensors", "X.npy"])
def test_a_pickle_is_never_run(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(pickle.dumps(Spy()))
    for arguments in (["measure", name], ["examine", name], ["measure", name, "--x", name]):
        assert command.main(arguments) == 2
        output, error = capsys.readouterr()
        assert output == "" and error.count("\n") == 1 and "Traceback" not in error
    archive(Path("objects.npz"), W=npy((1,), "|O", pickle.dumps(Spy())), u=npy((1,)), b=npy((1,)))
    assert command.main(["measure", "objects.npz", "--x", name]) == 2
    assert not Path("ran").exists()
    pickle.loads(pickle.dumps(Spy()))  # as it would have
    assert Path("ran").exists()


@pytest.mark.parametrize(
    "name, words", [("a.pt", "save_file"), ("a.h5", "numpy.savez"), ("a.joblib", "Pass the object")]
)
def test_other_formats_are_refused_with_what_to_do(tmp_path, name, words):
    (tmp_path / name).touch()
    with pytest.raises(ValueError, match=words):
        read(tmp_path / name)


# The command


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_file(TORCH, "net.safetensors")
    np.save("X.npy", X)
    return tmp_path


def run(capsys, *arguments):
    return command.main([*arguments]), *capsys.readouterr()


def test_the_command_gives_the_report_in_three_forms(folder, capsys):
    expected = measure(read("net.safetensors"), X)
    assert run(capsys, "measure", "net.safetensors", "--x", "X.npy") == (0, f"{expected.text()}\n", "")
    assert (
        json.loads(run(capsys, "measure", "net.safetensors", "--x", "X.npy", "--format", "json")[1])
        == expected.to_dict()
    )
    page = run(capsys, "measure", "net.safetensors", "--x", "X.npy", "--format", "html")[1]
    assert page.startswith("<!doctype html>") and page.count("<table") == 5


def test_the_command_takes_pre_activations_several_files_a_unit_and_lists(folder, capsys):
    np.save("Z.npy", X @ W.T + BIAS)
    found = measure(X @ W.T + BIAS, activation="top-k:2")
    assert run(capsys, "measure", "Z.npy", "--activation", "top-k:2")[1] == f"{found.text()}\n"
    np.save("first.npy", X[:7])
    np.save("rest.npy", X[7:])
    both = run(capsys, "measure", "net.safetensors", "--x", "first.npy", "rest.npy")
    assert both == run(capsys, "measure", "net.safetensors", "--x", "X.npy")
    assert run(capsys, "measure", "net.safetensors", "--list") == (0, f"0  {S} neurons, {N} inputs\n", "")


def test_examine_takes_one_output_of_a_file_and_says_how(folder, capsys):
    code, output, error = run(capsys, "examine", "net.safetensors", "--x", "X.npy", "--output", "1")
    assert (code, error) == (0, "") and "0.bias is added" in output
    assert output == f"{examine(read('net.safetensors'), X.astype(float), output=1).text()}\n"


REFUSED = {
    "no inputs": (["net.safetensors"], "net.safetensors needs inputs: --x X.npy"),
    "no file": (["none.safetensors", "--x", "X.npy"], "No such file"),
    "no X": (["net.safetensors", "--x", "none.npy"], "No such file"),
    "a device": (["/dev/null", "--x", "X.npy"], "/dev/null is not a file"),
    "an empty folder": ([".", "--x", "X.npy", "--layer", "0"], ""),
    "no layer": (["net.safetensors", "--x", "X.npy", "--layer", "1"], "'1' names none of 0 (5 neurons)"),
    "no unit": (["net.safetensors", "--x", "X.npy", "--activation", "maxout"], "Argument 'activation' must be one of"),
    "other X": (["net.safetensors", "--x", "thin.npy"], "Argument 'X' must have 3 columns, not 2"),
    "no rows": (["net.safetensors", "--x", "empty.npy"], "Argument 'X' must have at least one row"),
    "NaN": (["net.safetensors", "--x", "nan.npy"], "Argument 'X' must be finite; entry (0, 0) is nan"),
    "huge": (["huge.safetensors", "--x", "huge.npy"], "its scale (W, B) is not a finite number"),
    "cut X": (["net.safetensors", "--x", "cut.npy"], "cut.npy is not an array of numbers"),
    "escapes": (["escape.safetensors", "--x", "X.npy"], r"There: \x1b]0;title\x07 (1,)"),
    "a name with escapes": (["\x1b[31m.safetensors", "--x", "X.npy"], r"\x1b[31m.safetensors"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_the_command_refuses_in_one_line(folder, capsys, name):
    np.save("thin.npy", np.ones((4, 2)))
    np.save("empty.npy", np.ones((0, 3)))
    np.save("nan.npy", np.full((4, 3), np.nan))
    np.save("huge.npy", np.full((4, 3), 1e300))
    Path("cut.npy").write_bytes(Path("X.npy").read_bytes()[:-9])
    save_file({"fc1.weight": np.full((S, N), 1e300), "fc2.weight": np.ones((1, S))}, "huge.safetensors")
    save_file({"\x1b]0;title\x07": np.ones(1)}, "escape.safetensors")
    arguments, words = REFUSED[name]
    if not words:
        Path("net.safetensors").unlink()
        for path in folder.glob("*.safetensors"):
            path.unlink()
        words = "has no .safetensors file"
    code, output, error = run(capsys, "measure", *arguments)
    assert (code, output, error.count("\n")) == (2, "", 1) and words in error
    assert error.rstrip("\n").isprintable()
