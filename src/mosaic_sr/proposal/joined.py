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
from mosaic_sr.proposal.power_steps import Powers, best_powers, read_powers
from mosaic_sr.proposal.quantities import QUANTITIES, Quantity
from mosaic_sr.proposal.smoothing import drop_outliers, noise_variances
from mosaic_sr.smooth import Settings, fit_smooth, learn, log_likelihood, smoothed, standardised
from mosaic_sr.table import Rows

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
# Choices that make the rows less likely than the best one by no more than these nats may be right all the same, above
# all those of fewer quantities, over which forms are few; and how many of them are looked at.
MOST_BEHIND, MOST_FURTHER = 5.0, 2


@dataclass(frozen=True, eq=False)
class Joined:
    """What columns make together: a law is the front times a form over the quantities.

    quantities: expressions over the columns.  front: None where it is 1.  bits: of choosing them.
    further: other choices that the rows do not rule out, the likelier first.
    """

    quantities: tuple[Expression, ...]
    bits: float
    front: Expression | None = None
    further: tuple[Joined, ...] = ()

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
        """This and the further choices, and the same over the inverse where a product or quotient is all there is:
        either may be simpler.
        """
        return tuple(way for choice in (self, *self.further) for way in choice._both_ways(operators))

    def _both_ways(self, operators: Sequence[str]) -> Iterator[Joined]:
        yield self
        if len(self.quantities) == 1 and root_of(self.quantities[0]) in ("mul", "div") and "inv" in operators:
            yield replace(self, quantities=(apply("inv", self.quantities[0]),))

    def law(self, form: Expression) -> Expression:
        """The law over the columns for a form over the quantities."""
        inner = substituted(form, self.quantities)
        return inner if self.front is None else apply("mul", inner, self.front)


def find_joined(
    rows: Rows, columns: Sequence[int], operators: Sequence[str], exponents: Sequence[int] = ()
) -> Joined | None:
    """What some columns make together, as far as they can be joined; None where none can.

    exponents: of all columns of the rows, which are the user's divided by two to their power; 0 by default.
    """
    if not 2 <= len(columns) <= MOST_COLUMNS or rows.num_rows < ROWS_PER_COLUMN * len(columns):
        return None
    own = tuple(float(exponents[column]) if exponents else 0.0 for column in columns)
    try:
        view = _first_view(drop_outliers(rows), columns, own)
        # Where a product in front is seen late, its columns may have been joined with others before.
        found = [_gone_on(view, 0.0, operators, divides_first=divides) for divides in (False, True)]
        found = [_with_best_powers(view, *each) for each in found]
    except np.linalg.LinAlgError:
        return None  # rows with hardly any noise, in which finders see the law
    best = max(found, key=lambda each: each[0].score(each[1]))
    if not best[1]:
        return None
    further = _further(*best, [each for each in found if each is not best], operators)
    return replace(_told(*best), further=tuple(_told(*each) for each in further))


def _with_best_powers(first: _View, view: _View, bits: float) -> tuple[_View, float]:
    """The view with other powers of the columns where these make the rows likelier; first: of the columns."""
    if len(view.quantities) != 1:
        return view, bits
    places = {column: place for place, quantity in enumerate(first.quantities) for column in quantity.columns}
    own = [
        quantity.renamed([places.get(column, 0) for column in range(max(places) + 1)]) for quantity in view.quantities
    ]
    front = (
        None if view.front is None else view.front.renamed([places.get(column, 0) for column in range(max(places) + 1)])
    )
    powers = read_powers(own[0], front, len(places))
    if powers is None:
        return view, bits
    best = best_powers(powers, first.values, first.target, first.variances, BITS_PER_POWER)
    changed = first.behind(best)
    more = best.bits(BITS_PER_POWER) - powers.bits(BITS_PER_POWER)
    if best == powers or changed is None or changed.score(bits + more) <= view.score(bits):
        return view, bits
    return changed, bits + more


def _told(view: _View, bits: float) -> Joined:
    front = None if view.front is None else canonical(view.front)
    return Joined(tuple(map(canonical, view.quantities)), bits, front if front is None or front.columns else None)


def _further(
    view: _View, bits: float, others: Sequence[tuple[_View, float]], operators: Sequence[str]
) -> list[tuple[_View, float]]:
    """Other choices that are hardly less likely than a view, the likelier first."""
    steps: list[_Join | _Division] = [*view.joins(_allowed(operators)), *view.divisions(operators)]
    near = sorted((step for step in steps if step.gain > -MOST_BEHIND), key=lambda step: -step.gain)[:MOST_FURTHER]
    gone_on = [_gone_on(step.view, bits + step.bits, operators, divides_first=False) for step in near]
    found: list[tuple[_View, float]] = []
    for one in sorted((*others, *gone_on), key=lambda each: -each[0].score(each[1])):
        is_new = all(one[0].quantities != other.quantities for other, _ in ((view, bits), *found))
        if one[1] and is_new and one[0].score(one[1]) > view.score(bits) - MOST_BEHIND:
            found.append(one)
    return found[:MOST_FURTHER]


