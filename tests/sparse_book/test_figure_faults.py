"""What cannot be read in a figure is found; how figures stand on a phone leaves little of it."""

import pytest

from sparse_book import figures

LONG = ["a rather long name of a method", "another one that is as long", "the third of these names", "and a fourth"]


def faults(plot, **options):
    fig, axes = figures.canvas(**options)
    plot(axes)
    return figures.Figure(fig, "Something.").faults


def crossed(ax):
    ax.plot([0, 1], [0, 1], label="rising")
    ax.plot([0, 1], [1, 0], label="falling")


@pytest.mark.parametrize(
    ("plot", "word"),
    [
        (lambda ax: [ax.text(0.5, 0.5, word) for word in ("one", "two")], "'one' and 'two' overlap"),
        (lambda ax: ax.figure.text(0.9, 0.5, "far to the right"), "is cut off"),
        (lambda ax: ax.set_yticks([0.5]), "has one number only"),
        (lambda ax: ax.plot([0, 1], label="rising") and ax.legend(), "a legend in the axes"),
        (lambda ax: ax.plot([0, 1], [0, 1]) and ax.text(0.45, 0.47, "rising"), "a curve runs through 'rising'"),
        (
            lambda ax: ax.plot([0, 0.5, 1], [0, 0.5, 1], "o") and ax.text(0.45, 0.48, "dots"),
            "a curve runs through 'dots'",
        ),
        (lambda ax: ax.hlines([0.5], 0, 1) and ax.text(0.45, 0.499, "range"), "a curve runs through 'range'"),
    ],
)
def test_what_cannot_be_read_is_named(plot, word):
    def drawn(ax):
        plot(ax)
        ax.set_xlim(0, 1)

    assert any(word in fault for fault in faults(drawn))


def test_a_clean_figure_has_no_fault():
    assert faults(crossed) == []


def test_curves_that_end_beside_each_other_have_names_that_do_not_touch():
    def plot(ax):
        for name, end in (("first", 0), ("second", 0.01), ("third", 1)):
            ax.plot([0, 1], [0.5, end], label=name)
        ax.plot([0, 1], [1, 0.5], label="_without a name")
        ax.name_curves()
        kept.append(ax)

    kept = []
    assert faults(plot) == []
    first, second, third = (name.get_window_extent() for name in kept[0].names)
    assert [name.get_text() for name in kept[0].names] == ["first", "second", "third"]
    assert first.y1 <= second.y0 and second.y1 < third.y0
    assert min(box.x0 for box in (first, second, third)) > kept[0].get_window_extent().x1
    height = kept[0].transData.transform((1, 1))[1]
    assert abs(height - (third.y0 + third.y1) / 2) < 2


def test_numbers_that_touch_become_fewer_and_long_names_go_on_several_lines():
    def numbers(ax):
        ax.plot([0, 1e6], [0, 1])
        ax.set_xticks([])
        ax.xaxis.set_major_locator(figures.mpl.ticker.MultipleLocator(1e5))

    def names(ax):
        ax.barh(range(4), range(1, 5))
        ax.set_yticks(range(4), LONG)
        ax.set_xlabel("times as long as the fastest of them all")

    assert faults(numbers) == [] == faults(names)


def test_all_frames_of_a_slider_are_looked_at():
    def draw(ax, value):
        crossed(ax)
        for word in ("one", "two") if value == 2 else ():
            ax.text(0.2, 0.5, word)
        return "Two lines."

    slider = figures.Slider("t", [1, 2, 3], draw, start=1)
    assert slider.faults == ["'one' and 'two' overlap"]
