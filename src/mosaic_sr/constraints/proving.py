"""Proofs that a law keeps a constraint: by interval arithmetic over smaller and smaller boxes, or by its form."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.constraints.interval import Interval, enclose
from mosaic_sr.constraints.placed import EQUAL, ROUNDING, Placed
from mosaic_sr.constraints.regions import Region
from mosaic_sr.constraints.slopes import slope_of
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, substituted, variable
from mosaic_sr.operators import Operator

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Boxes that one proof may look at in all: a hundredth of a second for a law of usual length.
MOST_BOXES = 4096
# Halvings along each column; around a pole on the edge boxes would shrink for ever.
MOST_HALVINGS = 16
# Slopes by more columns cost more than they sharpen.
MOST_SLOPES = 4
# Where the last box of a limit begins, times the sampled range: far enough for a decay that is not logarithmic.
FARTHEST = 1e290
INTERVALS, FORM = "proved by interval arithmetic", "proved by its form"


@dataclass
class Attempt:
    """How a proof ended: how it was done, empty where it was not, and the middles of boxes that were left open."""

    how: str = ""
    left: Floats = field(default_factory=lambda: np.empty((0, 0)))


@dataclass(frozen=True)
class _Law:
    """A law with its slopes, each made once."""

    expression: Expression

    @cached_property
    def slopes(self) -> dict[int, Expression]:
        columns = self.expression.columns
        if len(columns) > MOST_SLOPES:
            return {}
        found = {column: slope_of(self.expression, column) for column in columns}
        return {column: slope for column, slope in found.items() if slope is not None}

    def sharpened(self, lows: Floats, highs: Floats) -> Interval:
        """The ranges of the law; where it only rises or falls along a column, its value at the end bounds it."""
        plain = enclose(self.expression, lows, highs)
        least, most = (lows.copy(), highs.copy()), (lows.copy(), highs.copy())
        for column, slope in self.slopes.items():
            own = enclose(slope, lows, highs)
            rises, falls = plain.is_whole & (own.low >= 0.0), plain.is_whole & (own.high <= 0.0)
            least[1][column, rises] = lows[column, rises]
            least[0][column, falls] = highs[column, falls]
            most[0][column, rises] = highs[column, rises]
            most[1][column, falls] = lows[column, falls]
        low, high = enclose(self.expression, *least).low, enclose(self.expression, *most).high
        return Interval(np.fmax(plain.low, low), np.fmin(plain.high, high), plain.is_whole)


def attempt_proof(placed: Placed, expression: Expression) -> Attempt:
    """Try to prove that a law keeps a constraint everywhere in its region; expression: in the user's units."""
    with np.errstate(all="ignore"):
        return PROOFS[placed.constraint.kind](placed, expression)


def _subdivided(region: Region, columns: tuple[int, ...], is_kept: Callable[[Floats, Floats], Mask]) -> Attempt:
    """Halve the boxes that are not settled along their longest side, until all are or there are too many.

    columns: those along which boxes are halved.  is_kept: for boxes (columns, boxes), whether all of each is settled.
    """
    starts, ends = np.zeros((region.num_columns, 1)), np.ones((region.num_columns, 1))
    num_seen = 0
    for _ in range(1 + MOST_HALVINGS * max(1, len(columns))):
        num_seen += starts.shape[1]
        is_open = ~is_kept(region.at(starts), region.at(ends))
        starts, ends = starts[:, is_open], ends[:, is_open]
        if not starts.shape[1] or num_seen + 2 * starts.shape[1] > MOST_BOXES or not columns:
            break
        starts, ends = _halved(starts, ends, columns)
    if not starts.shape[1]:
        return Attempt(INTERVALS)
    return Attempt("", region.at(0.5 * (starts + ends)))


def _halved(starts: Floats, ends: Floats, columns: tuple[int, ...]) -> tuple[Floats, Floats]:
    widths = (ends - starts)[list(columns)]
    chosen = np.array(columns)[np.argmax(widths, axis=0)]
    boxes = np.arange(starts.shape[1])
    middles = 0.5 * (starts + ends)[chosen, boxes]
    upper, lower = starts.copy(), ends.copy()
    upper[chosen, boxes] = lower[chosen, boxes] = middles
    return np.concatenate([starts, upper], axis=1), np.concatenate([lower, ends], axis=1)


def _prove_bounds(placed: Placed, expression: Expression) -> Attempt:
    law, stated, slack = _Law(expression), placed.constraint, ROUNDING * placed.size

    def is_kept(lows: Floats, highs: Floats) -> Mask:
        found = law.sharpened(lows, highs)
        above = found.low >= stated.low - slack
        below = found.high <= stated.high + slack
        if stated.is_low_open and stated.low == 0.0:
            above = found.low > 0.0
        if stated.is_high_open and stated.high == 0.0:
            below = found.high < 0.0
        return np.asarray((above & below) | np.isnan(found.low))

    return _subdivided(placed.region, expression.columns, is_kept)


