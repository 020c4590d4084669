"""Values by hand: a line of ``by_hand.txt`` is a call and what it returns, written out."""

import math

import pytest

from tests.core.calls import NAMES, table

BY_HAND = table("by_hand.txt")


@pytest.mark.parametrize("call, value", BY_HAND, ids=[call for call, _ in BY_HAND])
def test_by_hand(call, value):
    found, expected = (eval(text, {**vars(math), **NAMES}) for text in (call, value))
    assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)
