"""The numbers behind the picture of how residuals are distributed."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.pictures.examined import Examined
from mosaic_sr.pictures.numbers import NUM_PLACES, residual_label
from mosaic_sr.pictures.picture import Curve, Histogram, Picture

Floats = NDArray[np.float64]

# Bars of a histogram: enough to see a shape, few enough for each to hold rows.
LEAST_BARS, MOST_BARS = 7, 41
# Standard deviations, estimated from the middle half of the rows, that a histogram reaches to either side.
REACH = 5.0
# The middle half of a normal distribution is this many standard deviations wide.
QUARTILES = 1.349


@np.errstate(all="ignore")
def distribution_picture(seen: Examined) -> Picture:
    """How the residuals are distributed, over the scatter where that is known, beside a normal distribution."""
    scatter = seen.scatter if seen.scatter is not None and np.all(seen.scatter[seen.is_known] > 0.0) else None
    left = seen.seen_residuals if scatter is None else seen.residuals / scatter
    is_shared, label = scatter is not None, residual_label(seen) if scatter is None else "residual / scatter"
    known = left[np.isfinite(left)]
    if not len(known) or known.min() == known.max():
        return Picture("distribution", "Distribution of residuals", label, "rows", "All residuals are equal.")
    histogram, deviation, num_outside = _histogram(known)
    caption = "The line is a normal distribution" + (" with the scatter of the law." if is_shared else " as wide.")
    if len(left) < seen.rows.num_rows:
        caption += f" {len(left):,} of {seen.rows.num_rows:,} rows are counted."
    if num_outside:
        caption += f" {num_outside:,} row{'s lie' if num_outside > 1 else ' lies'} outside the picture."
    bell = _bell(histogram, 1.0 if is_shared else deviation, len(known))
    return Picture("distribution", "Distribution of residuals", label, "rows", caption, None, None, (bell,), histogram)


def _histogram(known: Floats) -> tuple[Histogram, float, int]:
    """Counts of residuals, their standard deviation in the middle, and how many lie outside."""
    low, middle, high = np.quantile(known, [0.25, 0.5, 0.75])
    deviation = float(high - low) / QUARTILES or float(np.std(known))
    first, last = max(known.min(), middle - REACH * deviation), min(known.max(), middle + REACH * deviation)
    inside = known[(known >= first) & (known <= last)]
    width = 2.0 * (high - low) / len(known) ** (1.0 / 3.0)  # Freedman and Diaconis
    bars = math.ceil((last - first) / width) if width > 0.0 else LEAST_BARS
    edges = np.linspace(first, last, min(max(bars, LEAST_BARS), MOST_BARS) + 1)
    counts = np.diff(np.searchsorted(np.sort(inside), edges[1:-1]), prepend=0, append=len(inside))
    return Histogram(edges, counts.astype(np.float64)), deviation, len(known) - len(inside)


def _bell(histogram: Histogram, deviation: float, count: int) -> Curve:
    """A normal distribution of so many rows about 0 over the bars."""
    edges = histogram.edges
    places = np.linspace(edges[0], edges[-1], NUM_PLACES)
    heights = count * (edges[1] - edges[0]) * np.exp(-0.5 * np.square(places / deviation))
    return Curve(places, heights / (deviation * math.sqrt(2.0 * math.pi)))
