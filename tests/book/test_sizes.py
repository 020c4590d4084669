"""The size of the repository: what is counted, and that a part that grows is named."""

import pytest
from companion.building import sizes
from companion.places import Stop


@pytest.mark.parametrize(
    ("program", "tokens"),
    [
        ("x = f(1, 2)\nif x:\n    y = 3\n", 14),
        ("# A comment\nx = f(1,\n    2)\n\nif x:  # why\n    y = 3\n", 14),
        ("z = 4; w = 5\n", 7),
        ("z, w = 4, 5\n", 7),  # one line in place of two is no smaller
        ('"""What it is."""\n\ndef f():\n    """What f is."""\n    return "x"\n', 7),
        ('x = f"{a + b} of {c}"\n', 3),
        ("%matplotlib inline\nx = 1\n", 3),
    ],
)
def test_names_numbers_strings_and_signs_are_counted_and_neither_layout_nor_words_for_readers(program, tokens):
    assert sizes.python(program) == tokens


def test_a_comment_of_a_script_or_a_table_is_no_part_of_it():
    assert sizes.words("/* one\n two */ f(x); // kept\n  // left out\n", r"/\*(?:.|\n)*?\*/|^\s*//.*$") == 8


def test_each_part_is_counted_and_one_that_grew_by_more_than_a_twentieth_is_named():
    parts = ["sparse_core", "tests", "tests/benchmarks"]
    found = sizes.count(parts)
    assert found["sparse_core"] > 10_000 and found["cells"] > 10_000 and found["scripts"] > 10_000
    assert found["rows"] > 1000 and found["make.py"] > 1000 and found["tests"] > 10 * found["tests/benchmarks"] > 0
    sizes.check(found, found)
    sizes.check(found, found | {"sparse_core": int(found["sparse_core"] / 1.04)})
    with pytest.raises(Stop, match="sparse_core has .* tokens, more than 1.05 of the 1000 in pyproject.toml"):
        sizes.check(found, found | {"sparse_core": 1000})
    with pytest.raises(Stop, match="proofs has"):  # a folder that nobody named
        sizes.check(found, {part: number for part, number in found.items() if part != "proofs"})
