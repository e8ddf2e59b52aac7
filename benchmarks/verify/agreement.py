"""Compares two laws whose constants were matched: in doubles where these suffice, in many digits where they do not."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.verify.arithmetic import CONTEXT, DOUBLES, is_real, relative_difference
from benchmarks.verify.matching import Point, Side
from benchmarks.verify.points import Columns, to_points

TOLERANCE = 1e-6
# Rows on which doubles disagree; if these are all rounding errors, so are the others.
MAX_PRECISE_ROWS = 40
# Far away a value may hang on more digits of a constant than were matched.
DIGITS_OF_CONSTANTS = CONTEXT.mpf(10) ** -28
UNSTABLE = 1e-8


@dataclass(frozen=True)
class Matched:
    """Both laws after their constants were made equal."""

    truth: Side
    prediction: Side

    def differs_somewhere(self, columns: Columns, must_be_defined: bool) -> bool:
        """Whether the values differ in a row; `must_be_defined` asks for a value wherever the truth has one."""
        rows = np.flatnonzero(~self._agree_in_doubles(columns))
        some = rows[np.linspace(0, len(rows) - 1, min(len(rows), MAX_PRECISE_ROWS)).astype(int)]
        return any(self._differs(point, must_be_defined) for point in to_points(columns[:, some]))

    def differs_far_away(self, columns: Columns) -> bool:
        """Whether the values differ in a row in which they do not hang on unknown digits of the constants."""
        points = to_points(columns)
        return any(self._differs(point, False) and self._is_stable(point) for point in points)

    def _agree_in_doubles(self, columns: Columns) -> NDArray[np.bool_]:
        with np.errstate(all="ignore"):
            true_values, values = _in_doubles(self.truth, columns), _in_doubles(self.prediction, columns)
            return np.abs(true_values - values) <= TOLERANCE * np.abs(true_values)

    def _differs(self, point: Point, must_be_defined: bool) -> bool:
        true_value, value = self.truth(point), self.prediction(point)
        if not is_real(true_value):
            return False
        if not is_real(value):
            return must_be_defined
        return bool(relative_difference(true_value, value) > TOLERANCE)

    def _is_stable(self, point: Point) -> bool:
        return all(_is_stable(side, point) for side in (self.truth, self.prediction))


def _in_doubles(side: Side, columns: Columns) -> NDArray[np.float64]:
    values = side.formula.evaluate([float(value) for value in side.constants], columns, DOUBLES)
    return np.broadcast_to(values, columns.shape[1])


def _is_stable(side: Side, point: Point) -> bool:
    """Whether the value keeps its digits when every constant loses those that were not matched."""
    nudged = replace(
        side,
        constants=tuple(value * (1 + index * DIGITS_OF_CONSTANTS) for index, value in enumerate(side.constants, 1)),
    )
    return bool(relative_difference(side(point), nudged(point)) < UNSTABLE)
