"""Digits that a person reads."""

import math

import pytest

from mosaic_sr.equation import UNKNOWN, Equation
from mosaic_sr.expressions.digits import digits_left, rounded_text, with_error
from mosaic_sr.expressions.latex import to_latex
from mosaic_sr.expressions.mathml import to_mathml
from mosaic_sr.expressions.text import parse, to_text


@pytest.mark.parametrize(
    ("value", "error", "digits"),
    [
        (475.29977, 29.0, 3),
        (213.80940944059, 12.0, 3),
        (0.0123, 0.0004, 4),
        (5.0, 40.0, 1),
        (2.0, 0.0, 17),
        (2.0, math.nan, 17),
    ],
)
def test_errors_leave_digits(value, error, digits):
    assert digits_left(value, error) == digits


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(2138.09, 3, "2140"), (475.29977, 3, "475"), (1.5e-9, 3, "1.5e-09"), (3.2e12, 2, "3.2e+12"), (0.25, 6, "0.25")],
)
def test_usual_numbers_have_no_power_of_ten(value, digits, text):
    assert rounded_text(value, digits) == text


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (475.29977, 29.0, "475 ± 29"),
        (213.80940944059, 12.0, "214 ± 12"),
        (0.5, 0.031, "0.500 ± 0.031"),
        (2138.0, 120.0, "2140 ± 120"),
        (1.2e-7, 3e-9, "1.200e-07 ± 3.0e-09"),
        (0.0, 0.1, "0.0 ± 0.10"),
        (2.5, math.nan, "2.5"),
        (2.0 * math.pi, 4e-17, "6.28318530718"),
        (0.1 + 0.2, 1e-13, "0.3"),
    ],
)
def test_values_stop_where_their_errors_stop(value, error, text):
    assert with_error(value, error) == text


def _law(text, errors):
    return Equation(parse(text, ["D", "x"]), ("D", "x"), UNKNOWN, UNKNOWN, "test", standard_errors=errors)


def test_laws_are_shown_with_the_digits_of_their_errors():
    law = _law("475.29977*D - 0.061954321*x", (29.0, 0.0003))
    assert law.text(precision=8) == "475*D - 0.06195*x"
    assert str(law) == "475*D - 0.06195*x"
    assert law.latex(8) == "475 D - 0.06195 x"
    assert "475.29977" in law.text()


def test_constants_that_the_rows_hardly_determine_keep_three_digits():
    assert str(_law("312.3456*D - 298.7654*x", (500.0, 500.0))) == "312*D - 299*x"


def test_markup_has_these_digits_too():
    expression = parse("475.29977*D - 0.061954321*x", ["D", "x"])
    markup = to_mathml(expression, ["D", "x"], "y", (3, 4))
    assert "<mn>475</mn>" in markup
    assert "<mn>0.06195</mn>" in markup
    assert to_latex(expression, ["D", "x"], (3, 4)) == "475 D - 0.06195 x"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("x - -6.195e-06*D", "x + 6.195e-06*D"),
        ("exp(-(0.45)*x)", "exp(-0.45*x)"),
        ("(1 + x)^-1", "1/(1 + x)"),
        ("D*x^-1", "D*(1/x)"),
    ],
)
def test_readers_see_no_double_signs_and_no_inverse_powers(formula, text):
    assert to_text(parse(formula, ["D", "x"]), ["D", "x"], 6) == text
