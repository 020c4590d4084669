"""The pages of the package: each public module stands on one, and docstrings keep what they say."""

import ast
import io
import re

import docutils.core
from companion.site import docstrings
from docutils import nodes
from docutils.parsers.rst import roles

from tests.book.examples import BOOK, CLAIMS

PLAIN = """|x| < 2 * 3, ``|code|``, a file *.npz and *words*.

Parameters
----------
x, z : a number |T|
    that goes on.
y : another.

    x = |1|,

>>> abs(-1) | 0
1
"""


def converted(text):
    lines = text.splitlines()
    docstrings.convert(None, "function", "f", None, None, lines)
    return "\n".join(lines)


def test_a_docstring_becomes_restructuredtext_that_says_the_same():
    tree = docutils.core.publish_doctree(converted(PLAIN), settings_overrides={"halt_level": 2})
    assert tree[0].astext() == "|x| < 2 * 3, |code|, a file *.npz and words."
    assert [node.astext() for node in tree.findall(nodes.emphasis)] == ["words", "Parameters"]
    entries = [(item[0].astext(), item[1].astext()) for item in tree.findall(nodes.definition_list_item)]
    assert entries == [("x, z", "a number |T| that goes on."), ("y", "another.")]
    assert [node.astext() for node in tree.findall(nodes.literal_block)] == ["x = |1|,"]
    assert [node.astext() for node in tree.findall(nodes.doctest_block)] == [">>> abs(-1) | 0\n1"]


def test_each_public_module_stands_on_the_page_of_its_subpackage_and_each_page_in_the_contents():
    root = BOOK.parent
    folders = [path.parent for path in sorted(root.glob("sparse_core/*/__init__.py"))] + [
        root / "sparse_meter",
        root / "sparse_book",
    ]
    pages = {f"api-{folder.name.replace('_', '-')}": folder for folder in folders}
    for page, folder in pages.items():
        files = [
            path.relative_to(root).with_suffix("") for path in [*folder.rglob("[!_]*.py"), *folder.rglob("__init__.py")]
        ]
        modules = sorted(".".join(path.parts).removesuffix(".__init__") for path in files)
        text = (BOOK / f"{page}.md").read_text(encoding="utf-8")
        assert re.findall(r"automodule:: (\S+)", text) == modules
    listed = re.findall(r"book/(api-[\w-]+)", (root / "_toc.yml").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(pages)


def public_docstrings():
    """(its place, the docstring) of each public module, function, class and method."""
    for path in sorted(BOOK.parent.glob("sparse_*/**/*.py")):
        waiting = [ast.parse(path.read_text(encoding="utf-8"))]
        while waiting:
            node = waiting.pop()
            if text := ast.get_docstring(node):
                yield f"{path.relative_to(BOOK.parent)}: {getattr(node, 'name', 'module')}", text
            inner = [] if isinstance(node, ast.FunctionDef) else node.body
            defined = [one for one in inner if isinstance(one, ast.FunctionDef | ast.ClassDef)]
            waiting += [one for one in defined if not one.name.startswith("_")]


def test_every_docstring_can_be_shown_and_names_claims_that_exist(monkeypatch):
    """Without a warning of docutils, which a strict build of the site refuses."""
    named = []

    def claim(name, rawtext, text, *rest, **options):
        named.append(text)
        return [nodes.literal("", text)], []

    monkeypatch.setitem(roles._role_registry, "claim", claim)
    monkeypatch.setattr(roles, "DEFAULT_INTERPRETED_ROLE", "claim")
    for place, text in public_docstrings():
        log = io.StringIO()
        docutils.core.publish_doctree(converted(text), settings_overrides={"warning_stream": log})
        assert not log.getvalue(), (place, log.getvalue())
    assert set(named) <= {one.id for one in CLAIMS} and len(named) > 100
