"""The size of the repository: what counts as a line, and that a part that grows is named."""

import pytest
from companion.building import logical_lines
from companion.places import Stop


def test_layout_comments_and_docstrings_change_nothing_and_statements_do():
    plain = "x = f(1, 2)\nif x:\n    y = 3\n"
    spread = "# A comment\nx = f(\n    1,\n    2,\n)\n\nif x:  # why\n    y = 3\n"
    assert logical_lines.python(plain) == logical_lines.python(spread) == 3
    assert logical_lines.python(plain + "z = 4; w = 5\nv = 6\n") == 5
    assert logical_lines.python("%matplotlib inline\nx = 1\n") == 1


def test_each_part_is_counted_and_one_that_grew_by_more_than_a_twentieth_is_named():
    lines = logical_lines.count()
    assert lines["sparse_core"] > 1000 and lines["cells"] > 1000 and lines["scripts"] > 1000
    logical_lines.check(lines)
    logical_lines.check(lines | {"sparse_core": int(lines["sparse_core"] / 1.04)})
    with pytest.raises(Stop, match="sparse_core has .* logical lines, more than 1.05 of the 1000 in pyproject.toml"):
        logical_lines.check(lines | {"sparse_core": 1000})
    with pytest.raises(Stop, match="proofs has"):
        logical_lines.check({part: number for part, number in lines.items() if part != "proofs"})
