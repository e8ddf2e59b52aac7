"""Profile-likelihood intervals: a constant is moved, and the others fitted again, until the fit is too bad.

The two ends need not be at the same distance, and an end may not exist: where the fit gets no worse however far a
constant is moved, the rows set no bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import fit_parameters
from mosaic_sr.intervals.form import LEVELS, NEAR, FittedForm, recentred

Floats = NDArray[np.float64]

# A constant that may be a million standard errors away has no bound that anybody would state.
MOST_ERRORS = 2.0**20
# Ends are found to this share of their distance: the third digit of an interval says nothing.
PRECISION = 1e-3
# Halvings and interpolations that reach it from any bracket.
MOST_STEPS = 30
# A fit with less than this to gain is the best one; two normal quantiles of it would not move.
BETTER = 1e-4
# Better fits that are followed; a second one is rare.
MOST_RESTARTS = 4
# Interpolation stays this share of the bracket away from its ends, so that each step shrinks it.
MARGIN = 0.1


@dataclass(frozen=True)
class _Point:
    """A place on the profile: distance from the best value, how much worse the fit is there as a root, the fit."""

    distance: float
    root: float
    expression: Expression


class _BetterFit(Exception):
    """The walk found a better fit than the one it began from."""

    def __init__(self, expression: Expression) -> None:
        super().__init__()
        self.expression = expression


def profile_bounds(form: FittedForm) -> tuple[FittedForm, Floats]:
    """The form, at better constants where these were found, and the ends: (parameters, levels, 2), infinite if none."""
    for _ in range(MOST_RESTARTS):
        try:
            return form, _bounds(form, is_strict=True)
        except _BetterFit as found:
            form = recentred(form, found.expression)
    return form, _bounds(form, is_strict=False)


def _bounds(form: FittedForm, is_strict: bool) -> Floats:
    bounds = np.empty((form.num_parameters, len(LEVELS), 2))
    for parameter in range(form.num_parameters):
        for side, direction in enumerate((-1.0, 1.0)):
            bounds[parameter, :, side] = _Walk(form, parameter, direction, is_strict).ends()
    return bounds


class _Walk:
    """Goes from the best value of a parameter to one side."""

    def __init__(self, form: FittedForm, parameter: int, direction: float, is_strict: bool) -> None:
        self._form, self._parameter, self._direction, self._is_strict = form, parameter, direction, is_strict
        self._centre, self._least = float(form.values[parameter]), form.squares(form.expression)
        self._held = _others(form.parameters, parameter)
        error = float(form.errors[parameter])
        # One that the rows do not determine has no error to go by: a share of itself is as good.
        usual = 0.1 * abs(self._centre) or 1.0
        self._unit = error if math.isfinite(error) and error > 0.0 else usual
        self._known = [_Point(0.0, 0.0, form.expression)]

    def ends(self) -> list[float]:
        """The end for each level, infinite where there is none."""
        distances = [self._distance(self._form.quantile(level)) for level in LEVELS]
        return [self._centre + self._direction * distance for distance in distances]

    def _distance(self, limit: float) -> float:
        """How far the value may move until the fit is worse by the square of `limit`."""
        far = self._beyond(limit)
        if far is None:
            return math.inf
        for _ in range(MOST_STEPS):
            near = max((point for point in self._known if point.root < limit), key=lambda point: point.distance)
            far = min((point for point in self._known if point.root >= limit), key=lambda point: point.distance)
            if far.distance - near.distance <= PRECISION * far.distance:
                break
            self._known.append(self._at(_between(near, far, limit), near))
        return far.distance

    def _beyond(self, limit: float) -> _Point | None:
        """A place where the fit is worse than `limit`; None where there is none within reach."""
        found = [point for point in self._known if point.root >= limit]
        if found:
            return found[0]
        near = self._known[-1]
        distance = max(limit * self._unit, 2.0 * near.distance)
        while distance <= MOST_ERRORS * self._unit:
            near = self._at(distance, near)
            self._known.append(near)
            if near.root >= limit:
                return near
            distance *= 2.0
        return None

    def _at(self, distance: float, near: _Point) -> _Point:
        """The profile at a distance, fitted from the constants of a place nearby."""
        form, value = self._form, self._centre + self._direction * distance
        constants = np.where(form.parameters == self._parameter, value, near.expression.constants)
        best, least = near.expression.with_constants(constants), math.inf
        for start in self._starts(constants, near, distance):
            fit = fit_parameters(form.expression.with_constants(start), self._held, form.rows, NEAR)
            squares = form.squares(fit.expression)
            if squares < least:
                best, least = fit.expression, squares
        if least < self._least - BETTER * max(1.0, self._least) and self._is_strict:
            raise _BetterFit(best)
        return _Point(distance, math.sqrt(max(least - self._least, 0.0)), best)

    def _starts(self, constants: Floats, near: _Point, distance: float) -> list[Floats]:
        """Where the other constants start: as they are nearby, and moved on as they moved up to there."""
        before = next((point for point in reversed(self._known) if point.distance < near.distance), None)
        if before is None or not np.any(self._held >= 0):
            return [constants]
        share = (distance - near.distance) / (near.distance - before.distance)
        moved = constants + share * np.where(
            self._held >= 0, near.expression.constants - before.expression.constants, 0.0
        )
        return [constants, moved] if np.all(np.isfinite(moved)) else [constants]


def _others(parameters: NDArray[np.int32], held: int) -> NDArray[np.int32]:
    """The numbers of the parameters without one, which is held fixed."""
    return np.where(parameters == held, -1, parameters - (parameters > held)).astype(np.int32)


def _between(near: _Point, far: _Point, limit: float) -> float:
    """Where the profile crosses the limit if its root is straight between two places; half-way if it is infinite."""
    share = (limit - near.root) / (far.root - near.root) if math.isfinite(far.root) else 0.5
    return near.distance + min(max(share, MARGIN), 1.0 - MARGIN) * (far.distance - near.distance)
