"""Moves the constants of two expressions towards each other until both are one function, if that can be done at all."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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
FAR_APART = 0.5
MAX_STEPS = 20
# Two steps of an identity at least halve the difference, even where two roots coincide; one may go astray.
STEPS_TO_HALVE = 2
# A linear step comes short by the multiplicity of a root, as of (x + a) * (x + b) near (x + c)^2.
LENGTHS_AT_COINCIDING_ROOTS = (1, 2, 3)
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
    active = compare_nearest(truth, prediction, points)
    history = [CONTEXT.mpf(FAR_APART)] * STEPS_TO_HALVE
    for _ in range(MAX_STEPS):
        is_converging = active.largest < history[-STEPS_TO_HALVE] / 2
        if active.largest <= EXACT or not is_converging or not (truth.free or prediction.free):
            break
        is_slow = active.largest > history[-1] / 100
        history.append(active.largest)
        solution = _solve(truth, prediction, active, deadline)
        lengths = LENGTHS_AT_COINCIDING_ROOTS if is_slow else (1,)
        steps = [_moved(truth, prediction, [length * value for value in solution]) for length in lengths]
        outcomes = [compare_nearest(*sides, points) for sides in steps]
        best = min(range(len(lengths)), key=lambda index: outcomes[index].largest)
        (truth, prediction), active = steps[best], outcomes[best]
    return Match(truth, prediction, float(min(active.largest, LARGE)))


def _solve(truth: Side, prediction: Side, active: Comparison, deadline: float) -> list[Number]:
    """The step of all free constants, truth's first, that closes the differences as far as these are linear."""
    scales = active.true_values
    derivatives = [
        *_derivatives(truth, active.points, active.true_values, [-scale for scale in scales], deadline),
        *_derivatives(prediction, active.points, active.values, scales, deadline),
    ]
    # Where both sides still differ by so much, directions of a smaller share are errors of the linear model.
    return least_norm_solution(derivatives, active.differences, max(active.largest, DIFFERENCE))


def _moved(truth: Side, prediction: Side, steps: Sequence[Number]) -> tuple[Side, Side]:
    return truth.moved(steps[: len(truth.free)]), prediction.moved(steps[len(truth.free) :])


@dataclass(frozen=True)
class Comparison:
    """Both sides in some points; a difference is (truth - prediction) / truth."""

    points: list[Point]
    true_values: list[Number]
    values: list[Number]

    @cached_property
    def differences(self) -> list[Number]:
        pairs = zip(self.true_values, self.values, strict=True)
        return [(true_value - value) / true_value for true_value, value in pairs]

    @cached_property
    def largest(self) -> Number:
        """The largest difference, infinite where nothing can be compared."""
        return max((abs(value) for value in self.differences), default=CONTEXT.inf)


def compare_nearest(truth: Side, prediction: Side, points: Sequence[Point]) -> Comparison:
    """Both sides in the points in which they have values, not zero, that are nearest to each other."""
    count = 2 * (len(truth.free) + len(prediction.free)) + SPARE_POINTS
    true_values, values = [truth(point) for point in points], [prediction(point) for point in points]
    distances = [relative_difference(*pair) for pair in zip(true_values, values, strict=True)]
    usable = [index for index, value in enumerate(distances) if is_real(value) and true_values[index]]
    nearest = sorted(usable, key=distances.__getitem__)[:count]
    return Comparison(*([values[index] for index in nearest] for values in (points, true_values, values)))


def _derivatives(
    side: Side, points: Sequence[Point], values: Sequence[Number], scales: Sequence[Number], deadline: float
) -> list[Column]:
    """Change of the side's values, divided by the scales, per unit of each of its free constants."""
    columns = []
    for place in range(len(side.free)):
        if time.monotonic() > deadline:
            raise TimeoutError
        steps = [CONTEXT.zero] * len(side.free)
        steps[place] = DIFFERENCE
        nudged = side.moved(steps)
        compared = zip(points, values, scales, strict=True)
        columns.append([(nudged(point) - value) / (DIFFERENCE * scale) for point, value, scale in compared])
    return columns
