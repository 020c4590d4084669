"""Figures: deterministic, theme-following, described, and with their data."""

import base64
import csv
import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from functools import cache

import matplotlib.image
import numpy as np
import pytest
from bs4 import BeautifulSoup
from companion.site.figures import files, write
from nbformat.v4 import new_code_cell, new_notebook, new_output, writes

from sparse_book import figure_data, figure_phone, figure_svg, figures


@cache
def draw(alt="A line from 0 to 1."):
    fig, ax = figures.canvas()
    ax.plot([0, 1], [0, 1], label="identity")
    ax.name_curves()
    return figures.Figure(fig, alt)


def test_a_figure_is_reproducible_in_the_ink_of_the_page_and_described():
    figure = draw("A line & its name.")
    svg, root = figure.svg, ET.fromstring(figure.svg)
    assert svg == draw.__wrapped__("A line & its name.").svg
    assert "currentColor" in svg and figures.INK not in svg and "<metadata>" not in svg and "date" not in svg.lower()
    assert root.attrib["role"] == "img" and root.attrib["aria-label"] == "A line & its name."
    bundle = figure._repr_mimebundle_()
    assert bundle["text/plain"] == "Figure: A line & its name." and svg[5:] in bundle["text/html"]


PROCESS = """
import sys, xml.etree.ElementTree as ET
import matplotlib as mpl, matplotlib.text
mpl.rcParams["font.size"], mpl.rcParams["text.color"] = 8, "red"

def state():
    return dict.copy(mpl.rcParams), mpl.text.TextToPath, dict(ET._namespace_map)

before = state()
from sparse_book import figures
assert state() == before, "the import"
fig, ax = figures.canvas()
ax.plot([0, 1], [0, 1], label="line")
ax.name_curves(), ax.text(0, 0, "word"), fig.colorbar(ax.scatter([1], [1], c=[1]), ax=ax)
assert state() == before, "the canvas"
print(figures.Figure(fig, "A line.").svg)
slider = figures.Slider("t", [1, 2], lambda ax, t: ax.plot([0, t]) and "A line.", start=1)
assert state() == before, "the figures"
"""


