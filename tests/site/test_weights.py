"""The page "Your weights": its numbers are those of sparse_core on the same files, and hostile files are refused."""

import io
import json
import pickle
import re
import struct
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from companion import places
from safetensors.numpy import load, save

from sparse_core.cube.hypercube import points
from sparse_core.network import constructions
from sparse_meter import Measurement

RNG = np.random.default_rng(30)
ENDED = """() => document.querySelector('#weights-phase').textContent.startsWith('Done')
    || document.querySelector('#weights-problem').textContent"""
STATE = "[weights.state.measured, weights.state.problem]"


def normal(*shape, dtype=np.float32):
    return RNG.standard_normal(shape).astype(dtype)


def npz(arrays, compressed=False, unnamed=()):
    stream = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(stream, *unnamed, **arrays)
    return stream.getvalue()


def npy(array, version=None):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version)
    return stream.getvalue()


def written(table, data=b""):
    """A .safetensors file with this table, which may lie."""
    text = table if isinstance(table, bytes) else json.dumps(table).encode()
    return struct.pack("<Q", len(text)) + text + data


def bfloat16(arrays):
    table, data = {}, b""
    for name, array in arrays.items():
        bits = (array.view(np.uint32) >> 16).astype("<u2").tobytes()
        place = [len(data), len(data) + len(bits)]
        table[name] = {"dtype": "BF16", "shape": array.shape, "data_offsets": place}
        data += bits
    return written(table, data)


def padded(arrays, length):
    """A .safetensors file whose table has this length."""
    content = save(arrays)
    (size,) = struct.unpack("<Q", content[:8])
    return struct.pack("<Q", length) + content[8 : 8 + size].ljust(length) + content[8 + size :]


def plain(s, n, outputs, dtype=np.float32):
    return {
        "0.weight": normal(s, n, dtype=dtype), "0.bias": normal(s, dtype=dtype) - dtype(0.5),
        "2.weight": normal(outputs, s, dtype=dtype), "2.bias": normal(outputs, dtype=dtype),
    }  # fmt: skip


def gated(s, n, layers):
    sizes = {"gate_proj": (s, n), "up_proj": (s, n), "down_proj": (n, s)}
    return {f"model.{i}.mlp.{name}.weight": normal(*size) for i in range(layers) for name, size in sizes.items()}


TABLE = constructions.indexing(2)
DEFINITION = {"u": TABLE.u, "W": TABLE.W, "b": TABLE.b}
SMALL = {"u": [1.0, -2.0, 0.5], "W": [[1, 0.5, -1], [0.25, -1, 1], [1, 1, 1]], "b": [0.5, -0.25, 2]}
X32 = normal(50, 8)
DEEP = {
    "net.0.weight": normal(16, 8), "net.0.bias": normal(16), "net.2.weight": normal(12, 16),
    "net.2.bias": normal(12), "net.4.weight": normal(3, 12), "net.4.bias": normal(3),
}  # fmt: skip
CODER = {"W_enc": normal(8, 20), "b_enc": normal(20), "W_dec": normal(20, 8)}
THRESHOLDS = np.abs(normal(20))
KERAS = {f"arr_{i}": array for i, array in enumerate((normal(8, 10), normal(10), normal(10, 2), normal(2)))}
# name: (the file of the network, the file of the inputs or None, what is chosen on the page)
NETWORKS = {
    "definition.npz": (npz(DEFINITION), None, {}),
    "fortran.npz": (npz({n: np.asfortranarray(a) for n, a in plain(12, 8, 1).items()}, True), ("X.npy", npy(X32)), {}),
    "f8.npz": (npz(plain(9, 8, 1, np.float64)), ("X.npy", npy(X32.astype(np.float64), (2, 0))), {}),
    "keras.npz": (npz({}, True, KERAS.values()), ("X.npz", npz({"X": X32}, True)), {}),
    "f32.safetensors": (save(plain(24, 8, 3)), ("X.npy", npy(X32.reshape(5, 10, 8))), {}),
    "f16.safetensors": (save(plain(20, 8, 1, np.float16)), ("X.npy", npy(np.sign(X32).astype(np.int8))), {}),
    "bf16.safetensors": (bfloat16(plain(20, 8, 2)), ("X.npy", npy(X32, (3, 0))), {}),
    "f64.safetensors": (save(plain(20, 8, 1, np.float64)), ("X.npy", npy(np.asfortranarray(X32))), {}),
    "gated.safetensors": (save(gated(14, 8, 3)), ("X.npy", npy(X32)), {"layer": "2"}),
    # its first bytes are those of a zip archive: the length of its table
    "as-a-zip.safetensors": (padded(plain(12, 8, 1), 0x4B50), ("X.npy", npy(X32)), {}),
    "arrays.safetensors": (save(plain(12, 8, 2)), ("X.npy", npy(X32)), {"arrays": "0,2", "unit": "shifted:0.25"}),
    "top-k.safetensors": (save(CODER), ("X.npy", npy(X32)), {"unit": "top-k:5"}),
    "jump.safetensors": (save({**CODER, "threshold": THRESHOLDS}), ("X.npy", npy(X32)), {}),
    "on-the-cube.safetensors": (save(DEEP), None, {"layer": "0"}),
    "pre-activations.npy": (npy(X32), None, {"unit": "top-k:3"}),
    "second.safetensors": (save(DEEP), ("X.npy", npy(normal(50, 16))), {"layer": "1"}),
}


