"""What greets a contributor says what the commands, the pins and the citation say, and names no address of its own."""

import json
import math
import re
import tomllib

import pytest
import yaml

import make
from sparse_book import experiments

ROOT = make.ROOT
FOLDERS = (".github", ".binder", ".devcontainer")
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]
FILES += [ROOT / name for name in (".pre-commit-config.yaml", ".zenodo.json", "CITATION.cff", "pyproject.toml")]
PAGES = [
    ROOT / name for name in ("README.md", "LICENSE-TEXT.md", "CHANGELOG.md", "CONTRIBUTING.md", ".github/SECURITY.md")
]
FILES += PAGES


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES])
def test_commands_exist_and_no_address_is_made_up(path):
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"\bmake\.py ([a-z][a-z-]*)", text)) <= set(make.COMMANDS)
    known = (
        "https://proceedings.mlr.press/",
        "https://creativecommons.org/",
        "https://www.contributor-covenant.org/",
        "https://download.pytorch.org/",
    )
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
    for page in ("README.md", "book/package.md"):
        assert f"With Python {named[0]} or newer (tested: {named[0]} to {named[-1]}):" in read(page)


@pytest.mark.parametrize(
    "claim, bound", [("ours-average-sensitivity", r"4k^2W^2"), ("conjecture-20", r"7\sqrt{\ln(2m)}")]
)
def test_the_readme_has_the_constants_of_the_ledger(claim, bound):
    said = yaml.safe_load(read("book/claims/published.yml"))[claim]
    assert bound in read("README.md") and bound in said["statement"].replace(" ", "") + said.get("note", "")


def test_the_first_page_has_the_shares_of_the_photographs():
    rows = [row for row in experiments.times("photographs")["rows"] if (row["blank"], row["grid"]) == ("grey", 7)]
    few, more, most = sorted(math.ceil(100 * row["high"]) for row in rows)
    assert f"No heat map explains more than {few}, {more} and {most} %" in read("book/index.md")


def test_the_readme_counts_results_as_the_first_page_does():
    words = " ".join(read("README.md").split())
    count = re.search(r"all eight of its main results .*?\.", words)
    assert count and count[0][3:] in " ".join(read("book/index.md").split())


WORKFLOWS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / ".github/workflows").glob("*.yml"))}
CI = "./.github/workflows/ci.yml"


def steps(workflow):
    return [step for job in yaml.safe_load(workflow)["jobs"].values() for step in job.get("steps", [])]


def test_each_action_is_named_by_one_digest_beside_its_version():
    """A tag can be moved to other code, a digest cannot."""
    used = set(re.findall(r"uses: (.*)", "\n".join(WORKFLOWS.values()))) - {CI}
    assert [one for one in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []
    actions = [one.partition("@")[0] for one in used]
    assert len(actions) == len(set(actions)) > 5


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_checkout_leaves_its_token_behind(name):
    checkouts = [step for step in steps(WORKFLOWS[name]) if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts and all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_ci_reruns_notebooks_as_the_readme_says():
    job = yaml.safe_load(WORKFLOWS["ci"])["jobs"]["conventional"]
    commands = [step["run"] for step in job["steps"] if "run" in step]
    install = "pip install -r requirements.txt -e ."
    assert commands[0] == install and f"after `{install}`" in read("README.md")
    execute = next(line for line in commands if line.startswith("jupyter execute "))
    assert len(re.findall(r"book/[\w-]+\.ipynb", execute)) == 3 and "book/08-practice.ipynb" in execute


def test_no_text_tells_to_install_the_package_by_its_name():
    """The index has none of this name: who follows such a hint gets nothing, or what a stranger put there."""
    folders = ("sparse_core", "sparse_meter", "sparse_book", "sphinx_claims", "book")
    paths = [*PAGES, *(path for folder in folders for path in ROOT.glob(f"{folder}/**/*.[mp][dy]"))]
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines() if "pip install" in line]
    assert len(lines) > 8
    assert [line for line in lines if re.search("pip install .*sparse-activations", line)] == []


@pytest.mark.parametrize("name, last", [("pages", "deploy"), ("release", "publish")])
def test_what_reaches_readers_has_passed_ci(name, last):
    jobs = yaml.safe_load(WORKFLOWS[name])["jobs"]
    while "needs" in jobs[last]:
        assert "always()" not in jobs[last].get("if", "")
        last = jobs[last]["needs"]
    assert jobs[last] == {"uses": CI}


def test_what_makes_and_uploads_the_package_is_locked():
    said = "\n".join(step.get("run", "") for name in ("ci", "release") for step in steps(WORKFLOWS[name]))
    assert said.count("pip install --require-hashes -r .github/tools.lock") == 3
    assert not re.search(r"pip install (?!--require-hashes).*\b(build|twine|pip-audit)\b", said)
    locked = read(".github/tools.lock")
    assert all(f"\n{tool} " in f"\n{locked}" for tool in re.findall(r"^[\w-]+==\S+", read(".github/tools.txt"), re.M))
