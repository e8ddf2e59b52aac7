"""The compiled fit against scipy, its outcomes, its weights, and the screening beside it."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.kernel import levenberg
from mosaic_sr.kernel.levenberg import TOLERANCE, fit_program
from mosaic_sr.kernel.linear import PLAN_ROWS, TALLY
from mosaic_sr.kernel.moments import fit_work_size, write_derivatives
from mosaic_sr.kernel.multistart import screen_program

NAMES = ["x0", "x1"]
NO_WEIGHTS = np.empty(0)


def buffers(expression):
    plan = np.zeros((PLAN_ROWS, len(expression)), dtype=np.int64)
    return plan, np.empty(fit_work_size(len(expression), expression.num_constants))


def fit(
    text,
    start,
    columns,
    target,
    weights=NO_WEIGHTS,
    parameters=None,
    max_iterations=100,
    tolerance=TOLERANCE,
    plan=None,
):
    expression = parse(text, NAMES)
    constants = np.array(start, dtype=np.float64)
    own = np.arange(len(constants)) if parameters is None else np.array(parameters)
    status, loss = fit_program(
        expression.codes,
        expression.slots,
        constants,
        own.astype(np.int32),
        columns,
        target,
        weights,
        max_iterations,
        0.0,
        tolerance,
        *(buffers(expression) if plan is None else (plan, buffers(expression)[1])),
    )
    return status, loss, constants


def values(text, constants, columns):
    return evaluate_expression(parse(text, NAMES).with_constants(constants), columns)


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("_*sin(_*x0) + _*exp(_*x1)", [2.0, 1.3, 0.5, -0.7]),
        ("_*x0^_ + _", [3.0, 1.7, -2.0]),
        ("_/(_ + x0) + _*x1", [5.0, 0.8, -1.0]),
        ("_*exp(-(x0 - _)^2/_)", [2.0, 1.6, 0.9]),
        ("log(_*x0 + _)", [2.0, 1.0]),
        ("tanh(_*x0 + _) * x1", [1.5, -2.0]),
    ],
)
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_the_final_error_is_that_of_scipy(text, truth, noise):
    rng = np.random.default_rng(0)
    columns = rng.uniform(0.5, 3.0, (2, 40))
    target = values(text, truth, columns) + noise * rng.normal(size=40)
    start = np.array(truth) * rng.uniform(0.8, 1.25, len(truth))
    status, loss, _ = fit(text, start, columns, target)
    peer = least_squares(lambda c: values(text, c, columns) - target, start, method="lm", xtol=1e-12, ftol=1e-12)
    assert status == levenberg.CONVERGED
    assert loss <= 2.0 * peer.cost * (1.0 + 1e-7) + 1e-20


def test_linear_constants_need_no_start():
    columns = np.random.default_rng(1).uniform(0.5, 3.0, (2, 30))
    target = values("_*x0 + _*x1 + _", [1e-6, 1e6, -3.0], columns)
    status, loss, constants = fit("_*x0 + _*x1 + _", [0.0, 0.0, 0.0], columns, target)
    assert status == levenberg.CONVERGED
    np.testing.assert_allclose(constants[1:], [1e6, -3.0], rtol=1e-8)
    assert loss <= 1e-26 * target @ target


def test_a_weight_of_two_is_the_row_twice():
    rng = np.random.default_rng(2)
    columns = rng.uniform(0.5, 3.0, (2, 20))
    target = values("_*exp(_*x0)", [2.0, 0.5], columns) + rng.normal(size=20)
    weights = rng.integers(0, 3, 20)
    _, weighted_loss, weighted = fit("_*exp(_*x0)", [1.0, 1.0], columns, target, weights.astype(np.float64))
    repeated = np.ascontiguousarray(np.repeat(columns, weights, axis=1))
    _, loss, constants = fit("_*exp(_*x0)", [1.0, 1.0], repeated, np.repeat(target, weights))
    np.testing.assert_allclose(weighted, constants, rtol=1e-7)
    assert weighted_loss == pytest.approx(loss, rel=1e-9)


def test_tied_constants_stay_equal_and_fixed_ones_stay():
    columns = np.random.default_rng(3).uniform(0.5, 3.0, (2, 30))
    text = "_*sin(_*x0) + _*x1 + _"
    target = values(text, [1.4, 0.9, 1.4, 7.0], columns)
    _, loss, constants = fit(text, [1.0, 1.0, 1.0, 7.0], columns, target, parameters=[0, 1, 0, -1])
    np.testing.assert_allclose(constants, [1.4, 0.9, 1.4, 7.0], rtol=1e-9)
    assert loss <= 1e-20


COLUMNS = np.random.default_rng(4).uniform(0.5, 3.0, (2, 20))


@pytest.mark.parametrize(
    ("text", "start", "columns", "max_iterations", "status"),
    [
        ("_*x0", [1.0], COLUMNS, 50, levenberg.CONVERGED),
        ("x0 + x1", [], COLUMNS, 50, levenberg.NO_CONSTANTS),
        ("_*exp(_*x0)", [1.0, -3.0], COLUMNS, 1, levenberg.ITERATION_LIMIT),
        ("_*(_*x0)", [1.0, 1.0], COLUMNS, 50, levenberg.RANK_DEFICIENT),
        ("_*x0 + sin(0*_)", [1.0, 0.0, 1.0], COLUMNS, 50, levenberg.RANK_DEFICIENT),
        ("exp(_*x0)", [1e4], COLUMNS, 50, levenberg.OVERFLOW),
        ("sqrt(_*x0)", [-1.0], COLUMNS, 50, levenberg.NOT_A_NUMBER),
        ("_*x0 + _*x1 + _", [1.0, 1.0, 1.0], COLUMNS[:, :2].copy(), 50, levenberg.TOO_FEW_ROWS),
    ],
)
def test_every_outcome_has_its_status(text, start, columns, max_iterations, status):
    target = 2.0 * columns[0] ** 2 + columns[1]
    assert fit(text, start, columns, target, max_iterations=max_iterations)[0] == status


def test_a_loose_tolerance_saves_passes_and_costs_no_more_than_it_says():
    rng = np.random.default_rng(8)
    columns = rng.uniform(0.5, 3.0, (2, 40))
    text = "_*exp(-(x0 - _)^2/_)"
    target = values(text, [2.0, 1.6, 0.9], columns) + 0.1 * rng.normal(size=40)
    losses, passes = [], []
    for tolerance in (TOLERANCE, 1e-3):
        plan = np.zeros((PLAN_ROWS, len(parse(text, NAMES))), dtype=np.int64)
        losses.append(fit(text, [1.0, 0.8, 2.0], columns, target, tolerance=tolerance, plan=plan)[1])
        passes.append(int(plan[TALLY, 0]))
    assert losses[0] <= losses[1] < 1.01 * losses[0]
    assert passes[1] < passes[0]


def test_rows_beyond_one_block_count_like_the_others():
    rng = np.random.default_rng(5)
    columns = rng.uniform(0.5, 3.0, (2, 300))
    target = values("_*x0 + _", [2.0, 3.0], columns) + rng.normal(size=300)
    _, loss, constants = fit("_*x0 + _", [0.0, 0.0], columns, target)
    expected, squares, *_ = np.linalg.lstsq(np.column_stack([columns[0], np.ones(300)]), target, rcond=None)
    np.testing.assert_allclose(constants, expected, rtol=1e-10)
    assert loss == pytest.approx(squares[0], rel=1e-10)


@pytest.mark.parametrize("weights", [NO_WEIGHTS, np.linspace(0.0, 2.0, 32)])
def test_screening_projects_linear_constants_and_keeps_the_others(weights):
    rng = np.random.default_rng(6)
    columns, target = rng.uniform(0.5, 3.0, (2, 32)), rng.normal(size=32)
    expression = parse("_*sin(_*x0) + _", NAMES)
    constants = np.array([np.nan, 1.3, np.nan])
    own = np.arange(3, dtype=np.int32)
    loss = screen_program(
        expression.codes, expression.slots, constants, own, columns, target, weights, *buffers(expression)
    )
    root = np.sqrt(weights) if len(weights) else np.ones(32)
    design = np.column_stack([np.sin(1.3 * columns[0]), np.ones(32)]) * root[:, None]
    assert loss == pytest.approx(np.linalg.lstsq(design, target * root, rcond=None)[1][0], rel=1e-10)
    assert np.isnan(constants[0])


def test_derivatives_of_any_stretch_of_rows_equal_differences():
    expression = parse("_*sin(_*x0) + x1^_", NAMES)
    columns = np.random.default_rng(7).uniform(0.5, 3.0, (2, 200))
    constants = np.array([2.0, 1.3, 0.7])
    found, jacobian = np.empty(150), np.empty((3, 150))
    write_derivatives(
        expression.codes, expression.slots, constants, columns, 20, 170, found, jacobian, buffers(expression)[1]
    )
    np.testing.assert_array_equal(found, evaluate_expression(expression.with_constants(constants), columns)[20:170])
    for index in range(3):
        shift = np.eye(3)[index] * 1e-6
        high, low = (
            evaluate_expression(expression.with_constants(constants + sign * shift), columns) for sign in (1, -1)
        )
        np.testing.assert_allclose(jacobian[index], (high - low)[20:170] / 2e-6, rtol=1e-6, atol=1e-8)
