"""Trains the transformers of chapter 8: ``python -m tests.benchmarks.transformer TEXT FOLDER STEPS RUN ...``.

A RUN is a setting with a seed, "relu:0", and its own number of steps if they are fewer than STEPS, "gelu:0:1700". All
are trained side by side, on one thread, and what is measured goes to
``sparse_book/experiments/results/transformer.npz``, which ``sparse_book.experiments.transformer`` reads. TEXT is what
``bible -f gen1:1-rev22:21`` of Debian's package bible-kjv prints: the King James Bible, which is in the public domain.
FOLDER keeps networks on the way: after a stop, or with more STEPS, the same command goes on. PyTorch is needed; 100
steps of 512 neurons take 8 seconds of a core.

A network has LAYERS layers of pre-norm attention and of a perceptron with biases, without penalty, dropout or noise.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from sparse_book.experiments import RESULTS, transformer

LAYERS, WIDTH, HEADS, CONTEXT, BATCH = 4, 128, 4, 128, 4
# The rate rises for so many steps and then stays.
WARM = 100
SAVED_EVERY = 100
# Of 1189 chapters every twentieth is for testing: so many windows of it.
HELD_OUT, WINDOWS = 20, 64
# Windows of the first run of which all is stored; characters in the longest of the rival tables.
SHOWN, TABLES = 4, 4
# The steps at which a network is looked at, beside the last one.
LOOKS = (0, 10, 20, 40, 80, 160, 320, 640, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 12000, 16000)


class Setting(NamedTuple):
    neurons: int
    activation: str
    decay: float = 0.1
    rate: float = 5e-4


SETTINGS = {
    "relu": Setting(512, "relu"),
    "fast": Setting(512, "relu", rate=2e-3),
    "gelu": Setting(512, "gelu"),
    "gelu fast": Setting(512, "gelu", rate=2e-3),
    "narrow": Setting(128, "relu"),
    "wide": Setting(2048, "relu"),
    "no decay": Setting(512, "relu", decay=0.0),
}


class Text:
    """The characters of the text as numbers, for training and for testing."""

    def __init__(self, path: Path) -> None:
        chapters: dict[str, list[str]] = {}
        for line in path.read_text(encoding="latin-1").splitlines():
            reference, _, verse = line.partition(" ")
            chapters.setdefault(reference.split(":")[0], []).append(verse)
        parts = ["\n".join(verses) + "\n\n" for verses in chapters.values()]
        self.letters = sorted(set("".join(parts)))
        code = {letter: i for i, letter in enumerate(self.letters)}
        self.train, self.test = (
            torch.tensor([code[letter] for i, part in enumerate(parts) for letter in part
                          if (i % HELD_OUT == HELD_OUT - 1) == held]) for held in (False, True))  # fmt: skip


class Block(nn.Module):
    def __init__(self, setting: Setting) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attend, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.up, self.down = nn.Linear(WIDTH, setting.neurons), nn.Linear(setting.neurons, WIDTH)
        self.activation = {"relu": F.relu, "gelu": F.gelu}[setting.activation]
        self.z = torch.empty(0)  # the inputs of the activations at the last call

    def forward(self, x: Tensor) -> Tensor:
        texts, places, _ = x.shape
        q, k, v = self.attend(self.before(x)).view(texts, places, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(texts, places, WIDTH))
        self.z = self.up(self.between(x))
        return x + self.down(self.activation(self.z))


class Transformer(nn.Module):
    def __init__(self, letters: int, setting: Setting) -> None:
        super().__init__()
        self.embed, self.place = nn.Embedding(letters, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block(setting) for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, letters, bias=False)
        for name, p in self.named_parameters():
            if p.dim() == 2:
                to_stream = "out." in name or "down." in name
                nn.init.normal_(p, std=0.02 / math.sqrt(2 * LAYERS) if to_stream else 0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(p)

    def forward(self, x: Tensor) -> Tensor:
        h = self.embed(x) + self.place.weight[: x.shape[1]]
        for block in self.blocks:
            h = block(h)
        return self.head(self.norm(h))


def windows(codes: Tensor, count: int, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Windows at random places, and what follows each of their characters."""
    starts = torch.from_numpy(rng.integers(0, len(codes) - CONTEXT, count))
    both = codes[starts[:, None] + torch.arange(CONTEXT + 1)]
    return both[:, :-1], both[:, 1:]


@torch.no_grad()
def look(net: Transformer, x: Tensor, y: Tensor) -> tuple[Any, Any]:
    """Inputs of the activations, [layer, text, place, neuron], and the losses."""
    zs, losses = [], []
    for some, following in zip(x.split(8), y.split(8), strict=True):
        logits = net(some)
        zs.append(torch.stack([block.z for block in net.blocks]).numpy())
        losses.append(F.cross_entropy(logits.transpose(1, 2), following, reduction="none").numpy())
    return np.concatenate(zs, axis=1), np.concatenate(losses)


