"""The canonical form keeps the value, is idempotent and makes equal formulas equal."""

import numpy as np
import pytest

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import apply
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.expressions.values import evaluate_expression

NAMES = ["x", "y", "z"]
EVERY_OPERATOR = GeneratorConfig(num_variables=3, max_operators=10, max_curved=3)

FORMS = {
    "3+x+2*x+sin(y*x)-1": "2 + 3*x + sin(x*y)",
    "x*(2*y+4)/3": "0.6666666666666666*x*(2 + y)",
    "(x^2)^0.5": "abs(x)",
    "sqrt(x)^2": "x",
    "(x^3)^(1/3)": "x",
    "sqrt(4*x*y)": "2*sqrt(x*y)",
    "exp(2*log(x)+y)": "x^2*exp(y)",
    "exp(x)*exp(-x)": "1",
    "log(exp(x))": "x",
    "sin(-x)": "-sin(x)",
    "cos(-x)": "cos(x)",
    "abs(-2*x)": "2*abs(x)",
    "z*(x-3)": "z*(x - 3)",
    "-z*(x-3)": "z*(3 - x)",
    "z*(1-x^2)": "z*(1 - x^2)",
    "(2*x+2*y)^2/z": "4*(x + y)^2/z",
    "x/sqrt(1-1.112e-17*y^2)": "x/sqrt(1 - 1.112e-17*y^2)",
    "sqrt(x*y)*sqrt(x*y)": "x*y",
    "x^5*y/x^2": "x^3*y",
    "x-x+y": "y",
    "_*x+_*x+_": "_ + _*x",
    "_*(_*x+_)*y": "_*y*(_ + x)",
    "_*(x+y)*z": "_*z*(x + y)",
    "_*(x+y)": "_*(x + y)",
    "_*(x+_)": "_ + _*x",
    "?+?": "? + ?",
}


@pytest.mark.parametrize("text", FORMS)
def test_known_forms(text):
    assert to_text(canonical(parse(text, NAMES)), NAMES) == FORMS[text]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x*y*z", "z*(y*x)"),
        ("(x-y)*z", "-z*(y-x)"),
        ("x/y/z", "x/(y*z)"),
        ("2*(x+y)", "x+x+y*2"),
        ("1/(1/x)", "x"),
        ("exp(x+y)", "exp(y)*exp(x)"),
        ("sqrt(x)/x", "1/sqrt(x)"),
    ],
)
def test_equal_formulas_have_one_form(one, other):
    assert canonical(parse(one, NAMES)) == canonical(parse(other, NAMES))


def test_infinite_numbers_leave_the_expression_as_it_came():
    expression = parse("x + 1/0", NAMES)
    assert canonical(expression) == expression


def random_expressions(seed, size):
    rng = np.random.default_rng(seed)
    return [generate(rng, EVERY_OPERATOR) for _ in range(size)]


def test_random_expressions_keep_their_value():
    rng = np.random.default_rng(5)
    columns = rng.normal(size=(3, 64)) * np.exp(rng.normal(size=(3, 64)))
    nudges = 1e-13 * rng.uniform(0.5, 1.0, size=(3, 64)) * rng.choice([-1, 1], size=(3, 64))
    compared = 0
    for expression in random_expressions(0, 3000):
        form = canonical(expression)
        before, after = evaluate_expression(expression, columns), evaluate_expression(form, columns)
        nudged = evaluate_expression(expression, columns * (1 + nudges))
        # Rounding differs between forms; where a nudge of the input shows in the value, allow as much.
        with np.errstate(all="ignore"):
            tolerance = 1e-9 * np.abs(before) + 1e4 * np.abs(nudged - before) + 1e-9
        usable = np.isfinite(before) & np.isfinite(nudged) & (np.abs(before) < 1e100)
        compared += usable.sum()
        with np.errstate(all="ignore"):
            wrong = usable & ~(np.abs(before - after) <= tolerance)
        if wrong.any():
            # A part that overflows, as in log(exp(x)), has no value that a form could keep.
            parts = [evaluate_expression(expression.subtree(node), columns) for node in range(len(expression))]
            wrong &= np.isfinite(parts).all(axis=0)
        assert not wrong.any(), (to_text(expression, NAMES), to_text(form, NAMES), before[wrong], after[wrong])
    assert compared > 50_000


def test_canonical_form_is_idempotent():
    for expression in random_expressions(1, 3000):
        form = canonical(expression)
        again = canonical(form)
        assert again.structure_key == form.structure_key, (to_text(form, NAMES), to_text(again, NAMES))
        np.testing.assert_allclose(again.constants, form.constants, rtol=1e-13)


def test_operands_in_any_order_have_one_form():
    rng = np.random.default_rng(2)
    for expression in random_expressions(3, 500):
        other = generate(rng, EVERY_OPERATOR)
        for operator in ("add", "mul"):
            one, two = apply(operator, expression, other), apply(operator, other, expression)
            forms = canonical(one), canonical(two)
            if forms == (one, two):
                continue  # numbers that fold to infinity: no form
            assert forms[0].structure_key == forms[1].structure_key, [to_text(form, NAMES) for form in forms]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7.9431*(1 - exp(-x/1.7))", "7.9431*(1 - exp(-0.5882352941176471*x))"),
        ("7.9431 - 7.9431*exp(-2.5*x)", "7.9431*(1 - exp(-2.5*x))"),
        ("-7.9431 - 7.9431*exp(-2.5*x)", "-7.9431*(1 + exp(-2.5*x))"),
        ("0.3 + 1.7*x + 1.7*sin(x)", "0.3 + 1.7*(x + sin(x))"),
        ("1.7*x + 1.7*sin(x) - 0.3", "1.7*(x + sin(x)) - 0.3"),
        ("0.3 - 1.7*x - 1.7*sin(x)", "0.3 - 1.7*(x + sin(x))"),
        ("2*x + 2*sin(x)", "2*x + 2*sin(x)"),
        ("0.3*x + 0.3*sin(x) - 0.7*cos(x)", "0.3*(x + sin(x)) - 0.7*cos(x)"),
        ("0.3*x + 0.3*sin(x) - cos(x)", "0.3*(x + sin(x)) - cos(x)"),
        ("0.3*x + 0.3*sin(x) + 0.7*cos(x) + 0.7*x^2", "0.3*(x + sin(x)) + 0.7*(x^2 + cos(x))"),
        ("-0.3*x - 0.3*sin(x) - 0.7*cos(x)", "-0.7*cos(x) - 0.3*(x + sin(x))"),
    ],
)
def test_a_number_that_terms_share_is_written_once(text, expected):
    once = canonical(parse(text, ["x"]))
    assert to_text(once, ["x"]) == expected
    assert canonical(once) == once
