"""A page of its own, which loads faster than one of the site and holds nothing else."""

import pytest
from companion import places

from sphinx_claims.site import SCRIPTS

FOLDERS = (places.BOOK / "assets", SCRIPTS)
HEAD = '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'


@pytest.fixture(scope="module")
def page_of(tmp_path_factory):
    """A function that writes a body with these scripts and styles of the book, and returns the address of the page."""

    def write(body, *assets):
        found = [folder / name for name in assets for folder in FOLDERS if (folder / name).is_file()]
        texts = {path.name: path.read_text(encoding="utf-8") for path in found}
        tags = {name: "script" if name.endswith(".js") else "style" for name in assets}
        parts = [f"<{tags[name]}>{text}</{tags[name]}>" for name, text in texts.items()]
        path = tmp_path_factory.mktemp("page") / "page.html"
        path.write_text(f"{HEAD}<body>{body}{''.join(parts)}</body></html>", encoding="utf-8")
        return path.as_uri()

    return write
