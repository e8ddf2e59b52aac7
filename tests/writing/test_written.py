"""Laws as a scientist would write them."""

import numpy as np
import pytest

from mosaic_sr.expressions.definitions import define, parse_with
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.writing import printed_cost, written

# What searches have printed, the columns, the digits that errors leave, and what a person would have written.
SEEN = [
    ("((a^2)^2 + (b^2)^2*(1 + 2*(a^2)^2))/(1 + (a^2)^2 + (b^2)^2 + (a^2)^2*(b^2)^2)", "a b", 17,
     "2 - 1/(1 + a^4) - 1/(1 + b^4)"),
    ("c*d*(1 + f*k*(1 + l/(c*k))/d + a*b*(1 + g*h/b)/(c*d))", "a b c d f g h k l", 17,
     "a*b + c*d + f*l + a*g*h + c*f*k"),
    ("m_0/cos(asin(v/c))", "m_0 v c", 17, "m_0/sqrt(1 - v^2/c^2)"),
    ("1.4*x + 2.7*x^2*(0.5925925925925926 + x)", "x", 17, "2.7*x^3 + 1.6*x^2 + 1.4*x"),
    ("r1 + m2*(r1 - r2)/(-m1 - m2)", "m1 m2 r1 r2", 17, "(m1*r1 + m2*r2)/(m1 + m2)"),
    ("-0.2*v*(sin(x) - -0.5*v^2)", "v x", 17, "-0.2*v*(0.5*v^2 + sin(x))"),
    ("0.14^x^2", "x", 3, "exp(-1.97*x^2)"),
    ("3.1/sqrt(a/b)", "a b", 17, "3.1*sqrt(b/a)"),
    ("0.8187^t", "t", 4, "exp(-0.2*t)"),
    ("(r^3)^2", "r", 17, "r^6"),
    ("(x^2)^2", "x", 17, "x^4"),
    ("3.599/(0.2929 + 1/S)", "S", 3, "12.3*S/(3.41 + S)"),
    ("97.1/(1 + 173.8*exp(-0.416*t))", "t", 3, "97.1/(1 + exp(-0.416*(t - 12.4)))"),
    ("97.1/(1 + 173.8*0.6597^t)", "t", 3, "97.1/(1 + exp(-0.416*(t - 12.4)))"),
    ("3.053 + 8.71e-06*exp(x*(4.272 - 0.2965*x))", "x", 4, "3.053 + 41.96*exp(-((x - 7.204)/1.836)^2)"),
    ("42.06*exp(-15.39*(1 - 0.1388*x)^2)", "x", 4, "42.06*exp(-((x - 7.205)/1.837)^2)"),
    ("2.13*exp(-0.31*x - 0.021*x^2)", "x", 3, "2.13*exp(x*(-0.31 - 0.021*x))"),  # no top at a positive x
    ("0.001953125*T", "T", 17, "T/512"),
    ("1 + -1*x", "x", 17, "1 - x"),
    ("a - -b", "a b", 17, "a + b"),
    ("-(b - a)", "a b", 17, "a - b"),
    ("sqrt(a)/sqrt(b)", "a b", 17, "sqrt(a/b)"),
]  # fmt: skip

# Identities and groupings; each once.
FORMS = [
    ("x*(1 + x*(1 + x*(1 + x)))", "x", "x^4 + x^3 + x^2 + x"),
    ("sqrt(b^2 + d^2 + a*(a - 2*b) + c*(c - 2*d))", "a b c d", "sqrt((a - b)^2 + (c - d)^2)"),
    ("cos(x)*sin(x^2) + sin(x)*(1 + cos(x^2))", "x", "sin(x) + sin(x^2 + x)"),
    ("0.5*x^2*(2*x + exp(x^2) + exp(-x^2))", "x", "x^2*(x + cosh(x^2))"),
    ("(exp(2*x) - 1)/(exp(2*x) + 1)", "x", "tanh(x)"),
    ("(exp(2*x) + 1)/(exp(2*x) - 1)", "x", "1/tanh(x)"),
    ("exp(x)/(1 + exp(x))", "x", "1/(1 + exp(-x))"),
    ("2.4*exp(0.06151856390902336*(x - 20))", "x", "2.4*1.85^(0.1*x - 2)"),
    ("10^(-x/5)", "x", "10^(-0.2*x)"),
    ("exp(x*log(y)/z)", "x y z", "y^(x/z)"),
    ("log(y*exp(x))", "x y", "x + log(y)"),
    ("3 + 1.065*log(x^2)", "x", "3 + 2.13*log(abs(x))"),
    ("x*y + cos(0.5707963267948967 + x + y - x*y)", "x y", "x*y + sin((x - 1)*(y - 1))"),
    ("0.07957747154594767*q/r^2", "q r", "q/(4*pi*r^2)"),
    ("4.733333333333333*x/y", "x y", "14.2*x/(3*y)"),
    ("213.8 - 213.8*exp(-0.547*x)", "x", "213.8*(1 - exp(-0.547*x))"),
    ("log(x^3 + 3*x^2*y + 3*x*y^2 + y^3 + y^2)", "x y", "log(y^2 + (x + y)^3)"),
    ("x^2*y*(-5.236281975628584 + log(z))", "x y z", "x^2*y*log(0.00532*z)"),
    ("2*x^2 - 12*x + 25", "x", "7 + 2*(x - 3)^2"),
    ("1/(1/a + 1/b)", "a b", "a*b/(a + b)"),
    ("r*x*(1 - x/85)", "r x", "r*x*(1 - x/85)"),
    ("abs(x)*abs(y)", "x y", "abs(x*y)"),
    ("sin(x)^2/(1 + y)^2*z^2", "x y z", "(z*sin(x)/(1 + y))^2"),
    ("0.75*sin(2.5707963267948957 + x) + 0.25*sin(3*x - 1.7123889803846972)", "x", "cos(1 + x)^3"),
]  # fmt: skip