def test_matplotlib_and_the_process_stay_as_they_were():
    """The style holds for what is drawn on a canvas, whatever the user's settings are, and for nothing else."""
    run = subprocess.run([sys.executable, "-c", PROCESS], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "currentColor" in run.stdout and "red" not in run.stdout and "#ff0000" not in run.stdout
    assert "stroke-width: 1.8" in run.stdout


def test_references_inside_a_figure_resolve_and_two_figures_share_no_id():
    one, other = (set(re.findall(r'\bid="([^"]+)"', draw(alt).svg)) for alt in ("A line & its name.", "Two."))
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', draw("Two.").svg))
    assert one and used and used <= other and not one & other


def test_on_a_phone_the_panels_stand_below_each_other_with_their_own_axes():
    fig, (left, right) = figures.canvas(2, size=(7.6, 3), sharey=True)
    for ax in (left, right):
        ax.plot([0, 1], [0, 1])
    left.set(ylabel="height")
    figure = figures.Figure(fig, "Two lines.")
    wide, narrow = (ET.fromstring(svg).get("viewBox").split()[2:] for svg in (figure.svg, figure.narrow))
    assert float(wide[0]) > 500 and float(narrow[0]) < 300 < float(narrow[1])
    first, second = left.get_position(), right.get_position()
    assert first.y0 > second.y1 and abs(first.x0 - second.x0) < 1e-9
    assert right.get_ylabel() == "height" and right.yaxis.get_tick_params()["labelleft"]
    shown = figure._repr_mimebundle_()["text/html"]
    assert shown.index('<svg class="wide"') < shown.index('<svg class="narrow" style="display:none"')


def test_no_text_is_below_twelve_pixels_on_the_page_or_on_a_phone():
    fig, ax = figures.canvas(size=(7.6, 3))
    ax.annotate("small", (0.5, 0.5), fontsize=7)
    figure = figures.Figure(fig, "A word.")
    for svg, pixels in ((figure.svg, 670), (figure.narrow, 311)):
        wide = float(ET.fromstring(svg).get("viewBox").split()[2])
        sizes = [100 * float(scale) * pixels / wide for scale in re.findall(r"scale\((0\.(?:0[5-9]|[1-9])\d*) -", svg)]
        assert 11.99 <= min(sizes) < 14


def test_on_a_phone_a_long_name_of_a_curve_goes_on_several_lines():
    fig, ax = figures.canvas(size=(6.8, 3.2))
    for name in ("label noise", "both noises, and another optimiser"):
        ax.plot([0, 1], [0, len(name)], label=name)
    ax.name_curves()
    figure = figures.Figure(fig, "Two lines.")
    assert float(ET.fromstring(figure.narrow).get("viewBox").split()[2]) < 75 * figure_phone.INCHES
    assert [name.get_text().count("\n") for name in ax.names] == [0, 2]


def test_the_figure_of_a_slide_is_a_file_of_its_own_and_linked():
    data = draw("A line & its name.")._repr_mimebundle_()
    written = files(data, "x", "Why.", slide=True)
    assert list(written) == ["x.svg", "x-slide.svg", "x.csv"]
    assert "#ffffff" in written["x-slide.svg"] and "currentColor" not in written["x-slide.svg"]
    assert 'href="slides.html#slide-x"' in data["text/html"]


@pytest.mark.parametrize("address", ["", "https://a.org/b"])
def test_where_the_site_has_an_address_a_page_has_a_picture_for_links(address, tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_SITE", address)
    drawn = [draw("First.")._repr_mimebundle_(), draw("Second.")._repr_mimebundle_()]
    cells = [
        new_code_cell(metadata={"mystnb": {"figure": {"name": f"fig-{i}"}}}, outputs=[new_output("display_data", data)])
        for i, data in enumerate(drawn)
    ]
    (tmp_path / "a.ipynb").write_text(writes(new_notebook(cells=cells)), encoding="utf-8")
    write(tmp_path)
    pictures = {path.name: path.read_bytes() for path in tmp_path.glob("assets/figures/*.png")}
    assert pictures == ({"a.png": base64.b64decode(drawn[0]["image/png"])} if address else {})


def test_a_live_figure_carries_the_numbers_of_its_script():
    fig, ax = figures.canvas()
    ax.plot([0, 1], [0, 1], label="a < b")
    data = figures.Live("risk", fig, "A line.", given={"names": ["a < b & 'c'"]})._repr_mimebundle_()
    shown = BeautifulSoup(data["text/html"], "html.parser").div
    assert shown["data-live"] == "risk" and json.loads(shown["data-given"]) == {
        "names": ["a < b & 'c'"], "colours": list(figures.COLOURS)
    }  # fmt: skip
    assert [svg["class"] for svg in shown.find_all("svg")] == [["wide"], ["narrow"]]
    assert list(files(data, "x", "Why.")) == ["x.svg", "x.csv"]


@pytest.mark.parametrize("kind", ["Figure", "Live", "Slider"])
def test_a_figure_has_a_picture_on_white_that_needs_no_page(kind):
    if kind == "Slider":
        shown = slider()
    else:
        fig, ax = figures.canvas(size=(3, 2))
        ax.plot([0, 1], [0, 1])
        more = {"kind": "risk", "given": {}} if kind == "Live" else {}
        shown = getattr(figures, kind)(fig=fig, alt="A line.", **more)
    coded = base64.b64decode(shown._repr_mimebundle_()["image/png"])
    pixels = matplotlib.image.imread(io.BytesIO(coded))
    assert (pixels[0, 0] == 1).all() and pixels.min() < 0.2 and len(coded) < 60_000
    assert not re.search(rb"tEXtSoftware|tIME", coded)  # nothing that another version or another day would write


def test_a_figure_without_a_description_and_columns_of_two_lengths_are_refused():
    with pytest.raises(ValueError, match="Argument 'alt' must say what the figure shows"):
        draw("  ")
    fig, _ = figures.canvas()
    for refused in (lambda c: figures.Table(c), lambda c: figures.Figure(fig, "Two columns.", data=c)):
        with pytest.raises(ValueError):
            refused({"k": [0, 1], "share": [1]})


def test_a_table_is_escaped_and_rounded():
    table = figures.Table({"a <b>": [1, 2], "value": [1 / 3, 10.0]})
    bundle = table._repr_mimebundle_()
    assert bundle["text/plain"] == "a <b>  value\n1      0.3333\n2      10"
    assert "a &lt;b&gt;" in bundle["text/html"] and bundle["text/html"].count("<tr>") == 3


def test_a_table_of_many_columns_names_each_cell_for_a_phone():
    for columns, kind in ((4, "numbers"), (5, "numbers many")):
        shown = figures.Table({f"c{i}": [i] for i in range(columns)})._repr_mimebundle_()["text/html"]
        assert f'class="table {kind}"' in shown and '<td data-name="c3">3</td>' in shown


# What a figure plots


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def plotted(fig):
    """The data of a figure that is not drawn for it, which takes a second."""
    return read(figure_data.as_csv(figure_data.COLUMNS, figure_data.rows(fig)))


def column(rows, name, **where):
    return [row[name] for row in rows if all(row[key] == value for key, value in where.items())]


def test_the_table_holds_what_was_plotted():
    x, y = np.geomspace(1, 1e6, 7), np.random.default_rng(0).standard_normal(7)
    fig, (left, right) = figures.canvas(2)
    left.plot(x, y, label="noise")
    left.plot(x, -y, "o", label="_mirrored, with a comma")
    left.set(xscale="log", xlabel="$n$", ylabel="value", title="first")
    left.axhline(0.25, label="level")
    left.text(1, 1, "no data")
    right.scatter([1, 2], [3, 4], label="cloud")
    rows = plotted(fig)
    assert rows[0].keys() == set(figure_data.COLUMNS)
    np.testing.assert_allclose(np.array(column(rows, "x", series="noise"), float), x)
    np.testing.assert_allclose(np.array(column(rows, "y", series="noise"), float), y, rtol=1e-9)
    np.testing.assert_allclose(np.array(column(rows, "y", series="mirrored, with a comma"), float), -y, rtol=1e-9)
    assert column(rows, "kind", series="mirrored, with a comma") == ["points"] * 7
    assert [(row["x"], row["y"], row["kind"]) for row in rows if row["series"] == "level"] == [("", "0.25", "mark")]
    assert {(row["panel"], row["x axis"], row["y axis"]) for row in rows} == {("first", "$n$", "value"), ("2", "", "")}
    assert column(rows, "y", series="cloud") == ["3", "4"]
    assert len(rows) == 7 + 7 + 1 + 2


def test_bars_bear_the_words_of_their_axis():
    fig, (left, right) = figures.canvas(2)
    left.bar(np.arange(2) - 0.2, [5, 7], width=0.3, label="counts", bottom=1)
    left.set_xticks(range(2), ["few", "many"])
    right.barh(["up", "down"], [2, 3])
    rows = plotted(fig)
    assert column(rows, "series") == ["counts", "counts", "bar 1", "bar 1"]
    assert [tuple(row[key] for key in ("x", "y", "value")) for row in rows] == [
        ("few", "6", "1"), ("many", "8", "1"), ("2", "up", "0"), ("3", "down", "0"),
    ]  # fmt: skip


def test_intervals_areas_and_images_are_data_too():
    fig, (left, right) = figures.canvas(2)
    left.errorbar([1, 2], [10, 20], [1, 2], fmt="o", label="mean")
    left.fill_between([0, 1], [0, 0], [3, 4], label="_area")
    right.imshow([[True, False], [False, False], [False, True]], origin="lower", extent=(0, 4, 10, 16))
    fig.colorbar(right.images[0])
    rows = plotted(fig)
    assert column(rows, "y", series="mean", kind="points") == ["10", "20"]
    assert column(rows, "y", series="mean", kind="interval") == ["9", "11", "18", "22"]
    assert {"3", "4"} < set(column(rows, "y", series="area"))
    cells = {(row["x"], row["y"]): row["value"] for row in rows if row["kind"] == "cell"}
    assert len(cells) == 6 and {key for key, value in cells.items() if value == "1"} == {("1", "11"), ("3", "15")}


def test_a_series_without_a_name_is_called_after_its_colour():
    fig, ax = figures.canvas()
    ax.plot([0, 1], [1, 2], color=figures.COLOURS[2], label="mean")
    ax.plot([0, 1], [1, 3], "o", color=figures.COLOURS[2])
    ax.plot([0, 1], [1, 3], color=figures.COLOURS[3])
    rows = plotted(fig)
    assert [row["series"] for row in rows[::2]] == ["mean", "mean (points of its colour)", "line 3"]


def test_data_given_by_hand_replace_what_is_read_off():
    fig, ax = figures.canvas()
    ax.plot([0.1, 0.9], [1, 2])
    figure = figures.Figure(fig, "Two dots.", data={"k": [0, 1], "share, in %": [1 / 3, 2]})
    assert figure.csv == 'k,"share, in %"\n0,0.3333333333\n1,2\n'


def test_the_file_of_a_figure_is_black_on_white_described_and_says_where_it_is_from():
    figure = draw("A line & its name.")
    root = ET.fromstring(figures.standalone(figure.svg, "A <title>", figure.alt))
    first, second, origin, ground = root[:4]
    assert first.text == "A <title>" and second.text == figure.alt
    assert "Sparse Activations, Executable" in origin.text and "CC BY 4.0" in origin.text
    assert ground.tag.endswith("rect") and ground.attrib == {"width": "100%", "height": "100%", "fill": "#ffffff"}
    text = ET.tostring(root, encoding="unicode")
    assert "currentColor" not in text and "#1f2328" in text
    drawn = [element.get("d") for element in ET.fromstring(figure.svg).iter() if element.get("d")]
    assert drawn == [element.get("d") for element in root.iter() if element.get("d")]


# Sliders


@cache
def slider(values=(1, 2.5, 4), start=2.5):
    def line(ax, slope):
        ax.plot([0, 1, 2], [0, slope, 0], label="moving")
        ax.plot([0, 1], [3, 3], "--", label="fixed")
        ax.set(xlabel="$t$")
        return f"Up to {slope} & back."

    return figures.Slider("slope", values, line, start=start)


def paths(svg, frame=None):
    """The d of every path outside the definitions that shows in one frame."""
    root = ET.fromstring(svg if frame is None else figures.standalone(svg, "t", "d", frame))
    root.remove(next(element for element in root if element.tag.endswith("defs")))
    return [element.get("d") for element in root.iter() if element.get("d")]


def test_each_frame_is_the_figure_with_common_limits():
    for i, slope in enumerate((1, 2.5, 4)):
        fig, ax = figures.canvas()
        ax.plot([0, 1, 2], [0, slope, 0])
        ax.plot([0, 1], [3, 3], "--")
        ax.set(xlabel="$t$", xlim=(-0.1, 2.1), ylim=(-0.2, 4.2))
        with figures._book_style():
            alone = figures.standalone(figure_svg.inline([figure_svg.drawn(fig, None)], "a"), "t", "d")
        assert paths(slider().svg, i) == paths(alone)


def test_the_frames_of_a_slider_share_their_symbols_and_one_of_them_shows():
    svg = slider().svg
    assert svg.count("data-frame") == 3 and svg.count('display="none"') == 2
    ids = re.findall(r'\bid="([^"]+)"', svg)
    assert len(ids) == len(set(ids)) and set(re.findall(r'href="#([^"]+)"', svg)) <= set(ids)


def test_a_slider_says_every_frame_and_holds_its_data():
    one = slider()
    assert repr(one) == (
        "Slider: slope, from 2.5\n  1: Up to 1 & back.\n  2.5: Up to 2.5 & back.\n  4: Up to 4 & back."
    )
    rows = read(one.csv)
    assert column(rows, "y", series="moving", slope="4") == ["0", "4", "0"]
    assert column(rows, "y", series="moving", slope="1") == ["0", "1", "0"]
    shown = one._repr_mimebundle_()["text/html"]
    assert 'aria-label="Up to 2.5 &amp; back."' in shown and 'hidden><label for="slider-' in shown
    assert shown.count('<th scope="row">') == 3


@pytest.mark.parametrize("values, start", [((1, 2), 3), ((1,), 1), (range(21), 0)])
def test_a_slider_has_some_frames_and_starts_at_one_of_them(values, start):
    with pytest.raises(ValueError, match="Argument 'start' must be one of 2 to 20 values, not"):
        slider(values, start)


def test_the_files_of_a_slider_are_its_frames():
    data = slider()._repr_mimebundle_()
    written = files(data, "02-uniform-slope", "What to see.")
    assert list(written) == [*(f"02-uniform-slope-{v}.svg" for v in ("1", "2.5", "4")), "02-uniform-slope.csv"]
    assert "<desc>What to see. Up to 4 &amp; back.</desc>" in written["02-uniform-slope-4.svg"]
    assert 'display="none"' not in written["02-uniform-slope-4.svg"]
    assert 'href="../_static/figures/02-uniform-slope-2.5.svg"' in data["text/html"]