def _prove_sign(placed: Placed, expression: Expression, derivative: Expression | None, sign: float) -> Attempt:
    """That a derivative never has the other sign and the law has no gap, where it could jump."""
    if derivative is None:
        return Attempt()
    slack = ROUNDING * placed.size / placed.region.sizes[placed.columns[0]]
    columns = tuple(sorted({*expression.columns, *derivative.columns}))

    def is_kept(lows: Floats, highs: Floats) -> Mask:
        own, law = enclose(derivative, lows, highs), enclose(expression, lows, highs)
        return np.asarray((own.low if sign > 0.0 else -own.high) >= -slack) & law.is_whole

    return _subdivided(placed.region, columns, is_kept)


def _prove_order(placed: Placed, expression: Expression) -> Attempt:
    sign = 1.0 if placed.constraint.kind == "increasing" else -1.0
    return _prove_sign(placed, expression, slope_of(expression, placed.columns[0]), sign)


def _prove_bend(placed: Placed, expression: Expression) -> Attempt:
    slope = slope_of(expression, placed.columns[0])
    bend = None if slope is None else slope_of(slope, placed.columns[0])
    # A law whose slope has a gap, as |x| has at 0, may bend there.
    attempt = _prove_sign(placed, expression, bend, 1.0 if placed.constraint.kind == "convex" else -1.0)
    if not attempt.how or slope is None:
        return attempt
    lows, highs = (placed.region.at(np.full((placed.region.num_columns, 1), share)) for share in (0.0, 1.0))
    return attempt if enclose(slope, lows, highs).is_whole.all() else Attempt()


def _prove_parity(placed: Placed, expression: Expression) -> Attempt:
    """By the parity of each part in the column: a square is even, a product of two odd parts is even."""
    column, wanted = placed.columns[0], 1 if placed.constraint.kind == "even" else -1
    return Attempt(FORM if parity_in(expression, column) == wanted else "")


def parity_in(expression: Expression, column: int) -> int:
    """+1 where an expression is even in a column by its form, -1 where it is odd, 0 where that is not seen."""

    def node(operator: Operator, operands: list[int]) -> int:
        if operator.name in ("add", "sub"):
            return operands[0] if operands[0] == operands[1] else 0
        if operator.name in ("mul", "div"):
            return operands[0] * operands[1]
        if operator.name in ("neg", "inv", "cube"):
            return operands[0]
        if operator.name == "sq":
            return abs(operands[0])
        # A function of what is even is even; of what is odd it has its own parity.
        return 1 if all(own == 1 for own in operands) else operator.parity * (operands[0] == -1)

    return canonical(expression).fold(node, lambda place: -1 if place == column else 1, lambda _: 1)


def _prove_symmetry(placed: Placed, expression: Expression) -> Attempt:
    one, other = placed.columns
    places = {column: variable(column) for column in expression.columns} | {one: variable(other), other: variable(one)}
    exchanged = canonical(substituted(expression, places))
    return Attempt(FORM if exchanged == canonical(expression) else "")


def _prove_value(placed: Placed, expression: Expression) -> Attempt:
    region = placed.region
    lows, highs = np.array(region.lows), np.array(region.highs)
    for column, value in placed.point:
        lows[column] = highs[column] = value
    # With all columns set there is one box, which is a point.
    own = Region(tuple(lows.tolist()), tuple(highs.tolist()), region.sizes)
    wanted, law = placed.constraint.value, _Law(expression)
    slack = EQUAL * max(placed.size, abs(wanted))
    free = tuple(column for column in expression.columns if lows[column] < highs[column])

    def is_kept(low: Floats, high: Floats) -> Mask:
        found = law.sharpened(low, high)
        return np.asarray((found.low >= wanted - slack) & (found.high <= wanted + slack) & found.is_whole)

    return Attempt(_subdivided(own, free, is_kept).how)


def _prove_limit(placed: Placed, expression: Expression) -> Attempt:
    """That all values beyond a far place are as near to the limit as rounding tells."""
    column, end, wanted = placed.columns[0], placed.constraint.end, placed.constraint.value
    if not math.isfinite(wanted):
        return Attempt()
    size = placed.region.sizes[column]
    far = FARTHEST * size if math.isinf(end) else size / FARTHEST
    if math.isinf(end):
        low, high = (far, math.inf) if end > 0.0 else (-math.inf, -far)
    else:
        side = 1.0 if placed.region.highs[column] > end else -1.0
        low, high = sorted((end, float(np.nextafter(end + side * far, side * math.inf))))
    region = placed.region.with_column(column, low, high)
    lows, highs = (np.array(ends)[:, None] for ends in (region.lows, region.highs))
    found, slack = enclose(expression, lows, highs), EQUAL * max(placed.size, abs(wanted))
    is_near = (found.low >= wanted - slack) & (found.high <= wanted + slack)
    return Attempt(INTERVALS if bool(is_near.all()) else "")


PROOFS: dict[str, Callable[[Placed, Expression], Attempt]] = {
    "bounds": _prove_bounds,
    "increasing": _prove_order,
    "decreasing": _prove_order,
    "convex": _prove_bend,
    "concave": _prove_bend,
    "even": _prove_parity,
    "odd": _prove_parity,
    "symmetric": _prove_symmetry,
    "value": _prove_value,
    "limit": _prove_limit,
}
