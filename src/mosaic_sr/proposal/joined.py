"""Columns that act together: where a law reads two of them through one quantity alone, as x - z, x*z or x/z.

Along the lines on which such a quantity stays the same the target does not change, so that the slopes of a smooth
function through the rows tell which quantities may be the ones. A smooth function of the quantity in place of its two
columns then explains noisy rows better, because it has less to learn; one of a wrong quantity explains them far worse.

Where all quantities and the target change in proportion to powers of one of them, as lengths with a unit, this one
stands in front of a function of the others divided by such powers: x^a F(z/x, w/x^2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.judge import LOG_2
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, apply, operator_names, scaled, substituted, variable
from mosaic_sr.expressions.powers import monomial, root_of
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.proposal.quantities import QUANTITIES, Quantity
from mosaic_sr.proposal.smoothing import drop_outliers, noise_variances
from mosaic_sr.smooth import Settings, fit_smooth, learn, log_likelihood, smoothed, standardised
from mosaic_sr.table import Rows
from mosaic_sr.units.dimensions import Dimensions

Floats = NDArray[np.float64]
# Rows that are compared with smooth functions, and those on which these are learned: a twentieth of a second for each.
MOST_ROWS, ROWS_TO_LEARN = 500, 200
# Of fewer rows for each column a smooth function knows no slopes.
ROWS_PER_COLUMN = 8
# Steps in which the lengths of a smooth function are learned again, from those of the one before.
STEPS = 20
# Slopes along which the target should not change, as a share of those across: 0 for the right quantity without noise,
# about 1 for two columns that have nothing to do with each other.
MOST_CHANGE = 0.5
# Quantities that are compared by smooth functions, those of least change first.
NUM_COMPARED = 6
MOST_COLUMNS = 9  # more have no slopes within so few rows
# Powers that quantities have in front of a law and inside it, and the bits of each that is not 0.
MOST_POWER, POWER_STEP, BITS_PER_POWER, BITS_OF_FRONT = 6.0, 0.5, 3.0, 2.0
# Quantities that are divided by powers at a time, and choices that are compared by smooth functions.
MOST_INSIDE, NUM_SCALINGS = 3, 10


@dataclass(frozen=True, eq=False)
class Joined:
    """What columns make together: a law is the front times a form over the quantities.

    quantities: expressions over the columns.  front: None where it is 1.  bits: of choosing them.
    """

    quantities: tuple[Expression, ...]
    bits: float
    front: Expression | None = None

    @np.errstate(all="ignore")
    def seen(self, rows: Rows) -> Rows | None:
        """The rows with the quantities as their columns and without the front; None where that has no finite values."""
        columns = np.array([evaluate_expression(quantity, rows.columns) for quantity in self.quantities])
        own = replace(rows, columns=columns)
        if self.front is not None:
            sizes = evaluate_expression(self.front, rows.columns)
            sizes = np.where(sizes == 0.0, np.nan, sizes)
            weights = np.square(sizes / np.nanmax(np.abs(sizes))) * (rows.weights if len(rows.weights) else 1.0)
            sigma = rows.sigma / np.abs(sizes) if rows.has_sigma else rows.sigma
            own = replace(own, target=rows.target / sizes, weights=weights, sigma=sigma)
        is_finite = np.all(np.isfinite(columns)) and np.all(np.isfinite(own.target))
        return own if is_finite else None

    def ways(self, operators: Sequence[str]) -> tuple[Joined, ...]:
        """This, and the same over the inverse where a product or quotient is all there is: either may be simpler."""
        if len(self.quantities) > 1 or root_of(self.quantities[0]) not in ("mul", "div") or "inv" not in operators:
            return (self,)
        return self, replace(self, quantities=(apply("inv", self.quantities[0]),))

    def law(self, form: Expression) -> Expression:
        """The law over the columns for a form over the quantities."""
        inner = substituted(form, self.quantities)
        return inner if self.front is None else apply("mul", inner, self.front)


def find_joined(
    rows: Rows,
    columns: Sequence[int],
    operators: Sequence[str],
    exponents: Sequence[int] = (),
    dimensions: Dimensions | None = None,
) -> Joined | None:
    """What some columns make together, as far as they can be joined; None where none can.

    exponents: of all columns of the rows, which are the user's divided by two to their power; 0 by default.
    dimensions: what these columns measure, where it is known; quantities without a unit of their own are none.
    """
    own = [float(exponents[column]) if exponents else 0.0 for column in columns]
    return join_further(Joined(tuple(map(variable, columns)), 0.0), rows, operators, own, dimensions)


def join_further(
    start: Joined,
    rows: Rows,
    operators: Sequence[str],
    exponents: Sequence[float] = (),
    dimensions: Dimensions | None = None,
) -> Joined | None:
    """What some quantities make together, behind the front that they have; None where none can be joined.

    exponents: of the quantities, 0 by default.  dimensions: as in `find_joined`.
    """
    count = len(start.quantities)
    if not 2 <= count <= MOST_COLUMNS or rows.num_rows < ROWS_PER_COLUMN * count:
        return None
    try:
        view = _first_view(start, drop_outliers(rows), tuple(exponents) or (0.0,) * count)
        if view is None:
            return None
        # Where a product in front is seen late, its columns may have been joined with others before.
        found = [_joined(view, operators, dimensions, divides_first=divides) for divides in (False, True)]
    except np.linalg.LinAlgError:
        return None  # rows with hardly any noise, in which finders see the law
    view, bits = max(found, key=lambda each: each[0].likelihood - each[1] * LOG_2)
    if not bits:
        return None
    front = None if view.front is None else canonical(view.front)
    return Joined(tuple(map(canonical, view.quantities)), bits, front if front is None or front.columns else None)


def _joined(
    view: _View, operators: Sequence[str], dimensions: Dimensions | None, divides_first: bool
) -> tuple[_View, float]:
    """What the quantities of a view make together, and the bits of choosing that."""
    known, bits = set(operators), 0.0
    allowed = [quantity for quantity in QUANTITIES if operator_names(quantity.expression) <= known]
    while len(view.quantities) > 1:
        divided = view.divided(operators) if divides_first else None
        joins = [] if divided is not None else _disjoint(view.gainful(allowed, dimensions))
        if joins:
            view = joins[0].view if len(joins) == 1 else view.joined(joins)
            bits += sum(join.quantity.bits for join in joins)
            continue
        divided = divided or (None if divides_first else view.divided(operators))
        if divided is None:
            break
        view, bits = divided[0], bits + divided[1]
    return view, bits


def _disjoint(joins: Iterable[_Join]) -> list[_Join]:
    """The joins of different quantities, those that gain most first."""
    taken: list[_Join] = []
    for join in sorted(joins, key=lambda join: -join.gain):
        if all(not {join.one, join.other} & {former.one, former.other} for former in taken):
            taken.append(join)
    return taken


@dataclass(frozen=True, eq=False)
class _Join:
    """A quantity of two others; gain: nats that it saves, its own bits included.  view: with it in their place."""

    one: int
    other: int
    quantity: Quantity
    gain: float
    view: _View


@dataclass(frozen=True, eq=False)
class _View:
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

    def gainful(self, allowed: Sequence[Quantity], dimensions: Dimensions | None) -> Iterator[_Join]:
        """The quantities that make the rows likelier by more than the bits of choosing them."""
        likely = sorted(self._changes(allowed, dimensions), key=lambda entry: entry[0])
        for _, one, other, quantity in likely[:NUM_COMPARED]:
            view = self._with(one, other, quantity)
            gain = -np.inf if view is None else view.likelihood - self.likelihood - quantity.bits * LOG_2
            if view is not None and gain > 0.0:
                yield _Join(one, other, quantity, gain, view)

    def _changes(
        self, allowed: Sequence[Quantity], dimensions: Dimensions | None
    ) -> Iterator[tuple[float, int, int, Quantity]]:
        """How much the target changes where a quantity of two stays the same, if it is little."""
        slopes = self._slopes()
        for one, other in combinations(range(len(self.quantities)), 2):
            usable = [each for each in allowed if each.is_usable(self.values[one], self.values[other])]
            pair = self.quantities[one], self.quantities[other]
            for quantity in usable:
                if dimensions is not None and not dimensions.fits(substituted(quantity.expression, pair)):
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

    @np.errstate(all="ignore")
    def divided(self, operators: Sequence[str]) -> tuple[_View, float] | None:
        """The view in which one quantity stands in front and divides others, with its bits; None where none gains.

        Where y = x^a F(z x^b), the slopes obey x dy/dx = a y + b z dy/dz: least squares tell the powers.
        """
        if not {"mul", "inv", "sq", "sqrt"} <= set(operators):
            return None
        coordinates, _, _ = _coordinates(self.values, self.is_log)
        target, spread = standardised(self.target)
        smooth = smoothed(coordinates, target, self.settings, self.variances).values
        changes = np.vstack([np.mean(self.target) + spread * smooth, self.values * self._slopes()])
        changes /= np.median(np.abs(changes[0])) + np.abs(changes[0])
        found: list[tuple[float, _View, float]] = []
        for _, place, powers in sorted(self._scalings(changes))[:NUM_SCALINGS]:
            view, bits = self._behind(place, powers[0], powers[1:]), BITS_OF_FRONT
            bits += sum(BITS_PER_POWER * (1.0 + (abs(power) != 1.0)) for power in powers if power)
            if view is not None and view.likelihood - self.likelihood > bits * LOG_2:
                found.append((view.likelihood - bits * LOG_2, view, bits))
        if not found:
            return None
        _, view, bits = max(found, key=lambda entry: entry[0])
        return view, bits

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

    def _behind(self, place: int, power: float, powers: Sequence[float]) -> _View | None:
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

    def _with(self, one: int, other: int, quantity: Quantity) -> _View | None:
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

    def joined(self, joins: Sequence[_Join]) -> _View:
        """The view with several quantities, each in the place of two others."""
        view = self
        for join in joins:
            one, other = (view.quantities.index(self.quantities[place]) for place in (join.one, join.other))
            following = view._with(one, other, join.quantity)
            view = view if following is None else following
        return view


def _first_view(start: Joined, rows: Rows, exponents: tuple[float, ...]) -> _View | None:
    """The quantities themselves, on the scales on which the rows are likelier; None where they have no values."""
    seen = start.seen(rows)
    if seen is None or np.any(np.ptp(seen.columns, axis=1) == 0.0):
        return None
    sizes = np.ones(rows.num_rows) if start.front is None else evaluate_expression(start.front, rows.columns)
    variances = noise_variances(rows) / np.square(sizes)
    variances, log_front = variances / np.mean(variances), float(np.sum(np.log(np.abs(sizes))))
    choices = (False, True) if np.any(np.all(seen.columns > 0, axis=1)) else (False,)
    more = exponents, seen.target, variances
    views = [
        _view(start.quantities, seen.columns, *more, is_log, front=start.front, log_front=log_front)
        for is_log in choices
    ]
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
) -> _View:
    coordinates, _, _ = _coordinates(values, is_log)
    standard, spread = standardised(target)
    some = slice(0, ROWS_TO_LEARN)
    settings = learn(coordinates[:, some], standard[some], start, STEPS, variances[some])
    likelihood = log_likelihood(coordinates, standard, settings, variances) - len(target) * float(np.log(spread))
    return _View(
        quantities, values, exponents, target, variances, is_log, settings, likelihood - log_front, front, log_front
    )


def _coordinates(values: Floats, is_log: bool) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Quantities as a smooth function reads them, their spreads, and which of them are on logarithmic scales."""
    is_positive = np.all(values > 0, axis=1) & is_log
    seen = np.where(is_positive[:, None], np.log(np.where(is_positive[:, None], values, 1.0)), values)
    coordinates, spreads = standardised(seen)
    return coordinates, spreads, is_positive
