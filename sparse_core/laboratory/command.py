"""``sparse-core examine net.npz``: every statement held against a network that is stored as arrays u, W and b.

The report is that of ``examine``, as text, JSON or a page of HTML; what cannot be read is refused in one line.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import sys
import warnings
import zlib
from collections.abc import Sequence
from zipfile import BadZipFile

import numpy as np

from .._arrays import Array
from .report import Report, examine

__all__ = ["main"]

ALONE = "one array without a name (.npy)"
STYLE = (
    "body {font-family: system-ui; margin: 2em} th, td {padding: 0.2em 0.8em; text-align: left; vertical-align: top}"
)
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>{0}</title><style>{1}</style></head>
<body><h1>{0}</h1>{2}</body></html>"""


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of the command: 0, or 1 after a line on stderr that says what is wrong.

    >>> main(["examine", os.devnull])
    1
    """
    parser = argparse.ArgumentParser(prog="sparse-core", description="Networks with sparse activations.")
    command = parser.add_subparsers(required=True).add_parser("examine", help="hold every statement against a network")
    command.add_argument("network", help="an .npz file: u (s,), W (s, n) with a neuron in each row, b (s,) subtracted")
    command.add_argument("--x", metavar="X.npy", help="inputs (m, n); without them the inputs are uniform bits")
    command.add_argument("--format", choices=("text", "json", "html"), default="text", help="default: %(default)s")
    asked = parser.parse_args(arguments)
    try:
        with warnings.catch_warnings(record=True, action="always") as remarks:
            report = examine(_load(asked.network, "u", "W", "b"), _load(asked.x, ALONE)[0] if asked.x else None)
        for remark in remarks:
            print(f"sparse-core: {remark.message}", file=sys.stderr)
        print(_shown(report, asked.format, os.path.basename(asked.network)), flush=True)
        return 0
    except BrokenPipeError:  # by whoever reads, as in `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, TypeError, MemoryError) as error:
        print(f"sparse-core: {error}", file=sys.stderr)
    return 1


def _load(path: str, *names: str) -> list[Array]:
    """The arrays of these names in an .npz file, or the one in an .npy file."""
    try:
        with open(path, "rb") as file:
            found = np.load(file)
            arrays = {ALONE: found} if isinstance(found, np.ndarray) else dict(found)
    except (ValueError, EOFError, BadZipFile, zlib.error):
        raise ValueError(f"{path} is not a file of arrays of numbers, as numpy.savez writes it.") from None
    if missing := [name for name in names if name not in arrays]:
        raise ValueError(f"{path} has no {' or '.join(missing)}; it has {', '.join(arrays) or 'nothing'}.")
    return [arrays[name] for name in names]


def _shown(report: Report, form: str, name: str) -> str:
    if form == "json":  # which has no word for numbers that are not finite: they become strings
        told = json.dumps({"summary": report.summary, **report.to_dict()})
        return json.dumps(json.loads(told, parse_constant=str), indent=1)
    if form == "html":
        page = PAGE.format(html.escape(name), STYLE, report._repr_mimebundle_()["text/html"])
        return page.encode("ascii", "xmlcharrefreplace").decode()
    return repr(report)
