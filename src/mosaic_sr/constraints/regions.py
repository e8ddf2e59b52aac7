"""`Region`: the box over which a constraint speaks, also an unbounded one, and points spread over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Corners of more columns than this are too many to visit.
MOST_CORNERED = 6


@dataclass(frozen=True)
class Region:
    """A range for each column of the table, in the user's units.

    lows, highs: may be infinite.  sizes: of each column, as far as it was sampled; an unbounded side is measured in it.
    """

    lows: tuple[float, ...]
    highs: tuple[float, ...]
    sizes: tuple[float, ...]

    @property
    def num_columns(self) -> int:
        return len(self.lows)

    @cached_property
    def _edges(self) -> tuple[Floats, Floats, Floats]:
        return np.array(self.lows)[:, None], np.array(self.highs)[:, None], np.array(self.sizes)[:, None]

    def at(self, shares: Floats) -> Floats:
        """The values at shares of each range, 0 at its low end and 1 at its high end: (columns, points).

        They rise with the shares; half of an unbounded range is as far from its end as the column was sampled.
        """
        low, high, size = self._edges
        with np.errstate(all="ignore"):
            up, down = shares / (1.0 - shares), (1.0 - shares) / shares
            bounded = np.where(shares < 1.0, low + shares * (high - low), high)
            from_low, from_high = low + size * up, high - size * down
            free = 0.5 * size * (up - down)
        ends = np.where(np.isfinite(low), from_low, np.where(np.isfinite(high), from_high, free))
        return np.where(np.isfinite(low) & np.isfinite(high), bounded, ends) * np.ones_like(shares)

    def with_column(self, column: int, low: float, high: float) -> Region:
        """The region with another range of one column."""
        lows, highs = list(self.lows), list(self.highs)
        lows[column], highs[column] = low, high
        return Region(tuple(lows), tuple(highs), self.sizes)

    def holds(self, points: Floats) -> NDArray[np.bool_]:
        """Which points lie in it: (points,)."""
        low, high, _ = self._edges
        return np.asarray(np.all((points >= low) & (points <= high), axis=0))


def spread_shares(num_columns: int, count: int) -> Floats:
    """Shares that cover a box evenly, its corners and centre first: (columns, count).

    The others are the additive recurrence whose steps are powers of the generalised golden ratio: any first part of
    them is spread evenly, and nothing is left to chance.
    """
    ends = product((0.0, 1.0), repeat=min(num_columns, MOST_CORNERED))
    corners = [(*own, *[own[-1]] * (num_columns - len(own))) for own in ends]
    fixed = np.array([*corners, (0.5,) * num_columns]).T
    ratio = 2.0
    for _ in range(60):  # the fixed point of x^(d+1) = x + 1, to all digits
        ratio = (1.0 + ratio) ** (1.0 / (num_columns + 1.0))
    steps = ratio ** -np.arange(1.0, num_columns + 1.0)
    others = (0.5 + np.outer(steps, np.arange(1.0, count + 1.0))) % 1.0
    return np.concatenate([fixed, others], axis=1)[:, :count]


def line_shares(num_columns: int, column: int, places: Floats, num_lines: int) -> Floats:
    """Shares along lines in one direction: (columns, lines * places), line after line."""
    bases = spread_shares(num_columns, num_lines)
    shares = np.repeat(bases, len(places), axis=1)
    shares[column] = np.tile(places, bases.shape[1])
    return shares


def region_of(ranges: Sequence[tuple[float, float]], own: Sequence[tuple[int, float, float]] = ()) -> Region:
    """The region of the sampled ranges, with other ranges for some columns."""
    sizes = tuple((high - low) or abs(high) or 1.0 for low, high in ranges)
    region = Region(tuple(low for low, _ in ranges), tuple(high for _, high in ranges), sizes)
    for column, low, high in own:
        region = region.with_column(column, low, high)
    return region
