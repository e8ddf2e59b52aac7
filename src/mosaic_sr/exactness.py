"""The one ladder of exactness: how close a law is to the rows, from a share of their spread to a proven law.

Two shares say when a formula is worth the next step. A law *agrees* when its error is what the rounding of the data and
of its own evaluation causes, and it is *exact* when the rows also pay for its fitted numbers. The rule that ends a
search is the rule of the claim at its end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression, make_expression, num_operators
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.kernel.moments import fit_work_size, write_derivatives
from mosaic_sr.operators import CODES, CONSTANT, VARIABLE
from mosaic_sr.table import Resolution, Rounding, Rows, Table, deviation

Floats = NDArray[np.float64]

# Shares of the spread of the target that a formula leaves, as root mean squares.
# From here a careful fit may reach the rounding of the data.
CLOSE = 1e-3
# Rounding to five digits leaves as much of a true law: from here the digits of the data decide, not the error.
NEARLY_EXACT = 3e-5
# The published bound on the validation error of a law that counts as exact, a squared share: preset `paper` alone.
PAPER_NMSE = 1e-15

# Rounding errors of a dozen operations add up to a few of one; laws that are merely close differ by more.
SLACK = 4.0
# A few rows may stray, but not far: what a law merely approximates shows in the rows at the end of its range.
LEAST_SHARE = 0.98
FARTHEST_STRAY = 1.5
# A row whose floor comes so close to its value predicts nothing: there rounding is no small change.
LEAST_PREDICTED = 0.5
# Half a unit of the last decimal is a bound, not a scale: of the slack it needs only what fitted constants add.
DECIMAL_SHARE = 0.5
# Targets stored to fewer bits on average (five digits) fit many a law that is merely close.
LEAST_STORED_BITS = 15.0
# A law that is steep in rounded columns predicts less; ten bits a row still tell it from all others.
LEAST_PREDICTED_BITS = 10.0
# A formula that cancels most of the digits of its own parts agrees with nearly anything.
LEAST_EVALUATED_SHARE = 0.5
# Parts of a law that are as large as its targets leave their rounding in small ones. Where targets lose more bits to
# that on average they span decades, and the law of small ones would go unread.
MOST_SHARED_BITS = 3.0
# A fitted number buys a smooth approximation so many bits. A law with more of them than the predicted bits pay for
# agrees with the rows, but may stand in for a shorter one.
BITS_PER_NUMBER = 5.0
# Numbers of so few binary digits were set, not fitted.
SHORT_DIGITS = 12
# A node is one of some thirty operators, columns and numbers.
BITS_PER_NODE = 5.0
EPSILON = float(np.finfo(np.float64).eps)


class Closeness(IntEnum):
    """How well a law explains the rows; a higher rung includes the lower ones.

    OPEN: its errors are larger than rounding.
    AGREES: it meets every row to rounding, but with more fitted numbers than the rows can prove.
    EXACT: it agrees, and the rows pay for its numbers.
    """

    OPEN = 0
    AGREES = 1
    EXACT = 2


def agrees(expression: Expression, rows: Rows, table: Table) -> bool:
    """Whether the law meets the target on the rows to its noise floor, and whether that shows anything.

    It does when the targets are stored to five digits and predicted to three, when the predicted bits of all rows are
    more than those of the formula, and when the table has more rows than the formula has constants and operators: with
    few rows, those fitted are also those judged, and a part for each row agrees with anything.
    """
    if table_size(table) <= expression.num_constants + num_operators(expression):
        return False
    values = evaluate_expression(expression, rows.columns)
    if not np.all(np.isfinite(values)):
        return False
    residuals = np.abs(values - rows.target)
    if np.mean(_bits(rows.target, residuals)) < LEAST_SHARE * LEAST_PREDICTED_BITS:
        return False
    sensitivity = _sensitivity(expression, rows)
    return any(_meets(residuals, sensitivity, rows, *reading, len(expression)) for reading in _readings(table))


def is_exact(expression: Expression, rows: Rows, table: Table) -> bool:
    """Whether the law agrees and the rows pay for its numbers, all those counted that are no short binary numbers."""
    return agrees(expression, rows, table) and pays_for(num_free(expression, is_short), expression, table)


def num_free(expression: Expression, is_set: Callable[[float], bool]) -> int:
    """Constants that a fit has found, because nobody would have set them; a free exponent bends as two numbers do."""
    places = np.flatnonzero(expression.codes == CONSTANT)
    is_exponent = np.append(expression.codes, CONSTANT)[places + 1] == CODES["pow"]
    values = expression.constants[expression.slots[places]].tolist()
    is_free = np.array([not is_set(value) for value in values], dtype=np.bool_)
    return int(np.count_nonzero(is_free) + np.count_nonzero(is_free & is_exponent))


def pays_for(num_numbers: int, expression: Expression, table: Table) -> bool:
    """Whether so few numbers were fitted that an agreeing law cannot be a mere approximation of another one."""
    rows = table.validation
    predicted_bits = _bits(rows.target, SLACK * noise_floor(expression, rows, table))
    return bool(BITS_PER_NUMBER * num_numbers <= np.mean(predicted_bits))


def table_size(table: Table) -> int:
    """Distinct rows that the search has read."""
    is_shared = table.validation is table.training
    return table.training.num_rows + (0 if is_shared else table.validation.num_rows)


def noise_floor(expression: Expression, rows: Rows, table: Table) -> Floats:
    """The error that rounding alone may cause in each row: (rows,).

    It adds the rounding of the stored target, what the law makes of the rounding of each column it reads, and what it
    makes of the rounding of each of its constants and of each of its own steps.
    """
    *_, reading = _readings(table)
    return _floor(_sensitivity(expression, rows), rows, *reading)


@dataclass(frozen=True)
class _Sensitivity:
    """What the value of a law does when its parts move: evaluation (rows,) and slopes by column (rows,)."""

    evaluation: Floats
    slopes: dict[int, Floats]


def _readings(table: Table) -> list[tuple[Resolution, tuple[Resolution, ...]]]:
    """What the stored digits may mean, of target and columns: all of them count, or those that look kept.

    Decimals of a target may be all it has (half of a whole number); a law that meets every digit says so. Decimals of
    a column are taken as set, not measured: a floor from them would let every law pass. Digits of small targets may be
    what the formula that made them has left by cancellation.
    """
    fine = Resolution(Rounding.FLOAT64, exponent=table.target_exponent)
    fine_columns = tuple(Resolution(Rounding.FLOAT64, exponent=exponent) for exponent in table.column_exponents)
    found_columns = tuple(
        found if found.rounding in (Rounding.FLOAT32, Rounding.DERIVED) else finest
        for found, finest in zip(table.column_resolutions, fine_columns, strict=True)
    )
    found = table.target_resolution
    if found.rounding is Rounding.FLOAT64:
        found = _cancelled(table)
    readings = [(fine, fine_columns), (found, found_columns)]
    return readings[:1] if readings[0] == readings[1] else readings


def _cancelled(table: Table) -> Resolution:
    """Of targets of about one size: the rounding of numbers of that size, in small ones too."""
    magnitudes = np.abs(table.validation.target)
    largest = float(np.max(magnitudes))
    size = largest * float(np.sqrt(np.mean(np.square(magnitudes / largest)))) if largest else 0.0
    shared = np.log2(np.maximum(size / np.maximum(magnitudes, EPSILON * size), 1.0)) if size else np.array([np.inf])
    if np.mean(shared) > MOST_SHARED_BITS:
        return Resolution(Rounding.FLOAT64, exponent=table.target_exponent)
    absolute = float(np.ldexp(0.5 * EPSILON * size, table.target_exponent))
    return Resolution(Rounding.DERIVED, exponent=table.target_exponent, absolute=absolute)


def _floor(sensitivity: _Sensitivity, rows: Rows, target: Resolution, columns: tuple[Resolution, ...]) -> Floats:
    floor = _stored(rows, target) + sensitivity.evaluation
    for column, slope in sensitivity.slopes.items():
        floor = floor + 0.5 * columns[column].quantum(rows.columns[column]) * slope
    return floor


def _stored(rows: Rows, target: Resolution) -> Floats:
    """How far the stored target may be from the one meant: (rows,)."""
    is_binary = target.rounding in (Rounding.FLOAT64, Rounding.FLOAT32, Rounding.DERIVED)
    return (0.5 if is_binary else 0.5 * DECIMAL_SHARE) * target.quantum(rows.target)


def _meets(
    residuals: Floats,
    sensitivity: _Sensitivity,
    rows: Rows,
    target: Resolution,
    columns: tuple[Resolution, ...],
    num_nodes: int,
) -> bool:
    floor = _floor(sensitivity, rows, target, columns)
    if np.mean(residuals <= SLACK * floor) < LEAST_SHARE:
        return False
    predicts = SLACK * floor < LEAST_PREDICTED * np.abs(rows.target)
    if np.any(predicts & (residuals > FARTHEST_STRAY * SLACK * floor)):
        return False
    stored, predicted_bits = (_bits(rows.target, SLACK * uncertainty) for uncertainty in (_stored(rows, target), floor))
    if np.mean(stored) < LEAST_STORED_BITS or np.mean(predicted_bits) < LEAST_PREDICTED_BITS:
        return False
    evaluated = _bits(rows.target, SLACK * sensitivity.evaluation)
    if np.mean(evaluated) < LEAST_EVALUATED_SHARE * np.mean(stored):
        return False
    return bool(np.sum(predicted_bits) >= BITS_PER_NODE * num_nodes)


def _bits(target: Floats, uncertainty: Floats) -> Floats:
    """Bits of each target that stand above an uncertainty: (rows,)."""
    size = np.minimum(np.abs(target), deviation(target))
    smallest = EPSILON * np.maximum(size, np.finfo(np.float64).tiny)
    return np.log2(np.maximum(size / np.maximum(uncertainty, smallest), 1.0))


@np.errstate(all="ignore")  # a slope outside the domain says nothing and counts as zero
def _sensitivity(expression: Expression, rows: Rows) -> _Sensitivity:
    """A factor of 1 behind each node makes its derivative what a relative error of that node does to the value."""
    expression = write_out(expression).expression
    factored, places = _with_factors(expression)
    jacobian = np.empty((factored.num_constants, rows.num_rows))
    work = np.empty(fit_work_size(len(factored), factored.num_constants))
    write_derivatives(
        factored.codes, factored.slots, factored.constants, rows.columns, 0, rows.num_rows,
        np.empty(rows.num_rows), jacobian, work,
    )  # fmt: skip
    by_node = np.where(np.isfinite(jacobian), jacobian, 0.0)[places]
    evaluation = EPSILON * np.abs(by_node[_rounds(expression)]).sum(axis=0)
    slopes = {}
    for column in expression.columns:
        is_column = (expression.codes == VARIABLE) & (expression.slots == column)
        slope = np.abs(by_node[is_column].sum(axis=0)) / np.abs(rows.columns[column])
        slopes[column] = np.where(np.isfinite(slope), slope, 0.0)
    return _Sensitivity(evaluation, slopes)


def _rounds(expression: Expression) -> NDArray[np.bool_]:
    """Nodes whose values are rounded: operators, and constants but for short ones, which were set: (nodes,)."""
    rounds: NDArray[np.bool_] = expression.codes != VARIABLE
    is_constant = expression.codes == CONSTANT
    values = expression.constants[expression.slots[is_constant]]
    rounds[is_constant] = [not is_short(value) for value in values.tolist()]
    return rounds


def is_short(number: float) -> bool:
    """Whether a number has so few binary digits that it was set, not fitted."""
    mantissa, _ = math.frexp(number)
    return math.ldexp(mantissa, SHORT_DIGITS) % 1.0 == 0.0


def _with_factors(expression: Expression) -> tuple[Expression, NDArray[np.intp]]:
    """The expression with each node multiplied by a constant of its own, and the places of those: (nodes,)."""
    codes, slots = np.empty((2, len(expression), 3), dtype=np.int32)
    codes[:, 0], codes[:, 1], codes[:, 2] = expression.codes, CONSTANT, CODES["mul"]
    slots[:, 0], slots[:, 1:] = expression.slots, 0
    is_constant = expression.codes == CONSTANT
    places = np.arange(len(expression)) + np.cumsum(is_constant)
    constants = np.ones(len(expression) + expression.num_constants)
    constants[places[is_constant] - 1] = expression.constants
    return make_expression(codes.ravel(), slots.ravel(), constants), places