def _allowed(operators: Sequence[str]) -> list[Quantity]:
    known = set(operators)
    return [quantity for quantity in QUANTITIES if operator_names(quantity.expression) <= known]


def _gone_on(view: _View, bits: float, operators: Sequence[str], divides_first: bool) -> tuple[_View, float]:
    """What the quantities of a view make together, and the bits of choosing that; bits: of the view."""
    while len(view.quantities) > 1:
        divided = view.divided(operators) if divides_first else None
        joins = (
            []
            if divided is not None
            else _disjoint(each for each in view.joins(_allowed(operators)) if each.gain > 0.0)
        )
        if joins:
            view = joins[0].view if len(joins) == 1 else view.joined(joins)
            bits += sum(join.bits for join in joins)
            continue
        divided = divided or (None if divides_first else view.divided(operators))
        if divided is None:
            break
        view, bits = divided.view, bits + divided.bits
    return view, bits


def _disjoint(joins: Iterable[_Join]) -> list[_Join]:
    """The joins of different quantities, those that gain most first."""
    taken: list[_Join] = []
    for join in sorted(joins, key=lambda join: -join.gain):
        if all(not {join.one, join.other} & {former.one, former.other} for former in taken):
            taken.append(join)
    return taken


@dataclass(frozen=True, eq=False)
class _Division:
    """One quantity in front that divides others.

    bits: of choosing it.  gain: nats that it saves, its own bits included.  view: with it.
    """

    bits: float
    gain: float
    view: _View


@dataclass(frozen=True, eq=False)
class _Join:
    """A quantity of two others; gain: nats that it saves, its own bits included.  view: with it in their place."""

    one: int
    other: int
    quantity: Quantity
    gain: float
    view: _View

    @property
    def bits(self) -> float:
        return self.quantity.bits


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

    def score(self, bits: float) -> float:
        """Log probability of the rows and of choosing the quantities, which has so many bits."""
        return self.likelihood - bits * LOG_2

    def joins(self, allowed: Sequence[Quantity]) -> Iterator[_Join]:
        """The quantities along which the target changes least, and what each gains."""
        for _, one, other, quantity in sorted(self._changes(allowed), key=lambda entry: entry[0])[:NUM_COMPARED]:
            view = self._with(one, other, quantity)
            if view is not None:
                yield _Join(one, other, quantity, view.score(quantity.bits) - self.likelihood, view)

    def _changes(self, allowed: Sequence[Quantity]) -> Iterator[tuple[float, int, int, Quantity]]:
        """How much the target changes where a quantity of two stays the same, if it is little."""
        slopes = self._slopes()
        for one, other in combinations(range(len(self.quantities)), 2):
            usable = [each for each in allowed if each.is_usable(self.values[one], self.values[other])]
            for quantity in usable:
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

    def divided(self, operators: Sequence[str]) -> _Division | None:
        """The division that gains most; None where none gains."""
        best = max(self.divisions(operators), key=lambda each: each.gain, default=None)
        return best if best is not None and best.gain > 0.0 else None

    @np.errstate(all="ignore")
    def divisions(self, operators: Sequence[str]) -> list[_Division]:
        """The views in which one quantity stands in front and divides others, as far as the slopes ask for them.

        Where y = x^a F(z x^b), the slopes obey x dy/dx = a y + b z dy/dz: least squares tell the powers.
        """
        if len(self.quantities) < 2 or not {"mul", "inv", "sq", "sqrt"} <= set(operators):
            return []
        coordinates, _, _ = _coordinates(self.values, self.is_log)
        target, spread = standardised(self.target)
        smooth = smoothed(coordinates, target, self.settings, self.variances).values
        changes = np.vstack([np.mean(self.target) + spread * smooth, self.values * self._slopes()])
        changes /= np.median(np.abs(changes[0])) + np.abs(changes[0])
        found: list[_Division] = []
        for _, place, powers in sorted(self._scalings(changes))[:NUM_SCALINGS]:
            view, bits = self._behind(place, powers[0], powers[1:]), BITS_OF_FRONT
            bits += sum(BITS_PER_POWER * (1.0 + (abs(power) != 1.0)) for power in powers if power)
            if view is not None:
                found.append(_Division(bits, view.score(bits) - self.likelihood, view))
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

    def behind(self, powers: Powers) -> _View | None:
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


def _first_view(rows: Rows, columns: Sequence[int], exponents: tuple[float, ...]) -> _View:
    """The columns themselves, on the scales on which the rows are likelier."""
    values, quantities = rows.columns[list(columns)], tuple(variable(column) for column in columns)
    choices = (False, True) if np.any(np.all(values > 0, axis=1)) else (False,)
    variances = noise_variances(rows)
    views = [_view(quantities, values, exponents, rows.target, variances, is_log) for is_log in choices]
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
