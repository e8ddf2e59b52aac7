"""Derivatives: every operator against mpmath, random programs against differences, blocks of any size to the bit."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from kernel_reference import IS_COMPILED, function_in_many_digits, read

from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.kernel.derivatives import BLOCK_ROWS, block_jacobian, work_size
from mosaic_sr.operators import NAMES, OPERATORS

NUM_ROWS = BLOCK_ROWS if IS_COMPILED else 10
NUM_PROGRAMS = 200 if IS_COMPILED else 10
MANY_CONSTANTS = GeneratorConfig(
    num_variables=2, min_operators=2, max_operators=14, weights=dict.fromkeys(NAMES, 1.0), constant_share=0.5
)


def derivatives(expression: Expression, columns: np.ndarray, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
    """Values and Jacobian of rows [start, stop)."""
    values = np.empty(stop - start)
    jacobian = np.full((expression.num_constants, BLOCK_ROWS), 7.0)
    work = np.full(work_size(len(expression)), np.nan)
    arrays = (expression.codes, expression.slots, expression.constants)
    block_jacobian(*arrays, np.ones(expression.num_constants, np.int64), columns, start, stop, work, values, jacobian)
    return values, jacobian[:, : stop - start]


@pytest.mark.parametrize("operator", OPERATORS, ids=NAMES)
def test_every_partial_is_the_derivative_of_its_row(operator):
    rng = np.random.default_rng(0)
    for _ in range(4):
        operands = {name: rng.uniform(0.2, 0.8) for name in "ab"[: operator.arity]}
        for name in operands:
            exact = exact_partial(operator.value, operands, name)
            for rows in [(), *((other,) for other in operands if other != name)]:
                value = partial_by_kernel(operator.name, operands, name, rows)
                assert value == pytest.approx(float(exact), rel=1e-11)


def exact_partial(text: str, operands: dict[str, float], by: str) -> mpmath.mpf:
    """The derivative of a row's text, by mpmath's own differences in many digits."""
    return mpmath.diff(lambda x: read(text, function_in_many_digits, **{**operands, by: x}), operands[by])


def partial_by_kernel(operator: str, operands: dict[str, float], by: str, rows: tuple[str, ...]) -> float:
    """The derivative by one operand, which is a constant; the other is a constant too, or a column if in `rows`."""
    leaves = [variable(0) if name in rows else constant(value) for name, value in operands.items()]
    columns = np.full((1, 3), operands[rows[0]] if rows else np.nan)
    jacobian = derivatives(apply(operator, *leaves), columns, 0, 3)[1]
    position = [name for name in operands if name not in rows].index(by)
    return float(jacobian[position, 1])


@pytest.mark.parametrize("operator", OPERATORS, ids=NAMES)
def test_the_partial_holds_over_rows_below_and_above(operator):
    columns = np.random.default_rng(1).uniform(0.2, 0.8, (2, NUM_ROWS))
    inner = apply("mul", constant(0.9), variable(0))
    operands = (inner,) if operator.arity == 1 else (inner, apply("mul", constant(1.1), variable(1)))
    expression = apply("mul", constant(1.3), apply(operator.name, *operands))
    assert_equals_differences(expression, columns, 1e-7)


def test_random_programs_equal_differences():
    rng = np.random.default_rng(2)
    columns = rng.uniform(0.3, 1.7, (2, NUM_ROWS))
    num_checked = 0
    while num_checked < NUM_PROGRAMS:
        expression = generate(rng, MANY_CONSTANTS)
        if expression.num_constants > 0:
            num_checked += 1
            assert_equals_differences(expression, columns, 1e-4)


def assert_equals_differences(expression: Expression, columns: np.ndarray, tolerance: float) -> None:
    """Compare with central differences of two widths; rows where these disagree say nothing."""
    values, jacobian = derivatives(expression, columns, 0, NUM_ROWS)
    np.testing.assert_array_equal(values, evaluate_expression(expression, columns)[:NUM_ROWS])
    for index in range(expression.num_constants):
        wide, narrow = (difference(expression, columns, index, width) for width in (2e-5, 1e-5))
        with np.errstate(all="ignore"):
            doubt = np.abs(wide - narrow)
            is_telling = np.isfinite(wide) & (np.abs(narrow) > 1e-100) & (doubt <= 1e-6 * np.abs(narrow))
        np.testing.assert_allclose(
            jacobian[index, is_telling],
            narrow[is_telling],
            rtol=tolerance,
            atol=1e-9 * np.max(np.abs(values[is_telling]), initial=0.0),
        )


def difference(expression: Expression, columns: np.ndarray, index: int, width: float) -> np.ndarray:
    """The central difference by one constant."""
    step = width * abs(expression.constants[index])
    sides = []
    for sign in (1.0, -1.0):
        constants = expression.constants.copy()
        constants[index] += sign * step
        sides.append(evaluate_expression(expression.with_constants(constants), columns))
    with np.errstate(all="ignore"):
        return (sides[0] - sides[1]) / (2.0 * step)


def test_blocks_of_any_size_give_the_same_bits():
    rng = np.random.default_rng(3)
    columns = rng.uniform(0.3, 1.7, (2, NUM_ROWS))
    for _ in range(NUM_PROGRAMS // 5):
        expression = generate(rng, MANY_CONSTANTS)
        values, jacobian = derivatives(expression, columns, 0, NUM_ROWS)
        cut = int(rng.integers(1, NUM_ROWS))
        for start, stop in ((0, cut), (cut, NUM_ROWS)):
            part_values, part = derivatives(expression, columns, start, stop)
            np.testing.assert_array_equal(part_values, values[start:stop])
            np.testing.assert_array_equal(part, jacobian[:, start:stop])


def test_derivatives_that_nobody_wants_are_left_out():
    columns = np.random.default_rng(5).uniform(0.5, 1.5, (1, NUM_ROWS))
    inner = apply("sin", apply("mul", constant(0.7), variable(0)))
    expression = apply("add", apply("mul", constant(1.3), inner), constant(0.2))
    whole, some = derivatives(expression, columns, 0, NUM_ROWS)[1], np.full((3, BLOCK_ROWS), 7.0)
    arrays = (expression.codes, expression.slots, expression.constants, np.array([1, 0, 1]), columns)
    work = np.full(work_size(len(expression)), np.nan)
    block_jacobian(*arrays, 0, NUM_ROWS, work, np.empty(NUM_ROWS), some)
    np.testing.assert_array_equal(some[[0, 2], :NUM_ROWS], whole[[0, 2]])
    assert np.all(some[1] == 7.0)


def test_a_lone_constant_has_derivative_one():
    values, jacobian = derivatives(constant(3.0), np.zeros((1, 4)), 0, 4)
    assert values.tolist() == [3.0] * 4
    assert jacobian.tolist() == [[1.0] * 4]


def test_shared_adjoints_of_nested_sums_are_not_overwritten():
    columns = np.random.default_rng(4).uniform(0.5, 1.5, (2, NUM_ROWS))

    def term(value: float) -> Expression:
        return apply("sin", apply("mul", constant(value), variable(0)))

    left = apply("add", apply("add", term(0.3), apply("sq", term(0.5))), apply("mul", term(0.7), term(0.9)))
    right = apply("sub", apply("add", term(1.1), term(1.3)), apply("exp", apply("add", term(1.5), term(1.7))))
    assert_equals_differences(apply("add", left, right), columns, 1e-7)
