"""What greets a contributor says what the commands, the pins and the citation say, and names no address of its own."""

import json
import re
import tomllib

import pytest
import yaml

import make

ROOT = make.ROOT
FOLDERS = (".github", ".binder", ".devcontainer")
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]
FILES += [ROOT / name for name in (".pre-commit-config.yaml", ".zenodo.json", "CITATION.cff", "pyproject.toml")]
PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", ".github/SECURITY.md")]
FILES += PAGES


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES])
def test_commands_exist_and_no_address_is_made_up(path):
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"\bmake\.py ([a-z]+)", text)) <= set(make.COMMANDS)
    known = ("https://proceedings.mlr.press/", "https://www.contributor-covenant.org/", "https://download.pytorch.org/")
    assert [url for url in re.findall(r"https?://[^\s\"')]+", text) if not url.startswith(known)] == []


def test_zenodo_is_told_what_the_citation_says():
    zenodo, citation = json.loads(read(".zenodo.json")), yaml.safe_load(read("CITATION.cff"))
    assert (zenodo["title"], zenodo["license"]) == (citation["title"], citation["license"])
    assert zenodo["keywords"] == citation["keywords"] and zenodo["creators"] == citation["authors"]
    assert zenodo["related_identifiers"][0]["identifier"] == citation["references"][0]["url"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_files_that_a_page_names_exist(path):
    text = path.read_text(encoding="utf-8")
    links = [path.parent / target for target in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in target]
    named = [
        ROOT / name for name in re.findall(r"\b(?:tests|book|sparse_\w+|proofs)/[\w./-]*\w", text) if "NN" not in name
    ]
    assert [str(one) for one in [*links, *named] if not one.exists()] == []


def test_the_pythons_that_the_package_names_are_those_that_are_tested():
    classifiers = tomllib.loads(read("pyproject.toml"))["project"]["classifiers"]
    named = [one.rpartition(" ")[2] for one in classifiers if "Python :: 3." in one]
    jobs = yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]
    assert jobs["pinned"]["strategy"]["matrix"]["python"] == named
    assert make.TESTED == f"Python {named[0]} to {named[-1]}"
    for page in ("README.md", "book/index.md"):
        assert f"With Python {named[0]} or newer (tested: {named[0]} to {named[-1]}):" in read(page)
