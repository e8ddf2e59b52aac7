"""When nothing is left to explain: the error of a law is what the rounding of the data and of its evaluation causes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.table import Resolution, Rounding, Rows, Table

Floats = NDArray[np.float64]

# Rounding errors of a dozen operations add up to a few of one; laws that are merely close differ by far more.
SLACK = 8.0
# Rows where a law cancels its own digits may stray.
LEAST_SHARE = 0.98
# Data rounded so coarsely that the floor is above this share of the variance cannot prove a law.
COARSEST = 1e-11
# The law of a computed table is a step on the way: the table it came from proves the whole.
COARSEST_DERIVED = 1e-9


def is_exact(expression: Expression, rows: Rows, table: Table) -> bool:
    """Whether the law agrees with the target on the rows to its noise floor."""
    values = evaluate_expression(expression, rows.columns)
    if not np.all(np.isfinite(values)):
        return False
    floor = noise_floor(expression, rows, table)
    coarsest = COARSEST_DERIVED if table.resolutions else COARSEST
    if not np.mean(np.square(floor)) <= coarsest * np.var(rows.target):
        return False
    return bool(np.mean(np.abs(values - rows.target) <= SLACK * floor) >= LEAST_SHARE)


def noise_floor(expression: Expression, rows: Rows, table: Table) -> Floats:
    """The error that rounding alone may cause in each row: (rows,).

    It adds the rounding of the stored target, what the law makes of the rounding of each column it reads, and what it
    makes of one unit in the last place of each of its constants, which stands for the rounding of its evaluation.
    """
    values = evaluate_expression(expression, rows.columns)
    floor = 0.5 * table.target_resolution.quantum(rows.target) + np.spacing(np.abs(values))
    for column in expression.columns:
        moved = rows.columns.copy()
        moved[column] += 0.5 * _input_resolution(table.column_resolutions[column]).quantum(rows.columns[column])
        floor += _change(expression, moved, values)
    for index in range(expression.num_constants):
        constants = expression.constants.copy()
        constants[index] += np.spacing(constants[index])
        floor += _change(expression.with_constants(constants), rows.columns, values)
    return floor


def _input_resolution(resolution: Resolution) -> Resolution:
    """Decimals of a column are taken as set, not measured: a floor from them would let every law pass."""
    if resolution.rounding in (Rounding.FLOAT32, Rounding.DERIVED):
        return resolution
    return Resolution(Rounding.FLOAT64, exponent=resolution.exponent)


def _change(expression: Expression, columns: Floats, values: Floats) -> Floats:
    """How far the values move; a value that leaves the domain says nothing."""
    with np.errstate(invalid="ignore"):
        change = np.abs(evaluate_expression(expression, columns) - values)
    return np.where(np.isfinite(change), change, 0.0)
