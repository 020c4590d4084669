"""``sparse-meter measure Z.npy`` counts active neurons; ``sparse-meter examine net.npz`` checks every statement.

Reports are text, JSON or a page of HTML; bad input is refused in one line. Pickles are not read.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from sparse_core import __version__, checks

from .examiner import examine
from .files import load
from .measuring import measure
from .tables import printable

__all__ = ["main"]

STYLE = (
    "body {font-family: system-ui; margin: 2em} th, td {padding: 0.2em 0.8em; text-align: left; vertical-align: top}"
)
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>{0}</title><style>{1}</style></head>
<body><h1>{0}</h1>{2}</body></html>"""
INPUTS = "inputs (m, n), .npy, .npz or .csv; without them, those of examine are uniform bits"
NETWORK = ".npz with u (s,), W (s, n), a neuron a row, b (s,), subtracted; to measure, also pre-activations, .npy"


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of the command: 0, or 2 after a line on stderr that says what is wrong.

    >>> main(["examine", os.devnull])
    2
    """
    if arguments is not None and not all(isinstance(word, str) for word in checks.listed("arguments", arguments)):
        raise TypeError(f"Argument 'arguments' must be a sequence of words, not {arguments!r}.")
    parser = argparse.ArgumentParser(prog="sparse-meter", description="Networks with sparse activations.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.add_argument(
        "command", choices=("measure", "examine"), help="count active neurons, or check every statement"
    )
    parser.add_argument("network", help=NETWORK)
    parser.add_argument("--x", metavar="X.npy", help=INPUTS)
    parser.add_argument("--output", type=int, help="which output examine takes, if there are several")
    parser.add_argument("--format", choices=("text", "json", "html"), default="text", help="default: %(default)s")
    args = parser.parse_args(arguments)
    try:
        network, X = load(args.network), args.x and load(args.x)
        report = measure(network, X) if args.command == "measure" else examine(network, X, output=args.output)
        print(_shown(report, args.format, os.path.basename(args.network)), flush=True)
    except BrokenPipeError:  # the reader stopped reading, as in `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, TypeError, MemoryError) as error:
        # One line; control characters, as in the names of files and arrays, are escaped.
        print(f"sparse-meter: {printable(str(error))}", file=sys.stderr)
        return 2
    return 0


def _shown(report: Any, format: str, title: str) -> str:
    if format == "json":
        return json.dumps(report.to_dict(), indent=1, allow_nan=False)
    if format == "html":
        page = PAGE.format(html.escape(printable(title)), STYLE, report._repr_html_())
        return page.encode("ascii", "xmlcharrefreplace").decode()
    return str(report.text())
