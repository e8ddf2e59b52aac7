"""Views of noisy rows: smooth functions of quantities, and the steps that make fewer quantities of them.

A step is a join of two quantities, or the division of the others by one that stands in front. What each gains is how
much likelier the rows are under a smooth function that has less to learn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.judge import LOG_2
from mosaic_sr.expressions.expression import Expression, apply, operator_names, scaled, substituted
from mosaic_sr.expressions.powers import monomial
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.proposal.power_steps import Powers
from mosaic_sr.proposal.quantities import QUANTITIES, Quantity
from mosaic_sr.proposal.smoothing import noise_variances
from mosaic_sr.smooth import Settings, fit_smooth, learn, log_likelihood, smoothed, standardised
from mosaic_sr.table import Rows
from mosaic_sr.units.dimensions import Dimensions

Floats = NDArray[np.float64]
# Rows on which smooth functions are learned: a twentieth of a second for each.
ROWS_TO_LEARN = 200
# Steps in which the lengths of a smooth function are learned again, from those of the one before.
STEPS = 20
# Slopes along which the target should not change, as a share of those across: 0 for the right quantity without noise,
# about 1 for two columns that have nothing to do with each other.
MOST_CHANGE = 0.5
# Quantities that are compared by smooth functions, those of least change first.
NUM_COMPARED = 6
# Powers that quantities have in front of a law and inside it, and the bits of each that is not 0.
MOST_POWER, POWER_STEP, BITS_PER_POWER, BITS_OF_FRONT = 6.0, 0.5, 3.0, 2.0
# Quantities that are divided by powers at a time, and choices that are compared by smooth functions.
MOST_INSIDE, NUM_SCALINGS = 3, 10


@dataclass(frozen=True)
class Allowed:
    """What quantities may be made of: the operators, and what the columns measure, where it is known."""

    operators: tuple[str, ...]
    dimensions: Dimensions | None = None

    @cached_property
    def quantities(self) -> list[Quantity]:
        """The quantities of two that the operators allow."""
        known = set(self.operators)
        return [quantity for quantity in QUANTITIES if operator_names(quantity.expression) <= known]

    def fits(self, quantity: Expression) -> bool:
        """Whether a quantity over the columns has a unit."""
        return self.dimensions is None or self.dimensions.fits(quantity)


@dataclass(frozen=True, eq=False)
class Division:
    """One quantity in front that divides others.

    bits: of choosing it.  gain: nats that it saves, its own bits included.  view: with it.
    """

    bits: float
    gain: float
    view: View


@dataclass(frozen=True, eq=False)
class Join:
    """A quantity of two others; gain: nats that it saves, its own bits included.  view: with it in their place."""

    one: int
    other: int
    quantity: Quantity
    gain: float
    view: View

    @property
    def bits(self) -> float:
        return self.quantity.bits


@dataclass(frozen=True, eq=False)
class View:
    """A smooth function of some quantities through rows.

    values: (quantities, rows).  exponents: as in `find_joined`.  target: divided by the front.
    variances: as in `learn`.
    is_log: whether positive quantities are seen on logarithmic scales.  likelihood: of the target with its front.
    log_front: the sum of the logarithms of the front's sizes in the rows.
    """

    quantities: tuple[Expression, ...]
    values: Floats
    exponents: tuple[float, ...]
    target: Floats
    variances: Floats
    is_log: bool
    settings: Settings
    likelihood: float
    front: Expression | None
    log_front: float

    def score(self, bits: float) -> float:
        """Log probability of the rows and of choosing the quantities, which has so many bits."""
        return self.likelihood - bits * LOG_2

    def joins(self, allowed: Allowed) -> Iterator[Join]:
        """The quantities along which the target changes least, and what each gains."""
        likely = sorted(self._changes(allowed), key=lambda entry: entry[0])
        for _, one, other, quantity in likely[:NUM_COMPARED]:
            view = self._with(one, other, quantity)
            if view is not None:
                yield Join(one, other, quantity, view.score(quantity.bits) - self.likelihood, view)

    def _changes(self, allowed: Allowed) -> Iterator[tuple[float, int, int, Quantity]]:
        """How much the target changes where a quantity of two stays the same, if it is little."""
        slopes = self._slopes()
        for one, other in combinations(range(len(self.quantities)), 2):
            pair = self.quantities[one], self.quantities[other]
            usable = [each for each in allowed.quantities if each.is_usable(self.values[one], self.values[other])]
            for quantity in usable:
                if not allowed.fits(substituted(quantity.expression, pair)):
                    continue
                *scales, _ = quantity.scales(self.exponents[one], self.exponents[other])
                along, across = quantity.slopes(scales[0] * self.values[one], scales[1] * self.values[other])
                along, across = scales[0] * along, scales[1] * across
                first, second = across * slopes[one], along * slopes[other]
                # Rows of steep slopes are no more telling than the usual one.
                sizes = np.square(first) + np.square(second)
                if not np.any(sizes):
                    continue
                weights = 1.0 / np.maximum(np.median(sizes) + sizes, np.finfo(np.float64).tiny)
                change = float(np.sum(weights * np.square(first - second)) / np.sum(weights * sizes))
                if change <= MOST_CHANGE:
                    yield change, one, other, quantity

    def _slopes(self) -> Floats:
        """Derivatives of the target along the quantities: (quantities, rows)."""
        coordinates, spreads, is_seen_as_log = _coordinates(self.values, self.is_log)
        target, spread = standardised(self.target)
        slopes = spread * fit_smooth(coordinates, target, self.settings).slopes / spreads[:, None]
        return np.where(is_seen_as_log[:, None], slopes / np.where(self.values > 0, self.values, 1.0), slopes)

    def divided(self, allowed: Allowed) -> Division | None:
        """The division that gains most; None where none gains."""
        best = max(self.divisions(allowed), key=lambda each: each.gain, default=None)
        return best if best is not None and best.gain > 0.0 else None

    @np.errstate(all="ignore")
    def divisions(self, allowed: Allowed) -> list[Division]:
        """The views in which one quantity stands in front and divides others, as far as the slopes ask for them.

        Where y = x^a F(z x^b), the slopes obey x dy/dx = a y + b z dy/dz: least squares tell the powers.
        """
        if len(self.quantities) < 2 or not {"mul", "inv", "sq", "sqrt"} <= set(allowed.operators):
            return []
        coordinates, _, _ = _coordinates(self.values, self.is_log)
        target, spread = standardised(self.target)
        smooth = smoothed(coordinates, target, self.settings, self.variances).values
        changes = np.vstack([np.mean(self.target) + spread * smooth, self.values * self._slopes()])
        changes /= np.median(np.abs(changes[0])) + np.abs(changes[0])
        found: list[Division] = []
        for _, place, powers in sorted(self._scalings(changes))[:NUM_SCALINGS]:
            view, bits = self._behind(place, powers[0], powers[1:]), BITS_OF_FRONT
            bits += sum(BITS_PER_POWER * (1.0 + (abs(power) != 1.0)) for power in powers if power)
            if view is not None:
                found.append(Division(bits, view.score(bits) - self.likelihood, view))
        return found

    def _scalings(self, changes: Floats) -> set[tuple[float, int, tuple[float, ...]]]:
        """What may be: how far off, the quantity in front, its power there and those inside, 0 for its own place.

        changes: (1 + quantities, rows), the target and its slopes times the quantities. Several quantities may stand in
        front one after the other, so that few of them are asked at a time.
        """
        found: set[tuple[float, int, tuple[float, ...]]] = set()
        count = len(self.quantities)
        for place in range(count):
            own = changes[1 + place]
            if not np.any(own):
                continue
            others = [1 + other for other in range(count) if other != place]
            for size in range(min(len(others), MOST_INSIDE) + 1):
                for inside in combinations(others, size):
                    asked = [0, *inside]
                    steps = solve_least_squares(changes[asked].T, own) / POWER_STEP
                    # Noisy slopes err by more than half a step.
                    for above in product((False, True), repeat=len(asked)):
                        simple = np.where(above, np.ceil(steps), np.floor(steps)) * POWER_STEP
                        powers = np.zeros(1 + count)
                        powers[asked] = simple
                        left = float(np.linalg.norm(own - powers @ changes) / np.linalg.norm(own))
                        if left < MOST_CHANGE and self._may_be_behind(place, simple):
                            found.add((left, place, tuple(powers.tolist())))
        return found

    def _may_be_behind(self, place: int, powers: Floats) -> bool:
        """Whether a quantity has values to these powers, and some are not 0 and none too high."""
        is_broken = np.any(powers % 1) and np.any(self.values[place] <= 0.0)
        return bool(np.any(powers) and np.max(np.abs(powers)) <= MOST_POWER and not is_broken)

    def _behind(self, place: int, power: float, powers: Sequence[float]) -> View | None:
        """The view with a power of one quantity in front and others inside, one for each quantity."""
        own, rest = self.quantities[place], [other for other in range(len(self.quantities)) if other != place]
        front, values, inside = self.front, self.values[rest], [powers[other] for other in rest]
        sizes = np.power(self.values[place], power)
        if power:
            factor = monomial([own], np.array([power]))
            front = factor if front is None else apply("mul", front, factor)
        values = values * np.power(self.values[place], np.array(inside)[:, None])
        pairs = zip((self.quantities[other] for other in rest), inside, strict=True)
        quantities = tuple(monomial([one, own], np.array([1.0, each])) if each else one for one, each in pairs)
        target, variances = self.target / sizes, self.variances / np.square(sizes)
        variances = variances / np.mean(variances)
        is_usable = np.all(np.isfinite(target)) and np.all(np.isfinite(values)) and np.all(np.isfinite(variances))
        if not is_usable or np.any(np.ptp(values, axis=1) == 0.0):
            return None
        start = Settings(self.settings.lengths[rest], self.settings.nugget)
        log_front = self.log_front + float(np.sum(np.log(np.abs(sizes))))
        exponents = tuple(
            self.exponents[other] + each * self.exponents[place] for other, each in zip(rest, inside, strict=True)
        )
        return _view(quantities, values, exponents, target, variances, self.is_log, start, front, log_front)

    def behind(self, powers: Powers) -> View | None:
        """The view of one quantity and a front, which are products of powers of these."""
        expressions = powers.expressions()
        inside, front = (
            np.broadcast_to(evaluate_expression(each, self.values), self.target.shape) for each in expressions
        )
        target, variances = self.target / front, self.variances / np.square(front)
        variances = variances / np.mean(variances)
        if not (np.all(np.isfinite(inside)) and np.all(np.isfinite(target)) and np.all(np.isfinite(variances))):
            return None
        exponent = float(np.dot(powers.inside, self.exponents))
        log_front = self.log_front + float(np.sum(np.log(np.abs(front))))
        quantity, whole = (substituted(each, self.quantities) for each in expressions)
        start = Settings(self.settings.lengths[:1], self.settings.nugget)
        return _view((quantity,), inside[None], (exponent,), target, variances, self.is_log, start, whole, log_front)

    def _with(self, one: int, other: int, quantity: Quantity) -> View | None:
        """The view with a quantity in the place of two."""
        *factors, exponent = quantity.scales(self.exponents[one], self.exponents[other])
        values = evaluate_expression(quantity.expression, self.values[[one, other]] * np.array(factors)[:, None])
        if not np.all(np.isfinite(values)) or np.ptp(values) == 0.0:
            return None
        rest = [place for place in range(len(self.quantities)) if place not in (one, other)]
        own = [scaled(self.quantities[each], factor) for each, factor in zip((one, other), factors, strict=True)]
        made = substituted(quantity.expression, own)
        shorter = min(self.settings.lengths[[one, other]])
        start = Settings(np.append(self.settings.lengths[rest], shorter), self.settings.nugget)
        quantities = (*(self.quantities[place] for place in rest), made)
        seen = np.vstack([self.values[rest], values])
        exponents = (*(self.exponents[place] for place in rest), exponent)
        return _view(
            quantities, seen, exponents, self.target, self.variances, self.is_log, start, self.front, self.log_front
        )

    def joined(self, joins: Sequence[Join]) -> View:
        """The view with several quantities, each in the place of two others."""
        view = self
        for join in joins:
            one, other = (view.quantities.index(self.quantities[place]) for place in (join.one, join.other))
            following = view._with(one, other, join.quantity)
            view = view if following is None else following
        return view


def first_view(
    quantities: tuple[Expression, ...], front: Expression | None, rows: Rows, seen: Rows, exponents: tuple[float, ...]
) -> View:
    """The quantities themselves, on the scales on which the rows are likelier.

    seen: the rows with the quantities as their columns, and without the front.
    """
    sizes = np.ones(rows.num_rows) if front is None else evaluate_expression(front, rows.columns)
    variances = noise_variances(rows) / np.square(sizes)
    variances, log_front = variances / np.mean(variances), float(np.sum(np.log(np.abs(sizes))))
    choices = (False, True) if np.any(np.all(seen.columns > 0, axis=1)) else (False,)
    more = exponents, seen.target, variances
    views = [_view(quantities, seen.columns, *more, is_log, front=front, log_front=log_front) for is_log in choices]
    return max(views, key=lambda view: view.likelihood)


def _view(
    quantities: tuple[Expression, ...],
    values: Floats,
    exponents: tuple[float, ...],
    target: Floats,
    variances: Floats,
    is_log: bool,
    start: Settings | None = None,
    front: Expression | None = None,
    log_front: float = 0.0,
) -> View:
    coordinates, _, _ = _coordinates(values, is_log)
    standard, spread = standardised(target)
    some = slice(0, ROWS_TO_LEARN)
    settings = learn(coordinates[:, some], standard[some], start, STEPS, variances[some])
    likelihood = log_likelihood(coordinates, standard, settings, variances) - len(target) * float(np.log(spread))
    return View(
        quantities, values, exponents, target, variances, is_log, settings, likelihood - log_front, front, log_front
    )


def _coordinates(values: Floats, is_log: bool) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Quantities as a smooth function reads them, their spreads, and which of them are on logarithmic scales."""
    is_positive = np.all(values > 0, axis=1) & is_log
    seen = np.where(is_positive[:, None], np.log(np.where(is_positive[:, None], values, 1.0)), values)
    coordinates, spreads = standardised(seen)
    return coordinates, spreads, is_positive
