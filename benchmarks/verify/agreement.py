"""Compares two laws whose constants were matched: in doubles where these suffice, in many digits where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.verify.arithmetic import CONTEXT, DIGITS, DOUBLES, Number, is_real, relative_difference
from benchmarks.verify.formula import Formula, Step
from benchmarks.verify.matching import Match, Point, Side
from benchmarks.verify.points import Columns, to_points

# Agreement that doubles can show; rows that fail are looked at in many digits.
TOLERANCE_OF_DOUBLES = 1e-6
# Agreement in many digits; a difference must also be this many times what digits of constants and rounding cause.
TOLERANCE = 1e-25
CLEARLY = 100
# Rows on which doubles disagree; if these are all rounding errors, so are the others.
MAX_PRECISE_ROWS = 40
# A little more than 150 digits leave, and different for each result, so that no cancellation hides it.
ROUNDING = CONTEXT.mpf(10) ** -(DIGITS - 5)
LEAST_WOBBLE = CONTEXT.mpf(10) ** -60
WOBBLE_OF_DOUBLES = CONTEXT.mpf(10) ** -15


@dataclass(frozen=True)
class Matched:
    """Both laws after their constants were made equal, up to the relative error `wobble` of the constants."""

    truth: Side
    prediction: Side
    wobble: Number

    def differ_in_rows(self, columns: Columns) -> bool:
        """Whether the values differ in a row, found in doubles and confirmed in many digits."""
        with np.errstate(all="ignore"):
            true_values, values = _in_doubles(self.truth, columns), _in_doubles(self.prediction, columns)
            agree = np.abs(true_values - values) <= TOLERANCE_OF_DOUBLES * np.abs(true_values)
        rows = np.flatnonzero(~agree)
        some = rows[np.linspace(0, len(rows) - 1, min(len(rows), MAX_PRECISE_ROWS)).astype(int)]
        return self.differ_in_points(to_points(columns[:, some]))

    def differ_in_points(self, points: Sequence[Point]) -> bool:
        """Whether the values differ in a point in which both laws have one."""
        return any(self._differ(point) for point in points)

    def differ_far_away(self, points: Sequence[Point]) -> bool:
        """Whether the values differ in a point where constants matter that were not matched beyond their doubles."""
        return replace(self, wobble=max(self.wobble, WOBBLE_OF_DOUBLES)).differ_in_points(points)

    def _differ(self, point: Point) -> bool:
        difference = relative_difference(self.truth(point), self.prediction(point))
        if not difference > TOLERANCE:
            return False
        doubt = max(_doubt(side, point, self.wobble) for side in (self.truth, self.prediction))
        return bool(difference > CLEARLY * doubt)


def is_undefined_in_rows(truth: Side, prediction: Side, columns: Columns) -> bool:
    """Whether the prediction has no value in a row in which the truth has one."""
    with np.errstate(all="ignore"):
        rows = np.flatnonzero(~np.isfinite(_in_doubles(prediction, columns)))
    points = to_points(columns[:, rows[:MAX_PRECISE_ROWS]])
    return any(is_real(truth(point)) and not is_real(prediction(point)) for point in points)


def depends_on_change(side: Side, before: Sequence[Point], after: Sequence[Point]) -> bool:
    """Whether the value clearly changes from a point to its counterpart, however little."""
    for pair in zip(before, after, strict=True):
        change = relative_difference(*map(side, pair))
        if change > 0 and change > CLEARLY * max(_doubt(side, point, CONTEXT.zero) for point in pair):
            return True
    return False


def _doubt(side: Side, point: Point, wobble: Number) -> Number:
    """How far the value moves with the last digits of the constants and with rounding errors."""
    return relative_difference(side(point), shaken(side, wobble)(point))


def shaken(side: Side, wobble: Number) -> Side:
    """The side with every constant off by a few `wobble`, and every operator's result by a few rounding errors."""
    steps: list[Step] = []
    constants: list[Number] = []
    remaining = iter(side.constants)
    for index, step in enumerate(side.formula.steps, 1):
        steps.append(step)
        if step.is_number:
            constants.append(next(remaining) * (1 + index * wobble))
        elif step.arity:
            steps += [Step(value=1.0), Step("a * b", 2)]
            constants.append(1 + index * ROUNDING)
    return replace(side, formula=Formula(tuple(steps)), constants=tuple(constants))


def to_matched(match: Match) -> Matched:
    """The matched laws; where two roots coincide, constants are known to half the digits of the values."""
    return Matched(match.truth, match.prediction, max(CONTEXT.sqrt(match.difference), LEAST_WOBBLE))


def _in_doubles(side: Side, columns: Columns) -> NDArray[np.float64]:
    values = side.formula.evaluate([float(value) for value in side.constants], columns, DOUBLES)
    return np.broadcast_to(values, columns.shape[1])
