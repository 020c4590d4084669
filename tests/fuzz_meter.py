"""Run on demand: ``python -m tests.fuzz_meter``. Mutated files and strange calls: answers, or errors of one line.

No traceback may come but from the package's own errors: of 3 000 files by the command, and of 3 000 calls of what users
meet, in which one argument is replaced.
"""

import contextlib
import io
import random
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from sparse_meter import Layer, as_layer, as_network, command, examine, explain, files, measure

FILES = 3000
CALLS = 3000
NET = ([1.0, -1.0], [[1.0, 1.0], [-1.0, -1.0]], [1.0, 1.0])
X = [[1.0, 1.0], [1.0, -1.0]]
STRANGE = [
    None,
    True,
    3,
    -1,
    1.5,
    float("nan"),
    "x",
    "",
    [],
    [[]],
    (),
    {},
    [1, 2],
    [[1], [1, 2]],
    np.ones(0),
    np.ones((2, 2, 2)),
    np.array([object()]),
    np.array([1j]),
    10**400,
    1e300,
    1e-300,
    b"x",
    object(),
    {"a": 1},
    np.ma.masked_array([[1.0, 2]]),
    np.ones((2, 2), np.int8),
    {"0.weight": [[1]], "2.weight": "x"},
    "top-k:9",
    "gelu:-1",
    "above:x",
    iter([]),
    len,
]
CALLED = {
    "measure": (measure, {"network": NET, "X": X, "layer": None, "activation": None}),
    "measured": (measure, {"network": [[1.0, -1.0]], "activation": "nonzero"}),
    "explain": (explain, {"network": NET, "X": X, "output": 0, "k": 1, "eps": 0.1, "delta": 0.1, "seed": 0}),
    "examine": (examine, {"network": NET, "output": 0, "k": 1, "W": 1.0, "B": 1.0, "degree": 1, "rho": 0.5, "seed": 0}),
    "as_layer": (as_layer, {"source": NET, "layer": None, "activation": "relu"}),
    "as_network": (as_network, {"source": NET, "output": 0}),
    "Layer": (Layer, {"W": NET[1], "b": NET[2], "U": [NET[0]], "up": None, "unit": "relu", "constant": None}),
    "union": (lambda m: measure([[1.0]]).union(m), {"m": 1}),
    "quantile": (lambda q: measure([[1.0]]).quantile(q), {"q": 0.5}),
    "read": (files.read, {"path": "none.npz"}),
}


def mutated(rng, content):
    """The bytes, cut or changed at some places."""
    content = bytearray(content)
    if rng.random() < 0.3:
        return content[: rng.randrange(len(content) + 1)]
    for _ in range(rng.randrange(1, 8)):
        content[rng.randrange(min(len(content), 600 if rng.random() < 0.7 else len(content)))] = rng.randrange(256)
    return content


def of_files(rng, folder):
    """The files that ended in anything but an answer, or one line."""
    arrays = {"0.weight": np.ones((5, 3), np.float32), "0.bias": np.ones(5, np.float32), "2.weight": np.ones((2, 5))}
    np.savez(folder / "a.npz", **arrays)
    save_file(arrays, folder / "a.safetensors")
    np.save(folder / "X.npy", np.ones((4, 3)))
    originals = [(folder / name).read_bytes() for name in ("a.npz", "a.safetensors", "X.npy")]
    for i in range(FILES):
        kind = i % 3
        names = ["net.npz", "net.safetensors", "Y.npy"]
        path = folder / names[kind]
        path.write_bytes(mutated(rng, originals[kind]))
        network, points = (folder / "a.npz", path) if kind == 2 else (path, folder / "X.npy")
        error = io.StringIO()
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(error):
                code = command.main([rng.choice(["measure", "examine"]), str(network), "--x", str(points)])
        except BaseException as problem:
            yield f"file {i}: {problem!r}"
        else:
            if (code, error.getvalue().count("\n")) not in ((0, 0), (2, 1)):
                yield f"file {i}: {code} {error.getvalue()}"


def of_calls(rng):
    """The calls that ended in anything but an answer, or an error that names what is wrong."""
    for i in range(CALLS):
        name = rng.choice([*CALLED])
        function, arguments = CALLED[name]
        replaced = rng.choice([*arguments])
        value = rng.choice(STRANGE)
        try:
            function(**{**arguments, replaced: value})
        except (ValueError, TypeError, OSError) as problem:
            if "rgument" not in str(problem) and not isinstance(problem, OSError) and name != "read":
                yield f"call {i}: {name}({replaced}={value!r}): {problem!r}"
        except BaseException as problem:
            yield f"call {i}: {name}({replaced}={value!r}): {problem!r}"


def main():
    """Print what was unclear; the exit code is 1 if anything was."""
    warnings.simplefilter("ignore")
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        problems = [*of_files(rng, Path(folder)), *of_calls(rng)]
    print("\n".join(problems), f"{FILES} files, {CALLS} calls, {len(problems)} unclear", sep="\n")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
