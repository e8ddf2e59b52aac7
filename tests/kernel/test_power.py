"""Powers: numpy's values, whatever way they are computed."""

from __future__ import annotations

import numpy as np
import pytest
from running_error import ONE_FUNCTION

from mosaic_sr.expressions.expression import apply, constant, variable
from mosaic_sr.expressions.values import evaluate_expression

BASES = np.concatenate(
    [np.random.default_rng(0).uniform(-3.0, 3.0, 40), [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-200, 1e200]]
)


@pytest.mark.parametrize(
    "exponent", [0.0, 1.0, 2.0, 3.0, 4.0, -1.0, -2.0, 0.5, -0.5, 1.5, 2.5, 7.0, 1.37, np.inf, np.nan]
)
def test_powers_are_numpys_for_every_kind_of_operand(exponent):
    with np.errstate(all="ignore"):
        expected = np.power(BASES, np.full_like(BASES, exponent))
    by_number = evaluate_expression(apply("pow", variable(0), constant(exponent)), BASES[None])
    columns = np.array([BASES, np.full_like(BASES, exponent)])
    by_rows = evaluate_expression(apply("pow", variable(0), variable(1)), columns)
    np.testing.assert_allclose(by_number, expected, rtol=ONE_FUNCTION)
    np.testing.assert_allclose(by_rows, expected, rtol=ONE_FUNCTION)


def test_a_number_to_the_power_of_rows_is_numpys():
    exponents = np.linspace(-5.0, 5.0, 23)
    values = evaluate_expression(apply("pow", constant(1.7), variable(0)), exponents[None])
    np.testing.assert_allclose(values, 1.7**exponents, rtol=ONE_FUNCTION)
