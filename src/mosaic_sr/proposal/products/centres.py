"""Centres: numbers around which a target piles up or leaves a gap, as a product that is added to one makes it do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.table import Resolution

Floats = NDArray[np.float64]

# The shortest window with this share of the rows is as wide as the doubt about the mode.
PILE = 0.03
# Without a pile rows are about as close at the mode as over the middle half; then both signs are as frequent.
FLAT = 0.3
# A gap counts when it fills this much of a window with twice this share of the rows.
GAP, WINDOW = 0.3, 0.05
# Share of a gap within which its middle is the centre: the rows on both sides end about as far from it.
GAP_DOUBT = 0.02
# A target has one tail where the other is so much shorter and the mode so many doubts from its end; then the centre
# lies beyond that end by a share of it.
LOPSIDED, NEAR, BEYOND, BEYOND_DOUBT = 0.1, 10.0, 0.1, 0.1
# Roundings of the target in a doubt: what stands above five of these has six digits.
DIGITS = 1e6


@dataclass(frozen=True)
class Centre:
    """A number that may have been added to a product.  doubt: how far it may be off."""

    value: float
    doubt: float


@np.errstate(over="ignore", invalid="ignore")
def centres_of(target: Floats, resolution: Resolution) -> Iterator[Centre]:
    """The mode of a target (rows,), or its median where it has no pile; an end that it piles up at; a gap; and 0."""
    ordered = np.sort(target)
    size = max(4, int(PILE * len(ordered)))
    if len(ordered) < 2 * size or not np.isfinite(ordered[-1] - ordered[0]):
        return
    mode, width = half_sample_mode(ordered), float(np.min(ordered[size - 1 :] - ordered[: len(ordered) - size + 1]))
    low, middle, high = np.quantile(ordered, [0.25, 0.5, 0.75]).tolist()
    has_pile = 0.5 * width < FLAT * PILE * (high - low)
    value = mode if has_pile else middle
    doubt = max(width, DIGITS * float(resolution.quantum(np.array([value]))[0]))
    yield Centre(value, doubt)
    yield from _beyond(ordered, mode, doubt)
    yield from _gap(ordered)
    if abs(value) > doubt:
        yield Centre(0.0, 0.0)


def _beyond(ordered: Floats, mode: float, doubt: float) -> Iterator[Centre]:
    """Where the mode is at one end, a number a little beyond that end."""
    below, above = mode - ordered[0], ordered[-1] - mode
    side, end = (below, ordered[0]) if below < above else (-above, ordered[-1])
    if 0 < abs(side) <= min(LOPSIDED * max(below, above), NEAR * doubt):
        yield Centre(float(end - BEYOND * side), float(BEYOND_DOUBT * BEYOND * abs(side)))


def half_sample_mode(ordered: Floats) -> float:
    """The mode of numbers in order: the shortest half of them, the shortest half of that, and so on."""
    while len(ordered) > 3:
        half = (len(ordered) + 1) // 2
        start = int(np.argmin(ordered[half - 1 :] - ordered[: len(ordered) - half + 1]))
        ordered = ordered[start : start + half]
    return float(np.median(ordered))


def _gap(ordered: Floats) -> Iterator[Centre]:
    """The middle of the widest gap for its surroundings: reciprocals of columns of both signs never come near 0."""
    reach = max(2, int(WINDOW * len(ordered)))
    if len(ordered) <= 4 * reach:
        return
    places = np.arange(2 * reach, len(ordered) - 2 * reach)
    gaps = ordered[places + 1] - ordered[places]
    widths = ordered[places + reach] - ordered[places - reach]
    shares = gaps / np.maximum(widths, np.finfo(np.float64).tiny)
    best = int(np.argmax(shares))
    if shares[best] >= GAP:
        yield Centre(float(ordered[places[best]] + 0.5 * gaps[best]), float(GAP_DOUBT * gaps[best]))
