"""Figures: deterministic, theme-following, described."""

import re
import xml.etree.ElementTree as ET

import pytest

from sparse_core import figures


def draw(alt="A line from 0 to 1."):
    fig, ax = figures.canvas()
    ax.plot([0, 1], [0, 1], label="identity")
    ax.legend()
    return figures.Figure(fig, alt)


def test_the_same_drawing_gives_the_same_bytes():
    assert draw().svg == draw().svg


def test_the_figure_is_drawn_in_the_ink_of_the_page():
    svg = draw().svg
    assert "currentColor" in svg and figures.INK not in svg
    assert "<metadata>" not in svg and "date" not in svg.lower()


def test_it_is_well_formed_and_described():
    figure = draw("A line & its legend.")
    root = ET.fromstring(figure.svg)
    assert root.attrib["role"] == "img" and root.attrib["aria-label"] == "A line & its legend."
    bundle = figure._repr_mimebundle_()
    assert bundle["text/plain"] == "Figure: A line & its legend." and figure.svg in bundle["text/html"]


def test_two_figures_on_a_page_share_no_id():
    ids = [set(re.findall(r'\bid="([^"]+)"', draw(alt).svg)) for alt in ("One.", "Two.")]
    assert ids[0] and not ids[0] & ids[1]


def test_references_inside_the_svg_resolve():
    svg = draw().svg
    ids = set(re.findall(r'\bid="([^"]+)"', svg))
    used = set(re.findall(r'href="#([^"]+)"', svg)) | set(re.findall(r"url\(#([^)]+)\)", svg))
    assert used and used <= ids


def test_a_figure_without_a_description_is_refused():
    with pytest.raises(ValueError, match="Argument 'alt' must say what the figure shows"):
        draw("  ")


def test_a_table_is_escaped_and_rounded():
    table = figures.Table({"a <b>": [1, 2], "value": [1 / 3, 10.0]})
    bundle = table._repr_mimebundle_()
    assert bundle["text/plain"] == "a <b>  value\n1      0.3333\n2      10"
    assert "a &lt;b&gt;" in bundle["text/html"] and bundle["text/html"].count("<tr>") == 3


def test_columns_of_a_table_have_one_length():
    with pytest.raises(ValueError):
        figures.Table({"a": [1], "b": [1, 2]})