async def measured(page, network, inputs=None, layer="", unit="", **options):
    """What the page holds when it has measured these files, or has said why not."""
    kind, colon, parameter = unit.partition(":")
    await page.evaluate("document.querySelector('#weights details').open = true")
    await page.locator("#weights-unit").select_option(kind + colon)
    if colon:
        await page.locator("#weights-parameter").fill(parameter)
    if inputs:
        await page.locator("#weights-inputs").set_input_files([payload(*inputs)])
    await page.locator("#weights-network").set_input_files([payload(*network)])
    await page.wait_for_function(ENDED)
    chosen = {"layer": layer, **options}
    for name, value in chosen.items():
        field = page.locator(f"#weights-{name}")
        if value and name == "layer":
            await field.select_option(value)
        elif value:
            await field.fill(value)
            await field.dispatch_event("change")
        await page.wait_for_function(ENDED)
    return await page.evaluate(STATE)


def payload(name, content):
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}


@pytest.fixture(scope="module")
def found(site, in_browser):
    """For each network: what the page measured, the refusal."""

    async def visit(page):
        results = {}
        for name, (content, inputs, options) in NETWORKS.items():
            await page.goto((site / "book/your-weights.html").as_uri())
            results[name] = await measured(page, (name, content), inputs, **options)
        return results

    return in_browser(visit)


def loaded(name, content):
    """The arrays of a file, by the libraries that write them; bfloat16 by its bits."""
    if name.startswith("bf16"):
        size = 8 + struct.unpack("<Q", content[:8])[0]
        places = {key: one["data_offsets"] for key, one in json.loads(content[8:size]).items()}
        shapes = {key: one["shape"] for key, one in json.loads(content[8:size]).items()}
        bits = {
            key: np.frombuffer(content[size:][i:j], "<u2").astype(np.uint32) << 16 for key, (i, j) in places.items()
        }
        return {key: array.view(np.float32).reshape(shapes[key]) for key, array in bits.items()}
    return load(content) if name.endswith(".safetensors") else dict(np.load(io.BytesIO(content)))


# The names of the weights and of the biases of the layer that the page shows, and whether the biases are subtracted.
LAYERS = {
    "definition.npz": ("W", "b", True), "keras.npz": ("arr_0", "arr_1", False),
    "gated.safetensors": ("model.2.mlp.gate_proj.weight", None, False), "top-k.safetensors": ("W_enc", "b_enc", False),
    "jump.safetensors": ("W_enc", "b_enc", False), "on-the-cube.safetensors": ("net.0.weight", "net.0.bias", False),
    "second.safetensors": ("net.2.weight", "net.2.bias", False),
    "arrays.safetensors": ("0.weight", "0.bias", False),
}  # fmt: skip
COLUMNS = ("arr_0", "W_enc")


