"""Spectra on scattered rows: arguments are rounded to a fine regular grid, and one Fourier transform tells how much of
a target every frequency explains.

Rounding weakens a wave at most to 0.4 per argument up to the last frequency of the grid, and leaves noise as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop

Floats = NDArray[np.float64]
Powers = NDArray[np.float32]

# Fewer periods than this over the data are a bend that polynomials and fits explain as well.
LEAST_PERIODS = 0.75
# An argument whose middle covers less of its range than this is scanned over its middle: few rows lie far out.
LEAST_MIDDLE, MIDDLE = 0.4, (0.02, 0.98)
# Steps that are whole multiples of the shortest to this are those of a grid, rounded as columns are written.
EVEN = 1e-6
# Places within a step of the grid at which a peak is measured again, for each argument.
PLACES = np.linspace(-0.5, 0.5, 5)
# Multiples of the grid's own frequency around which a peak is looked for: beyond, rounding leaves hardly anything.
MOST_FOLDS = 2
# Ranges beyond these overflow when they are inverted or squared.
SMALLEST, LARGEST = 1e-100, 1e100
# Rows on which a peak is measured again: enough to tell its place.
SHARPENING_ROWS = 1000


@dataclass(frozen=True)
class Peak:
    """The frequency, one for each argument, at which a series has most power, and the step of the grid there.

    power: 1 on average for noise, and exponentially distributed; half the rows for a pure wave.
    """

    frequencies: tuple[float, ...]
    steps: tuple[float, ...]
    series: int
    power: float


@dataclass(frozen=True, eq=False)
class Axis:
    """An argument rounded to a grid: cells (rows,), which rows count, and the step of its angular frequencies.

    most: the highest frequency, in steps, that the argument's values can tell.
    """

    cells: NDArray[np.intp]
    is_inside: NDArray[np.bool_]
    size: int
    step: float
    most: int


@dataclass(frozen=True)
class Extent:
    """Where an argument is scanned, and the highest frequency that its values can tell."""

    low: float
    high: float
    highest: float


def measure_extent(argument: Floats) -> Extent:
    """The extent of an argument: (rows,)."""
    ordered = np.sort(argument)
    low, high = float(ordered[0]), float(ordered[-1])
    inner = np.interp(np.multiply(MIDDLE, len(ordered) - 1), np.arange(len(ordered)), ordered)
    if inner[1] - inner[0] < LEAST_MIDDLE * (high - low):
        low, high = float(inner[0]), float(inner[1])
    # On evenly spaced values a wave with less than two steps to its period is a slower one in disguise.
    steps = np.diff(ordered)
    steps = steps[steps > 0]
    shortest = float(steps.min(initial=np.inf))
    is_even = np.all(np.abs(steps / shortest - np.rint(steps / shortest)) < EVEN)
    return Extent(low, high, np.pi / shortest if is_even else np.inf)


def make_axis(argument: Floats, extent: Extent, size: int, oversampling: float) -> Axis | None:
    """The grid of an argument: (rows,); oversampling: steps of frequency per period over the range."""
    width = oversampling * (extent.high - extent.low)
    if not SMALLEST < width < LARGEST:
        return None
    is_inside = (argument >= extent.low) & (argument <= extent.high)
    places = np.where(is_inside, (argument - extent.low) * (size / width), 0.0)
    step = 2.0 * np.pi / width
    most = min(size // 2, int(min(extent.highest / step, size)))
    return Axis(np.rint(places).astype(np.intp) % size, is_inside, size, step, most)


class Spectrometer:
    """Finds peaks on grids of one shape; owns its memory, which is large.

    sizes: of the grid, one for each argument.  oversampling: steps of frequency per period over the range.
    """

    def __init__(self, sizes: Sequence[int], oversampling: float, num_series: int = 1) -> None:
        self.sizes, self._oversampling = tuple(sizes), oversampling
        self._grid = np.zeros((num_series, *sizes), dtype=np.float32)
        half = (num_series, *sizes[:-1], sizes[-1] // 2 + 1)
        self._spectrum = np.empty(half, dtype=np.complex64)
        self._powers, self._squares = np.empty(half, dtype=np.float32), np.empty(half, dtype=np.float32)

    def highest_peaks(self, arguments: Floats, extents: Sequence[Extent], series: Floats, least: Floats) -> list[Peak]:
        """The highest peak of each series where it has the least power.

        arguments: (arguments, rows), with an extent each.  series: (series, rows), least: (series,).
        Frequencies that are slow in all arguments are left out, and of several arguments those that are 0 in one.
        """
        made = (make_axis(*each, self._oversampling) for each in zip(arguments, extents, self.sizes, strict=True))
        axes = [axis for axis in made if axis is not None]
        if len(axes) < len(arguments) or min(axis.most for axis in axes) < 1:
            return []
        weights = series * np.all([axis.is_inside for axis in axes], axis=0)
        norms = np.sqrt(np.sum(np.square(weights), axis=1))
        powers = self._measured(axes, weights / np.where(norms > 0, norms, 1.0)[:, None])
        _leave_out(powers, axes, int(np.ceil(LEAST_PERIODS * self._oversampling)))
        flat = powers.reshape(len(series), -1)
        places = np.argmax(flat, axis=1)
        high = np.flatnonzero(flat[np.arange(len(series)), places] >= least).tolist()
        return [_peak(axes, powers, index, int(places[index])) for index in high]

    def _measured(self, axes: Sequence[Axis], weights: Floats) -> Powers:
        """(series, frequencies of each axis in the order of Fourier transforms; of the last axis those from 0 up)."""
        heed_stop()
        total = int(np.prod(self.sizes))
        cells = np.ravel_multi_index([axis.cells for axis in axes], self.sizes)
        every = np.arange(len(weights))[:, None] * total + cells
        flat = self._grid.reshape(-1)
        np.add.at(flat, every, weights.astype(np.float32))
        transformed = tuple(range(1, len(self.sizes) + 1))
        np.fft.rfftn(self._grid, axes=transformed, out=self._spectrum)  # type: ignore[arg-type]  # double in the stubs
        flat[every] = 0.0
        np.square(self._spectrum.real, out=self._powers)
        np.square(self._spectrum.imag, out=self._squares)
        self._powers += self._squares
        return self._powers


def _leave_out(powers: Powers, axes: Sequence[Axis], slowest: int) -> None:
    """Sets the power of frequencies to 0 that are slow, or that the values of an argument cannot tell."""
    slow = [np.arange(1 - slowest, slowest) % axis.size for axis in axes[:-1]]
    if slow:
        powers[np.ix_(np.arange(len(powers)), *slow, np.arange(slowest))] = 0.0
    else:
        powers[:, :slowest] = 0.0
    for place, axis in enumerate(axes, start=1):
        sides = np.moveaxis(powers, place, 0)
        sides[axis.most + 1 : len(sides) - axis.most if place < len(axes) else None] = 0.0
        if len(axes) > 1:
            sides[0] = 0.0


def _peak(axes: Sequence[Axis], powers: Powers, series: int, place: int) -> Peak:
    numbers = np.unravel_index(place, powers.shape[1:])
    signed = [int(n) - axis.size * (2 * int(n) > axis.size) for n, axis in zip(numbers, axes, strict=True)]
    frequencies = tuple(number * axis.step for number, axis in zip(signed, axes, strict=True))
    return Peak(frequencies, tuple(axis.step for axis in axes), series, float(powers[(series, *numbers)]))


def sharpen_peak(peak: Peak, arguments: Floats, extents: Sequence[Extent], weights: Floats, size: int) -> Peak:
    """The peak measured without rounding to the grid, at places around it.

    weights: (rows,), the peak's series.  size: of the grid; a wave faster than the grid shows at a slower frequency, so
    that of one argument the frequencies that look alike on the grid are measured too.
    """
    few = slice(0, None, max(1, len(weights) // SHARPENING_ROWS))
    around = [PLACES * step for step in peak.steps]
    has_folds = len(extents) == 1 and extents[0].highest == np.inf
    starts = [peak.frequencies, *(_folded(peak, size) if has_folds else [])]
    trials = np.array([np.add(start, offsets) for start in starts for offsets in product(*around)])
    turns = np.exp(1j * (trials @ arguments[:, few]))
    powers = np.square(np.abs(turns @ weights[few])) / max(float(weights[few] @ weights[few]), 1e-300)
    best = int(np.argmax(powers))
    scale = len(weights) / len(weights[few])
    return Peak(tuple(trials[best].tolist()), peak.steps, peak.series, scale * float(powers[best]))


def _folded(peak: Peak, size: int) -> list[tuple[float]]:
    """Frequencies that look like the peak's on a grid of the size."""
    own, period = peak.frequencies[0], size * peak.steps[0]
    return [(fold * period + sign * own,) for fold in range(1, MOST_FOLDS + 1) for sign in (-1.0, 1.0)]
