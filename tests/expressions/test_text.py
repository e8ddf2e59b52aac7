"""The grammar: what texts mean, how expressions print, and what is said about texts that mean nothing."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import NAMES, expressions, polynomials, reference_values

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.expression import apply, constant, hole, variable
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.operators import OPERATORS

X, Y = variable(0), variable(1)
XY = ("x", "y")


def number(value):
    return constant(float(value))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("x + y*x", apply("add", X, apply("mul", Y, X))),
        ("x - y - x", apply("sub", apply("sub", X, Y), X)),
        ("x/y*x", apply("mul", apply("div", X, Y), X)),
        ("1/x", apply("div", number(1), X)),
        ("-x^2", apply("neg", apply("sq", X))),
        ("-x*y", apply("mul", apply("neg", X), Y)),
        ("-3", number(-3)),
        ("-(3)", apply("neg", number(3))),
        ("-3^x", apply("neg", apply("pow", number(3), X))),
        ("--3", apply("neg", number(-3))),
        ("+x", X),
        ("x - -3", apply("sub", X, number(-3))),
        ("x^2", apply("sq", X)),
        ("x**3", apply("cube", X)),
        ("x^0.5", apply("sqrt", X)),
        ("x^-1", apply("inv", X)),
        ("x^(-1)", apply("inv", X)),
        ("pow(x, 2)", apply("pow", X, number(2))),
        ("x^4", apply("pow", X, number(4))),
        ("x^(1/3)", apply("pow", X, apply("div", number(1), number(3)))),
        ("2^-3", apply("pow", number(2), number(-3))),
        ("x^y^x", apply("pow", X, apply("pow", Y, X))),
        ("2^-x^2", apply("pow", number(2), apply("neg", apply("sq", X)))),
        ("x^-y*x", apply("mul", apply("pow", X, apply("neg", Y)), X)),
        ("Abs(x)", apply("abs", X)),
        ("arcsin(x) + arccos(y)", apply("add", apply("asin", X), apply("acos", Y))),
        ("arctan(x)", apply("atan", X)),
        ("ln (x)", apply("log", X)),
        ("square(x)", apply("sq", X)),
        ("1.", number(1)),
        (".5", number(0.5)),
        ("1.5e-5", number(1.5e-5)),
        ("2E+3", number(2000)),
        ("1e999", number(math.inf)),
        ("pi", number(math.pi)),
        ("e*E", apply("mul", number(math.e), number(math.e))),
        ("?*x + _", apply("add", apply("mul", hole(), X), number(math.nan))),
        ("((x))", X),
        (" x\n+\ty ", apply("add", X, Y)),
    ],
)
def test_text_means(text, meaning):
    assert parse(text, XY) == meaning


def test_a_column_may_have_any_name():
    names = ["N", "pi_2", "beta", "e", "lambda", "sin", "pi", "_", "my col %", "a`b", "", "βeta", "x.1"]
    text = "+".join(
        ["N", "pi_2", "beta", "`e`", "lambda", "`sin`", "`pi`", "`_`", "`my col %`", "`a``b`", "``", "βeta", "`x.1`"]
    )
    expression = parse(text, names)
    assert expression.columns == tuple(range(len(names)))
    assert expression.num_constants == 0
    assert to_text(expression, names).replace(" + ", "+") == text


def test_a_column_named_like_a_function_is_a_column_without_parenthesis():
    assert parse("sin(sin)", ["sin"]) == apply("sin", variable(0))


def test_named_numbers_yield_to_columns():
    assert parse("pi", ["pi"]) == variable(0)
    assert parse("E", ["e"]) == number(math.e)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_every_operator_parses_from_its_name(operator):
    operands = [X, Y][: operator.arity]
    assert parse(f"{operator.name}({', '.join('xy'[: operator.arity])})", XY) == apply(operator.name, *operands)


@pytest.mark.parametrize(
    "text",
    [
        *["3*x + sin(x*y)", "x - (y - x)", "x/(y*x)", "x*(y/x)", "(x + y)*x", "-(x + y)", "(-2)^x", "-2^x", "(-x)^2"],
        *[
            "x^-1",
            "x^2^y",
            "(x^2)^2",
            "(x^y)^2",
            "pow(x, 2)",
            "pow(x, 0.5)",
            "sqrt(x + y)",
            "x^(y + 1)",
            "x^-y",
            "x^-(3)",
        ],
        *[
            "-(3)",
            "--3",
            "--x",
            "x + -3",
            "x*-3",
            "x - -3",
            "0.1",
            "1e-05*x",
            "1e+300",
            "-1e999",
            "_",
            "?",
            "x^_",
            "-0",
        ],
    ],
)
def test_text_prints_as_it_was_written(text):
    assert to_text(parse(text, XY), XY) == text


@settings(max_examples=600, deadline=None, derandomize=True)
@given(expressions)
def test_print_then_parse_gives_the_same_expression(expression):
    assert parse(to_text(expression, NAMES), NAMES) == expression


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("2.123456*x + -3.98765*y", "2.12*x - 3.99*y"),
        ("x - -3", "x + 3"),
        ("x + (y - 1.23456e-7)", "x + y - 1.23e-07"),
        ("x - (y - x)", "x - (y - x)"),
        ("x - (-y + x)", "x - (-y + x)"),
        ("x + -x*y", "x - x*y"),
    ],
)
def test_a_precision_makes_text_for_reading(text, reading):
    assert to_text(parse(text, XY), XY, precision=3) == reading


@settings(max_examples=200, deadline=None, derandomize=True)
@given(polynomials)
def test_text_for_reading_has_the_same_value(expression):
    columns = np.array([[1.0, -2.0, 3.0], [2.0, 1.0, -1.0], [-1.0, 3.0, 2.0], [3.0, -1.0, 1.0]])
    again = parse(to_text(expression, NAMES, precision=17), NAMES)
    # Whole numbers this small add and multiply without rounding, however they are grouped.
    assert np.array_equal(reference_values(again, columns), reference_values(expression, columns))


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("x + zeta", 5, "unknown column 'zeta'; the columns are x, y"),
        ("x + Y", 5, "did you mean 'y'?"),
        ("sine(x)", 1, "did you mean 'sin'?"),
        ("zeta(x, y)", 1, "unknown function 'zeta'"),
        ("x*sin", 3, "'sin' is a function"),
        ("x(y)", 1, "'x' is a column, not a function"),
        ("(x + y", 1, "never closed"),
        ("sin(x + (y)", 4, "never closed"),
        ("x + y)", 6, "no opening one"),
        ("2x", 2, "write 2*x"),
        ("2(x)", 2, "an operator is missing"),
        ("x y", 3, "write x*y"),
        ("1_000", 2, "without underscores"),
        ("x +", 4, "the formula ends"),
        ("x * / y", 5, "found '/' where"),
        ("()", 2, "found ')' where"),
        ("sin(x, y)", 4, "'sin' takes 1 argument(s), got 2"),
        ("pow(x)", 4, "'pow' takes 2 argument(s), got 1"),
        ("(x, y)", 3, "comma"),
        ("1e400", 1, "too large"),
        ("1e-400", 1, "too small"),
        ("`x", 1, "never closed"),
        ('__import__("os")', 12, "unexpected character '\"'"),
        ("__import__(x)", 1, "unknown function '__import__'"),
        ("x.__class__", 2, "unexpected character '.'"),
        ("x + х", 5, "CYRILLIC SMALL LETTER HA"),
        ("x − y", 3, "MINUS SIGN); write -"),
        ("x²", 2, "SUPERSCRIPT TWO"),
        ("y = x", 3, "right-hand side"),
        ("[x]", 1, "write ("),
        ("x;y", 2, "unexpected character ';'"),
        ("x\x00", 2, "U+0000"),
    ],
)
def test_the_error_says_what_and_where(text, position, words):
    with pytest.raises(InvalidFormula) as caught:
        parse(text, XY)
    first, excerpt, caret = str(caught.value).split("\n")
    assert words in first
    assert first.endswith(f"(position {position})")
    assert caret.index("^") - 4 == min(position - 1, 30)
    assert len(excerpt) <= 64


@pytest.mark.parametrize("text", ["", "   \n", None, 3.0])
def test_nothing_is_not_a_formula(text):
    with pytest.raises(InvalidFormula):
        parse(text, XY)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(" * 10_000 + "x" + ")" * 10_000, "nested more than 500 levels deep"),
        ("sin(" * 10_000 + "x" + ")" * 10_000, "nested more than 500 levels deep"),
        ("-" * 10_000 + "x", "nested more than 500 levels deep"),
        ("x^" * 10_000 + "x", "nested more than 500 levels deep"),
        ("x+" * 10_000 + "x", "more than 10000"),
        ("x+" * 500_000 + "x", "1000001 characters"),
        ("z" * 90_000, "unknown column"),
        ("9" * 90_000, "too large"),
        ("`" * 90_001, "never closed"),
    ],
)
@pytest.mark.timeout(5)
def test_huge_texts_are_refused_quickly(text, words):
    with pytest.raises(InvalidFormula, match=words) as caught:
        parse(text, XY)
    assert len(str(caught.value)) < 500


def test_texts_within_the_limits_are_read():
    assert len(parse("(" * 500 + "x" + ")" * 500, XY)) == 1
    assert len(parse("sin(" * 500 + "x" + ")" * 500, XY)) == 501
    assert len(parse("x+" * 4_999 + "x", XY)) == 9_999
    deep = parse("-" * 500 + "x", XY)
    assert parse(to_text(deep, XY), XY) == deep