class Run:
    """A network in training, which is saved and goes on where it was."""

    def __init__(self, name: str, seed: int, text: Text, folder: Path, steps: int) -> None:
        self.name, self.seed, self.text, self.folder, self.steps = name, seed, text, folder, steps
        setting = SETTINGS[name]
        torch.manual_seed(seed)
        self.net, self.rng = Transformer(len(text.letters), setting), np.random.default_rng([seed, 1])
        matrices = [p for p in self.net.parameters() if p.dim() == 2]
        others = [p for p in self.net.parameters() if p.dim() != 2]
        self.optimiser = torch.optim.AdamW(
            [{"params": matrices, "weight_decay": setting.decay}, {"params": others, "weight_decay": 0.0}],
            betas=(0.9, 0.98), fused=True)  # fmt: skip
        self.step, self.path = 0, []
        self.test = windows(text.test, WINDOWS, np.random.default_rng(123))
        for step in range(steps, 0, -1):
            if self._file(step).exists():
                self._load(step)
                break

    def _file(self, step: int) -> Path:
        return self.folder / f"{self.name}-{self.seed}-{step}.pt"

    def _load(self, step: int) -> None:
        kept = torch.load(self._file(step), weights_only=False)
        self.net.load_state_dict(kept["net"])
        self.optimiser.load_state_dict(kept["optimiser"])
        self.rng.bit_generator.state = kept["rng"]
        self.step, self.path = step, kept["path"]

    def _save(self) -> None:
        kept = {"net": self.net.state_dict(), "optimiser": self.optimiser.state_dict(), "path": self.path,
                "rng": self.rng.bit_generator.state}  # fmt: skip
        unfinished = self.folder / "unfinished"
        torch.save(kept, unfinished)
        unfinished.replace(self._file(self.step))

    def look(self) -> None:
        """A point of the path, unless it is there."""
        if self.path and self.path[-1][0] == self.step:
            return
        z, loss = look(self.net, *self.test)
        rate = (z > 0).mean(axis=(1, 2))
        self.path.append([self.step, loss.mean(), *rate.mean(axis=1), *(rate == 0).mean(axis=1)])
        print(self.name, self.seed, *(f"{v:.3f}" for v in self.path[-1]), flush=True)

    def train(self, until: int) -> None:
        if until <= self.step:
            return
        while self.step < until:
            if self.step in LOOKS:
                self.look()
            for group in self.optimiser.param_groups:
                group["lr"] = SETTINGS[self.name].rate * min(1, (self.step + 1) / WARM)
            x, y = windows(self.text.train, BATCH, self.rng)
            loss = F.cross_entropy(self.net(x).transpose(1, 2), y)
            self.optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self.optimiser.step()
            self.step += 1
        self._save()


def measure(run: Run) -> dict[str, Any]:
    """What is stored of a run, at the step that it has reached; "elsewhere" are shares on letters shuffled in their
    window, and on uniform ones."""
    x, y = run.test
    letters, rng = len(run.text.letters), np.random.default_rng(0)
    run.look()
    z, _ = look(run.net, x, y)
    activation = run.net.blocks[0].activation
    shuffled = torch.stack([row[torch.from_numpy(rng.permutation(CONTEXT))] for row in x])
    uniform = torch.from_numpy(rng.integers(0, letters, x.shape))
    return {
        **transformer.measure(z > 0, x.numpy(), letters),
        "path": np.array(run.path, np.float32),
        "needed": np.array([transformer.needed(activation(torch.from_numpy(layer)).numpy()) for layer in z]),
        "elsewhere": np.array([(look(run.net, other, y)[0] > 0).mean(axis=(1, 2, 3)) for other in (shuffled, uniform)]),
    }


def store(text: Text, runs: list[Run]) -> None:
    """What is measured of these runs, the rival tables, and what the first run does on some windows."""
    x, y = runs[0].test
    shown = look(runs[0].net, x[:SHOWN], y[:SHOWN])[0] > 0
    table: dict[str, Any] = {
        "letters": np.array(text.letters),
        "tables": transformer.tables(text.train.numpy(), text.test.numpy(), len(text.letters), TABLES),
        "shown": np.packbits(shown, axis=-1),
        "shown codes": x[:SHOWN].numpy().astype(np.uint8),
    }
    for run in runs:
        table |= {f"{run.name} {run.seed} {what}": value for what, value in measure(run).items()}
    np.savez_compressed(RESULTS / "transformer.npz", **table)


def generate(path: Path, folder: Path, steps: int, names: list[str]) -> None:
    text = Text(path)
    folder.mkdir(parents=True, exist_ok=True)
    runs = []
    for name, seed, *own in (run.split(":") for run in names):
        runs.append(Run(name, int(seed), text, folder, *map(int, own or [steps])))
    for until in [*range(SAVED_EVERY, steps, SAVED_EVERY), steps]:
        for run in runs:
            run.train(min(until, run.steps))
    store(text, runs)


if __name__ == "__main__":
    torch.set_num_threads(1)
    generate(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
