"""Which constants are found to be linear, and the small solves."""

import numpy as np
import pytest

from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.kernel.linear import LINEAR, ORDER, PLAN_ROWS, eliminate, make_plan, scale_moments, solve_linear

NAMES = ["x0", "x1"]


def plan_of(text, parameter_of_constant=None):
    """Linear parameters by number of their constant, and the number of parameters."""
    expression = parse(text, NAMES)
    own = np.arange(expression.num_constants) if parameter_of_constant is None else np.array(parameter_of_constant)
    plan = np.zeros((PLAN_ROWS, len(expression)), dtype=np.int64)
    num_linear, size = make_plan(expression.codes, expression.slots, own.astype(np.int32), plan)
    return sorted(plan[ORDER, :num_linear].tolist()), int(size)


@pytest.mark.parametrize(
    ("text", "linear", "size"),
    [
        ("_", [0], 1),
        ("x0", [], 0),
        ("_*x0 + _", [0, 1], 2),
        ("_ - _*sin(x0) - (-_)", [0, 1, 2], 3),
        ("_*sin(_*x0) + _*exp(_*x1)", [0, 2], 4),
        ("_/(_ + x0)", [0], 2),
        ("(_ + _*x0)/x1", [0, 1], 2),
        ("_*(_*x0 + _)", [1, 2], 3),
        ("(_*x0 + _)*_", [0, 1], 3),
        ("_*(x0 + _)", [0], 2),
        ("sqrt(_*x0)", [], 1),
        ("x0^_", [], 1),
        ("_*x0^2 + (_ + x1)^2", [0], 2),
        ("_*(x0*(_ + x1*(_ + x0)))", [1, 2], 3),
    ],
)
def test_constants_that_enter_linearly_are_found(text, linear, size):
    assert plan_of(text) == (linear, size)


def test_a_tied_constant_is_linear_when_all_its_places_are():
    assert plan_of("_*x0 + _*x1", [0, 0]) == ([0], 1)
    assert plan_of("_*x0 + sin(_*x1)", [0, 0]) == ([], 1)
    assert plan_of("_*_*x0", [0, 0]) == ([], 1)


def test_a_fixed_constant_is_no_parameter():
    assert plan_of("_*x0 + _", [-1, 0]) == ([1], 1)
    assert plan_of("_*(_ + x0)", [-1, 0]) == ([1], 1)


@pytest.mark.parametrize(
    "text", ["_*x0 + _", "_*sin(_*x0) - _/(x1 + _)", "(_ + _*x0)*(_ + x1)", "-(_*x0)/exp(_*x1) + _"]
)
def test_the_formula_is_affine_in_all_linear_constants_together(text):
    rng = np.random.default_rng(0)
    expression = parse(text, NAMES)
    plan = np.zeros((PLAN_ROWS, len(expression)), dtype=np.int64)
    make_plan(expression.codes, expression.slots, np.arange(expression.num_constants, dtype=np.int32), plan)
    is_linear = plan[LINEAR, : expression.num_constants] == 1
    columns = rng.uniform(1.0, 2.0, (2, 8))
    base = rng.uniform(1.0, 2.0, expression.num_constants)
    step = np.where(is_linear, rng.uniform(1.0, 2.0, len(base)), 0.0)
    low, middle, high = (
        evaluate_expression(expression.with_constants(base + k * step), columns) for k in (0.0, 1.0, 2.0)
    )
    assert np.any(is_linear)
    np.testing.assert_allclose(high - middle, middle - low, rtol=1e-12)


def moments_of(columns, residual):
    block = np.column_stack([columns, residual])
    return np.tril(block.T @ block)


def solve(moments, size):
    factor, scales, step = np.zeros((size + 1, size + 1)), np.zeros(size + 1), np.zeros(size + 1)
    left = solve_linear(moments, size, size, scales, factor, step)
    return step[:size], left


def test_the_solve_equals_least_squares_over_fifteen_decades_of_scale():
    rng = np.random.default_rng(1)
    columns = rng.normal(size=(40, 4)) * np.array([1e-9, 1.0, 1e3, 1e6])
    residual = rng.normal(size=40)
    step, left = solve(moments_of(columns, residual), 4)
    expected, squares, *_ = np.linalg.lstsq(columns / np.abs(columns).max(axis=0), residual, rcond=None)
    np.testing.assert_allclose(step, expected / np.abs(columns).max(axis=0), rtol=1e-9)
    assert left == pytest.approx(squares[0], rel=1e-12)


def test_columns_that_depend_on_others_or_vanish_or_are_not_finite_get_no_step():
    rng = np.random.default_rng(2)
    first = rng.normal(size=30)
    columns = np.column_stack([first, 2.0 * first, np.zeros(30), rng.normal(size=30)])
    step, left = solve(moments_of(columns, 3.0 * first), 4)
    np.testing.assert_allclose(step, [3.0, 0.0, 0.0, 0.0], atol=1e-12)
    assert left == pytest.approx(0.0, abs=1e-12)
    moments = moments_of(columns, first)
    moments[3, :] = np.inf
    assert solve(moments, 4)[0][3] == 0.0


def test_elimination_counts_independent_columns():
    rng = np.random.default_rng(3)
    columns = rng.normal(size=(30, 3))
    columns[:, 2] = columns[:, 0] - columns[:, 1]
    factor, scales = np.zeros((4, 4)), np.zeros(4)
    scale_moments(moments_of(columns, columns[:, 0]), 3, scales, factor)
    assert eliminate(factor, 3, 0, 3, 1e-14) == 2
