"""`Placed`: a constraint over the columns of a table, and where samples show that a law breaks it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.constraints.regions import Region, line_shares, spread_shares
from mosaic_sr.constraints.statement import Constraint

Floats = NDArray[np.float64]

# Of the target's spread: what rounding may add to a bound or a slope, and to a value that is asked for exactly.
ROUNDING, EQUAL = 1e-12, 1e-9
# Steps towards the end of a limit, each twice as far as the one before, and the last of them that are compared.
STEPS, LAST = 200, 8
# A law that goes to a value comes closer by at least this share while the way to the end doubles on a log scale.
NEARER = 0.8


@dataclass(frozen=True)
class Placed:
    """A constraint of one table.

    columns: places of the columns that the constraint names.  point: places with their values.
    region: where it is to hold.  size: the spread of the target.
    """

    constraint: Constraint
    region: Region
    columns: tuple[int, ...]
    point: tuple[tuple[int, float], ...]
    size: float

    def points(self, count: int) -> Floats:
        """Where a law is looked at, about `count` points: (columns, points)."""
        return POINTS[self.constraint.kind](self, count)

    def first_break(self, values: Floats, points: Floats) -> int | None:
        """The place of a point at which the values of a law break the constraint, None where none does."""
        with np.errstate(all="ignore"):
            found = BREAKS[self.constraint.kind](self, values, points)
        return None if found is None or not found.any() else int(np.argmax(found))


def _spread(placed: Placed, count: int) -> Floats:
    return placed.region.at(spread_shares(placed.region.num_columns, count))


def _lines(placed: Placed, count: int) -> Floats:
    """Lines along the column, as many as points on each; ends of unbounded ranges are left out."""
    number = max(8, math.isqrt(count))
    places = np.linspace(0.0, 1.0, number)
    column = placed.columns[0]
    shares = line_shares(placed.region.num_columns, column, places, max(1, count // number))
    points = placed.region.at(shares)
    return np.clip(points, -1e300, 1e300)


def _mirrored(placed: Placed, count: int) -> Floats:
    """Points, and behind them the same with the column's sign changed or with two columns exchanged."""
    points = _spread(placed, max(2, count // 2))
    other = points.copy()
    if placed.constraint.kind == "symmetric":
        other[list(placed.columns)] = points[list(placed.columns[::-1])]
    else:
        other[placed.columns[0]] *= -1.0
    return np.concatenate([points, other], axis=1)


def _at_point(placed: Placed, count: int) -> Floats:
    """The point itself, and behind it the same number of points near it on both sides, for laws such as sin(x)/x."""
    points = _spread(placed, max(1, min(count, 256)))
    for column, value in placed.point:
        points[column] = value
    near = [points]
    for side in (1.0, -1.0):
        moved = points.copy()
        for column, value in placed.point:
            moved[column] = value + side * NEARBY * placed.region.sizes[column]
        near.append(moved)
    return np.concatenate(near, axis=1)


# Distance to a point at which the law has no value, as a share of the column's range: squares of it are rounding.
# There a law is as near to its value as this times the logarithm of it, for a slope like that of x log x.
NEARBY = 1e-8


def _towards_end(placed: Placed, count: int) -> Floats:
    """Lines of points that go to the end of a limit, each twice as far or half as near as the one before."""
    column, end = placed.columns[0], placed.constraint.end
    steps = np.exp2(np.arange(STEPS))
    size, low, high = placed.region.sizes[column], placed.region.lows[column], placed.region.highs[column]
    if math.isinf(end):
        start = max(high, 0.0) if end > 0.0 else min(low, 0.0)
        start = start if math.isfinite(start) else 0.0
        places = start + math.copysign(size, end) * steps
    else:
        # From the side on which the rows are.
        side = 1.0 if high > end else -1.0
        places = end + side * size / steps[: STEPS // 4]
    bases = _spread(placed, max(1, min(count // len(places), 24)))
    points = np.repeat(np.clip(bases, -1e300, 1e300), len(places), axis=1)
    points[column] = np.tile(places, bases.shape[1])
    return points


POINTS: dict[str, Callable[[Placed, int], Floats]] = {
    "bounds": _spread,
    "increasing": _lines,
    "decreasing": _lines,
    "convex": _lines,
    "concave": _lines,
    "even": _mirrored,
    "odd": _mirrored,
    "symmetric": _mirrored,
    "value": _at_point,
    "limit": _towards_end,
}


def _breaks_bounds(placed: Placed, values: Floats, points: Floats) -> NDArray[np.bool_]:
    stated, slack = placed.constraint, ROUNDING * placed.size
    is_broken = (values < stated.low - slack) | (values > stated.high + slack)
    # Far out a decay is 0 in float64, though never in truth.
    is_zero = (values == 0.0) & np.all(np.abs(points) < FAR_OUT * np.array(placed.region.sizes)[:, None], axis=0)
    is_broken |= (stated.is_low_open and stated.low == 0.0) & (is_zero | (values < 0.0))
    is_broken |= (stated.is_high_open and stated.high == 0.0) & (is_zero | (values > 0.0))
    return np.asarray(is_broken)


# Times the sampled range of a column.
FAR_OUT = 1e3


def _on_lines(placed: Placed, values: Floats, points: Floats) -> tuple[Floats, Floats]:
    """Values and places of the column, one row for each line: (lines, points)."""
    along = points[placed.columns[0]]
    number = 1 + int(np.argmax(np.append(np.diff(along) < 0.0, True)))
    return values.reshape(-1, number), along.reshape(-1, number)


def _breaks_order(placed: Placed, values: Floats, points: Floats) -> NDArray[np.bool_]:
    """Where a law has fallen below what it was before, or risen above it."""
    rows, _ = _on_lines(placed, values, points)
    rows = rows if placed.constraint.kind == "increasing" else -rows
    before = np.fmax.accumulate(rows, axis=1)
    slack = ROUNDING * (placed.size + np.abs(before))
    return np.asarray(rows < before - np.where(np.isfinite(slack), slack, 0.0)).ravel()


def _breaks_bend(placed: Placed, values: Floats, points: Floats) -> NDArray[np.bool_]:
    """Where the slope of a law has fallen below what it was before, or risen above it."""
    rows, along = _on_lines(placed, values, points)
    widths = np.diff(along, axis=1)
    slopes = np.diff(rows, axis=1) / widths
    slopes = np.where(np.isfinite(slopes), slopes, np.nan)
    slopes = slopes if placed.constraint.kind == "convex" else -slopes
    before = np.fmax.accumulate(slopes, axis=1)
    # A difference of two values is rounded at their size.
    slack = 8.0 * ROUNDING * (placed.size + np.abs(rows[:, 1:])) / np.minimum.accumulate(widths, axis=1)
    is_broken = slopes < before - slack
    return np.concatenate([np.zeros((len(rows), 1), dtype=np.bool_), is_broken], axis=1).ravel()


def _breaks_mirror(placed: Placed, values: Floats, points: Floats) -> NDArray[np.bool_]:
    here, there = np.split(values, 2)
    there = -there if placed.constraint.kind == "odd" else there
    is_apart = ~(np.abs(here - there) <= EQUAL * (placed.size + np.abs(here))) & ~(here == there)
    # A place without any value on either side says nothing.
    return np.asarray(is_apart & ~(np.isnan(here) & np.isnan(there)))


def _breaks_value(placed: Placed, values: Floats, points: Floats) -> NDArray[np.bool_]:
    at, above, below = np.split(values, 3)
    wanted = placed.constraint.value
    slack = EQUAL * max(placed.size, abs(wanted))
    is_off = np.abs(at - wanted) > slack
    # Where there is no value, the law goes to it from a side on which it has values.
    nearest = np.where(np.isfinite(above), above, below)
    is_off_nearby = ~(np.abs(nearest - wanted) <= 1000.0 * NEARBY * max(placed.size, abs(wanted)))
    return np.asarray(np.where(np.isnan(at), is_off_nearby, is_off))


def _breaks_limit(placed: Placed, values: Floats, points: Floats) -> NDArray[np.bool_]:
    """Lines on which a law does not come near to its limit, marked at their first point."""
    along, stated = points[placed.columns[0]], placed.constraint
    number = int(np.argmax(np.append(along[1:] == along[0], True))) + 1
    lines = values.reshape(-1, number)
    is_broken = np.zeros(lines.shape, dtype=np.bool_)
    for place, line in enumerate(lines):
        known = line[~np.isnan(line)]
        is_broken[place, 0] = not len(known) or not _goes_to(known, stated.value, placed.size)
    return is_broken.ravel()


def _goes_to(values: Floats, wanted: float, size: float) -> bool:
    """Whether a sequence, whose steps double, goes to a number or beyond all."""
    if math.isinf(wanted):
        grown = values * math.copysign(1.0, wanted)
        return bool(grown[-1] == np.inf or (grown[-1] > size and grown[-1] > grown[len(grown) // 2] / NEARER))
    gaps = np.abs(values - wanted)
    if len(gaps) < 3 * LAST:  # beyond the last value the law is too large for float64
        return bool(gaps[-1] <= EQUAL * max(size, abs(wanted)))
    # Of several, because a wave passes every value now and then.
    last, halfway = gaps[-LAST:].max(), gaps[len(gaps) // 2 - LAST // 2 :][:LAST].max()
    return bool(last <= EQUAL * max(size, abs(wanted)) or (last < np.inf and last <= NEARER * halfway))


BREAKS: dict[str, Callable[[Placed, Floats, Floats], NDArray[np.bool_]]] = {
    "bounds": _breaks_bounds,
    "increasing": _breaks_order,
    "decreasing": _breaks_order,
    "convex": _breaks_bend,
    "concave": _breaks_bend,
    "even": _breaks_mirror,
    "odd": _breaks_mirror,
    "symmetric": _breaks_mirror,
    "value": _breaks_value,
    "limit": _breaks_limit,
}
