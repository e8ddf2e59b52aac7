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
        (['"Mass, kg"'], ("Mass, kg",)),
        (['a, "Mass, kg",b'], ("a", "Mass, kg", "b")),
        (['12" pipe,b'], ('12" pipe', "b")),
        (["my speed %"], ("my speed %",)),
    ],
)
def test_names_are_split_at_commas_outside_quotes(words, names):
    assert names_in(words) == names
