"""Links of a page that need an address, and are there only if one is known: of the site, from COMPANION_SITE in the
environment or else from `html: baseurl` in _config.yml; of the repository, OWNER/NAME or https://github.com/OWNER/NAME,
from COMPANION_REPOSITORY, from `repository` there, or from a site at https://OWNER.github.io/NAME, so that one address
is enough. And links to what is taken away: the page as a notebook, and the package as a wheel.
"""

import os
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from companion.places import ROOT, Stop, yaml_of

# The pages that are not offered as notebooks, with the reason.
NEEDS = {
    "performance": "it reads tests/benchmarks/results.json",
    "scaling": "it needs Dask, and starts processes",
}


def wheel_in(assets: Path) -> str:
    return next(assets.glob("*.whl")).name


def requirements(assets: Path) -> str:
    """The command that installs what a page needs: the package from the site, the repository or the file beside it."""
    address = repository()
    package = f"{site()}/_static/{wheel_in(assets)}" if site() else f"git+{address}" if address else wheel_in(assets)
    return f"pip install matplotlib {package}"


def site() -> str:
    """The address of the site, or nothing."""
    return (os.environ.get("COMPANION_SITE") or configured("html", "baseurl")).rstrip("/")


def repository() -> str:
    """The address of the repository, or nothing."""
    given = os.environ.get("COMPANION_REPOSITORY") or configured("repository", "url")
    if not given:
        of_pages = re.fullmatch(r"https://([\w-]+)\.github\.io/([\w.-]+)", site())
        return f"https://github.com/{of_pages[1]}/{of_pages[2]}" if of_pages else ""
    if not (found := re.fullmatch(r"(?:https://github\.com/)?([\w-]+/[\w.-]+?)(?:\.git)?/?", given)):
        raise Stop(
            f"COMPANION_REPOSITORY (or repository in _config.yml) must be OWNER/NAME or https://github.com/OWNER/NAME, "
            f"not {given!r}"
        )
    return f"https://github.com/{found[1]}"


def configured(part: str, key: str) -> str:
    """An address in _config.yml, or nothing."""
    return str(_settings(ROOT / "_config.yml").get(part, {}).get(key, ""))


@cache
def _settings(config: Path) -> Any:
    """The settings of a file; each statement of the book asks for an address."""
    return yaml_of(config)


def launch(name: str, assets: Path) -> str:
    """Links that run a page elsewhere, if the address of the repository is known."""
    if not (address := repository()):
        return ""
    owner = address.removeprefix("https://github.com/")
    places = {
        "Open in Binder": f"https://mybinder.org/v2/gh/{owner}/HEAD?urlpath=lab/tree/book/{name}.ipynb",
        "in Codespaces": f"https://codespaces.new/{owner}",
        "in Colab": f"https://colab.research.google.com/github/{owner}/blob/HEAD/book/{name}.ipynb",
    }
    links = ", ".join(f'<a href="{target}">{words}</a>' for words, target in places.items())
    return f'<p class="whereabouts">{links} (first <code>%{requirements(assets)}</code>).</p>'


def files(stem: str, assets: Path) -> str:
    """Links to the notebook of a page and to the package, which can be taken away, and what installs the latter."""
    page = f'<a download href="../_static/downloads/{stem}.ipynb" aria-label="notebook of {stem}">notebook</a>'
    package = f'<a download href="../_static/{wheel_in(assets)}">the package</a>'
    needs = requirements(assets)
    return (
        f'<p class="take-away">Download: the page as a {page}, and {package}. It runs after <code>{needs}</code>.</p>'
    )


def way_back(name: str) -> str:
    """Where the source of a page stands, how to change it, and where to report an error; nothing without an address."""
    if not (address := repository()):
        return ""
    source = f"book/{name}.md"
    if not (ROOT / source).is_file():
        source = ""  # a page that the claims of all chapters make
    made_from = f"The source of this page is <code>{source}</code>" if source else "This page is made from the chapters"
    links = [f'<a href="{address}">the repository</a>', f'<a href="{new_issue(name)}">report an error</a>']
    if source:
        links.insert(1, f'<a href="{address}/edit/HEAD/{source}">edit this page</a>')
    return f'<p class="take-away">{made_from}: {", ".join(links)}.</p>'


def new_issue(subject: str) -> str:
    """Where to report an error in a page or a statement: a form that names it, or what to do where there is none."""
    if not (address := repository()):
        return "errata.html#report"
    body = f"Where: {subject}\n\nWhat is wrong:\n\nA witness, or a source, if you have one:\n"
    return f"{address}/issues/new?title={quote(f'{subject}: ')}&body={quote(body)}"
