"""How large the repository is, in tokens: names, numbers, strings and signs, which neither layout nor dense lines hide.

Of Python they are what ``tokenize`` finds, without comments, docstrings and the ends of lines; of a script, or of a
table whose rows a test evaluates, words and signs. Lines are no measure: one that does the work of two is not smaller.
``pyproject.toml`` has the parts and the number of each.
"""

import io
import re
import tokenize
from collections.abc import Iterable, Mapping
from pathlib import Path

from companion.building import chapters
from companion.places import BOOK, ROOT, Stop, text_of

# By how much a part may exceed its number, so that a mended defect does not need a new one.
SLACK = 0.05
# Where the scripts of the site are.
SCRIPTS = ("book/assets", "sphinx_claims/site/static")
# The tokens that are read; of a formatted string, which is one token of Python 3.11 and many since, the end.
READ = ("NAME", "NUMBER", "OP", "STRING", "FSTRING_END")


def python(text: str) -> int:
    """The tokens of a program; a line of IPython that is no Python, such as ``%time``, is left out."""
    text = re.sub(r"^\s*[%!].*$", "", text, flags=re.MULTILINE)
    count = 0
    begins = True  # a statement, which a docstring is
    inside = 0  # formatted strings
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        inside += (kind == "FSTRING_START") - (kind == "FSTRING_END")
        if kind in READ and not inside:
            count += not (begins and kind == "STRING")
        if kind not in ("COMMENT", "NL"):
            begins = kind in ("NEWLINE", "INDENT", "DEDENT")
    return count


def words(text: str, comments: str) -> int:
    """The words and signs of a text in another language, without what the expression finds."""
    return len(re.findall(r"\w+|[^\w\s]", re.sub(comments, "", text, flags=re.MULTILINE)))


def of_files(paths: Iterable[Path], parts: Iterable[str]) -> dict[str, int]:
    """The tokens of each part that is a folder or a file of Python; a file is of the innermost that holds it."""
    sizes = dict.fromkeys(parts, 0)
    for path in paths:
        part = max((part for part in sizes if path.is_relative_to(ROOT / part)), key=len)
        sizes[part] += python(text_of(path))
    return sizes


def count(named: Iterable[str]) -> dict[str, int]:
    """The tokens of each folder and file that is named, and of all other programs of the repository."""
    programs = [path.relative_to(ROOT) for path in (*ROOT.glob("*.py"), *ROOT.glob("[!._]*/*.py"))]
    parts = {part for part in named if (ROOT / part).exists()} | {path.parts[0] for path in programs}
    folders = [ROOT / part for part in parts]
    paths = {path for folder in folders for path in (folder, *folder.rglob("*.py")) if path.is_file()}
    notebooks = [chapters.read(source) for source in chapters.sources(BOOK).values()]
    scripts = [path for folder in SCRIPTS for path in (ROOT / folder).glob("*.js")]
    tables = (ROOT / "tests").rglob("*.txt")
    return {
        **of_files(paths, parts),
        "cells": sum(python(cell["source"]) for notebook in notebooks for cell in chapters.code_cells(notebook)),
        "scripts": sum(words(text_of(path), r"/\*(?:.|\n)*?\*/|^\s*//.*$") for path in scripts),
        "rows": sum(words(text_of(path), r"^#.*$") for path in tables),
    }


def check(found: Mapping[str, int], allowed: Mapping[str, int]) -> None:
    """Stop if a part has grown by more than the slack over its number."""
    for part, tokens in found.items():
        if tokens > allowed.get(part, 0) * (1 + SLACK):
            raise Stop(
                f"{part} has {tokens} tokens, more than {1 + SLACK} of the {allowed.get(part, 0)} in pyproject.toml: "
                "take some out, or raise the number there and say why"
            )
