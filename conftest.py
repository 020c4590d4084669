"""Stored notebooks are compared by their text alone, and the numbers in it to a relative 1e-6."""

import math
import os
import re
import sys
from pathlib import Path

from hypothesis import settings
from nbval.plugin import IPyNbCell

ROOT = Path(__file__).parent
sys.path[:0] = [str(ROOT), str(ROOT / "book" / "_ext")]
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))

from companion.chapters import text_only  # noqa: E402  (the line above finds it)

NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")

settings.register_profile("companion", deadline=None, derandomize=True)
settings.load_profile("companion")


class Approximate(str):
    """Text that equals another when the words agree and the numbers agree to rounding."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        words = [[part.strip() for part in NUMBER.split(" ".join(str(text).split()))] for text in (self, other)]
        numbers = [map(float, NUMBER.findall(str(text))) for text in (self, other)]
        return words[0] == words[1] and all(
            math.isclose(one, two, rel_tol=1e-6, abs_tol=1e-9) for one, two in zip(*numbers, strict=True)
        )

    def __ne__(self, other):
        return not self == other


_sanitize, _compare = IPyNbCell.sanitize, IPyNbCell.compare_outputs


def sanitize(self, text):
    return Approximate(_sanitize(self, text)) if isinstance(text, str) else text


def compare_outputs(self, test, ref, skip_compare=None):
    return _compare(self, text_only(test), text_only(ref), skip_compare)


IPyNbCell.sanitize, IPyNbCell.compare_outputs = sanitize, compare_outputs