def _written_text(text, columns, most_digits=17):
    names = columns.split()
    return to_text(written(parse(text, names), most_digits=most_digits), names, min(most_digits, 6))


@pytest.mark.parametrize(("seen", "columns", "most_digits", "expected"), SEEN)
def test_forms_that_nobody_would_write_are_written_anew(seen, columns, most_digits, expected):
    assert _written_text(seen, columns, most_digits) == expected


@pytest.mark.parametrize(("text", "columns", "expected"), FORMS)
def test_equivalent_forms_are_found(text, columns, expected):
    assert _written_text(text, columns) == expected


@pytest.mark.parametrize(("_", "columns", "expected"), FORMS)
def test_writing_what_is_written_changes_nothing(_, columns, expected):
    names = columns.split()
    once = written(parse(expected, names))
    assert written(once) == once


def test_a_root_of_a_quotient_stays_whole_where_both_are_negative():
    expression = parse("sqrt(a/b)*b", ["a", "b"])
    values = evaluate_expression(written(expression), np.array([[-2.0, 3.0], [-5.0, 7.0]]))
    assert np.all(np.isfinite(values))


def test_values_on_the_given_rows_decide():
    columns = np.array([[1e200, 2e200], [1e-200, 3e-200]])
    expression = parse("1e-150*x*(1e150*y)", ["x", "y"])
    values = evaluate_expression(written(expression, columns), columns)
    np.testing.assert_allclose(values, evaluate_expression(expression, columns), rtol=1e-12)


def test_operators_that_are_not_allowed_are_not_introduced():
    expression = parse("0.5*(exp(x) + exp(-x))", ["x"])
    allowed = ("add", "sub", "mul", "div", "neg", "exp")
    assert "cosh" not in to_text(written(expression, operators=allowed), ["x"])
    assert "cosh" in to_text(written(expression), ["x"])


def test_a_form_beyond_the_limits_is_not_taken():
    expression = parse("(x^2)^2", ["x"])
    assert written(expression, is_allowed=lambda form: len(form) < 3) in (expression, parse("(x^2)^2", ["x"]))


@pytest.mark.parametrize("text", ["1e-300*x + 1e300*y", "x^1e5*y", "5e-324*x", "_*x + y", "1e999*x", "0*x", "x/0 + y"])
def test_extreme_numbers_are_left_alone_or_kept(text):
    expression = parse(text, ["x", "y"])
    columns = np.array([[0.5, 1.5, 2.0], [1.0, -1.0, 3.0]])
    before, after = (evaluate_expression(one, columns) for one in (expression, written(expression, columns)))
    known = np.isfinite(before)
    np.testing.assert_allclose(after[known], before[known], rtol=1e-12)


def test_a_law_of_sixty_nodes_is_written():
    text = "+".join(f"{place}.5*x^{place}*y/(1 + {place}*x)" for place in range(2, 8))
    expression = parse(text, ["x", "y"])
    assert len(expression) > 60
    form = written(expression)
    assert printed_cost(form) <= printed_cost(expression)


def test_operators_of_the_user_stay():
    definition = define("soft(x) = log(1 + exp(x))").name
    expression = parse_with("x*(1 + x*soft(2*x - 1)) + -1*y", ["x", "y"], [definition])
    form = written(expression)
    assert to_text(form, ["x", "y"], 6) == "x - y + x^2*soft(2*x - 1)"
    columns = np.array([[0.5, -1.5], [2.0, 3.0]])
    np.testing.assert_allclose(evaluate_expression(form, columns), evaluate_expression(expression, columns))
