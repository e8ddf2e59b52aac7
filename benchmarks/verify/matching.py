"""Moves the constants of two expressions towards each other until both are one function, if that can be done at all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.verify.arithmetic import CONTEXT, MANY_DIGITS, Number, is_real, relative_difference
from benchmarks.verify.formula import Formula
from benchmarks.verify.least_norm import Column, least_norm_solution

Point = list[Number]

# A finite difference of this relative size leaves 50 digits to the derivative and 100 to rounding.
DIFFERENCE = CONTEXT.mpf(10) ** -50
# No two different laws that fit in a line agree to so many digits on more points than they have constants.
IDENTICAL = 1e-30
EXACT = CONTEXT.mpf(10) ** -60
# Constants that agree to four digits cannot do more than this to the least sensitive points.
FAR_APART = 0.3
MAX_STEPS = 15
# From here on every step of an identity at least halves the difference, even where two roots coincide.
STEPS_TO_COME_NEAR = 2
SPARE_POINTS = 12
LARGE = CONTEXT.mpf(1e300)


@dataclass(frozen=True)
class Side:
    """One of the two expressions: the values of its constants, and how easily each of them moves (0 for fixed ones)."""

    formula: Formula
    constants: tuple[Number, ...]
    units: tuple[Number, ...]

    def __call__(self, point: Point) -> Number:
        return self.formula.evaluate(self.constants, point, MANY_DIGITS)

    @property
    def free(self) -> list[int]:
        """The places of the constants that may move."""
        return [place for place, unit in enumerate(self.units) if unit]

    def moved(self, steps: Sequence[Number]) -> Side:
        """The side with its free constants moved by so many of their units."""
        constants = list(self.constants)
        for place, step in zip(self.free, steps, strict=True):
            constants[place] += step * self.units[place]
        return replace(self, constants=tuple(constants))


@dataclass(frozen=True)
class Match:
    """Where the constants ended, and the largest relative difference on the points that led there."""

    truth: Side
    prediction: Side
    difference: float

    @property
    def is_identity(self) -> bool:
        return self.difference <= IDENTICAL


def match_constants(truth: Side, prediction: Side, points: Sequence[Point], deadline: float) -> Match:
    """The nearest constants with which both sides agree, found on the points that are the least sensitive to them."""
    num_active = 2 * (len(truth.free) + len(prediction.free)) + SPARE_POINTS
    previous = CONTEXT.mpf(FAR_APART)
    for step in range(MAX_STEPS):
        active = nearest_points(truth, prediction, points, num_active)
        differences = [_difference(truth, prediction, point) for point in active]
        largest = max((abs(value) for value in differences), default=CONTEXT.inf)
        bound = previous if step < STEPS_TO_COME_NEAR else previous / 2
        if largest <= EXACT or not largest < bound or not (truth.free or prediction.free):
            break
        previous = largest if step + 1 >= STEPS_TO_COME_NEAR else previous
        derivatives = _derivatives(truth, prediction, active, deadline)
        # Where both sides still differ by so much, directions of a smaller share are errors of the linear model.
        solution = least_norm_solution(derivatives, differences, max(largest, DIFFERENCE))
        truth, prediction = truth.moved(solution[: len(truth.free)]), prediction.moved(solution[len(truth.free) :])
    return Match(truth, prediction, float(min(largest, LARGE)))


def nearest_points(truth: Side, prediction: Side, points: Sequence[Point], count: int) -> list[Point]:
    """The points in which both sides are defined, not zero, and nearest to each other."""
    distances = [(relative_difference(truth(point), prediction(point)), index) for index, point in enumerate(points)]
    usable = [(distance, index) for distance, index in distances if is_real(distance) and truth(points[index])]
    return [points[index] for _, index in sorted(usable)[:count]]


def _difference(truth: Side, prediction: Side, point: Point) -> Number:
    """(truth - prediction) / truth."""
    true_value = truth(point)
    return (true_value - prediction(point)) / true_value


def _derivatives(truth: Side, prediction: Side, points: Sequence[Point], deadline: float) -> list[Column]:
    """Change of the difference per unit of each free constant, truth's first; its sign makes solutions steps."""
    scales = [truth(point) for point in points]
    negative = [-scale for scale in scales]
    return [*_columns(truth, points, negative, deadline), *_columns(prediction, points, scales, deadline)]


def _columns(side: Side, points: Sequence[Point], scales: Sequence[Number], deadline: float) -> list[Column]:
    values = [side(point) for point in points]
    columns = []
    for place in range(len(side.free)):
        if time.monotonic() > deadline:
            raise TimeoutError
        steps = [CONTEXT.zero] * len(side.free)
        steps[place] = DIFFERENCE
        nudged = side.moved(steps)
        changes = [(nudged(point) - value) / DIFFERENCE for point, value in zip(points, values, strict=True)]
        columns.append([change / scale for change, scale in zip(changes, scales, strict=True)])
    return columns
