"""Laws near a limit: a product is all but the whole law, and what it leaves over is nearly a product too.

Slow speeds, weak fields, small angles, high temperatures: there y = c x^a f(k x^b)^p with f = 1 + z + ..., z small in
all rows. Descents from random starts find the product and stay there. But its exponents are simple, and so are those
of what is left over, by which f can be told from its like: all of them begin where the group is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.proposal.products.descent import Descent, refit
from mosaic_sr.proposal.products.functions import ScalingForm, Sum
from mosaic_sr.proposal.products.scaling_rows import ScalingRows

Floats = NDArray[np.float64]

# What the product leaves over of log|y|: below the first it is rounding, beyond the second the law is near no limit.
LEAST_BEND, MOST_BEND = 1e-11, 0.5
# Exponents are multiples of this, and were estimated to be this close to one.
UNIT, REACH = 0.5, 0.2
# Rows in which less than this share of the most is left over say little of the exponents: the edge is not known.
LEAST_SHARE = 0.03
ROWS_PER_UNKNOWN = 3
# The first term of a function is of first or second order, with a coefficient of 1 or below.
ORDERS, COEFFICIENT, POWERS = (1.0, 2.0), 0.5, (1.0, -1.0, 0.5, -0.5, 2.0, -2.0)
STEPS = 20
# Laws handed on: some of them agree to the last digits.
NUM_KEPT = 10
# The logarithm of a group so small that functions are their first term.
DEEP = 15.0


@dataclass(frozen=True, eq=False)
class Limit:
    """What a law is near its limit, a product of columns, and the product that it leaves over.

    front, exponents: (columns,), of both.  number: logarithm of the number before what is left over.
    """

    front: Floats
    exponents: Floats
    number: float


def limit_of(scaling_rows: ScalingRows) -> Limit | None:
    """The limit that the rows are near, None where there is none."""
    front = _simple(solve_least_squares(scaling_rows.design, scaling_rows.heights)[1:])
    if front is None:
        return None
    bend = scaling_rows.heights - scaling_rows.logs @ front
    if not LEAST_BEND < np.ptp(bend) < MOST_BEND:
        return None
    middle = np.median(bend)
    # Most rows are close to the limit, and all others on one side of it.
    side = 1.0 if bend.max() - middle > middle - bend.min() else -1.0
    left = bend - bend.min() if side > 0 else bend.max() - bend
    fewest = ROWS_PER_UNKNOWN * scaling_rows.design.shape[1]
    order = np.argsort(-left, kind="stable")
    tells = order[: max(fewest, np.count_nonzero(left > LEAST_SHARE * left.max()))]
    if left[tells[-1]] <= LEAST_BEND:
        return None
    group = solve_least_squares(scaling_rows.design[tells], np.log(left[tells]))
    form, is_odd = ScalingForm((Sum((side,)),)), np.zeros((1, len(front)), bool)
    rough = Descent(form, np.inf, group[None], np.ones(1), is_odd, front)
    is_free = np.arange(len(group) + 1) < len(group)
    group = refit(replace(scaling_rows, front=front), rough, is_free, STEPS).groups[0]
    exponents = _simple(group[1:])
    if exponents is None or not np.any(exponents):
        return None
    return Limit(front, exponents, float(group[0] - exponents @ scaling_rows.means))


def bent_rows(scaling_rows: ScalingRows, limit: Limit, number: int) -> NDArray[np.intp]:
    """So many rows: half of them those in which most is left over, the others from all over the rest."""
    order = np.argsort(-(scaling_rows.logs @ limit.exponents), kind="stable")
    rest = order[number // 2 :]
    return np.sort(np.concatenate([order[: number // 2], rest[:: max(1, len(rest) // max(1, number // 2))]]))


def descents_near_limit(scaling_rows: ScalingRows, limit: Limit, form: ScalingForm) -> Iterator[Descent]:
    """Laws of a form of one factor with simple exponents, in which only the number before the group is open."""
    (factor,) = form.factors
    is_free = np.arange(len(limit.front) + 2) == 0
    number, vanishes = limit.number + limit.exponents @ scaling_rows.means, _order_of_zero(form)
    for order, power in product(ORDERS, (1.0,) if factor.is_exponential else POWERS):
        group = np.array([number - np.log(abs(power) * COEFFICIENT), *limit.exponents]) / order
        front = limit.front - power * vanishes * group[1:]
        start = Descent(form, np.inf, group[None], np.array([power]), np.zeros((1, len(front)), bool), front)
        yield refit(replace(scaling_rows, front=front), start, is_free, STEPS)


def _order_of_zero(form: ScalingForm) -> float:
    """The power of its group with which a factor vanishes, 0 where it does not."""
    (value,), _ = form.values_and_slopes(np.full((1, 1), np.exp(-DEEP)))
    return float(np.rint(-np.log(abs(value[0])) / DEEP))


def _simple(exponents: Floats) -> Floats | None:
    """The nearest simple exponents, None where one is too far away."""
    nearest: Floats = UNIT * np.rint(exponents / UNIT)
    return nearest if np.all(np.abs(exponents - nearest) <= REACH) else None
