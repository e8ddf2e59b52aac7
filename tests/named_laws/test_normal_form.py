"""Equal functions have equal normal forms, and functions that differ have different ones."""

import pytest

from mosaic_sr import parse
from mosaic_sr.named_laws.normal_form import law_in_normal_form
from mosaic_sr.named_laws.scalars import Unwritable

NAMES = ["x", "y"]
EQUAL = [
    ("1 - 3/(3 + x)", "x/(3 + x)"),
    ("1/(1/x + 1/y)", "x*y/(x + y)"),
    ("exp((2*x + 7)/(x + 5))", "exp(2)*exp(-3/(5 + x))"),
    ("log(3*x^2)", "log(3) + 2*log(x)"),
    ("exp(1.7*log(x))", "x^1.7"),
    ("sqrt(4*x^2 + 16)", "2*sqrt(4 + x^2)"),
    ("sqrt(1 + x)*sqrt(1 + x)", "1 + x"),
    ("sqrt(4 + x^2)^3", "(4 + x^2)^1.5"),
    ("2*sin(x)*sin(x)", "1 - cos(2*x)"),
    ("3*sin(x) + 4*cos(x)", "5*cos(x - 0.6435011087932844)"),
    ("sin(x)/cos(x)", "tan(x)"),
    ("tanh(x)", "1 - 2/(exp(2*x) + 1)"),
    ("cosh(x) + sinh(x)", "exp(x)"),
    ("acos(x)", "-asin(x) + pi/2"),
    ("x/(x + 2) + 2/(x + 2)", "1"),
    ("(1 + x)^3", "1 + 3*x + 3*x^2 + x^3"),
    ("x^y", "exp(y*log(x))"),
    ("log(1 + x/y)", "log(x + y) - log(y)"),
]
DIFFERENT = [("x/(3 + x)", "x/(3.001 + x)"), ("x^1.7", "x^1.71"), ("sin(x)", "sin(x + 0.1)"), ("x + y", "x - y")]


def key(text):
    return law_in_normal_form(parse(text, NAMES), [0, 1]).key


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_equal_functions_have_one_normal_form(left, right):
    assert key(left) == key(right)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_other_functions_have_another(left, right):
    assert key(left) != key(right)


@pytest.mark.parametrize("text", ["log(-2*x)", "1/(x - x)", "(-2*x)^0.5", "(x + y + 1)^4*(x + 2*y + 3)^4"])
def test_what_has_no_normal_form_or_one_that_is_too_long_is_refused(text):
    with pytest.raises(Unwritable):
        key(text)
