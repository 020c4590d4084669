"""How large the repository is: logical lines, so that no layout, comment or docstring makes it look smaller.

A line of Python is what ``tokenize`` ends with NEWLINE, in modules and in the code cells of chapters; of a script, for
which the standard library has no such thing, a line that is neither empty nor a comment. ``pyproject.toml`` has the
number of each part; to raise one is a line in the diff that its commit message explains.
"""

import io
import re
import tokenize
from collections import Counter

from companion.building import chapters
from companion.places import BOOK, ROOT, Stop, text_of

# By how much a part may exceed its number, so that a mended defect does not need a new one.
SLACK = 0.05
# The folders of Python, the innermost first: a file counts in the first that holds it.
PARTS = (
    "book/_ext",
    "tests/benchmarks",
    "sparse_core",
    "sparse_meter",
    "sparse_book",
    "book",
    "proofs",
    "tests",
    "make.py",
)


def python(text: str) -> int:
    """The logical lines of a program; a cell of IPython that is no Python, such as ``%time``, is left out."""
    text = re.sub(r"^\s*[%!].*$", "", text, flags=re.MULTILINE)
    return sum(token.type == tokenize.NEWLINE for token in tokenize.generate_tokens(io.StringIO(text).readline))


def count() -> dict[str, int]:
    """The logical lines of each part of the repository."""
    lines: Counter[str] = Counter()
    for part in PARTS:
        paths = sorted((ROOT / part).rglob("*.py")) or [ROOT / part]
        inner = [ROOT / name for name in PARTS if name != part and name.startswith(part)]
        own = [path for path in paths if not any(path.is_relative_to(folder) for folder in inner)]
        lines[part] = sum(python(text_of(path)) for path in own)
    for source in chapters.sources(BOOK).values():
        lines["cells"] += sum(python(cell["source"]) for cell in chapters.code_cells(chapters.read(source)))
    for path in (BOOK / "assets").glob("*.js"):
        text = re.sub(r"/\*.*?\*/", "", text_of(path), flags=re.DOTALL)
        lines["scripts"] += sum(bool(line.strip()) and not line.strip().startswith("//") for line in text.splitlines())
    return dict(lines)


def check(allowed: dict[str, int]) -> None:
    """Stop if a part has grown by more than the slack over its number."""
    grown = {part: lines for part, lines in count().items() if lines > allowed.get(part, 0) * (1 + SLACK)}
    if grown:
        part, lines = next(iter(grown.items()))
        raise Stop(
            f"{part} has {lines} logical lines, more than {1 + SLACK} of the {allowed.get(part, 0)} in pyproject.toml: "
            "take some out, or raise the number there and say why"
        )
