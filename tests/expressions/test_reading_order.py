import numpy as np
import pytest
from hypothesis import given, settings
from strategies import bound_expressions

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.reading_order import in_reading_order
from mosaic_sr.expressions.text import parse, to_text

NAMES = ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("text", "ordered"),
    [
        ("b*a", "a*b"),
        ("d*(b + a)*c", "c*d*(a + b)"),
        ("c^2*b", "b*c^2"),
        ("3*c + 2*b", "2*b + 3*c"),
        ("1 + c - b - a", "1 + c - a - b"),
        ("2*c*b/(d*a)", "2*b*c/(a*d)"),
        ("sin(b) + 2*sin(a)", "2*sin(a) + sin(b)"),
        ("a - b", "a - b"),
        ("b/a", "b/a"),
        ("b^a", "b^a"),
        ("a^2*(b/3)", "b/3*a^2"),
        ("b/c + 2*a", "2*a + b/c"),
        ("c*(b*a)", "c*(a*b)"),
    ],
)
def test_operands_stand_in_the_order_of_their_columns(text, ordered):
    assert to_text(in_reading_order(parse(text, NAMES))[0], NAMES) == to_text(parse(ordered, NAMES), NAMES)


def test_the_places_of_constants_go_with_them():
    expression = parse("3.5*c + 2.5*b + 1.5", NAMES)
    ordered, places = in_reading_order(expression)
    np.testing.assert_array_equal(ordered.constants, expression.constants[places])
    assert ordered.constants.tolist() == [2.5, 3.5, 1.5]


@given(bound_expressions)
@settings(deadline=None)  # the first one compiles
def test_the_law_stays_the_same_and_a_second_time_changes_nothing(expression):
    ordered, places = in_reading_order(expression)
    assert sorted(places) == list(range(expression.num_constants))
    assert len(ordered) == len(expression)
    # Sorted, because the canonical form leaves an expression as it is where a part of it is no finite number.
    assert sorted(canonical(ordered).codes) == sorted(canonical(expression).codes)
    assert in_reading_order(ordered)[0] == ordered
