"""What one pass over all rows says of several equations: errors, derivatives by their constants, the worst row."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.definitions import WrittenOut, write_out
from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import weights_of
from mosaic_sr.fitting.polish import Point, measure_point, moved_constants, unit_covariance
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

    def _written(self) -> tuple[WrittenOut, NDArray[np.int32]]:
        """The scaled equation in built-in operators, and the parameter of each of its constants."""
        scaled = apply("mul", constant(self.factor), self.expression)
        parameters = np.full(len(self.free) + 1, -1, dtype=np.int32)
        parameters[1:][self.free] = np.arange(self.num_free, dtype=np.int32)
        written = write_out(scaled)
        return written, written.parameters(parameters)

    def _point(self, rows: Rows) -> Point:
        written, parameters = self._written()
        weights = weights_of(rows, self.weighting)
        return measure_point(written.expression, written.expression.constants, parameters, rows, weights)

    def stepped(self) -> EquationSums | None:
        """The equation after a Gauss-Newton step, with no rows yet; None where there is no step."""
        if self.num_free == 0 or not self.is_defined or not np.all(np.isfinite(self.triangle)):
            return None
        written, parameters = self._written()
        point = Point(written.expression.constants, self.triangle, self.fitted, self.squares, self.relative_squares)
        moved = moved_constants(point, parameters, np.ones(self.num_free, dtype=np.bool_))
        if moved is None or not np.all(np.isfinite(moved)):
            return None
        constants = written.constants_of(moved, len(self.free) + 1)[1:]
        return EquationSums(self.expression.with_constants(constants), self.free, self.factor, self.weighting)

    def covariance(self, num_rows: int) -> Floats | None:
        """Of the free constants; None where the rows do not tell."""
        point = Point(np.empty(0), self.triangle, self.fitted, self.squares, self.relative_squares)
        unit, _ = unit_covariance(point)
        to_spare = num_rows - self.num_free
        return None if unit is None or to_spare <= 0 else unit * (self.fitted / to_spare)
