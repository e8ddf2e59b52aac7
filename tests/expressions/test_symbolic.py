"""The bridge to sympy."""

import subprocess
import sys

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from strategies import bound_expressions, reference_values

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.expression import apply, variable
from mosaic_sr.expressions.symbolic import to_sympy
from mosaic_sr.expressions.text import parse
from mosaic_sr.operators import OPERATORS

XYZ = ("x", "y", "z")
x, y, z = sympy.symbols(XYZ)
POINTS = np.random.default_rng(3).uniform(0.1, 0.9, size=(3, 5))


def read(text):
    return parse(text, XYZ)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_every_operator_keeps_its_values_through_sympy(operator):
    expression = apply(operator.name, *[variable(0), variable(1)][: operator.arity])
    tree = to_sympy(expression, XYZ)
    expected = reference_values(expression, POINTS)
    values = [float(tree.subs(dict(zip((x, y, z), point, strict=True)))) for point in POINTS.T]
    np.testing.assert_allclose(values, expected, rtol=1e-12)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(bound_expressions)
def test_any_expression_becomes_a_tree_or_a_named_error(expression):
    names = ("x", "y", "z", "w")
    try:
        tree = to_sympy(expression, names)
    except InvalidFormula:
        return
    assert {symbol.name for symbol in tree.free_symbols} <= {names[column] for column in expression.columns}


def test_symbols_have_exactly_the_columns_names():
    names = ["N", "I", "lambda", "my col %", "E", "pi"]
    tree = to_sympy(parse("N*I*lambda*`my col %`*E*pi", names), names)
    assert {symbol.name for symbol in tree.free_symbols} == set(names)


def test_whole_numbers_are_integers_and_others_keep_their_bits():
    tree = to_sympy(read("3*x + 0.1"), XYZ)
    assert tree == 3 * x + sympy.Float(0.1)
    assert tree.coeff(x).is_Integer


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "text",
    ["9^9^9^9", "(2*x)^1e15", "exp(exp(exp(1000.5)))*x", "(1000000000000001/1e15)^1e15", "9^-(9^300)", "x/0^-(9^9)"],
)
def test_huge_numbers_do_not_hang(text):
    try:
        to_sympy(read(text), XYZ)
    except InvalidFormula as error:
        assert "powers too large" in str(error)  # noqa: PT017


@pytest.mark.parametrize("text", ["?*x", "_*x", "sin(" * 350 + "x" + ")" * 350])
def test_expressions_that_sympy_cannot_hold_are_refused(text):
    with pytest.raises(InvalidFormula):
        to_sympy(read(text), XYZ)


def test_sympy_is_imported_only_when_used():
    source = "import sys, mosaic_sr, mosaic_sr.expressions.symbolic; print('sympy' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "False"
