"""Names in the words of an option."""

import pytest

from mosaic_sr.cli.words import names_in, operators_in


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


@pytest.mark.parametrize(
    ("words", "operators"),
    [
        (None, None),
        ([""], ()),
        (["+,*"], ("+", "*")),
        (["sin, sech(x) = 1/cosh(x)"], ("sin", "sech(x) = 1/cosh(x)")),
        (["+,f(x, y) = x*pow(y, 2)", "-"], ("+", "f(x, y) = x*pow(y, 2)", "-")),
    ],
)
def test_commas_inside_parentheses_do_not_split_operators(words, operators):
    assert operators_in(words) == operators
