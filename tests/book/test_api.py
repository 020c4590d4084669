"""The pages of the package: all that is public, with its docstring, its claims and its source."""

import ast
import html
import importlib
import inspect
import re

import pytest
from companion.pages import api
from examples import BOOK, CLAIMS

PACKAGES = [BOOK.parent / "sparse_core", BOOK.parent / "sparse_book"]
PAGES = api.pages(PACKAGES, BOOK, {claim["id"] for claim in CLAIMS})
MODULES = [path for page in ("sparse_core/*", "sparse_book") for path in sorted(BOOK.parent.glob(f"{page}/[!_]*.py"))]
SMALL = '''"""About f.

>>> f(1)
2
"""

__all__ = ["C", "f"]
ONE = 1


@cache
def f(x: int, *, y: str = "no") -> int:
    """- x is 1. in `lemma-9`, ``code``, `other`, "no" and *words*, |x| < 2 * 3.

    Parameters
    ----------
    x, z : a number
        that goes on.

        x = 1,

    1. One,
       still.
    2. *Two*.
    """
    return ONE


class C(NamedTuple):
    """A pair."""

    a: int
    b: str

    @property
    def p(self) -> int:
        """The a."""
        return self.a

    def _private(self):
        """Not shown."""
'''
SHOWN = """# API: room

A room.

## small

`from sparse_core.room import small`

About f.

```pycon
>>> f(1)
2
```

<span id="small.f"></span>

### f

{.signature}
`small.f(x: int, *, y: str='no') -> int`

&#8203;- x is 1. in {claim}`lemma-9`, `code`, `other`, `"no"` and *words*, |x| < 2 * 3.

*Parameters*

`x, z`
: a number that goes on.

```text
    x = 1,
```

* One, still.
* *Two*.

{.whereabouts}
Stated in: {statement}`lemma-9`.

{.whereabouts}
Used to check: {claim}`eq-U`.

<details class="steps"><summary>Source of small.f</summary>

```python
@cache
def f(x: int, *, y: str = "no") -> int:
    return ONE
```

</details>

<span id="small.C"></span>

### C

{.signature}
`small.C(a: int, b: str)`

A pair.

#### p

{.signature}
`C.p -> int`

The a.

"""


def test_a_module_is_shown_with_all_that_it_says(tmp_path):
    room = tmp_path / "sparse_core/room"
    room.mkdir(parents=True)
    (room.parent / "__init__.py").touch()
    (room / "__init__.py").write_text('"""A room."""\n')
    (room / "small.py").write_text(SMALL)
    cells = (
        '```{code-cell}\nledger.check("eq-U", small.f(1))\n```\n```{code-cell}\nledger.check("lemma-9", f(2))\n```\n'
    )
    (tmp_path / "02-a.md").write_text(cells)
    (page,) = api.pages([room.parent], tmp_path, {"lemma-9", "eq-U"}).values()
    assert html.unescape(page.replace("&#8203;", "&amp;#8203;")).startswith(SHOWN)
    assert '__all__ = ["C", "f"]\nONE = 1\n' in page.partition("The rest of room/small.py")[2]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_public_is_shown_and_each_line_of_code_once(path):
    page = PAGES[f"{api.page_name(path.parent.name)}.md"]
    module = importlib.import_module(api.dotted(path.with_suffix("")))
    _, _, mine = page.partition(f"import {path.stem}`\n")
    mine = mine.partition("\n## ")[0]
    for name in module.__all__:
        if inspect.getmodule(getattr(module, name)) is module and callable(getattr(module, name)):
            assert (
                f'<span id="{path.stem}.{name}"></span>' in mine
                and f"Source of {path.stem}.{name}<" in html.unescape(mine)
            )
    tree = ast.parse(path.read_text(encoding="utf-8"))
    code = [line for block in re.findall(r"```python\n(.*?)\n```\n", mine, re.S) for line in block.splitlines()]
    lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line for number, line in enumerate(lines, 1) if number not in api.docstrings(tree)]
    assert sorted(filter(None, code)) == sorted(filter(None, kept))
    doctests = [line for line in lines if line.lstrip().startswith(">>>")]
    assert mine.count("\n>>>") <= len(doctests)


def test_each_room_stands_in_the_contents():
    listed = re.findall(r"book/(api-[\w-]+)", (BOOK.parent / "_toc.yml").read_text(encoding="utf-8"))
    assert sorted(f"{name}.md" for name in listed) == sorted(PAGES)


def test_pages_lead_to_claims():
    assert "Stated in: {statement}`lemma-9`" in PAGES["api-bounds.md"].partition('id="paper.lemma_9"')[2]
    assert re.search(
        r"\{\.whereabouts\}\nUsed to check: (\{claim\}`[\w-]+`, ){5}\{claim\}`[\w-]+` and \d+ more\.",
        PAGES["api-cube.md"],
    )
