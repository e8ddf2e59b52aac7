"""Values of programs: every operator and random programs against numpy, any split into blocks to the bit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from kernel_reference import IS_COMPILED, apply_reference
from running_error import numpys_values_and_error

from mosaic_sr.expressions.expression import apply, constant, hole, variable
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.kernel.evaluate import block_values, evaluate, work_size
from mosaic_sr.operators import NAMES, OPERATORS

NUM_ROWS = 1300 if IS_COMPILED else 30
NUM_PROGRAMS = 300 if IS_COMPILED else 12
WIDE = GeneratorConfig(num_variables=3, min_operators=1, max_operators=20, weights=dict.fromkeys(NAMES, 1.0))


def random_columns(seed: int, num_rows: int = NUM_ROWS) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-2.0, 2.0, (3, num_rows))


@pytest.mark.parametrize("operator", OPERATORS, ids=NAMES)
def test_every_operator_is_its_row_in_the_table(operator):
    columns = random_columns(0)
    kinds = [(variable(0), variable(1)), (variable(0), constant(1.7)), (constant(1.7), variable(1))]
    for operands in kinds if operator.arity == 2 else [(variable(0),), (constant(0.7),)]:
        expression = apply(operator.name, *operands)
        expected, error = numpys_values_and_error(expression, columns)
        assert np.all(agree(evaluate_expression(expression, columns), expected, error))
        assert np.all(error[np.isfinite(expected)] < 1e-14 * (1.0 + np.abs(expected[np.isfinite(expected)])))


def test_random_programs_are_numpys_values():
    rng = np.random.default_rng(0)
    columns = random_columns(1)
    untold = 0.0
    for _ in range(NUM_PROGRAMS):
        expression = generate(rng, WIDE)
        expected, error = numpys_values_and_error(expression, columns)
        assert np.all(agree(evaluate_expression(expression, columns), expected, error)), expression
        untold += np.mean(~(error <= 1e-6 * np.abs(expected)) & np.isfinite(expected))
    # Rows that lose all their digits tell nothing; they are few.
    assert untold < 0.05 * NUM_PROGRAMS


def agree(values: np.ndarray, expected: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Whether values are those expected, up to the error that rounding may bring: (rows,)."""
    with np.errstate(all="ignore"):
        is_close = np.abs(values - expected) <= error
    is_same = (values == expected) | (np.isnan(values) & np.isnan(expected))
    return is_close | is_same | np.isinf(error)


def test_cancellation_widens_the_bound():
    nearly_one = apply("cosh", variable(0))
    rest = apply("sub", nearly_one, constant(1.0))
    columns = np.array([[1e-4, 1.0]])
    _, of_cosh = numpys_values_and_error(nearly_one, columns)
    expected, of_rest = numpys_values_and_error(rest, columns)
    assert np.all(of_rest >= of_cosh)
    assert np.all(of_rest / expected > [1e-8, 1e-15])
    assert np.all(of_rest / expected < [1e-6, 1e-14])


def test_any_split_into_blocks_gives_the_same_bits():
    rng = np.random.default_rng(2)
    columns = random_columns(3)
    for _ in range(NUM_PROGRAMS // 6):
        expression = generate(rng, WIDE)
        arrays = (expression.codes, expression.slots, expression.constants)
        whole = evaluate_expression(expression, columns)
        cuts = np.unique(np.concatenate([[0, NUM_ROWS], rng.integers(0, NUM_ROWS, 5)]))
        work = np.full(work_size(len(expression)), np.nan)
        for start, stop in itertools.pairwise(cuts):
            part = np.empty(stop - start)
            block_values(*arrays, columns, start, stop, work, part)
            np.testing.assert_array_equal(part.view(np.int64), whole[start:stop].view(np.int64))


def test_leaves_are_programs():
    columns = random_columns(4)
    np.testing.assert_array_equal(evaluate_expression(variable(2), columns), columns[2])
    np.testing.assert_array_equal(evaluate_expression(constant(2.5), columns), np.full(NUM_ROWS, 2.5))
    assert np.all(np.isnan(evaluate_expression(apply("add", variable(0), hole()), columns)))


def test_constants_alone_are_computed_once_and_right():
    expression = apply("mul", apply("pow", constant(2.0), apply("sin", constant(0.5))), variable(0))
    columns = random_columns(5)
    expected, error = numpys_values_and_error(expression, columns)
    assert np.all(agree(evaluate_expression(expression, columns), expected, error))
    np.testing.assert_allclose(expected, 2.0 ** np.sin(0.5) * columns[0], rtol=1e-14)


def test_no_rows_are_no_values():
    out = np.empty(0)
    expression = apply("add", variable(0), variable(1))
    evaluate(expression.codes, expression.slots, expression.constants, np.empty((3, 0)), out)
    assert evaluate_expression(expression, np.empty((3, 0))).shape == (0,)


def test_long_chains_fit_their_work_buffer():
    rng = np.random.default_rng(6)
    columns = random_columns(7, 20)
    chain = apply("sin", variable(0))
    for index in range(60):
        operands = (chain, apply("sq", variable(1))) if rng.random() < 0.5 else (apply("sq", variable(1)), chain)
        chain = apply(("add", "mul", "sub")[index % 3], *operands)
    expected, error = numpys_values_and_error(chain, columns)
    assert np.all(agree(evaluate_expression(chain, columns), expected, error))
    assert np.all(error <= 1e-9 * np.abs(expected))


def test_the_reference_reads_the_table():
    assert apply_reference(OPERATORS[NAMES.index("div")], [6.0, 3.0]) == 2.0
