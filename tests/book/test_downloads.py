"""What can be taken away: each chapter as a notebook, and a command that runs them where only the package is."""

import ast
import io
import json
import os
import re
import shutil
import sys
import zipfile

import pytest
from companion import places
from companion.building import chapters, downloads, stored
from companion.places import Stop
from companion.site import links
from nbformat.v4 import new_code_cell, new_notebook

import make

SOURCES = chapters.sources(places.BOOK)
WHEEL = "sparse_activations-1.whl"
PAGES = [name for name in SOURCES if name not in links.NEEDS]


def test_every_chapter_is_offered_and_each_page_that_is_not_has_a_reason():
    assert {name for name in SOURCES if name[0].isdigit()} <= set(PAGES)
    assert set(SOURCES) - set(PAGES) == set(links.NEEDS)
    assert all(links.NEEDS.values())


@pytest.mark.parametrize("name", PAGES)
def test_a_notebook_is_that_of_the_book_below_a_cell_that_installs_what_it_needs(name):
    page = chapters.read(SOURCES[name])
    (first, *cells), (_, *ours) = (
        json.loads(text)["cells"]
        for text in (downloads.notebook(name, page, "pip install x"), chapters.dump(stored.written(name, page, "")))
    )
    assert "".join(first["source"]).endswith("except ModuleNotFoundError:\n    %pip install x")
    assert cells == ours and len(cells) > len(page["cells"]) // 2


def test_the_first_cell_installs_only_what_is_missing():
    """It is run where the package is there; what pip would be told elsewhere stands there in full."""
    import nbformat

    page = nbformat.reads(downloads.notebook("x", new_notebook(cells=[]), "pip install no/such/file.whl"), as_version=4)
    assert chapters.execute(page)["cells"][0]["outputs"] == []


@pytest.mark.parametrize("name", PAGES)
def test_no_page_needs_more_than_the_package_and_matplotlib(name):
    """Every import is of the standard library or of what Matplotlib and the wheel bring; no cell names a file."""
    cells = chapters.code_cells(chapters.read(SOURCES[name]))
    tree = ast.parse("\n".join(cell["source"] for cell in cells))
    roots = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    roots |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    theirs = {root.partition(".")[0] for root in roots} - sys.stdlib_module_names
    assert theirs <= {
        "numpy",
        "scipy",
        "sklearn",
        "threadpoolctl",
        "matplotlib",
        "sparse_core",
        "sparse_meter",
        "sparse_book",
        "sphinx_claims",
    }
    strings = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    assert not [text for text in strings if re.fullmatch(r"[\w./-]+\.(py|json|csv|npy|npz|txt|md|yml)", text)]


@pytest.mark.parametrize(
    "code, said",
    [
        ("print(1)", ""),
        ("import no_such_package", "page.ipynb: ModuleNotFoundError"),
        ("assert 1 == 2", "page.ipynb: AssertionError"),
    ],
)
def test_each_notebook_is_run_away_from_the_repository(code, said, tmp_path, monkeypatch):
    """Here in the present environment, which the command makes anew; a check that fails stops it."""
    folder = tmp_path / "html/_static/downloads"
    folder.mkdir(parents=True)
    away = "import os, pathlib\nassert not pathlib.Path('make.py').exists()"
    page = new_notebook(cells=[new_code_cell(away), new_code_cell(code)])
    (folder / "page.ipynb").write_text(chapters.dump(page))
    (tmp_path / "html/_static" / WHEEL).touch()
    monkeypatch.setattr(downloads, "install", lambda folder, root, wheel: sys.executable)
    if said:
        with pytest.raises(Stop, match=said):
            downloads.run_all(tmp_path / "html", make.ROOT)
    else:
        assert downloads.run_all(tmp_path / "html", make.ROOT) == 1


def of_the_ledger(root):
    """What the wheel brings along of the ledger: its modules; what else its own wheel has, no notebook needs."""
    patterns = ("py.typed", "*.py", "pages/*.py", "site/*.py")
    return [path for pattern in patterns for path in root.glob(f"sphinx_claims/{pattern}")]


