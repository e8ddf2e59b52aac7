"""Least-squares spectra on scattered points: which frequency of an argument explains the most of a target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

# Grid points within the width of a peak: the refinement converges from half a step.
POINTS_PER_PEAK = 5.0
# Fewer periods than this over the data are a bend that polynomials and fits explain as well.
LEAST_PERIODS = 0.75
# Rows per period at the highest frequency, on average; scattered rows can tell more, at a cost.
ROWS_PER_PERIOD = 2.0
MOST_FREQUENCIES = 300
# Of each of two arguments; the grid of both is the square.
MOST_OF_TWO, SLOWEST_OF_TWO = 150, 3
MOST_STEPS = 12


@dataclass(frozen=True)
class Peak:
    """A frequency, which amplitude it has, and the share of the target's squares that it explains."""

    frequency: float
    amplitude: int
    share: float


def frequency_step(argument: Floats) -> float:
    """The distance of the grid's angular frequencies for an argument: (rows,)."""
    return 2.0 * np.pi / (POINTS_PER_PEAK * float(np.ptp(argument)))


def turns(argument: Floats, count: int) -> Complexes:
    """exp(i k step argument) for k = 0 .. count - 1: (count, rows), as products of two short lists of exponentials."""
    fine = int(np.ceil(np.sqrt(count)))
    angle = frequency_step(argument) * (argument - argument.mean())
    low = np.exp(1j * np.arange(fine)[:, None] * angle)
    high = np.exp(1j * fine * np.arange(-(-count // fine))[:, None] * angle)
    every: Complexes = high[:, None, :] * low[None, :, :]
    return every.reshape(-1, len(argument))[:count]


def num_frequencies(argument: Floats) -> int:
    """How many frequencies the rows of an argument can tell apart, at most MOST_FREQUENCIES.

    On evenly spaced values a wave with less than two steps to its period is a slower one in disguise.
    """
    most = min(int(len(argument) * POINTS_PER_PEAK / ROWS_PER_PERIOD), MOST_FREQUENCIES)
    steps = np.diff(np.unique(argument))
    if len(steps) == 0:
        return 0
    shortest = float(steps.min())
    if np.all(np.abs(steps / shortest - np.rint(steps / shortest)) < 1e-6):
        most = min(most, int(np.pi / (shortest * frequency_step(argument))))
    return most


def best_peaks(argument: Floats, amplitudes: Floats, target: Floats) -> list[Peak]:
    """The highest peak of the model amplitude (A sin(w argument) + B cos(w argument)) for each amplitude.

    amplitudes: (amplitudes, rows), target: (rows,). The terms of a frequency are taken as orthogonal, which is off by
    little beyond one period.
    """
    first = int(np.ceil(LEAST_PERIODS * POINTS_PER_PEAK))
    spectrum = turns(argument, num_frequencies(argument))[first:] @ (amplitudes * target).T
    if len(spectrum) == 0:
        return []
    sizes = np.maximum(np.sum(np.square(amplitudes), axis=1) * float(target @ target), 1e-300)
    shares = 2.0 * np.square(np.abs(spectrum)) / sizes
    places = np.argmax(shares, axis=0)
    step = frequency_step(argument)
    return [Peak((first + int(place)) * step, index, float(shares[place, index])) for index, place in enumerate(places)]


@dataclass(frozen=True)
class DoublePeak:
    """Angular frequencies of two arguments, the coefficients of cos and sin of their sum and of their difference."""

    frequencies: tuple[float, float]
    of_sum: complex
    of_difference: complex
    share: float


def best_double_peak(first: Floats, second: Floats, target: Floats) -> DoublePeak:
    """The highest peak of products of a sinusoid of each argument: (rows,)."""
    counts = [min(num_frequencies(argument), MOST_OF_TWO) for argument in (first, second)]
    one, two = turns(first, max(counts[0], 1)), turns(second, max(counts[1], 1))
    sums, differences = (one * target) @ two.T, (one * target) @ np.conj(two).T
    shares = np.square(np.abs(sums)) + np.square(np.abs(differences))
    # A product of two waves has a frequency in both.
    shares[:SLOWEST_OF_TWO] = 0.0
    shares[:, :SLOWEST_OF_TWO] = 0.0
    place = np.unravel_index(int(np.argmax(shares)), shares.shape)
    scale = 2.0 / len(target)
    frequencies = (float(place[0]) * frequency_step(first), float(place[1]) * frequency_step(second))
    share = scale * float(shares[place]) / max(float(target @ target), 1e-300)
    return DoublePeak(frequencies, scale * complex(sums[place]), scale * complex(differences[place]), share)


@dataclass(frozen=True, eq=False)
class Wave:
    """A sinusoid of an argument under an amplitude, both (rows,)."""

    frequency: float
    argument: Floats
    amplitude: Floats

    @property
    def terms(self) -> Floats:
        """Sine and cosine: (2, rows)."""
        angle = self.frequency * self.argument
        return np.array([self.amplitude * np.sin(angle), self.amplitude * np.cos(angle)])

    @property
    def num_periods(self) -> float:
        """Over the range of the argument."""
        return abs(self.frequency) * float(np.ptp(self.argument)) / (2.0 * np.pi)


def refined(waves: list[Wave], basis: Floats, target: Floats, most_steps: int = MOST_STEPS) -> list[Wave]:
    """The waves with the frequencies that fit the target best near where they are, beside basis: (terms, rows)."""
    for _ in range(most_steps):
        terms = np.concatenate([basis, *(each.terms for each in waves)])
        solution = solve(terms, target)[len(basis) :].reshape(-1, 2)
        slopes = [
            each.argument * (pair[0] * each.terms[1] - pair[1] * each.terms[0])
            for each, pair in zip(waves, solution, strict=True)
        ]
        steps = solve(np.concatenate([terms, slopes]), target)[len(terms) :]
        limits = [0.5 / max(float(np.ptp(each.argument)), 1e-300) for each in waves]
        moved = [
            Wave(each.frequency + float(np.clip(step, -limit, limit)), each.argument, each.amplitude)
            for each, step, limit in zip(waves, steps, limits, strict=True)
        ]
        still = all(abs(a.frequency - b.frequency) <= 1e-15 * b.frequency for a, b in zip(moved, waves, strict=True))
        waves = moved
        if still:
            break
    return waves


def solve(terms: Floats, target: Floats) -> Floats:
    """Least-squares coefficients of terms: (terms, rows), scaled to equal size first."""
    scales = np.sqrt(np.sum(np.square(terms), axis=1))
    scales[scales == 0] = 1.0
    solution = np.linalg.lstsq(terms.T / scales, target, rcond=1e-13)[0]
    return np.asarray(solution / scales, dtype=np.float64)
