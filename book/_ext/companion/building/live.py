"""Pages that run in the reader's browser: Python for it, fetched once and by hash, and a copy of the site whose pages
have a button (book/assets/run.js). A site without it is whole, and nothing is loaded before the button is used.
"""

import ast
import base64
import gzip
import hashlib
import json
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.building import chapters, commands, kept
from companion.building.chapters import Notebook
from companion.places import BUILD, PACKAGES, ROOT, Stop, text_of

VERSION = "0.27.7"
HOST = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full"
# What was fetched is kept here, outside _build, which `make.py clean` empties.
CACHE = ROOT / ".pyodide"
# The SHA-256 of Python itself. The lock, which npm's package pyodide has too, names that of each further package.
RUNTIME = {
    "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    "pyodide.js": "b4cb23a53aba19c221659b9fb40a2f18281d685691dc06647fb0afd0681baf98",
    "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
    "pyodide-lock.json": "9c45b916001a750f4102fc287494f3eab215909c7535c626a20db80fd6333e2c",
}
# With what Python is started there.
OPTIONS: dict[str, Any] = {
    "packages": ["numpy", "scipy", "scikit-learn", "matplotlib", "threadpoolctl"],
    "env": {"MPLBACKEND": "agg"},
}
# The pages that have a button, and what the parameters of one become where it would take more than three minutes.
PAGES = {
    "ten-minutes": "",
    "a-switch-is-free": "",
    "three-points": "",
    "three-percent": "",
    "thirty-minutes": "",
    "simple": "",
    "your-network": "",
    "gallery": "",
    "laboratory": "",
    "01-definitions": "",
    "02-uniform": "runs = 3",
    "05-general": "",
    "09-buys": "",
}
# Of this extension, what the browser needs.
OURS = ("site/colours.py", "building/in_browser.py")
STAMP = BUILD / "live.sha"


def live(host: str = HOST) -> None:
    """Build the site with pages that run in the reader's browser, _build/live; needs Node, and fetches 53 MB once."""
    if not shutil.which("node"):
        raise Stop("Node is missing, which compiles what the browser would compile at each start (Debian: nodejs)")
    packages = fetch(host)
    fingerprint = kept.source_fingerprint()
    if not kept.is_current():
        commands.book()
    notebooks = commands.read_all()
    out = BUILD / "out"
    with kept.build_lock(), tempfile.TemporaryDirectory() as folder:
        done = commands.executed(notebooks)
        kept.swap_folder(out)
        try:
            shutil.copytree(kept.site(), out)
            made = compiled(Path(folder), out, {name: done[name] for name in PAGES})
            size = write(out / "_static/run", [*made, *(CACHE / name for name in packages)], done)
            add_buttons(out, round(size / 1e6))
            STAMP.unlink(missing_ok=True)
            kept.swap_folder(BUILD / "live", out)
        finally:
            shutil.rmtree(out, ignore_errors=True)
        kept.write_atomically(STAMP, fingerprint)
    commands.say(f"live: {BUILD / 'live/index.html'}, {len(PAGES)} pages that run, {size / 1e6:.0f} MB for it")


def is_current() -> bool:
    """Whether there is such a site of the present sources."""
    return kept.has(STAMP, kept.source_fingerprint()) and (BUILD / "live/index.html").is_file()


# What is fetched


def fetch(host: str) -> list[str]:
    """Fetch from ``host``, or a folder as file:///..., what CACHE lacks; the names of the packages' files."""
    CACHE.mkdir(exist_ok=True)
    for name, digest in RUNTIME.items():
        fetch_one(host, name, digest)
    files = {package["file_name"]: package["sha256"] for package in needed(OPTIONS["packages"])}
    for name, digest in files.items():
        fetch_one(host, name, digest)
    return list(files)


def needed(names: Iterable[str]) -> Iterator[dict[str, Any]]:
    """What the lock says of these packages, and of all that they depend on."""
    lock = json.loads(text_of(CACHE / "pyodide-lock.json"))["packages"]
    queue = list(names)
    seen = set(queue)
    while queue:
        package = lock[queue.pop()]
        yield package
        further = {name.lower() for name in package["depends"]} - seen
        seen |= further
        queue += sorted(further)


def fetch_one(host: str, name: str, digest: str) -> None:
    """Fetch a file unless CACHE has it, and keep it only if it is the one that was tried."""
    path = CACHE / name
    if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest:
        return
    try:
        with urllib.request.urlopen(f"{host}/{name}") as answer:  # noqa: S310  (the host is chosen by who builds)
            data = answer.read()
    except OSError as error:
        raise Stop(f"{name} cannot be fetched from {host} ({error}); --from names another place with it") from None
    if (found := hashlib.sha256(data).hexdigest()) != digest:
        raise Stop(f"{name} from {host} is another file: its SHA-256 is {found}, not {digest}")
    path.write_bytes(data)
    commands.say(f"  {name}: {len(data) / 1e6:.1f} MB")


