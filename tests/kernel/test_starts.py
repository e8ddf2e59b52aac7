"""Starts suit the place of a constant: domains are respected, waves turn, exponents are rationals."""

import numpy as np
import pytest

from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.kernel.linear import DRAWN, PLAN_ROWS, make_plan
from mosaic_sr.kernel.moments import fit_work_size
from mosaic_sr.kernel.starts import EXPONENTS, draw_start, spread

NAMES = ["x0", "x1"]
COLUMNS = np.random.default_rng(0).uniform([[-3.0], [0.5]], [[5.0], [2.0]], (2, 16))


def draws(text, columns=COLUMNS, count=32):
    """Drawn constants: (count, constants)."""
    expression = parse(text, NAMES)
    size = expression.num_constants
    plan = np.zeros((PLAN_ROWS, len(expression)), dtype=np.int64)
    make_plan(expression.codes, expression.slots, np.arange(size, dtype=np.int32), plan)
    plan[DRAWN, :size] = 1
    drawn = np.full((count, size), np.nan)
    for index in range(count):
        draw_start(
            expression.codes, expression.slots, drawn[index], columns, index, 0.0, plan,
            np.empty(fit_work_size(len(expression), size)),
        )  # fmt: skip
    return drawn


@pytest.mark.parametrize(
    "text", ["_*log(x0 + _)", "_*sqrt(_ - x0)", "_*log(x0*x1 - _)", "_*sqrt(-(x0 + _))", "_*(x0 + _)^_"]
)
def test_values_are_finite_where_an_offset_can_make_them_so(text):
    expression = parse(text, NAMES)
    for row in draws(text):
        assert np.all(np.isfinite(evaluate_expression(expression.with_constants(row), COLUMNS)))


def test_a_frequency_turns_by_up_to_thirty_radians_whatever_the_scale_of_the_column():
    for scale in (1e-9, 1.0, 1e9):
        turns = np.abs(draws("_*sin(_*x0)", COLUMNS * scale)[:, 1]) * np.ptp(COLUMNS[0]) * scale
        assert turns.max() <= 31.3
        assert turns.max() > 20.0
        assert np.sum((turns > 1.0) & (turns < 10.0)) >= 5


def test_growth_never_overflows_and_has_both_signs():
    factors = draws("_*exp(_*x0)", COLUMNS * 1e6)[:, 1]
    assert np.all(np.isfinite(np.exp(np.outer(factors, COLUMNS[0] * 1e6))))
    assert np.any(factors > 0)
    assert np.any(factors < 0)


def test_exponents_are_small_rationals_and_linear_constants_zero():
    drawn = draws("_*x1^_")
    assert set(drawn[:, 1]) <= set(EXPONENTS)
    assert len(set(drawn[:, 1])) >= 12
    assert np.all(drawn[:, 0] == 0.0)


def test_the_sequence_is_even_in_every_dimension():
    for dimension in range(6):
        numbers = np.sort([spread(index, dimension, 0.3) for index in range(64)])
        assert np.diff(numbers).max() < 0.08
