"""How laws are written in each language, and what is refused."""

import math
import re

import numpy as np
import pytest
from runners import RUNNERS, run

from mosaic_sr import InvalidFormula, InvalidSettings, parse
from mosaic_sr.cli.app import LANGUAGES as LISTED
from mosaic_sr.exports import LANGUAGES, PROGRAMS, export, notes_on
from mosaic_sr.expressions.definitions import define, parse_with
from mosaic_sr.expressions.expression import apply, constant, hole, variable
from mosaic_sr.expressions.values import evaluate_expression

NAMES = ("length", "g", "x1")


def last_line(text, language):
    """The line that computes the law."""
    lines = [line.strip() for line in export(parse(text, NAMES), NAMES, language, "T").splitlines()]
    words = ("return", "value =", "=", "@.", "T =")
    return next(line for line in lines if line.startswith(words))


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("2*pi*sqrt(length/g)", "python", "return 6.283185307179586 * np.sqrt(length / g)"),
        ("2*pi*sqrt(length/g)", "c", "return 6.283185307179586 * sqrt(length / g);"),
        ("2*pi*sqrt(length/g)", "javascript", "return 6.283185307179586 * Math.sqrt(length / g);"),
        ("2*pi*sqrt(length/g)", "matlab", "value = 6.283185307179586 .* real_or_nan(sqrt(length ./ g));"),
        ("2*pi*sqrt(length/g)", "julia", "@. 6.283185307179586 * sqrt(length / g)"),
        ("2*pi*sqrt(length/g)", "torch", "return 6.283185307179586 * torch.sqrt(length / g)"),
        ("2*pi*sqrt(length/g)", "jax", "return 6.283185307179586 * jnp.sqrt(length / g)"),
        ("2*pi*sqrt(length/g)", "sympy", "T = 2*sympy.pi * sympy.sqrt(length / g)"),
        ("2*pi*sqrt(length/g)", "excel", "=6.28318530717959*SQRT(length/g)"),
        ("-g^2", "python", "return -g**2"),
        ("-g^2", "c", "return -(g * g);"),
        ("-g^2", "excel", "=-(g^2)"),
        ("-g^2", "javascript", "return -(g ** 2);"),
        ("-g^2", "matlab", "value = -g .^ 2;"),
        ("(-g)^2", "excel", "=(-g)^2"),
        ("--g", "c", "return -(-g);"),
        ("g^-1.5", "julia", "@. g^-1.5"),
        ("g^-1.5", "c", "return pow(g, -1.5);"),
        ("g^(1/3)", "sympy", "T = g**(sympy.Rational(1, 3))"),
        ("g^(2*pi)", "sympy", "T = g**(2*sympy.pi)"),
        ("g^2^length", "matlab", "value = real_power(g, real_power(2, length));"),
        ("(g + 1)^3", "c", "return pow(g + 1.0, 3.0);"),
        ("1/3*g", "c", "return 0.3333333333333333 * g;"),
        ("1*g/2", "c", "return 1.0 * g / 2.0;"),
        ("log(g)", "excel", "=LN(g)"),
        ("asin(g)", "matlab", "value = real_or_nan(asin(g));"),
        ("abs(g)", "c", "return fabs(g);"),
        ("x1 + 1e-300", "excel", "=x1_+1E-300"),
        ("g + -2.5*x1", "python", "return g - 2.5 * x1"),
        ("log(-1)*g", "python", "return np.nan * g"),
        ("1/0 + g", "c", "return INFINITY + g;"),
        ("1/0 + g", "sympy", "T = sympy.oo + g"),
        ("7", "c", "return 7.0;"),
    ],
)
def test_laws_are_written_as_people_of_the_language_write(text, language, expected):
    assert last_line(text, language) == expected


def test_latex_has_the_target_on_the_left():
    law = parse("2*pi*sqrt(length/g)", NAMES)
    assert export(law, NAMES, "latex", "T") == r"T = 2 \pi \sqrt{\frac{\mathrm{length}}{g}}"
    assert export(law, NAMES, "latex") == r"2 \pi \sqrt{\frac{\mathrm{length}}{g}}"


