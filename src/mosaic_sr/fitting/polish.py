"""The last steps of a fit by orthogonal factors, which keep the digits that normal equations square away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.kernel.moments import fit_work_size, write_derivatives
from mosaic_sr.linear_algebra import solve_least_squares, thin_svd
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

# Rows whose derivatives are held at once; memory stays bounded whatever the table's length.
CHUNK_ROWS = 65536
# Numbers that are factored at once: from 10,000 on the library starts threads, which on a busy machine wait for each
# other a hundred times as long as the work takes.
FACTORED_NUMBERS = 6000
MAX_STEPS = 8
# Directions whose singular value is below this share of the largest are not told apart by the rows.
RANK_TOLERANCE = 1e-11


@dataclass(frozen=True)
class Point:
    """A formula with values for its constants, seen on all rows.

    triangle: (parameters + 1, parameters + 1) triangular factor of [derivatives, residual] under the fit's weights.
    squares, relative_squares: sums of squared residuals under the row weights, and under those divided by y².
    """

    constants: Floats
    triangle: Floats
    fitted: float
    squares: float
    relative_squares: float


@np.errstate(all="ignore")  # numerical trouble is a value here
def measure_point(
    expression: Expression, constants: Floats, parameter_of_constant: Codes, rows: Rows, weights: Floats
) -> Point:
    """The point at `constants`; weights: (rows,) those of the fit, empty for ones."""
    size = int(parameter_of_constant.max(initial=-1)) + 1
    triangle = np.zeros((0, size + 1))
    fitted = squares = relative_squares = 0.0
    for start in range(0, rows.num_rows, CHUNK_ROWS):
        chunk = slice(start, min(start + CHUNK_ROWS, rows.num_rows))
        columns, residual = _derivatives(expression, constants, parameter_of_constant, rows, chunk, size)
        target = rows.target[chunk]
        share = np.divide(residual, target, out=np.zeros_like(residual), where=target != 0)
        own = rows.fit_weights[chunk] if len(rows.fit_weights) else 1.0
        root = np.sqrt(weights[chunk]) if len(weights) else np.ones(len(residual))
        squares += float(np.sum(own * np.square(residual)))
        relative_squares += float(np.sum(own * np.square(share)))
        fitted += float(np.sum(np.square(root * residual)))
        block = np.column_stack([columns.T, residual]) * root[:, None]
        if not np.all(np.isfinite(block)):
            return Point(
                constants, np.full((size + 1, size + 1), np.nan), _or_infinity(fitted), squares, relative_squares
            )
        triangle = _folded_in(triangle, block)
    padded = np.zeros((size + 1, size + 1))
    padded[: len(triangle)] = triangle
    return Point(constants, padded, fitted, squares, relative_squares)


def _folded_in(triangle: Floats, block: Floats) -> Floats:
    """The triangular factor of some rows with more rows taken in, a few at a time."""
    step = max(FACTORED_NUMBERS // block.shape[1], 2 * block.shape[1])
    for start in range(0, len(block), step):
        triangle = np.asarray(np.linalg.qr(np.vstack([triangle, block[start : start + step]]), mode="r"))
    return triangle


def weighted_squares(numbers: Floats, weights: Floats | None, centre: float) -> float:
    """Sum of weight times squared distance from the centre, chunk by chunk."""
    total = 0.0
    for start in range(0, len(numbers), CHUNK_ROWS):
        chunk = slice(start, start + CHUNK_ROWS)
        squares = np.square(numbers[chunk] - centre)
        total += float(squares.sum() if weights is None else weights[chunk] @ squares)
    return total


def _or_infinity(loss: float) -> float:
    return loss if np.isfinite(loss) else np.inf


def _derivatives(
    expression: Expression, constants: Floats, parameter_of_constant: Codes, rows: Rows, chunk: slice, size: int
) -> tuple[Floats, Floats]:
    """Derivatives by parameter (parameters, rows) and residuals (rows,) of a chunk of rows."""
    count = chunk.stop - chunk.start
    values, by_constant = np.empty(count), np.empty((len(constants), count))
    buffer = np.empty(fit_work_size(len(expression), len(constants)))
    write_derivatives(
        expression.codes, expression.slots, constants, rows.columns, chunk.start, chunk.stop,
        values, by_constant, buffer,
    )  # fmt: skip
    columns = np.zeros((size, count))
    is_free = parameter_of_constant >= 0
    np.add.at(columns, parameter_of_constant[is_free], by_constant[is_free])
    return columns, rows.target[chunk] - values


@np.errstate(all="ignore")  # numerical trouble is a value here
def polish(
    expression: Expression,
    start: Point,
    parameter_of_constant: Codes,
    is_linear: NDArray[np.bool_],
    rows: Rows,
    weights: Floats,
) -> tuple[Point, int]:
    """The point after Gauss-Newton steps for as long as they lower the loss, and the evaluations that took.

    is_linear: (parameters,) these are solved anew after each step, which keeps long steps along curved valleys good.
    """
    best, evaluations = start, 0
    stages = [np.ones_like(is_linear), is_linear] if np.any(is_linear) else [np.ones_like(is_linear)]
    for _ in range(MAX_STEPS):
        before, trial = best.fitted, best
        for chosen in stages:
            moved = _moved(trial, parameter_of_constant, chosen)
            if moved is None:
                return best, evaluations
            trial = measure_point(expression, moved, parameter_of_constant, rows, weights)
            evaluations += 1
            best = trial if trial.fitted < best.fitted else best
        if not best.fitted < before:
            break
    return best, evaluations


def _moved(point: Point, parameter_of_constant: Codes, chosen: NDArray[np.bool_]) -> Floats | None:
    """The constants after the least-squares step of the chosen parameters; None when derivatives are not finite."""
    size = len(point.triangle) - 1
    if not np.any(chosen) or not np.all(np.isfinite(point.triangle)):
        return None
    columns = point.triangle[:, :size][:, chosen]
    scales = np.linalg.norm(columns, axis=0)
    scales[scales == 0] = 1.0
    step = np.zeros(size)
    step[chosen] = solve_least_squares(columns / scales, point.triangle[:, size], RANK_TOLERANCE) / scales
    constants = point.constants.copy()
    is_free = parameter_of_constant >= 0
    constants[is_free] += step[parameter_of_constant[is_free]]
    return constants


@np.errstate(all="ignore")  # numerical trouble is a value here
def unit_covariance(point: Point) -> tuple[Floats | None, NDArray[np.bool_]]:
    """Covariance of the parameters for rows of variance 1 / weight, and which parameters the rows determine.

    Undetermined parameters have NaN rows and columns; None when derivatives are not finite.
    """
    size = len(point.triangle) - 1
    if not np.all(np.isfinite(point.triangle)):
        return None, np.zeros(size, dtype=np.bool_)
    scales = np.linalg.norm(point.triangle[:, :size], axis=0)
    is_used = scales > 0
    scales = np.where(is_used, scales, 1.0)
    _, singular, right = thin_svd(point.triangle[:, :size] / scales)
    is_strong = singular > RANK_TOLERANCE * singular.max(initial=0.0)
    # A parameter is determined when it has no part in any weak direction.
    is_determined = is_used & (np.abs(right[~is_strong]).max(axis=0, initial=0.0) < 1e-6)
    inverse = right[is_strong].T / singular[is_strong] / scales[:, None]
    covariance = inverse @ inverse.T
    covariance[~is_determined] = np.nan
    covariance[:, ~is_determined] = np.nan
    return covariance, is_determined
