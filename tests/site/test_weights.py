"""The page "Your weights": its numbers are those of sparse_core on the same files, and hostile files are refused."""

import io
import json
import struct

import numpy as np
import pytest
from safetensors.numpy import save

from sparse_core import explain, measure
from sparse_core.cube.hypercube import points
from sparse_core.laboratory import files
from sparse_core.laboratory.layer import as_layer
from sparse_core.network import constructions

RNG = np.random.default_rng(30)
ENDED = """() => document.querySelector('#weights-phase').textContent.startsWith('Done')
    || document.querySelector('#weights-problem').textContent"""
STATE = "[weights.state.measured, weights.state.bounds, weights.state.problem]"


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
BIG_ENDIAN = {name: array.astype(">f8") for name, array in plain(9, 8, 1, np.float64).items()}
# name: (the file of the network, the file of the inputs or None, what is chosen on the page)
NETWORKS = {
    "definition.npz": (npz(DEFINITION), None, {}),
    "fortran.npz": (npz({n: np.asfortranarray(a) for n, a in plain(12, 8, 1).items()}, True), ("X.npy", npy(X32)), {}),
    "big-endian.npz": (npz(BIG_ENDIAN), ("X.npy", npy(X32.astype(np.float64), (2, 0))), {}),
    "keras.npz": (npz({}, True, KERAS.values()), ("X.npz", npz({"X": X32}, True)), {"output": "1"}),
    "f32.safetensors": (save(plain(24, 8, 3)), ("X.npy", npy(X32.reshape(5, 10, 8))), {"output": "2"}),
    "f16.safetensors": (save(plain(20, 8, 1, np.float16)), ("X.npy", npy(np.sign(X32).astype(np.int8))), {}),
    "bf16.safetensors": (bfloat16(plain(20, 8, 2)), ("X.npy", npy(X32, (3, 0))), {}),
    "f64.safetensors": (save(plain(20, 8, 1, np.float64)), ("X.npy", npy(np.asfortranarray(X32))), {}),
    "small.json": (json.dumps(SMALL).encode(), ("X.json", json.dumps(X32[:, :3].tolist()).encode()), {}),
    "cube.json": (json.dumps(SMALL).encode(), None, {}),
    "gated.safetensors": (save(gated(14, 8, 3)), ("X.npy", npy(X32)), {"layer": "2"}),
    "arrays.safetensors": (save(plain(12, 8, 2)), ("X.npy", npy(X32)), {"arrays": "0,2", "unit": "shifted:0.25"}),
    "top-k.safetensors": (save(CODER), ("X.npy", npy(X32)), {"unit": "top-k:5"}),
    "jump.safetensors": (save({**CODER, "threshold": THRESHOLDS}), ("X.npy", npy(X32)), {}),
    "chain.safetensors": (save(DEEP), ("X.npy", npy(X32)), {}),
    "chain-on-the-cube.safetensors": (save(DEEP), None, {"layer": "0"}),
    "second.safetensors": (save(DEEP), ("X.npy", npy(X32)), {"layer": "1"}),
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
    """For each network: what the page measured, the ladder, the refusal."""

    async def visit(page):
        results = {}
        for name, (content, inputs, options) in NETWORKS.items():
            await page.goto((site / "book/your-weights.html").as_uri())
            results[name] = await measured(page, (name, content), inputs, **options)
        return results

    return in_browser(visit)


def expected(name, folder):
    """By the package: the layers with the inputs that each one sees, and the place of the layer that is shown."""
    content, inputs, options = NETWORKS[name]
    path = folder / name
    path.write_bytes(content)
    if inputs is None:
        X = None
    elif inputs[0].endswith(".json"):
        X = np.array(json.loads(inputs[1]))
    else:
        loaded = np.load(io.BytesIO(inputs[1]))
        X = loaded["X"] if inputs[0].endswith(".npz") else loaded
    unit = options.get("unit") or None
    if name.endswith(".json"):
        return [(as_layer(json.loads(content), unit=unit), X)], 0
    names = [block for block, _, _ in files.blocks(path)] if name not in ("keras.npz", "definition.npz") else [None]
    if name.startswith(("chain", "second")):
        layers = []
        inside = points(8) if X is None else X
        for block in names:
            layer = files.read(path, block)
            layers.append((layer, inside))
            inside = np.maximum(inside @ layer.W.T - layer.b, 0).astype(np.float32)
        return layers, int(options.get("layer", "0"))
    layer = options["arrays"] if "arrays" in options else names[int(options.get("layer", "0"))]
    return [(files.read(path, layer, unit), X)], 0


def differences(page, package, where=""):
    """Where two reports differ by more than rounding."""
    if isinstance(package, dict):
        assert page.keys() == package.keys(), (where, page.keys() ^ package.keys())
        return [one for key in package for one in differences(page[key], package[key], f"{where}.{key}")]
    if isinstance(package, list | tuple):
        if len(page) != len(package):
            return [f"{where}: {page} and {package}"]
        return [
            one for i, both in enumerate(zip(page, package, strict=True)) for one in differences(*both, f"{where}.{i}")
        ]
    same = (
        page == package
        if package is None or isinstance(package, str | bool)
        else page == pytest.approx(package, rel=2e-6)
    )
    return [] if same else [f"{where}: {page} and {package}"]


@pytest.mark.parametrize("name", NETWORKS)
def test_the_report_of_the_page_is_that_of_the_package(found, name, tmp_path):
    result, _, problem = found[name]
    assert problem == ""
    layers, index = expected(name, tmp_path)
    assert len(result["reports"]) == len(layers) and result["index"] - result["first"] == index
    for report, (layer, X) in zip(result["reports"], layers, strict=True):
        package = measure(layer, points(layer.n) if X is None else X).to_dict()
        assert report.pop("notes")[:-1] == package.pop("notes")[:-1]
        assert not differences(report, package)


@pytest.mark.parametrize("name", NETWORKS)
def test_the_ladder_of_the_page_is_that_of_the_package(found, name, tmp_path):
    _, bounds, _ = found[name]
    layers, index = expected(name, tmp_path)
    layer, X = layers[index]
    if index or layer.up is not None or layer.unit.kind not in ("relu", "shifted"):
        assert bounds is None
        return
    cube = NETWORKS[name][1] is None
    output = int(NETWORKS[name][2].get("output", "0"))
    X = None if cube else np.asarray(X, dtype=np.float64).reshape(-1, layer.n)
    package = explain(layer.network(output), X).to_dict()["chains"][0]
    assert not differences(bounds["rungs"], package["rungs"])
    assert not differences(bounds["beside"], package["beside"])
    assert not differences(bounds["factors"], list(package["factors"].values()))


def test_a_wrong_number_would_be_seen(found, tmp_path):
    """One neuron more at one input changes several numbers of the report."""
    report = dict(found["f32.safetensors"][0]["reports"][0])
    ((layer, X),), _ = expected("f32.safetensors", tmp_path)
    X = X.reshape(-1, 8).copy()
    X[7] *= -1
    package = measure(layer, X).to_dict()
    report.pop("notes", None)
    del package["notes"]
    assert {one.partition(":")[0].split(".")[1] for one in differences(report, package)} >= {
        "active_at",
        "histogram",
        "mean_active",
    }
