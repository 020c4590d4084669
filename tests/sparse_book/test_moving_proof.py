"""The proof in six drawings: its numbers are those of the package, and no drawing says more than they do."""

import re
from itertools import pairwise

import numpy as np
import pytest

from sparse_book.chapter_2 import moving_proof
from sparse_core.cube import fourier, hypercube
from sparse_core.network import SparseNetwork, constructions

LOOKED_UP = constructions.appendix_a(1, 2, gamma=1, weights=[[1, 0.5], [-0.5, 1]])
EXTREME = constructions.tight(3, 1)


def random_networks(count):
    rng = np.random.default_rng(3)
    for _ in range(count):
        s = rng.integers(1, 6)
        yield SparseNetwork(rng.normal(size=s), rng.normal(size=(s, 3)), rng.normal(size=s))


def test_the_chain_is_a_chain_and_the_parity_attains_it():
    for net in random_networks(50):
        means = moving_proof.chain(net)
        assert means.AS == pytest.approx(fourier.average_sensitivity(net.values()))
        assert all(left <= right * (1 + 1e-12) for left, right in pairwise(means))
    assert np.allclose(moving_proof.chain(EXTREME), 12, rtol=1e-12)
    assert moving_proof.chain(LOOKED_UP).AS < moving_proof.chain(LOOKED_UP).weighted  # control: not all are equal


def test_each_flip_is_charged_enough_and_half_the_charge_is_not():
    enough, half = [], []
    for net in [*random_networks(50), EXTREME]:
        for point in range(8):
            one = moving_proof.edge(net, point, point % 3)
            values = net.values()
            assert one.ends == pytest.approx((values[point], values[point ^ 1 << point % 3]))
            assert one.terms.sum(axis=1)[[0, -1]] == pytest.approx(one.ends)
            enough.append(abs(one.ends[0] - one.ends[1]) <= 2 * sum(one.charges) + 1e-9)
            half.append(abs(one.ends[0] - one.ends[1]) <= sum(one.charges) + 1e-9)
    assert all(enough) and not all(half)


def test_the_sentences_have_the_numbers_of_the_network():
    told = moving_proof.panels(LOOKED_UP, EXTREME)
    flip, means = moving_proof.example_flip(LOOKED_UP), moving_proof.chain(LOOKED_UP)
    first, _, _, _, fifth, sixth = repr(told).splitlines()[1:]
    assert f"from {flip.ends[0]:g} to {flip.ends[1]:g}" in first and f"= {flip.quarter:g} to" in first
    bounds = f"{means.AS} ≤ {means.weighted:g} ≤ {means.square:g} ≤ 4k²W² = {means.worst:g}"
    assert bounds in fifth  # AS in full: 0.65625
    assert f"AS = 4k²W² = {moving_proof.chain(EXTREME).worst:g}" in sixth


def test_the_drawings_show_values_regions_and_bars_to_scale():
    drawings = moving_proof.panels(LOOKED_UP, EXTREME).drawings
    for drawing, net in zip(drawings, [LOOKED_UP] * 5 + [EXTREME], strict=True):
        shown = re.findall(r'data-key="value-\d"[^>]*>([^<]*)<', drawing)
        assert [float(value.replace("−", "-")) for value in shown] == net.values().tolist()
    fills = re.findall(r'data-key="vertex-\d"[^>]*fill="([^"]*)"', drawings[1])
    assert [fill != "none" for fill in fills] == LOOKED_UP.active(hypercube.points(3)).any(axis=1).tolist()
    told = re.findall(r'data-key="edge-(\d)-(\d)"[^>]*stroke-width="([^"]*)" class="edge told"', drawings[4])
    squares = [moving_proof.edge(LOOKED_UP, int(point), int(bit)).quarter for point, bit, _ in told]
    order = sorted(set(zip(squares, (float(width) for *_, width in told), strict=True)))
    assert len(order) == 3 and all(low[0] < high[0] and low[1] < high[1] for low, high in pairwise(order))
    widths = [float(w) for w in re.findall(r'data-key="mean-\d-0"[^>]*width="([^"]*)"', drawings[4])]
    means = np.array(moving_proof.chain(LOOKED_UP))
    assert np.allclose(np.array(widths) / widths[-1], means / means[-1], rtol=1e-3)


def test_a_drawing_needs_no_style_sheet():
    """As in Jupyter: each shape says how it is painted, and there are no buttons, which need a script."""
    shown = moving_proof.panels(LOOKED_UP, EXTREME)._repr_mimebundle_()["text/html"]
    shapes = re.findall("<(?:circle|line|rect|polyline|svg)[^>]*>", shown)
    assert len(shapes) > 100 and [shape for shape in shapes if not re.search("fill|stroke=", shape)] == []
    assert "<button" not in shown


def test_formulas_break_nowhere_but_before_a_relation():
    told = moving_proof.panels(LOOKED_UP, EXTREME)
    words = re.sub("<svg.*?</svg>|<[^>]*>", "", told._repr_mimebundle_()["text/html"])
    breaks = re.compile("[=≤+−] | [=+−]")
    assert not breaks.search(words) and breaks.search(repr(told)) and "~" not in repr(told)