def test_the_wheel_has_the_package_and_two_are_the_same(tmp_path):
    """The second is built by somebody whose files nobody else may read."""
    downloads.wheel(tmp_path / "one", make.ROOT)
    before = os.umask(0o077)
    try:
        for package in (*places.PACKAGES, "sphinx_claims"):
            shutil.copytree(make.ROOT / package, tmp_path / "theirs" / package)
        for name in ("pyproject.toml", "LICENSE"):
            shutil.copy(make.ROOT / name, tmp_path / "theirs")
        for path in (tmp_path / "theirs").rglob("*.py"):
            path.chmod(0o700)
        downloads.wheel(tmp_path / "other folder", tmp_path / "theirs")
    finally:
        os.umask(before)
    one, other = (next((tmp_path / name).glob("*.whl")).read_bytes() for name in ("one", "other folder"))
    assert one == other
    with zipfile.ZipFile(io.BytesIO(one)) as archive:
        held = set(archive.namelist())
    of_packages = [path for package in places.PACKAGES for path in (make.ROOT / package).rglob("*")]
    paths = [*of_packages, *of_the_ledger(make.ROOT)]
    sources = [path for path in paths if path.is_file() and "__pycache__" not in path.parts]
    assert {name for name in held if not name.startswith("sparse_activations-")} == {
        path.relative_to(make.ROOT).as_posix() for path in sources
    }


@pytest.mark.parametrize("given", ["a/b.c", "https://github.com/a/b.c", "https://github.com/a/b.c.git"])
def test_what_needs_an_address_appears_with_it(given, tmp_path, monkeypatch):
    (tmp_path / WHEEL).touch()
    for name in ("COMPANION_REPOSITORY", "COMPANION_SITE"):
        monkeypatch.delenv(name, raising=False)
    assert links.site() == ""
    assert (links.launch("02-a", tmp_path), links.requirements(tmp_path)) == (
        "",
        f"pip install matplotlib {WHEEL}",
    )
    monkeypatch.setenv("COMPANION_REPOSITORY", given)
    assert links.requirements(tmp_path) == "pip install matplotlib git+https://github.com/a/b.c"
    monkeypatch.setenv("COMPANION_SITE", "https://a.github.io/b.c/")
    shown = links.launch("02-a", tmp_path)
    assert re.findall('href="(.*?)"', shown) == [
        "https://mybinder.org/v2/gh/a/b.c/HEAD?urlpath=lab/tree/book/02-a.ipynb",
        "https://codespaces.new/a/b.c",
        "https://colab.research.google.com/github/a/b.c/blob/HEAD/book/02-a.ipynb",
    ]
    assert f"%pip install matplotlib https://a.github.io/b.c/_static/{WHEEL}</code>" in shown


def test_each_page_leads_back_to_its_source_and_to_a_report(monkeypatch):
    monkeypatch.delenv("COMPANION_REPOSITORY", raising=False)
    assert links.way_back("02-uniform") == links.way_back("ledger") == ""
    assert links.new_issue("Lemma 9 (lemma-9)") == "errata.html#report"
    monkeypatch.setenv("COMPANION_REPOSITORY", "a/b")
    assert "<code>book/02-uniform.md</code>" in links.way_back("02-uniform")
    found = re.findall('href="(.*?)"', links.way_back("02-uniform"))
    assert found[:2] == ["https://github.com/a/b", "https://github.com/a/b/edit/HEAD/book/02-uniform.md"]
    assert found[2].startswith("https://github.com/a/b/issues/new?title=02-uniform%3A%20&body=Where%3A%2002-uniform%0A")
    assert "edit" not in links.way_back("slides")  # no file holds it


def test_the_address_is_read_from_the_configuration(tmp_path, monkeypatch):
    monkeypatch.delenv("COMPANION_REPOSITORY", raising=False)
    monkeypatch.setattr(links, "ROOT", tmp_path)
    (tmp_path / "_config.yml").write_text("repository:\n  url: c/d\n")
    assert links.repository() == "https://github.com/c/d" and links.site() == ""
    (tmp_path / "_config.yml").write_text("html:\n  baseurl: https://c.github.io/e/\n")
    links._settings.cache_clear()
    assert links.site() == "https://c.github.io/e"
    assert links.repository() == "https://github.com/c/e"  # one address is enough
    (tmp_path / WHEEL).touch()
    assert "https://mybinder.org/v2/gh/c/e/HEAD" in links.launch("02-a", tmp_path)
    monkeypatch.setenv("COMPANION_REPOSITORY", "a/b")
    assert links.repository() == "https://github.com/a/b"


@pytest.mark.parametrize("given", ["a", "https://example.org/a/b", 'a/b"><script>', "a/b/c"])
def test_an_address_of_another_form_is_refused(given, monkeypatch):
    monkeypatch.setenv("COMPANION_REPOSITORY", given)
    with pytest.raises(Stop, match=r"COMPANION_REPOSITORY \(or repository in _config.yml\) must be OWNER/NAME"):
        links.repository()
