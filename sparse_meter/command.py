"""``sparse-meter measure FILE --x X.npy`` counts active neurons; ``sparse-meter examine FILE`` checks every statement.

Reports are text, JSON or a page of HTML. Files are read by ``files``; bad input is refused in one line.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from sparse_core import __version__, checks

from . import files
from .counting import Measurement
from .layer import as_layer
from .measuring import measure
from .report import Report, examine
from .tables import printable

__all__ = ["main"]

STYLE = (
    "body {font-family: system-ui; margin: 2em} th, td {padding: 0.2em 0.8em; text-align: left; vertical-align: top}"
)
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>{0}</title><style>{1}</style></head>
<body><h1>{0}</h1>{2}</body></html>"""
NETWORK = "a .safetensors or .npz file, or a folder with cfg.json or config.json and .safetensors files"
LAYER = "which hidden layer: its name, a part of it, a pattern as '*.3.mlp', or its arrays as 'inner,outer'"


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of the command: 0, or 2 after a line on stderr that says what is wrong.

    >>> main(["examine", os.devnull])
    2
    """
    if arguments is not None and not all(isinstance(word, str) for word in checks.listed("arguments", arguments)):
        raise TypeError(f"Argument 'arguments' must be a sequence of words, not {arguments!r}.")
    args = _parser().parse_args(arguments)
    try:
        print(args.run(args), flush=True)
    except BrokenPipeError:  # the reader stopped reading, as in `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, TypeError, MemoryError) as error:
        # One line; control characters, as in the names of files and arrays, are escaped.
        print(f"sparse-meter: {printable(str(error))}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sparse-meter", description="Networks with sparse activations.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True)

    counting = commands.add_parser("measure", help="count the active neurons of one hidden layer on given inputs")
    counting.add_argument("network", help=f"{NETWORK}; or pre-activations (inputs, neurons), .npy, without --x")
    counting.add_argument("--x", metavar="X.npy", nargs="+", help="inputs (m, n), in one file or several")
    counting.add_argument(
        "--activation", help="relu, relu2, shifted:t, thresholded:t, top-k:k, gelu, silu, ..., if not as the file says"
    )
    counting.add_argument("--list", action="store_true", help="only list the hidden layers in the file")
    counting.set_defaults(run=_measure)

    examining = commands.add_parser("examine", help="check every statement on one network")
    examining.add_argument("network", help=f"{NETWORK}; of .npz u (s,), W (s, n), a neuron a row, b (s,), subtracted")
    examining.add_argument("--x", metavar="X.npy", help="inputs (m, n); without them the inputs are uniform bits")
    examining.add_argument("--output", type=int, default=0, help="which output, if there are several (default: 0)")
    examining.set_defaults(run=_examine)

    for command in (counting, examining):
        command.add_argument("--layer", help=LAYER)
        command.add_argument("--format", choices=("text", "json", "html"), default="text", help="default: %(default)s")
    return parser


def _measure(args: argparse.Namespace) -> str:
    if args.list:
        return "\n".join(f"{printable(name)}  {s} neurons, {n} inputs" for name, s, n in files.blocks(args.network))
    if args.x:
        inputs = files.points(args.x[0]) if len(args.x) == 1 else map(files.points, args.x)
        weights = files.read(args.network)
        return _shown(measure(weights, inputs, layer=args.layer, activation=args.activation), args)
    if Path(args.network).suffix != ".npy":
        raise ValueError(
            f"{args.network} needs inputs: --x X.npy, one input in each row. (Or --list, to see its layers.)"
        )
    return _shown(measure(files.points(args.network), activation=args.activation), args)


def _examine(args: argparse.Namespace) -> str:
    X = files.points(args.x) if args.x else None
    return _shown(examine(as_layer(files.read(args.network), args.layer), X, output=args.output), args)


def _shown(report: Report | Measurement, args: argparse.Namespace) -> str:
    if args.format == "json":
        return json.dumps(report.to_dict(), indent=1, allow_nan=False)
    if args.format == "html":
        page = PAGE.format(html.escape(printable(os.path.basename(args.network))), STYLE, report._repr_html_())
        return page.encode("ascii", "xmlcharrefreplace").decode()
    return report.text()
