"""`Picture`: the numbers of one picture, whatever draws it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NONE = np.empty(0)


@dataclass(frozen=True, eq=False)
class Points:
    """Marks at x, y: (points,).

    bars: (points,), half lengths of error bars, or none.  rows: (points,), the places of the rows that they show.
    """

    x: Floats
    y: Floats
    bars: Floats = field(default_factory=lambda: NONE)
    rows: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))


@dataclass(frozen=True, eq=False)
class Curve:
    """A line through x, y, with gaps at NaN; low, high: a band about it, or none. All are (places,)."""

    x: Floats
    y: Floats
    low: Floats = field(default_factory=lambda: NONE)
    high: Floats = field(default_factory=lambda: NONE)
    is_step: bool = False
    is_faint: bool = False


@dataclass(frozen=True, eq=False)
class Histogram:
    """Bars between edges, (bars + 1,), as high as counts, (bars,)."""

    edges: Floats
    counts: Floats


@dataclass(frozen=True, eq=False)
class Picture:
    """One pair of axes.

    kind: of the table of kinds.  caption: what is shown, in sentences.  points: ordinary rows; outliers: marked ones.
    level: the height of a horizontal line.  has_diagonal: whether a line shows where both axes are equal.
    y_range: what the vertical axis shows; None for all.
    """

    kind: str
    title: str
    x_label: str
    y_label: str
    caption: str = ""
    points: Points | None = None
    outliers: Points | None = None
    curves: tuple[Curve, ...] = ()
    histogram: Histogram | None = None
    level: float | None = None
    has_diagonal: bool = False
    is_log_x: bool = False
    is_log_y: bool = False
    y_range: tuple[float, float] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        drawn = [mark.y for mark in (self.points, self.outliers, *self.curves) if mark is not None]
        has_bars = self.histogram is not None and len(self.histogram.counts) > 0
        return not has_bars and not any(np.isfinite(values).any() for values in drawn)
