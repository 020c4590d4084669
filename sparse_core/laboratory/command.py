"""``sparse-core examine net.npz``: check every statement on a network that is stored as arrays u, W and b.

The report is that of ``examine``, as text, JSON or a page of HTML; bad input is refused in one line.
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

from .. import __version__
from .._arrays import Array
from .report import Report, examine

__all__ = ["main"]

# What an .npy file has.
UNNAMED = "one array without a name (.npy)"
STYLE = (
    "body {font-family: system-ui; margin: 2em} th, td {padding: 0.2em 0.8em; text-align: left; vertical-align: top}"
)
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>{0}</title><style>{1}</style></head>
<body><h1>{0}</h1>{2}</body></html>"""


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of the command: 0, or 2 after a line on stderr that says what is wrong.

    >>> main(["examine", os.devnull])
    2
    """
    parser = argparse.ArgumentParser(prog="sparse-core", description="Networks with sparse activations.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    command = parser.add_subparsers(required=True).add_parser("examine", help="check every statement on one network")
    command.add_argument("network", help="an .npz file: u (s,), W (s, n) with a neuron in each row, b (s,) subtracted")
    command.add_argument("--x", metavar="X.npy", help="inputs (m, n); without them the inputs are uniform bits")
    command.add_argument("--format", choices=("text", "json", "html"), default="text", help="default: %(default)s")
    args = parser.parse_args(arguments)
    try:
        with warnings.catch_warnings(record=True, action="always") as remarks:
            X = _load(args.x, UNNAMED)[0] if args.x else None
            report = examine(_load(args.network, "u", "W", "b"), X)
        for remark in remarks:
            _complain(str(remark.message))
        print(_shown(report, args.format, os.path.basename(args.network)), flush=True)
    except BrokenPipeError:  # the reader stopped reading, as in `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError, TypeError, MemoryError) as error:
        _complain(str(error))
        return 2
    return 0


def _complain(text: str) -> None:
    """One line on stderr; control characters, as in the names of files and arrays, are escaped."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    print(f"sparse-core: {shown}", file=sys.stderr)


def _load(path: str, *names: str) -> list[Array]:
    """The arrays of these names in an .npz file, and no others, or the one in an .npy file."""
    try:
        with open(path, "rb") as file:
            found = np.load(file, allow_pickle=False)
            arrays = {UNNAMED: found} if isinstance(found, np.ndarray) else found  # an .npz reads what is asked for
            present = list(arrays)
            missing = [name for name in names if name not in present]
            if not missing:
                return [arrays[name] for name in names]
    except RuntimeError:  # and NotImplementedError
        raise ValueError(f"{path} is encrypted, or compressed by a method that Python does not know.") from None
    except (ValueError, EOFError, BadZipFile, zlib.error):
        raise ValueError(f"{path} is not a file of arrays of numbers, as numpy.savez writes it.") from None
    raise ValueError(f"{path} has no {' or '.join(missing)}; it has {', '.join(present) or 'nothing'}.")


def _shown(report: Report, form: str, name: str) -> str:
    if form == "json":
        return json.dumps(report.to_dict(), indent=1, allow_nan=False)
    if form == "html":
        page = PAGE.format(html.escape(name), STYLE, report._repr_mimebundle_()["text/html"])
        return page.encode("ascii", "xmlcharrefreplace").decode()
    return report.text()
