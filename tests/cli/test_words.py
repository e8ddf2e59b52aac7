"""Names in the words of an option."""

import pytest

from mosaic_sr.cli.words import names_in


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (None, None),
        ([], ()),
        ([""], ()),
        (["a"], ("a",)),
        (["a, b", "c"], ("a", "b", "c")),
        (['"Mass, kg", b'], ("Mass, kg", "b")),
        (['"a ""b"""'], ('a "b"',)),
    ],
)
def test_names_are_split_as_a_line_of_csv(words, names):
    assert names_in(words) == names
