"""What one pass over all rows says of several equations: errors, derivatives by their constants, the worst row."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import weights_of
from mosaic_sr.fitting.polish import RANK_TOLERANCE, Point, measure_point, unit_covariance
from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]


@dataclass
class EquationSums:
    """An equation with values for its constants, and what the rows so far say of it.

    expression: over the columns of the blocks.  free: (constants,) which of them are fitted.
    factor: the power of two that brings the target near 1, so that no square vanishes.
    triangle: factor of [derivatives, residuals], as `Point` has it.  worst: the row of the largest residual.
    """

    expression: Expression
    free: NDArray[np.bool_]
    factor: float
    weighting: str
    triangle: Floats = field(init=False)
    squares: float = 0.0
    relative_squares: float = 0.0
    fitted: float = 0.0
    num_undefined: int = 0
    first_undefined: int = -1
    worst: int = -1
    worst_residual: float = -1.0
    worst_value: float = np.nan
    worst_target: float = np.nan

    def __post_init__(self) -> None:
        self.triangle = np.zeros((self.num_free + 1, self.num_free + 1))

    @property
    def num_free(self) -> int:
        return int(np.count_nonzero(self.free))

    @property
    def is_defined(self) -> bool:
        """Whether the equation has a value in every row so far."""
        return self.num_undefined == 0

    def add(self, rows: Rows, places: NDArray[np.int64]) -> None:
        """Take in a block; rows: with the target scaled by `factor`, places: where its rows stand in the file."""
        values = evaluate_expression(self.expression, rows.columns)
        is_known = np.isfinite(values)
        if not is_known.all():
            if self.num_undefined == 0:
                self.first_undefined = int(places[np.argmin(is_known)])
            self.num_undefined += int(np.count_nonzero(~is_known))
        if not self.is_defined:
            return
        self._note_worst(values, rows.target / self.factor, places)
        point = self._point(rows)
        stacked = np.vstack([self.triangle, point.triangle])
        if np.all(np.isfinite(stacked)):
            self.triangle = np.asarray(np.linalg.qr(stacked, mode="r"))
        else:
            self.triangle = np.full_like(self.triangle, np.nan)
        self.fitted += point.fitted
        self.squares += point.squares
        self.relative_squares += point.relative_squares

    def _note_worst(self, values: Floats, target: Floats, places: NDArray[np.int64]) -> None:
        residuals = np.abs(target - values)
        row = int(np.argmax(residuals))
        if residuals[row] > self.worst_residual:
            self.worst, self.worst_residual = int(places[row]), float(residuals[row])
            self.worst_value, self.worst_target = float(values[row]), float(target[row])

    def _point(self, rows: Rows) -> Point:
        """What the rows say of the equation times the factor, in built-in operators."""
        written = write_out(apply("mul", constant(self.factor), self.expression))
        parameters = np.full(len(self.free) + 1, -1, dtype=np.int32)
        parameters[1:][self.free] = np.arange(self.num_free, dtype=np.int32)
        weights = weights_of(rows, self.weighting)
        own = written.parameters(parameters)
        return measure_point(written.expression, written.expression.constants, own, rows, weights)

    @np.errstate(all="ignore")  # numerical trouble is a value here
    def stepped(self) -> EquationSums | None:
        """The equation after a Gauss-Newton step, with no rows yet; None where there is no step."""
        if self.num_free == 0 or not self.is_defined or not np.all(np.isfinite(self.triangle)):
            return None
        scaled, sizes = self._scaled()
        step = solve_least_squares(scaled[:, :-1], scaled[:, -1], RANK_TOLERANCE) / sizes[:-1]
        constants = self.expression.constants.copy()
        constants[self.free] += step
        return self.with_constants(constants) if np.all(np.isfinite(constants)) else None

    def with_constants(self, constants: Floats) -> EquationSums:
        """The same equation with these constants, with no rows yet."""
        return EquationSums(self.expression.with_constants(constants), self.free, self.factor, self.weighting)

    @np.errstate(all="ignore")  # numerical trouble is a value here
    def covariance(self, num_rows: int) -> Floats | None:
        """Of the free constants; None where the rows do not tell."""
        scaled, sizes = self._scaled()
        unit, _ = unit_covariance(Point(np.empty(0), scaled, self.fitted, self.squares, self.relative_squares))
        to_spare = num_rows - self.num_free
        if unit is None or to_spare <= 0:
            return None
        return np.asarray(unit * (self.fitted / to_spare) / sizes[:-1, None] / sizes[:-1])

    def _scaled(self) -> tuple[Floats, Floats]:
        """The triangle with derivatives of size 1, whose squares are numbers, and their sizes; residuals stay."""
        sizes = np.abs(self.triangle).max(axis=0)
        sizes = np.where((sizes > 0.0) & np.isfinite(sizes), sizes, 1.0)
        sizes[-1] = 1.0
        return self.triangle / sizes, sizes
