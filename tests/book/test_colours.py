"""The colours of figures: those of Python are those of the style sheet, and each can be read on its page."""

import re

import pytest
from companion import places
from companion.site import figures

from sparse_book.figure_svg import COLOURS

STYLES = (places.BOOK / "assets/custom.css").read_text(encoding="utf-8")
# What stands behind a figure: the page and a box.
GROUNDS = {"light": ("#ffffff", "#f7f8fa"), "dark": ("#121212", "#1b2027")}


def palette(theme):
    block = re.search(rf'^html\[data-theme="{theme}"\] {{(.*?)^}}', STYLES, flags=re.S | re.M)[1]
    return re.findall(r"--figure-\d: (#[0-9a-f]{6});", block)


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", GROUNDS)
def test_each_colour_can_be_read_on_the_page_of_its_theme(theme):
    colours = palette(theme)
    assert len(colours) == len(COLOURS)
    low = [(colour, ground) for colour in colours for ground in GROUNDS[theme] if contrast(colour, ground) < 4.5]
    assert low == []
    on = re.search(r"--figure-on: (#\w+);", STYLES[STYLES.index(f'html[data-theme="{theme}"] {{') :])[1]
    assert [colour for colour in colours if contrast(colour, on) < 4.5] == []  # a number on a bar


def test_the_words_of_the_first_picture_can_be_read_as_the_style_sheet_brightens_them():
    """It is an image, which takes no colours of the page."""
    picture = (places.BOOK / "assets/activity.svg").read_text(encoding="utf-8")
    ink = re.search(r'<svg [^>]*fill="(#\w{6})"', picture)[1]
    more = float(re.search(r"img\.first-picture \{ filter: brightness\((.*?)\)", STYLES)[1])
    bright = "#" + "".join(f"{min(round(more * int(ink[i : i + 2], 16)), 255):02x}" for i in (1, 3, 5))
    for theme, colour in (("light", ink), ("dark", bright)):
        assert contrast(colour, GROUNDS[theme][0]) >= 4.5, theme


def test_contrast_is_that_of_the_guidelines():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)
    assert contrast("#3d8f3d", "#ffffff") < 4.5  # the green that could not be read


def test_a_figure_takes_the_colours_of_the_theme_and_without_it_those_that_were_drawn():
    assert tuple(palette("light")) == COLOURS
    shown = figures.themed("".join(f'<path style="fill: {colour}"/>' for colour in COLOURS))
    assert re.findall(r"var\((--figure-\d), (#\w+)\)", shown) == [(f"--figure-{i}", c) for i, c in enumerate(COLOURS)]
