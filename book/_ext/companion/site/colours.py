"""The colours of a figure, those of the theme where it is shown on a page: light or dark."""

from sparse_book.figure_svg import COLOURS


def themed(shown: str) -> str:
    """HTML in which the colours of a figure are those of the theme; without the style sheet they are as drawn.

    >>> themed('<path style="fill: #0a75a0"/>')
    '<path style="fill: var(--figure-0, #0a75a0)"/>'
    """
    for i, colour in enumerate(COLOURS):
        shown = shown.replace(colour, f"var(--figure-{i}, {colour})")
    return shown.replace("#ffffff", "var(--figure-on, #ffffff)")  # a number on a colour
