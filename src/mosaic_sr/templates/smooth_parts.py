"""Smooth functions in the places of all unknowns, fitted to the rows together: what each unknown looks like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.table import Rows
from mosaic_sr.template_form import Template

Floats = NDArray[np.float64]

# Coefficients of all smooth functions together: at most one for so many rows.
ROWS_PER_COEFFICIENT = 4
# Of a function of one argument; a cubic spline of four is a cubic polynomial.
LEAST_SPLINE, MOST_SPLINE = 4, 14
# Products of powers of several arguments, up to this degree in all, as far as there are rows for them.
MOST_DEGREE, MOST_PRODUCTS = 6, 40
# The weight of the coefficients' own size: enough that what the template leaves open stays near its start.
RIDGE = 1e-7
# Constants from which smooth functions start; a quotient or a power needs one that is not 0.
STARTS = (1.0, 0.1, -1.0, 3.0)
# Random slopes at a start, as a share of it, and how many starts there are of each constant.
SLOPE, DRAWS = 0.3, 2
FIRST_STEPS, MORE_STEPS = 12, 60
# Starts that are followed to the end.
NUM_FOLLOWED = 3
# A step of numerical derivatives: the third root of a rounding.
STEP = 6e-6


@dataclass(frozen=True, eq=False)
class Smooth:
    """Smooth functions in all slots.

    slots: (slots, rows) their values.  constants: of the template.  loss: mean squared error over the variance.
    """

    slots: Floats
    constants: Floats
    loss: float


class Model:
    """A template as a function of the values in its slots and of its constants, on some rows."""

    def __init__(self, template: Template, rows: Rows) -> None:
        self._template, self._rows = template, rows
        is_own = template.parameters >= 0
        self._places, self._owners = np.flatnonzero(is_own), template.parameters[is_own]
        self.arguments = [
            np.array([evaluate_expression(argument, rows.columns) for argument in slot.arguments])
            for slot in template.slots
        ]

    def values(self, slots: Floats, constants: Floats) -> Floats:
        """The law: (rows,)."""
        numbers = self._template.outer.constants.copy()
        numbers[self._places] = constants[self._owners]
        outer: Expression = self._template.outer.with_constants(numbers)
        return evaluate_expression(outer, np.concatenate([self._rows.columns, slots]))

    def slope_along(self, slot: int, slots: Floats, constants: Floats) -> Floats:
        """The derivative along the value in a slot: (rows,)."""
        own = slots[slot]
        step = STEP * (np.abs(own) + (float(np.mean(np.abs(own))) or 1.0))
        ends = []
        for side in (1.0, -1.0):
            moved = slots.copy()
            moved[slot] = own + side * step
            ends.append(self.values(moved, constants))
        return np.asarray((ends[0] - ends[1]) / (2.0 * step))

    def slope_by(self, constant: int, slots: Floats, constants: Floats) -> Floats:
        """The derivative by a named constant: (rows,)."""
        step = STEP * (abs(float(constants[constant])) + 1e-3)
        move = np.zeros(len(constants))
        move[constant] = step
        return np.asarray((self.values(slots, constants + move) - self.values(slots, constants - move)) / (2.0 * step))


def fit_smooth_parts(template: Template, rows: Rows, signs: Sequence[str], rng: np.random.Generator) -> list[Smooth]:
    """Smooth functions for all unknowns from several starts, the best first; signs: of each unknown, or empty."""
    fits = _Fits(template, rows, signs)
    starts = [fits.start(value, rng) for value in STARTS for _ in range(DRAWS)]
    first = sorted((fits.descended(start, FIRST_STEPS) for start in starts), key=lambda one: one[1])
    followed = [fits.descended(start, MORE_STEPS) for start, loss in first[:NUM_FOLLOWED] if np.isfinite(loss)]
    ordered = sorted(followed, key=lambda one: one[1])
    return [Smooth(fits.slots(one), fits.constants(one), loss) for one, loss in ordered if np.isfinite(loss)]


class _Fits:
    """Levenberg's method over the coefficients of all smooth functions and the named constants."""

    def __init__(self, template: Template, rows: Rows, signs: Sequence[str]) -> None:
        self._template, self._model = template, Model(template, rows)
        self._signs = [{"positive": 1.0, "negative": -1.0}.get(sign, 0.0) for sign in signs]
        weights = rows.fit_weights if len(rows.fit_weights) else np.ones(rows.num_rows)
        spread = float(np.sqrt(np.average(np.square(rows.target - np.average(rows.target, weights=weights)),
                                          weights=weights)))  # fmt: skip
        self._target, self._roots = rows.target, np.sqrt(weights / weights.sum()) / (spread or 1.0)
        share = rows.num_rows // ROWS_PER_COEFFICIENT // max(1, len(template.unknowns))
        self._bases = list(_bases(template, self._model.arguments, share))
        sizes = [self._bases[template.slots_of(unknown)[0]].shape[1] for unknown in range(len(template.unknowns))]
        self._ends = np.cumsum([0, *sizes])

    def start(self, value: float, rng: np.random.Generator) -> Floats:
        """Coefficients of functions that are nearly constant, and constants of 1."""
        found = [np.ones(len(self._template.constants))]
        for unknown, sign in enumerate(self._signs):
            count = int(self._ends[unknown + 1] - self._ends[unknown])
            level = np.log(abs(value)) if sign else value
            found.insert(-1, level + SLOPE * max(abs(value), 0.1) * rng.standard_normal(count))
        return np.concatenate(found)

    def slots(self, point: Floats) -> Floats:
        """The values of the smooth functions: (slots, rows)."""
        rows = [self._smooth(slot, point) for slot in range(len(self._template.slots))]
        return np.array(rows).reshape(len(rows), len(self._target))

    def constants(self, point: Floats) -> Floats:
        return np.asarray(point[int(self._ends[-1]) :])

    def _smooth(self, slot: int, point: Floats) -> Floats:
        unknown = self._template.slots[slot].unknown
        plain = self._bases[slot] @ point[self._ends[unknown] : self._ends[unknown + 1]]
        sign = self._signs[unknown]
        return np.asarray(sign * np.exp(plain) if sign else plain)

    def _rest(self, point: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return np.asarray(
                (self._target - self._model.values(self.slots(point), self.constants(point))) * self._roots
            )

    def _slopes(self, point: Floats) -> Floats:
        slots, constants = self.slots(point), self.constants(point)
        found = np.zeros((len(self._target), len(point)))
        for place, slot in enumerate(self._template.slots):
            slope = self._model.slope_along(place, slots, constants)
            slope = slope * slots[place] if self._signs[slot.unknown] else slope
            own = slice(int(self._ends[slot.unknown]), int(self._ends[slot.unknown + 1]))
            found[:, own] += slope[:, None] * self._bases[place]
        for number in range(len(constants)):
            found[:, int(self._ends[-1]) + number] = self._model.slope_by(number, slots, constants)
        return np.asarray(found * self._roots[:, None])

    def descended(self, point: Floats, steps: int) -> tuple[Floats, float]:
        """The point after so many steps, and its loss; infinite where it has no value."""
        rest = self._rest(point)
        loss, damping = float(rest @ rest), 1e-2
        if not np.isfinite(loss):
            return point, np.inf
        for _ in range(steps):
            heed_stop()
            with np.errstate(all="ignore"):
                slopes = self._slopes(point)
            if not np.all(np.isfinite(slopes)):
                break
            before = loss
            point, rest, loss, damping = self._step(point, rest, slopes, loss, damping)
            if before - loss <= 1e-6 * before:
                break
        return point, loss

    def _step(
        self, point: Floats, rest: Floats, slopes: Floats, loss: float, damping: float
    ) -> tuple[Floats, Floats, float, float]:
        """One step downhill, with as much damping as it needs."""
        sizes = np.sqrt(np.sum(np.square(slopes), axis=0))
        sizes = np.where(sizes > 0.0, sizes, 1.0)
        for _ in range(8):
            weights = np.sqrt(damping + RIDGE) * np.ones(len(point))
            design = np.concatenate([slopes / sizes, np.diag(weights)])
            move = solve_least_squares(design, np.concatenate([rest, np.zeros(len(point))])) / sizes
            trial = point + move
            other = self._rest(trial)
            with np.errstate(all="ignore"):
                new = float(other @ other)
            if np.isfinite(new) and new < loss:
                return trial, other, new, max(damping / 5.0, 1e-12)
            damping *= 6.0
        return point, rest, loss, damping


def _bases(template: Template, arguments: Sequence[Floats], most: int) -> Iterator[Floats]:
    """For each slot the basis of its unknown at its arguments: (rows, coefficients)."""
    for place, slot in enumerate(template.slots):
        together = np.concatenate([arguments[other] for other in template.slots_of(slot.unknown)], axis=1)
        yield (
            spline(arguments[place][0], together[0], most)
            if len(together) == 1
            else products(arguments[place], together, most)
        )


def spline(values: Floats, known: Floats, most: int) -> Floats:
    """Cubic splines with knots at quantiles of the known arguments: (rows, splines)."""
    from scipy.interpolate import BSpline  # takes a tenth of a second, which searches without a template need not wait

    count = int(np.clip(min(most, len(np.unique(known)) - 1), LEAST_SPLINE, MOST_SPLINE))
    inner = np.unique(np.quantile(known, np.linspace(0.0, 1.0, count - 2)))
    if len(inner) < 2:
        return np.ones((len(values), 1))
    knots = np.concatenate([[inner[0]] * 3, inner, [inner[-1]] * 3])
    clipped = np.clip(values, inner[0], inner[-1])
    return np.asarray(BSpline.design_matrix(clipped, knots, 3).toarray())


def products(values: Floats, known: Floats, most: int) -> Floats:
    """Products of powers of several arguments, brought to a standard size: (rows, products)."""
    middle, size = known.mean(axis=1, keepdims=True), known.std(axis=1, keepdims=True)
    plain = (values - middle) / np.where(size > 0.0, size, 1.0) / 2.0
    found = [np.ones(values.shape[1])]
    for degree in range(1, MOST_DEGREE + 1):
        more = [np.prod(plain[list(chosen)], axis=0)
                for chosen in combinations_with_replacement(range(len(plain)), degree)]  # fmt: skip
        if degree > 1 and len(found) + len(more) > min(most, MOST_PRODUCTS):
            break
        found += more
    return np.array(found).T
