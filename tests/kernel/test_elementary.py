"""Elementary functions: accuracy against mpmath, unusual arguments against numpy."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from kernel_reference import IS_COMPILED, function_in_many_digits
from running_error import ONE_FUNCTION

from mosaic_sr.expressions.expression import apply, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.kernel import elementary
from mosaic_sr.kernel.elementary import ORDINARY

NAMES = tuple(ORDINARY)
# Ranges of ordinary arguments and the largest error in units of the last place.
RANGES = {
    "sin": [(-3.2, 3.2), (-100.0, 100.0), (-6e7, 6e7)],
    "cos": [(-3.2, 3.2), (-100.0, 100.0), (-6e7, 6e7)],
    "tan": [(-1.6, 1.6), (-100.0, 100.0), (-6e7, 6e7)],
    "exp": [(-1.0, 1.0), (-20.0, 20.0), (-708.0, 709.0)],
    "log": [(0.9, 1.1), (0.3, 3.0), (1e-9, 1e9)],
    "tanh": [(-0.01, 0.01), (-1.0, 1.0), (-22.0, 22.0)],
    "sinh": [(-0.1, 0.1), (-1.0, 1.0), (-20.0, 20.0), (-709.0, 709.0)],
    "cosh": [(-0.1, 0.1), (-1.0, 1.0), (-20.0, 20.0), (-709.0, 709.0)],
    "arctan": [(-0.5, 0.5), (-3.0, 3.0), (-1e3, 1e3)],
    "arcsin": [(-0.5, 0.5), (-1.0, 1.0)],
    "arccos": [(-0.5, 0.5), (-1.0, 1.0)],
}
# The tangent is a quotient of two functions that are off by 1.5 each without a fused multiply-add.
LIMITS = {name: 4.0 if name == "tan" else 2.5 for name in NAMES}
UNUSUAL = [0.0, -0.0, 5e-324, -5e-324, 1e-310, 2e-308, np.inf, -np.inf, np.nan, 1e9, -1e9, 1e22, 1e300, -1e300]
UNUSUAL += [1e-300, -1e-300, 709.5, 710.0, -709.5, -744.0, -746.0, 1.0, -1.0, 1.0000000001, 1.7976931348623157e308]


def over_block(name: str, arguments: np.ndarray) -> np.ndarray:
    return evaluate_expression(apply(name.replace("arc", "a"), variable(0)), arguments[None])


@pytest.mark.parametrize("name", NAMES)
def test_ordinary_arguments_are_accurate(name):
    rng = np.random.default_rng(0)
    with mpmath.workprec(160):
        for low, high in RANGES[name]:
            arguments = rng.uniform(low, high, 400 if IS_COMPILED else 20)
            values = over_block(name, arguments)
            exact = [function_in_many_digits(name)(mpmath.mpf(x)) for x in arguments]
            errors = [
                abs(mpmath.mpf(value) - truth) / float(np.spacing(abs(float(truth))))
                for value, truth in zip(values, exact, strict=True)
            ]
            assert max(errors) <= LIMITS[name], (low, high)


@pytest.mark.parametrize(
    ("parts", "largest"),
    [
        (elementary._PI_PARTS, ORDINARY["sin"][1]),
        (elementary._HALF_PI_PARTS, ORDINARY["tan"][1]),
        (elementary._LOG_2_PARTS, ORDINARY["exp"][1]),
    ],
)
def test_range_reduction_needs_no_fused_multiply_add(parts, largest):
    counts = np.unique(np.random.default_rng(3).integers(1, int(largest / parts[0]) + 1, 200))
    for n in [*counts.tolist(), int(largest / parts[0]) + 1]:
        assert all(Fraction(n) * Fraction(part) == Fraction(n * part) for part in parts[:-1])


@pytest.mark.parametrize("name", NAMES)
def test_unusual_arguments_are_numpys(name):
    arguments = np.array(UNUSUAL)
    values = over_block(name, arguments)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(arguments)
    np.testing.assert_allclose(values, expected, rtol=ONE_FUNCTION)
    zeros = expected == 0.0
    np.testing.assert_array_equal(np.signbit(values[zeros]), np.signbit(expected[zeros]))


@pytest.mark.parametrize("name", NAMES)
def test_a_value_does_not_depend_on_its_neighbours(name):
    rng = np.random.default_rng(1)
    arguments = np.concatenate([rng.uniform(*RANGES[name][1], 45), [np.nan, np.inf, 1e30]])
    together = over_block(name, arguments)
    alone = np.concatenate([over_block(name, arguments[i : i + 1]) for i in range(len(arguments))])
    np.testing.assert_array_equal(together.view(np.int64), alone.view(np.int64))


@pytest.mark.parametrize("name", ["sin", "tan", "tanh", "sinh", "arctan", "arcsin"])
def test_odd_functions_are_odd_to_the_bit(name):
    arguments = np.random.default_rng(2).uniform(0.0, 1.0, 50)
    np.testing.assert_array_equal(over_block(name, -arguments), -over_block(name, arguments))