def test_without_a_target_the_function_is_called_law():
    law = parse("2*g", NAMES)
    assert "double law(double g)" in export(law, NAMES, "c")
    assert export(parse("2.5", NAMES), NAMES, "c", "T").splitlines()[2] == "double T(void)"


@pytest.mark.parametrize("language", [language for language in PROGRAMS if language not in ("excel", "sympy")])
def test_numbers_keep_all_their_bits(language):
    for value in (0.1, 1 / 3, math.pi, 1e-300, 5e-324, 1.7976931348623157e308, 123456789.12345679, 1e22, -2.5e-7):
        source = export(apply("mul", constant(value), variable(0)), ("x",), language)
        literals = re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", source.replace("in 32 bits", ""))
        assert value in map(float, literals), source


def test_excel_has_fifteen_digits():
    assert export(apply("mul", constant(1 / 3), variable(0)), ("x",), "excel") == "=0.333333333333333*x"


@pytest.mark.parametrize(
    ("law", "language", "words"),
    [
        (parse("1/0 + g", NAMES), "excel", "Excel has no number inf"),
        (parse("1e-310*g", NAMES), "excel", "Excel has no number 1e-310"),
        (parse("1.5e308*g", NAMES), "excel", "from 2.2250738585072e-308 to 9.99999999999999e+307"),
        (apply("add", variable(0), hole()), "c", "fit it before you export it"),
        (apply("add", variable(0), constant(math.nan)), "python", "fit it before you export it"),
    ],
)
def test_what_a_language_cannot_hold_is_refused(law, language, words):
    with pytest.raises(InvalidFormula, match=re.escape(words)):
        export(law, NAMES, language)


def test_a_formula_that_grows_too_long_for_excel_is_refused_at_once():
    twice = define("twice(a) = a*sin(a)").name
    law = variable(0)
    for _ in range(12):  # 4,096 times the column; doubling on would fill the memory
        law = apply(twice, law)
    with pytest.raises(InvalidFormula, match="too long for excel"):
        export(law, ("some_column",), "excel")
    assert len(export(law, ("some_column",), "c")) < 1000


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("fortran", "the languages are: python, c, excel"),
        ("Python", "did you mean 'python'?"),
        ("", "unknown language ''"),
    ],
)
def test_an_unknown_language_is_refused_with_those_there_are(language, words):
    with pytest.raises(InvalidSettings, match=re.escape(words)):
        export(parse("g", NAMES), NAMES, language)


def test_the_help_lists_every_language():
    assert LISTED.split(", ") == list(LANGUAGES)


def test_only_a_language_without_comments_has_notes():
    law = parse("x1*g", NAMES)
    assert notes_on(law, NAMES, "excel") == ["x1_ stands for x1"]
    assert notes_on(law, NAMES, "c") == notes_on(law, NAMES, "latex") == []


@pytest.mark.parametrize("language", RUNNERS)
def test_a_law_of_sixty_nodes_is_exported(language, tmp_path):
    text = " + ".join(f"{number}.25*sin({number}*x)/(1 + x^2)^{number}*y" for number in range(1, 7))
    law = parse(text, ("x", "y"))
    assert len(law) >= 60
    columns = np.array([[0.5, -1.25, 0.0], [2.0, -3.0, 1e-300]])
    found = run(language, [law], ("x", "y"), columns, tmp_path)[0]
    np.testing.assert_allclose(found, evaluate_expression(law, columns), rtol=1e-12)


def test_definitions_with_one_label_are_told_apart():
    own = [define("f(x) = x*2").name, define("f(x) = x*3").name]
    law = apply("add", apply(own[0], variable(0)), apply(own[1], variable(0)))
    space = {}
    exec(export(law, ("f",), "python"), space)  # our own text, as a user would paste it
    assert space["law"](10.0) == 50.0


def test_a_definition_may_be_called_as_a_function_of_the_language():
    own = define("fabs(x) = x*2 + abs(x)").name
    source = export(parse_with("fabs(x) - abs(x)", ("x",), [own]), ("x",), "c")
    assert "static double fabs_2(double x)" in source or "static double fabs_(double x)" in source
