"""Constraints that no law can keep together, and rows that break a constraint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.constraints.placed import Placed
from mosaic_sr.constraints.regions import Region
from mosaic_sr.constraints.statement import Constraint
from mosaic_sr.errors import InvalidSettings

Floats = NDArray[np.float64]

# Shapes of one column of which a law can have only one, unless the column does not matter.
OPPOSITES = ({"increasing", "decreasing"}, {"even", "odd"})


class BreakingRow(NamedTuple):
    """A row, and by how much its target is beyond the constraint; `beside` is the row that it is compared with."""

    row: int
    excess: float
    beside: int | None = None


def refuse_contradictions(constraints: Sequence[Constraint]) -> None:
    """Refuse two constraints that no law can keep."""
    for stated in constraints:
        if stated.kind == "bounds" and _is_empty((stated,)):
            raise InvalidSettings(f"no law can keep the constraint {stated.text!r}: its bounds leave no value")
    for one, other in combinations(constraints, 2):
        reason = _reason(one, other)
        if reason:
            raise InvalidSettings(
                f"no law can keep both constraints {one.text!r} and {other.text!r}: {reason}; leave one out"
            )


def _reason(one: Constraint, other: Constraint) -> str:
    """Why two constraints contradict each other; empty where they may not."""
    kinds = {one.kind, other.kind}
    if kinds == {"bounds"} and _overlap(one, other) and _is_empty((one, other)):
        return "their bounds leave no value"
    if kinds in OPPOSITES and one.columns == other.columns and _overlap(one, other):
        return f"only a law without {one.columns[0]!r} is both"
    if kinds == {"value"} and one.point == other.point and one.value != other.value:
        return "they ask for two values at one point"
    if kinds == {"limit"} and one.columns == other.columns and one.value != other.value and one.end == other.end:
        return "a law has one limit"
    return ""


def refuse_contradictions_here(placed: Sequence[Placed]) -> None:
    """Refuse two constraints that no law can keep over the ranges of this table."""
    for one, other in combinations(placed, 2):
        for first, second in ((one, other), (other, one)):
            reason = _reason_here(first, second)
            if reason:
                texts = f"{one.constraint.text!r} and {other.constraint.text!r}"
                raise InvalidSettings(f"no law can keep both constraints {texts}: {reason}; leave one out")


def _reason_here(one: Placed, other: Placed) -> str:
    """Why a constraint contradicts a second one where both hold; empty where it may not."""
    kind, stated = one.constraint.kind, other.constraint
    if stated.kind == "value" and kind == "bounds" and _holds_at(one.region, other.point):
        own = one.constraint
        is_out = not own.low <= stated.value <= own.high
        return "the value is beyond the bounds" if is_out or _is_open_at(own, stated.value) else ""
    if kind not in ("even", "odd"):
        return ""
    column, name = one.columns[0], one.constraint.columns[0]
    if kind == "odd" and stated.kind == "value" and stated.value and (column, 0.0) in other.point:
        return f"an odd law is 0 at {name} = 0, or has no value there"
    # What is said of both signs of the column; at 0 alone an odd law may have no value.
    if not _has_both_signs(one.region, other.region, column):
        return ""
    if kind == "odd" and stated.kind == "bounds" and not stated.low < 0.0 < stated.high:
        return f"with the sign of {name} an odd law changes its own"
    if kind == "even" and stated.kind in ("increasing", "decreasing") and other.columns[0] == column:
        return f"an even law rises on one side of {name} = 0 as it falls on the other"
    return ""


def _holds_at(region: Region, point: Sequence[tuple[int, float]]) -> bool:
    """Whether a region reaches the point; columns that are not named are free."""
    return all(region.lows[column] <= value <= region.highs[column] for column, value in point)


def _is_open_at(stated: Constraint, value: float) -> bool:
    return (stated.is_low_open and stated.low == value) or (stated.is_high_open and stated.high == value)


def _has_both_signs(one: Region, other: Region, column: int) -> bool:
    """Whether the second region has points of both signs of a column, of which the first region has one."""
    for place in range(one.num_columns):
        if place != column and max(one.lows[place], other.lows[place]) > min(one.highs[place], other.highs[place]):
            return False
    reach = min(-other.lows[column], other.highs[column])
    return reach > 0.0 and one.lows[column] < reach and one.highs[column] > -reach


def _is_empty(stated: Sequence[Constraint]) -> bool:
    low, high = max(own.low for own in stated), min(own.high for own in stated)
    is_open = any((own.is_low_open and own.low == low) or (own.is_high_open and own.high == high) for own in stated)
    return low > high or (low == high and is_open)


def _overlap(one: Constraint, other: Constraint) -> bool:
    """Whether two constraints speak of a common region; the sampled range is taken to be in any other."""
    ranges = {name: (low, high) for name, low, high in one.region}
    for name, low, high in other.region:
        own_low, own_high = ranges.get(name, (-math.inf, math.inf))
        if max(low, own_low) > min(high, own_high):
            return False
    return True


def breaking_rows(placed: Placed, columns: Floats, target: Floats) -> list[BreakingRow]:
    """Rows whose targets, taken as exact, break a constraint, the worst first.

    columns: (columns, rows) and target: (rows,) in the user's units.
    """
    inside = np.flatnonzero(placed.region.holds(columns))
    kind = placed.constraint.kind
    if kind == "bounds":
        found = _beyond_bounds(placed, target, inside)
    elif kind == "value":
        found = _off_value(placed, columns, target)
    elif kind in ("increasing", "decreasing"):
        found = _out_of_order(placed, columns[:, inside], target[inside], inside)
    else:
        found = []
    return sorted(found, key=lambda row: -row.excess)


def _beyond_bounds(placed: Placed, target: Floats, inside: NDArray[np.intp]) -> list[BreakingRow]:
    stated, own = placed.constraint, target[inside]
    excess = np.maximum(stated.low - own, own - stated.high)
    is_out = (excess > 0.0) | (stated.is_low_open & (own == stated.low)) | (stated.is_high_open & (own == stated.high))
    return [BreakingRow(int(inside[place]), float(excess[place])) for place in np.flatnonzero(is_out)]


def _off_value(placed: Placed, columns: Floats, target: Floats) -> list[BreakingRow]:
    is_at = np.all([columns[column] == value for column, value in placed.point], axis=0)
    rows = np.flatnonzero(is_at & (target != placed.constraint.value))
    return [BreakingRow(int(row), float(abs(target[row] - placed.constraint.value))) for row in rows]


def _out_of_order(placed: Placed, columns: Floats, target: Floats, rows: NDArray[np.intp]) -> list[BreakingRow]:
    """Rows below an earlier one that is equal in all other columns."""
    along, sign = placed.columns[0], 1.0 if placed.constraint.kind == "increasing" else -1.0
    others = np.delete(columns, along, axis=0)
    found: list[BreakingRow] = []
    order = np.lexsort((columns[along], *others))
    highest = -1
    for before, place in zip(np.append(-1, order[:-1]).tolist(), order.tolist(), strict=True):
        if before < 0 or not np.array_equal(others[:, before], others[:, place]):
            highest = place
        excess = sign * (target[highest] - target[place])
        # Rows with the same place on the column are compared with none of each other.
        if excess > 0.0 and columns[along, highest] < columns[along, place]:
            found.append(BreakingRow(int(rows[place]), float(excess), int(rows[highest])))
        elif excess < 0.0:
            highest = place
    return found
