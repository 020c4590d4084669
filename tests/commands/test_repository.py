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


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES])
def test_commands_exist_and_no_address_is_made_up(path):
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"\bmake\.py ([a-z]+)", text)) <= set(make.COMMANDS)
    known = ("https://proceedings.mlr.press/", "https://www.contributor-covenant.org/")
    assert [url for url in re.findall(r"https?://[^\s\"')]+", text) if not url.startswith(known)] == []


def test_zenodo_is_told_what_the_citation_says():
    zenodo, citation = json.loads(read(".zenodo.json")), yaml.safe_load(read("CITATION.cff"))
    assert (zenodo["title"], zenodo["license"]) == (citation["title"], citation["license"])
    assert zenodo["keywords"] == citation["keywords"] and zenodo["creators"] == citation["authors"]
    assert zenodo["related_identifiers"][0]["identifier"] == citation["references"][0]["url"]


def test_every_python_that_the_package_names_is_tested():
    jobs = yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]
    matrices = [job["strategy"]["matrix"] for job in jobs.values() if "strategy" in job]
    tested = {python for matrix in matrices for python in matrix.get("python", [])}
    tested |= {one["python"] for matrix in matrices for one in matrix["include"]}
    classifiers = tomllib.loads(read("pyproject.toml"))["project"]["classifiers"]
    assert tested >= {one.rpartition(" ")[2] for one in classifiers if "Python :: 3." in one}