def active(name):
    """Who is active at each input, from the definition."""
    content, inputs, options = NETWORKS[name]
    if name == "pre-activations.npy":
        Z = X32.astype(float)
    else:
        W, b, subtracted = LAYERS.get(name, ("0.weight", "0.bias", False))
        arrays = loaded(name, content)
        columns = W in COLUMNS
        W, b = arrays[W].astype(float), 0 if b is None else arrays[b].astype(float)
        X = points((W.T if columns else W).shape[1])
        if inputs is not None:
            X = np.load(io.BytesIO(inputs[1]))
            X = X["X"] if inputs[0].endswith(".npz") else X
        Z = X.reshape(-1, X.shape[-1]).astype(float) @ (W if columns else W.T) + (-b if subtracted else b)
    kind, _, parameter = options.get("unit", "").partition(":")
    if name.startswith("jump"):
        return THRESHOLDS < Z
    if kind == "top-k":
        return (Z > 0) & (Z >= np.sort(Z, axis=1)[:, [-int(parameter)]])
    return float(parameter or 0) < Z


SAME = (
    "s", "inputs", "histogram", "max_active", "mean_active", "dead", "always_on", "dynamic",
    "variance", "coactivation", "independent_variance",
)  # fmt: skip


@pytest.mark.parametrize("name", NETWORKS)
def test_the_report_of_the_page_counts_as_the_package_does(found, name):
    result, problem = found[name]
    assert problem == ""
    report = result["report"]
    package = Measurement.of(np.where(active(name), 1.0, -1.0)).to_dict()
    notes, given = report["notes"], NETWORKS[name][1] is not None
    if name != "pre-activations.npy":
        assert notes[-2].startswith("The inputs are those" if given else "No inputs were given: uniform bits")
        assert notes[-1] == "Precision: float64."
    for key in SAME:
        assert report[key] == pytest.approx(package[key], rel=2e-6), key
    assert [one["batch"] for one in report["union"]] == [one["batch"] for one in package["union"]]
    used = [one["used"] for one in package["union"]]
    assert [one["used"] for one in report["union"]] == pytest.approx(used, rel=1e-9)


# Hostile files: each is refused with the rule that it breaks and the value that breaks it