# What the pages load


def compiled(folder: Path, site: Path, notebooks: Mapping[str, Notebook]) -> list[Path]:
    """Python, its library in bytecode, and ours.zip: the wheel of this site, the bytecode of all that is imported."""
    shutil.unpack_archive(next(site.glob("_static/*.whl")), folder / "ours", "zip")
    here = Path(__file__).parent
    for name in OURS:
        target = folder / "ours/companion" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(here.parent / name, target)
    shutil.copy(CACHE / "python_stdlib.zip", folder)
    (folder / "imports.py").write_text("\n".join(sorted(imports(notebooks.values()))), encoding="utf-8")
    commands.say("  compiling for the browser")
    run = subprocess.run(in_node(here / "bytecode.py", f"/host{folder}", *PACKAGES), capture_output=True, text=True)
    if run.returncode:
        raise Stop(f"Node: {(run.stderr.strip().splitlines() or [f'exit code {run.returncode}'])[-1]}")
    return [*(CACHE / name for name in RUNTIME if name != "python_stdlib.zip"), *sorted(folder.glob("*.zip"))]


def in_node(script: Path, *arguments: str) -> list[str]:
    """The command that runs a script by the Python of the browser, without a browser."""
    starter = Path(__file__).with_name("in_node.cjs")
    return ["node", str(starter), str(CACHE), json.dumps(OPTIONS), str(script), *arguments]


def imports(notebooks: Iterable[Notebook]) -> set[str]:
    """The lines by which the cells import something."""
    cells = [cell for notebook in notebooks for cell in chapters.code_cells(notebook)]
    nodes = [node for cell in cells for node in ast.walk(ast.parse(cell["source"]))]
    return {ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)}


def write(folder: Path, files: Sequence[Path], notebooks: Mapping[str, Notebook]) -> int:
    """Write what the pages load, and return its size: as scripts, since a page from a disk may load nothing else."""
    folder.mkdir()
    plan = {"files": [path.name for path in files], **OPTIONS}
    texts = {"plan.json": plan} | {f"{name}.json": cells_of(notebooks[name], PAGES[name]) for name in PAGES}
    contents = {path.name: path.read_bytes() for path in files}
    contents |= {name: json.dumps(text).encode() for name, text in texts.items()}
    for name, data in contents.items():
        text = base64.b64encode(gzip.compress(data, mtime=0)).decode()
        (folder / f"{name}.js").write_text(f'(window.runFiles ??= {{}})["{name}"] = "{text}";\n', encoding="utf-8")
    return sum(path.stat().st_size for path in folder.iterdir())


def cells_of(notebook: Notebook, smaller: str) -> list[dict[str, Any]]:
    """Each code cell: its source, with smaller parameters if there are any; what it printed; whether it may differ."""
    found = []
    for cell in chapters.code_cells(notebook):
        tags = cell["metadata"].get("tags", [])
        source = f"{cell['source']}\n{smaller}" if smaller and "parameters" in tags else cell["source"]
        free = "nbval-ignore-output" in tags
        found.append({"source": source, "printed": printed(cell["outputs"]), "free": free})
    return found


def printed(outputs: Iterable[Mapping[str, Any]]) -> list[tuple[str, str, str | None]]:
    """What is compared of the outputs of a cell: the kind of each, its text, and the data of a figure."""
    from sparse_book.figure_svg import MIME  # which needs packages, as the commands of an empty folder must not

    found: list[tuple[str, str, str | None]] = []
    for output in outputs:
        if output["output_type"] == "stream":
            found.append(("stream", output["text"], None))
        else:
            data = output["data"]
            found.append((output["output_type"], data["text/plain"], data.get(MIME, {}).get("csv")))
    return found


def add_buttons(site: Path, megabytes: int) -> None:
    """Give each page what runs it, or says why it cannot."""
    from companion.site import head, links

    facts = {name: f'data-needs="{reason}"' for name, reason in links.NEEDS.items()}
    facts |= {name: f'data-size="{megabytes}" data-smaller="{smaller}"' for name, smaller in PAGES.items()}
    for name, fact in facts.items():
        path = site / f"book/{name}.html"
        text = text_of(path)
        old = head.policy()
        if text.count(old) != 1:
            raise Stop(f"{path.name} has not the policy of a page: {old}")
        new = head.policy(runs=name in PAGES)
        style = '<link rel="stylesheet" href="../_static/run.css">'
        script = f'<script defer src="../_static/run.js" data-page="{name}" {fact}></script>'
        path.write_text(text.replace(old, f"{new}{style}{script}"), encoding="utf-8")
