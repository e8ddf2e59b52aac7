"""Exported laws, run by their own programs, have the values of `predict`."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from runners import RUNNERS, run
from running_error import numpys_values_and_error
from strategies import NAMES, bound_expressions

from mosaic_sr.expressions.definitions import define, parse_with
from mosaic_sr.expressions.expression import apply, variable
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import OPERATORS

XY = ("x", "y")
# What exports promise, relative to the value, wherever rounding alone cannot change it by as much.
AGREEMENT = 1e-12
# Below, numbers have fewer digits.
SMALLEST = 1e-300
# Every pair of them is a row.
EDGES = np.array([0.0, -0.0, 1.0, -1.0, 0.3, -0.7, 2.5, -3.0, 1e-300, -1e-300, 1e300, -1e300, np.nan])
# Calc has neither NaN nor infinity; for sympy, which computes exactly, 2^(1e300) would take for ever.
MILD = np.array([0.0, 1.0, -1.0, 0.3, -0.7, 2.5, -3.0, 1e-3, 20.0])
IEEE = [language for language in RUNNERS if language not in ("excel", "sympy")]

LAWS = """
x - y - x*y/3; x - (y - x); x/(y/x); x/y/x; x*(y/x); x - -y; -(x + y)/-3; --x; x + -0.1*y; 0.1 - -0.2*x
-x^2; (-x)^2; -(x^2)*y; 2 - x^2; x - (-y)^2; (x - y)^3; -x^3; (-x)^3; -(-x)^2; x^-2; x^-1; x^(-0.5); (-x)^1.5; x^2^2
x^y; (x^y)^2; x^(y^2); 2^x; 2^-x; -2^x; (-2)^x; (x^2)^y; 0.5^x^2; x^(-y); (x + y)^y; x^4; x^5; x^1.5; x^-2.5; 1^x; x^0
sqrt(x^2 + y^2); log(x)/log(y); exp(-x^2/2); sin(2*x + 1)^2; 1/(1 + exp(-x)); atan(1/x); tanh(x)*cosh(y); abs(x)^0.5
6.02214076e23*x/1.380649e-23; 1e-300*x; x/1e300; 2.2250738585072014e-308*x; 0.1*x + 0.2; 1/3*x; 7; -2.5
exp(2)*x + sqrt(2) - log(3)*y; asin(x)/acos(y); x*1 + 0; cube(x - 1); inv(x + y); 2*pi*sqrt(abs(x))
neg(sq(x)); sq(neg(x)); sqrt(sqrt(x))
"""
LAW_TEXTS = [text.strip() for line in LAWS.strip().splitlines() for text in line.split(";")]


def pairs(numbers):
    """Every pair of numbers as two columns."""
    return np.array([grid.ravel() for grid in np.meshgrid(numbers, numbers)])


def is_finite_throughout(law, columns):
    """Where no part of a law is infinite or NaN: (rows,)."""
    parts = [evaluate_expression(law.subtree(node), columns) for node in range(len(law))]
    return np.isfinite(parts).all(axis=0)


def assert_agreement(found, laws, columns, has_infinity=True, is_complex=False):
    """Equal to 1e-12 where rounding cannot matter; never a number where `predict` has none.

    has_infinity: whether the language computes with infinite numbers.  is_complex: whether it does with complex ones.
    """
    for law, values in zip(laws, found, strict=True):
        expected = evaluate_expression(law, columns)
        _, bound = numpys_values_and_error(law, columns)
        allowed = AGREEMENT * np.abs(expected) + SMALLEST
        with np.errstate(invalid="ignore"):
            is_sure = np.isfinite(expected) & (bound <= allowed)
            is_wrong = is_sure & ~(np.abs(values - expected) <= allowed)
        if not has_infinity:
            is_wrong &= is_finite_throughout(law, columns)
        is_made_up = ~np.isfinite(expected) & np.isfinite(bound) & np.isfinite(values)
        for row in np.flatnonzero(is_wrong | (is_made_up & (not is_complex))):
            shown = to_text(law, [f"x{column}" for column in range(len(columns))])
            pytest.fail(f"{shown} at {columns[:, row]}: {values[row]!r}, expected {expected[row]!r}")


@pytest.mark.parametrize("language", IEEE)
def test_every_operator_agrees_at_edge_values(language, tmp_path):
    columns = pairs(EDGES)
    laws = [apply(operator.name, *map(variable, range(operator.arity))) for operator in OPERATORS]
    assert_agreement(run(language, laws, XY, columns, tmp_path), laws, columns)


@pytest.mark.parametrize("language", IEEE)
def test_laws_agree_at_edge_values(language, tmp_path):
    columns = pairs(EDGES)
    laws = [parse(text, XY) for text in LAW_TEXTS]
    assert_agreement(run(language, laws, XY, columns, tmp_path), laws, columns)


@pytest.mark.parametrize("language", ["excel", "sympy"])
def test_laws_agree_at_mild_values(language, tmp_path):
    columns = pairs(MILD)[:, ::2]
    laws = [apply(operator.name, *map(variable, range(operator.arity))) for operator in OPERATORS]
    # Exact arithmetic simplifies sqrt(x)^2 to x, also below 0.
    laws += [parse(text, XY) for text in LAW_TEXTS if language == "excel" or "^0.5" not in text]
    laws = [law for law in laws if not np.any(np.abs(law.constants) < 1e-307)] if language == "excel" else laws
    found = run(language, laws, XY, columns, tmp_path)
    assert_agreement(found, laws, columns, has_infinity=False, is_complex=language == "sympy")


@pytest.mark.parametrize("language", RUNNERS)
def test_defined_operators_are_written_out(language, tmp_path):
    texts = [
        "sech(x) = 1/cosh(x)",
        "hypot2(x, y) = x*x + y*y",
        "soft(double) = double/(1 + abs(double))",
        "pow2(a) = 2^a",
    ]
    own = [define(text).name for text in texts]
    words = ["2.5*sech(1.3*x)", "hypot2(x, soft(y))/3", "soft(soft(soft(x - y)))", "pow2(x) - sech(2)*y", "soft(3)"]
    laws = [parse_with(text, XY, own) for text in words]
    columns = pairs(MILD[1:7])
    values = run(language, laws, XY, columns, tmp_path)
    expected = [evaluate_expression(law, columns) for law in laws]
    np.testing.assert_allclose(values, expected, rtol=AGREEMENT)


# Programs start once per example, so an example is many expressions, and the message shows the one that fails.
@pytest.mark.parametrize("language", [language for language in IEEE if language != "jax"])  # no subnormal numbers
@settings(deadline=None, derandomize=True, max_examples=4, phases=[Phase.generate])
@given(
    st.lists(bound_expressions, min_size=40, max_size=60),
    st.lists(st.floats(-5.0, 5.0) | st.sampled_from(EDGES.tolist()), min_size=32, max_size=32),
)
def test_random_expressions_agree(language, tmp_path_factory, laws, numbers):
    columns = np.array(numbers).reshape(4, 8)
    assert_agreement(run(language, laws, NAMES, columns, tmp_path_factory.mktemp("laws")), laws, columns)