def archive(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return bytearray(stream.getvalue())


def patched(data, signature, offset, form, value):
    """The archive with another number after each signature."""
    data = bytearray(data)
    at = data.find(signature)
    while at >= 0:
        struct.pack_into(form, data, at + offset, value)
        at = data.find(signature, at + 4)
    return bytes(data)


def header(descr="'<f4'", shape="(2, 2)", version=1):
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H", len(text)) + text


def entry(dtype="F32", shape=(2, 2), place=(0, 16)):
    return {"dtype": dtype, "shape": shape, "data_offsets": place}


def with_entry(label, value, shape=(3, 3)):
    arrays = {"u": np.ones(3), "W": np.ones(shape), "b": np.zeros(3)}
    arrays[label].flat[1] = value
    return npz(arrays)


ONE = archive(**{"W.npy": npy(np.ones((2, 2))), "u.npy": npy(np.ones(2)), "b.npy": npy(np.ones(2))})
OBJECTS = npz({"u": np.ones(1), "W": np.array([[None]], dtype=object), "b": np.ones(1)})
VECTOR = npy(np.ones(2))
BOMB = archive(**{"W.npy": header(shape="(2, 5000000000)") + bytes(10**6), "u.npy": VECTOR, "b.npy": VECTOR})
DIRECTORY, LAST = b"PK\x01\x02", b"PK\x05\x06"
HOSTILE = {
    "empty.npz": (b"", "must not be empty; it has 0 bytes"),
    "cut.npz": (npz(DEFINITION)[:300], "an archive must end with its directory"),
    "cut.npy": (npy(np.ones((3, 3)))[:40], "its header must have 128 bytes, and 40 are there"),
    "short.npy": (npy(np.ones((3, 3)))[:-8], "its shape (3, 3) needs 72 bytes, and 64 are there"),
    "long.npy": (header()[:8] + struct.pack("<H", 60000), "a header of at most 10000 bytes, not 60000"),
    "version.npy": (header(version=9), "a header of version 1.0, 2.0 or 3.0, not 9.0"),
    "objects.npz": (OBJECTS, "array 'W' has the type object: it holds a pickle"),
    "complex.npy": (npy(np.ones((2, 2), complex)), "must have a type of real numbers"),
    "big-endian.npy": (npy(np.ones((2, 2), ">f8")), "must have a type of real numbers, little-endian"),
    "fortran.npy": (npy(np.asfortranarray(np.ones((2, 2, 2)))), "only matrices are read, not (2, 2, 2)"),
    "fields.npy": (npy(np.ones(2, [("a", "f4")])), "must have a type of real numbers"),
    "model.pt": (b"PK\x03\x04", "may hold a pickle"),
    "torch.npz": (bytes(archive(**{"model/data.pkl": b"."})), "a file of PyTorch with a pickle"),
    "pickle.npz": (pickle.dumps([1.0]), "may hold a pickle"),
    "encrypted.npz": (patched(ONE, DIRECTORY, 8, "<H", 1), "is encrypted"),
    "method.npz": (patched(ONE, DIRECTORY, 10, "<H", 12), "method 0 or 8), not compressed by method 12"),
    "many.npz": (patched(ONE, LAST, 10, "<H", 7), "entry 4 of 7 must be in its directory"),
    "beyond.npz": (patched(ONE, LAST, 16, "<I", 10**8), "its directory must be bytes 100000000"),
    "checksum.npz": (patched(ONE, DIRECTORY, 16, "<I", 5), "its checksum must be 5, not"),
    "bomb.npz": (bytes(BOMB), "would take 40.0 GB; the limit is 2.15 GB"),
    "wide.npz": (patched(ONE, LAST, 16, "<I", 2**32 - 1), "must have at most 2 GB; larger networks are read from"),
    "more.npz": (patched(ONE, DIRECTORY, 24, "<I", 140), "must have 32 bytes for its shape (2, 2), not 12"),
    "ends.npz": (patched(ONE, DIRECTORY, 20, "<I", 3), "The file could not be read"),
    "less.npz": (patched(ONE, DIRECTORY, 24, "<I", 999), "must have 32 bytes for its shape (2, 2), not 871"),
    "truncated.safetensors": (b"\x10\0\0", "at least 8 bytes, not 3"),
    "length.safetensors": (struct.pack("<Q", 10**15) + b"{}", "at most 2 bytes, not 1000000000000000"),
    "table.safetensors": (written(b"{'a': 1}"), "The file could not be read: "),
    "list.safetensors": (written([1]), "must have a shape and two data_offsets, whole numbers from 0, not 1"),
    "outside.safetensors": (written({"a": entry(place=(0, 32))}, bytes(16)), "within the 16 bytes of numbers, not"),
    "shape.safetensors": (written({"a": entry(shape=(3, 3))}, bytes(16)), "36 bytes for its shape (3, 3), not 16"),
    "negative.safetensors": (written({"a": entry(shape=(-2, -2))}, bytes(16)), "whole numbers from 0"),
    "type.safetensors": (written({"a": entry("F8_E4M3")}, bytes(16)), 'not "F8_E4M3"'),
    "nan.npz": (with_entry("W", np.nan), "Array 'W' must be finite; entry (0, 1) is NaN"),
    "infinite.npz": (with_entry("b", -np.inf), "Array 'b' must be finite; entry (1,) is -Infinity"),
    "integers.npz": (
        npz({"u": np.ones(3), "W": np.full((3, 3), 2**53 + 1), "b": np.zeros(3)}),
        "integers of at most 2**53 in size, not 9007199254740993, which",
    ),
    "fit.npz": (with_entry("W", 1, shape=(4, 2)), "Array 'b' must have shape (4,), not (3,)"),
    "transposed.npz": (with_entry("W", 1, shape=(2, 3)), "in each column as here, where its shape is (2, 3)"),
    "huge.npz": (npz({"u": np.ones(3), "W": np.full((3, 3), 1e308), "b": np.zeros(3)}), "a sum of theirs is not"),
    "scale.npz": (with_entry("W", 1e308), "its scale (W, B) is not a finite number"),
    "unknown.npz": (npz({"kernel": np.ones((2, 2))} | {"x": np.ones(3)}), "No hidden layer was recognised"),
    "constructor.npy": (header(descr="'<constructor'"), "must have a type of real numbers, little-endian"),
    "prototype.safetensors": (
        written({"W": entry(dtype="__proto__")}, bytes(16)), "must have one of the types BOOL, U8, I8"
    ),
    "method.safetensors": (written({"W": entry(dtype="toString")}, bytes(16)), "must have one of the types BOOL, U8"),
    "words.json": (b'{"W": [[1, 2]]}', "must be .npz or .npy, as NumPy writes them, or .safetensors"),
    "<img src=x onerror=alert(1)>.npz": (b'{"W": 1}', "must be .npz or .npy"),
    "norm.safetensors": (
        save(plain(12, 8, 1) | {"1.weight": normal(12), "1.running_mean": normal(12)}),
        "must have nothing that computes between '0.weight' and '2.weight': '1.running_mean' (12,)",
    ),
    "scaled.safetensors": (
        save(plain(12, 8, 1) | {"0.weight_scale": normal(12)}), "'0.weight_scale' stands beside '0.weight'"
    ),
    "int8.npz": (
        npz(plain(12, 8, 1) | {"0.weight": np.ones((12, 8), np.int8)}), "'0.weight' holds integers of 8 bits"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def refusals(site, in_browser):
    """What the page says of each hostile file, all in one visit; then it still measures a good one."""

    async def visit(page):
        found = {}
        wrong = []
        page.on("dialog", lambda dialog: wrong.append(dialog.message))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        await page.goto((site / "book/your-weights.html").as_uri())
        for name, (content, _) in HOSTILE.items():
            await page.locator("#weights-network").set_input_files([payload(name, bytes(content))])
            await page.wait_for_function(ENDED)
            found[name] = await page.evaluate(STATE)
        return found, wrong, await measured(page, ("net.npz", npz(DEFINITION)))

    return in_browser(visit)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_with_the_rule_and_the_value(refusals, name):
    result, problem = refusals[0][name]
    assert HOSTILE[name][1] in problem
    assert result is None


def test_after_hostile_files_a_good_one_is_measured_and_nothing_else_happened(refusals):
    _, wrong, (result, problem) = refusals
    assert not wrong and problem == ""
    assert result["report"]["max_active"] == 1


# The steps of arrays and maps, and look-ups in maps, until a file of many arrays is refused or its layers are known.
STEPS = """async (bytes) => {
    const file = new File([new Uint8Array(bytes)], "many.safetensors");
    const ofArrays = Object.getPrototypeOf([][Symbol.iterator]()), ofMaps = Object.getPrototypeOf(new Map().entries());
    let steps = 0;
    for (const [owner, name] of [[ofArrays, "next"], [ofMaps, "next"], [Map.prototype, "get"]]) {
        const original = owner[name];
        owner[name] = function (...given) { steps++; return original.apply(this, given); };
    }
    const said = [];
    await weightsWorker()({ network: file, layer: 0 }, (message) => said.push(message.kind));
    return [steps, said];
}"""
CROWDS = {
    "numbered": lambda i: {f"{i}.weight": (2, 3)},
    "pairs": lambda i: {f"a{i}x.weight": (2, 3), f"a{i}x.bias": (2,)},
    "pairs that do not fit": lambda i: {f"a{i}x.weight": (2, 2), f"a{i}x.bias": (3,)},
    "transcoders": lambda i: {f"{i}.W_enc": (2, 3)},
}


@pytest.mark.parametrize("kind", CROWDS)
def test_a_file_of_twice_as_many_arrays_takes_twice_the_steps(kind, in_browser):
    def crowd(count):
        shapes = {name: shape for i in range(count) for name, shape in CROWDS[kind](i).items()}
        return written(
            {name: entry(shape=shape, place=(0, 4 * int(np.prod(shape)))) for name, shape in shapes.items()}, bytes(64)
        )

    async def visit(page):
        found = []
        for count in (200, 400):
            await page.goto("about:blank")
            await page.add_script_tag(path=places.BOOK / "assets/weights-worker.js")
            found.append(await page.evaluate(STEPS, list(crowd(count))))
        return found

    (once, said), (twice, _) = in_browser(visit)
    assert said and 1000 < once < twice < 2.5 * once


UNFITTING = [  # the file of the inputs or None, the unit, the rule
    (("X.npy", npy(np.ones((5, 7)))), "", "The inputs must have 6 columns, one for each input of the layer, not 7"),
    (("X.npy", npy(np.ones(6))), "", "The inputs must have at least 2 axes"),
    (("X.npy", npy(np.ones((0, 6)))), "", "at least one row and one column, not the shape (0, 6)"),
    (("X.npy", npy(np.full((2, 6), 1e200))), "", "the norm of one is not a finite number"),
    (("X.npy", npy(np.full((2, 6), np.nan))), "", "Array 'X' must be finite; entry (0, 0) is NaN"),
    (("X.npz", npz({"a": np.ones(2), "c": np.ones(2)})), "", "one of the name X, as inputs; it has a, c"),
    (None, "top-k:9", "k of top-k must be at most the number of neurons, 4, not 9"),
    (None, "top-k:1.5", "k of top-k must be a whole number of at least 1, not 1.5"),
    (None, "shifted:-1", "The threshold of shifted must be a number of at least 0, not -1"),
]


def test_inputs_and_units_that_do_not_fit_are_refused(site, in_browser):
    """All in one visit."""

    async def visit(page):
        await page.goto((site / "book/your-weights.html").as_uri())
        found = []
        for inputs, unit, _ in UNFITTING:
            await page.evaluate("document.querySelector('#weights-without')?.click()")
            found.append(await measured(page, ("net.npz", npz(DEFINITION)), inputs, unit=unit))
        return found

    for (result, problem), (_, _, rule) in zip(in_browser(visit), UNFITTING, strict=True):
        assert rule in problem and result is None


# The page


def test_the_example_is_measured_by_keyboard_announced_and_stays_on_the_machine(site, in_browser):
    """The report of the page and that of the cell below it agree; no other host is asked."""

    async def visit(page):
        requests = []
        await page.goto((site / "book/your-weights.html").as_uri())
        page.on("request", lambda request: requests.append(request.url))
        await page.locator("#weights-example").press("Enter")
        await page.wait_for_function(ENDED)
        said = await page.locator("#weights-status").text_content()
        cell = await page.locator("article .cell_output p").first.text_content()
        return await page.evaluate(STATE), said, cell, requests

    (result, problem), said, cell, requests = in_browser(visit)
    report = result["report"]
    assert problem == ""
    most, dead, on = report["max_active"], report["dead"], report["always_on"]
    assert said.startswith(f"At most {most} of 64 neurons are active at once, ")
    assert said.endswith(f"{dead} are dead, {on} always on.")
    assert f"at most {most}, on average {report['mean_active']:.5g} of 64" in cell
    assert f"{dead} dead (active at none of these inputs), {on} always on" in cell
    assert [url for url in requests if not url.startswith(("blob:", f"{site.as_uri()}/"))] == []


def test_a_large_layer_is_measured_while_the_page_answers_and_can_be_cancelled(site, in_browser, tmp_path):
    """512 x 4096: frames go on being drawn, progress is told, and Cancel ends it."""
    np.save(tmp_path / "X.npy", normal(256, 512))
    (tmp_path / "net.safetensors").write_bytes(
        save({"a.fc1.weight": normal(4096, 512), "a.fc2.weight": normal(2, 4096)})
    )
    watch = """() => {
        window.told = new Set();
        const bar = document.querySelector('[role=progressbar]');
        const tick = () => {
            window.told.add(bar.getAttribute('aria-valuenow'));
            requestAnimationFrame(tick);
        };
        requestAnimationFrame(tick);
    }"""
    # as soon as it can be: on a busy machine the layer may be measured before a key arrives from outside
    cancel = """() => {
        const button = document.querySelector('button#weights-cancel');
        new MutationObserver((_, watch) => {
            watch.disconnect();
            button.click();
        }).observe(button, {attributeFilter: ['disabled']});
    }"""

    async def visit(page):
        await page.goto((site / "book/your-weights.html").as_uri())
        await page.locator("#weights-inputs").set_input_files(tmp_path / "X.npy")
        await page.evaluate(watch)
        await page.evaluate(cancel)
        await page.locator("#weights-network").set_input_files(tmp_path / "net.safetensors")
        await page.wait_for_function("document.querySelector('#weights-phase').textContent === 'Cancelled.'")
        cancelled = await page.locator("#weights-phase").text_content(), await page.evaluate(STATE)
        await page.locator("#weights-network").set_input_files(tmp_path / "net.safetensors")
        await page.wait_for_function(ENDED)
        return cancelled, await page.evaluate("[[...told].map(Number), weights.state.measured.report.s]")

    (phase, state), (told, s) = in_browser(visit)
    assert phase == "Cancelled." and state == [None, ""]
    assert s == 4096 and len(told) >= 3 and max(told) == 100


def test_a_sample_of_the_cube_is_said_and_the_page_goes_to_the_report(site, in_browser):
    net = {"u": normal(6, dtype=np.float64), "W": normal(6, 24, dtype=np.float64), "b": normal(6, dtype=np.float64)}

    async def visit(page):
        await page.set_viewport_size({"width": 900, "height": 600})
        await page.goto((site / "book/your-weights.html").as_uri())
        found = await measured(page, ("net.npz", npz(net)))
        first = await page.locator("#weights-result p").first.text_content()
        return found, first, await page.evaluate("scrollY")

    (result, problem), first, down = in_browser(visit)
    assert problem == "" and result and down > 0
    assert re.match(
        r"Measured on \d+ random points of the cube, seed 0\. .*uniform bits are assumed\. .*Active means", first
    )


AXE = Path(find_spec("axe_playwright_python").submodule_search_locations[0], "axe.min.js")
VIOLATIONS = """() => axe.run({include: ['#weights', '#weights-result']}, {resultTypes: ['violations']}).then(found =>
    found.violations.flatMap(rule => rule.nodes.map(node => `${rule.id}: ${node.html}`)))"""
# the marks of a drawing may not cover each other, nor leave it
COVERED = """() => [...document.querySelectorAll('#weights-result svg')].flatMap(svg => {
    const texts = [...svg.querySelectorAll('text')].map(e => [e.textContent, e.getBoundingClientRect()]);
    const frame = svg.getBoundingClientRect();
    const outside = texts.filter(([, r]) => r.left < frame.left - 1 || r.right > frame.right + 1);
    const shared = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
    const over = texts.flatMap(([one, a], i) => texts.slice(i + 1)
        .filter(([, b]) => shared(a, b, 'left', 'right') > 1 && shared(a, b, 'top', 'bottom') > 4)
        .map(([other]) => `${one} over ${other}`));
    return [...outside.map(([one]) => `outside: ${one}`), ...over];
})"""


@pytest.mark.parametrize(("theme", "width"), [("light", 390), ("dark", 1280)])
def test_the_report_can_be_read_by_everybody(site, in_browser, width, theme):
    """No violation of axe, no sideways scrolling, no text over another one, in each of several reports."""
    inputs = ("X.npy", npy(X32))
    reports = [(save(DEEP), inputs), (save(plain(3000, 8, 2)), inputs), (save(plain(2, 8, 1)), None)]

    async def visit(page):
        found = []
        await page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        await page.set_viewport_size({"width": width, "height": 900})
        await page.goto((site / "book/your-weights.html").as_uri())
        await page.add_script_tag(path=AXE)
        for content, chosen in reports:
            result, problem = await measured(page, ("net.safetensors", content), chosen)
            await page.evaluate("document.querySelectorAll('#weights-result details').forEach(d => d.open = true)")
            found += [problem] if problem or not result else []
            found += await page.evaluate(VIOLATIONS) + await page.evaluate(COVERED)
            wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            found += ["too wide"] if await page.evaluate(wide) else []
            await page.evaluate("document.querySelector('#weights-without').click()")
            await page.wait_for_function(ENDED)
        return found

    assert in_browser(visit) == []


SENT = """async () => {
    const blocked = [];
    document.addEventListener('securitypolicyviolation', (event) => blocked.push(event.blockedURI));
    await fetch('http://127.0.0.1:9/of-the-page').catch(() => 0);
    const text = `addEventListener('securitypolicyviolation', (event) => postMessage(event.blockedURI));
        fetch('http://127.0.0.1:9/of-the-worker').catch(() => 0);`;
    const worker = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
    blocked.push(await new Promise((done) => { worker.onmessage = ({ data }) => done(data); }));
    return blocked;
}"""


def test_under_its_policy_the_page_measures_and_neither_it_nor_its_worker_can_send_anything(site, in_browser):
    async def visit(page):
        guarded = await page.context.browser.new_page()
        await guarded.goto((site / "book/your-weights.html").as_uri())
        await guarded.locator("#weights-example").click()
        await guarded.locator("#weights-phase", has_text="Done").wait_for()
        blocked = await guarded.evaluate(SENT)
        await guarded.close()
        return blocked

    assert in_browser(visit) == [f"http://127.0.0.1:9/of-the-{who}" for who in ("page", "worker")]
