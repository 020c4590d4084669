"""A repository with two small chapters, and make.py as a process in it."""

import os
import shutil
import signal
import subprocess
import sys

import make

CHAPTER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
---

# A chapter

## Its section

```{code-cell} ipython3
:tags: [parameters]

n = 3
```

```{code-cell} ipython3
from IPython.display import HTML

print(f"n is {n!r}")
HTML('<p>Here <span class="claim" data-claim="lemma-9">Lemma 9</span> was checked.</p>')
```
"""
SECOND = CHAPTER.replace("n = 3", 'word = "b"').replace("{n!r}", "{word!r}")
LEDGER = """
def write(*, book, stage, executed, only, accepted):
    text = [o.get("text") for nb in executed.values() for c in nb["cells"] for o in c.get("outputs", ())]
    (stage / "book" / "site").mkdir()
    (stage / "book" / "ledger.md").write_text(f'# Ledger\\n\\n## Claims\\n\\n<p id="lemma-9">{text} {only}</p>\\n')
"""
TOC = "{format: jb-book, root: book/index, chapters: [{file: book/01-a}, {file: book/02-b}, {file: book/ledger}]}"


# Of the packages, what a build imports: each command parses all that is there, which takes longer than the rest
MODULES = ("sparse_core/checks.py", "sparse_book/figure_svg.py")


def write(root):
    """Two chapters, and a ledger that records what it was given."""
    for folder in ("book/_ext", "book/assets", "sphinx_claims"):
        shutil.copytree(make.ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("make.py", "_config.yml", "pyproject.toml", "LICENSE", *MODULES):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy(make.ROOT / name, root / name)
    (root / "sparse_meter").mkdir()
    files = {
        "sparse_core/__init__.py": "",
        "sparse_book/__init__.py": "",
        "_toc.yml": TOC,
        "requirements.lock": "# nothing\n",
        "requirements-dev.lock": "# nothing\n",
        "book/_ext/companion/building/evidence.py": LEDGER,
        "book/index.md": "# A small book\n",
        "book/01-a.md": CHAPTER,
        "book/02-b.md": SECOND,
        "book/references.bib": "",
        "book/claims.toml": "",
    }
    for name, text in files.items():
        (root / name).write_text(text)
    return root


def start(root, *arguments, **environment):
    """make.py as a process group; it heeds Ctrl-C even if the tests were started to ignore it."""
    heed = None if os.name == "nt" else lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(
        [sys.executable, "make.py", *arguments],
        cwd=root,
        env={**os.environ, "COMPANION_NO_VENV": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed,
    )


def run(root, *arguments, **environment):
    """(exit code, standard output, standard error) of make.py."""
    process = start(root, *arguments, **environment)
    output, errors = process.communicate()
    return process.returncode, output, errors


def stopped(root, *arguments):
    """The one line with which make.py gives up."""
    code, _, errors = run(root, *arguments)
    assert code != 0
    assert f'File "{root}' not in errors, errors  # no traceback of ours; a kernel that is stopped may leave its own
    assert not (root / "_build" / "out").exists()
    line = errors.splitlines()[-1]  # kernels may have said something before
    assert line.startswith(f"{arguments[0]}: stopped: "), errors
    return line


def files(folder):
    """The contents of all files of a folder, by name; None where there is no folder."""
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items()} if folder.exists() else None
