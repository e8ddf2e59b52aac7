"""Compares two laws whose constants were matched: in doubles where these suffice, in many digits where they do not."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from numpy.typing import NDArray

from benchmarks.verify.matching import Match, Point, Side
from benchmarks.verify.points import Columns, to_points
from benchmarks.verify.precise import CONTEXT, relative_difference

TOLERANCE = 1e-6
# Rows on which doubles disagree; if these are all rounding errors, so are the others.
MAX_PRECISE_ROWS = 40
# Far away a value may hang on more digits of a constant than were matched.
DIGITS_OF_CONSTANTS = CONTEXT.mpf(10) ** -28
UNSTABLE = 1e-8


@dataclass(frozen=True)
class Matched:
    """Both laws after their constants were made equal."""

    match: Match
    law: Expression
    guess: Expression

    def differs_somewhere(self, columns: Columns, must_be_defined: bool) -> bool:
        """Whether the values differ in a row; `must_be_defined`: where the truth has a value the prediction needs one."""
        rows = np.flatnonzero(~self._agree_in_doubles(columns))
        some = rows[np.linspace(0, len(rows) - 1, min(len(rows), MAX_PRECISE_ROWS)).astype(int)]
        return any(self._differs(point, must_be_defined) for point in to_points(columns[:, some]))

    def differs_far_away(self, columns: Columns) -> bool:
        """Whether the values differ in a row in which they do not hang on unknown digits of the constants."""
        points = to_points(columns)
        return any(self._differs(point, False) and self._is_stable(point) for point in points)

    def _agree_in_doubles(self, columns: Columns) -> NDArray[np.bool_]:
        true_values, values = (
            evaluate_expression(expression.with_constants([float(value) for value in side.constants]), columns)
            for expression, side in ((self.law, self.match.truth), (self.guess, self.match.prediction))
        )
        with np.errstate(invalid="ignore", over="ignore"):
            return np.abs(true_values - values) <= TOLERANCE * np.abs(true_values)

    def _differs(self, point: Point, must_be_defined: bool) -> bool:
        true_value, value = self.match.truth(point), self.match.prediction(point)
        if not CONTEXT.isfinite(true_value):
            return False
        if not CONTEXT.isfinite(value):
            return must_be_defined
        return bool(relative_difference(true_value, value) > TOLERANCE)

    def _is_stable(self, point: Point) -> bool:
        return all(_is_stable(side, point) for side in (self.match.truth, self.match.prediction))


def _is_stable(side: Side, point: Point) -> bool:
    """Whether the value keeps its digits when every constant loses those that were not matched."""
    nudged = replace(
        side,
        constants=tuple(value * (1 + index * DIGITS_OF_CONSTANTS) for index, value in enumerate(side.constants, 1)),
    )
    return bool(relative_difference(side(point), nudged(point)) < UNSTABLE)
