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

import numpy as np

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, apply, substituted, variable
from mosaic_sr.expressions.powers import root_of
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.joined_views import BITS_PER_POWER, Allowed, Division, Join, View, first_view
from mosaic_sr.proposal.power_steps import best_powers, read_powers
from mosaic_sr.proposal.smoothing import drop_outliers
from mosaic_sr.table import Rows
from mosaic_sr.units.dimensions import Dimensions

# Rows that are compared with smooth functions: more take too long.
MOST_ROWS = 500
# Of fewer rows for each column a smooth function knows no slopes.
ROWS_PER_COLUMN = 8
MOST_COLUMNS = 9  # more have no slopes within so few rows
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
        own = drop_outliers(rows)
        seen, allowed = start.seen(own), Allowed(tuple(operators), dimensions)
        if seen is None or np.any(np.ptp(seen.columns, axis=1) == 0.0):
            return None
        view = first_view(start.quantities, start.front, own, seen, tuple(exponents) or (0.0,) * count)
        # Where a product in front is seen late, its columns may have been joined with others before.
        found = [_gone_on(view, 0.0, allowed, divides_first=divides) for divides in (False, True)]
        found = [_with_best_powers(view, *each) for each in found]
        best = max(found, key=lambda each: each[0].score(each[1]))
        further = _further(*best, [each for each in found if each is not best], allowed) if best[1] else []
    except np.linalg.LinAlgError:
        return None  # rows with hardly any noise, in which finders see the law
    return replace(_told(*best), further=tuple(_told(*each) for each in further)) if best[1] else None


def _with_best_powers(first: View, view: View, bits: float) -> tuple[View, float]:
    """The view with other powers of the columns where these make the rows likelier; first: of the columns."""
    if len(view.quantities) != 1 or first.front is not None or any(len(own) != 1 for own in first.quantities):
        return view, bits
    columns = [own.columns[0] for own in first.quantities]
    places = [columns.index(column) if column in columns else 0 for column in range(max(columns) + 1)]
    front = None if view.front is None else view.front.renamed(places)
    powers = read_powers(view.quantities[0].renamed(places), front, len(columns))
    if powers is None:
        return view, bits
    best = best_powers(powers, first.values, first.target, first.variances, BITS_PER_POWER)
    changed = first.behind(best)
    more = best.bits(BITS_PER_POWER) - powers.bits(BITS_PER_POWER)
    if best == powers or changed is None or changed.score(bits + more) <= view.score(bits):
        return view, bits
    return changed, bits + more


def _told(view: View, bits: float) -> Joined:
    front = None if view.front is None else canonical(view.front)
    return Joined(tuple(map(canonical, view.quantities)), bits, front if front is None or front.columns else None)


def _further(
    view: View, bits: float, others: Sequence[tuple[View, float]], allowed: Allowed
) -> list[tuple[View, float]]:
    """Other choices that are hardly less likely than a view, the likelier first."""
    steps: list[Join | Division] = [*view.joins(allowed), *view.divisions(allowed)]
    near = sorted((step for step in steps if step.gain > -MOST_BEHIND), key=lambda step: -step.gain)[:MOST_FURTHER]
    gone_on = [_gone_on(step.view, bits + step.bits, allowed, divides_first=False) for step in near]
    found: list[tuple[View, float]] = []
    for one in sorted((*others, *gone_on), key=lambda each: -each[0].score(each[1])):
        is_new = all(one[0].quantities != other.quantities for other, _ in ((view, bits), *found))
        if one[1] and is_new and one[0].score(one[1]) > view.score(bits) - MOST_BEHIND:
            found.append(one)
    return found[:MOST_FURTHER]


def _gone_on(view: View, bits: float, allowed: Allowed, divides_first: bool) -> tuple[View, float]:
    """What the quantities of a view make together, and the bits of choosing that; bits: of the view."""
    while len(view.quantities) > 1:
        divided = view.divided(allowed) if divides_first else None
        joins = _disjoint(() if divided is not None else (each for each in view.joins(allowed) if each.gain > 0.0))
        if joins:
            view = joins[0].view if len(joins) == 1 else view.joined(joins)
            bits += sum(join.bits for join in joins)
            continue
        divided = divided or (None if divides_first else view.divided(allowed))
        if divided is None:
            break
        view, bits = divided.view, bits + divided.bits
    return view, bits


def _disjoint(joins: Iterable[Join]) -> list[Join]:
    """The joins of different quantities, those that gain most first."""
    taken: list[Join] = []
    for join in sorted(joins, key=lambda join: -join.gain):
        if all(not {join.one, join.other} & {former.one, former.other} for former in taken):
            taken.append(join)
    return taken
