"""Numbers in closed form: their text means their value to the last bit."""

import math

import pytest

from mosaic_sr.expressions.latex import to_latex
from mosaic_sr.expressions.simple_numbers import closed_form, closed_forms_near, is_rounded
from mosaic_sr.expressions.symbolic import closed_number
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.expressions.values import evaluate_expression

ALL = list(closed_forms_near(0.0, math.inf))


def test_every_text_means_its_value():
    for form in ALL:
        value = float(evaluate_expression(parse(form.text, []), [[0.0]])[0])
        assert value == form.value, form.text


def test_decimals_that_end_are_no_fractions():
    assert closed_form(0.5) is None
    assert closed_form(1.75) is None
    assert closed_form(2 / 3).text == "2/3"


def test_the_simplest_form_of_a_value_is_kept():
    assert closed_form(math.pi).text == "pi"
    assert closed_form(4 * math.pi).text == "4*pi"
    assert closed_form(1 / (4 * math.pi)).text == "1/(4*pi)"


def test_decimals_that_people_write_in_no_other_way_are_rounded():
    assert all(map(is_rounded, (0.3, 25.12, -0.08)))
    assert not any(map(is_rounded, (1.0, 12.0, 0.25, -1.5, 2 / 3, 4 * math.pi, 0.123456789123)))


@pytest.mark.parametrize("text", ["1/3*x", "x^(2/3)", "y - pi/2*x", "-1/3*x", "y/(2*pi)", "sqrt(2)*x*y"])
def test_laws_for_reading_show_closed_forms(text):
    names = ["x", "y"]
    numbers = {"1/3": 1 / 3, "2/3": 2 / 3, "pi/2": math.pi / 2, "-1/3": -1 / 3, "2*pi": 2 * math.pi}
    law = parse("0.5*x", names)
    for value in numbers.values():
        shown = to_text(law.with_constants([value]), names, precision=6)
        again = parse(shown, names)
        assert evaluate_expression(again, [[3.0], [5.0]])[0] == value * 3.0
    assert to_text(parse(text, names), names, precision=6) == text


def test_a_column_called_pi_keeps_its_name_to_itself():
    law = parse("0.5*pi", ["pi"]).with_constants([math.pi])
    assert to_text(law, ["pi"], precision=6) == "3.14159*`pi`"


def test_latex_and_sympy_show_closed_forms():
    law = parse("0.5*x", ["x"]).with_constants([2 * math.pi / 3])
    assert to_latex(law, ["x"]) == r"\frac{2 \pi}{3} x"
    assert str(closed_number(2 * math.pi / 3)) == "2*pi/3"
    assert str(closed_number(-1 / 3)) == "-1/3"
    assert str(closed_number(0.5)) == "0.500000000000000"
