"""Waves: sinusoids of a sum of arguments under an amplitude, beside a background, and their refinement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.proposal.regression.projection import Background

Floats = NDArray[np.float64]

# Gauss-Newton: quadratic near a wave that is the law, and no use beyond near one that is not.
MOST_STEPS = 9
# Radians at the ends of the argument below which a step changes nothing that a fit would not.
STILL = 1e-10


@dataclass(frozen=True, eq=False)
class Wave:
    """A sinusoid of the sum of frequencies times arguments (arguments, rows), under an amplitude (rows,)."""

    frequencies: tuple[float, ...]
    arguments: Floats
    amplitude: Floats

    @property
    def angle(self) -> Floats:
        """(rows,)."""
        return np.asarray(np.array(self.frequencies) @ self.arguments)

    @property
    def terms(self) -> Floats:
        """Sine and cosine: (2, rows)."""
        angle = self.angle
        return np.array([self.amplitude * np.sin(angle), self.amplitude * np.cos(angle)])

    @property
    def num_periods(self) -> float:
        """Over the range of the argument that has most."""
        return float(np.max(np.abs(self.frequencies) * np.ptp(self.arguments, axis=1))) / (2.0 * np.pi)

    def moved(self, steps: Floats) -> Wave:
        """With other frequencies, as far as the steps (arguments,) can be trusted."""
        limits = 0.5 / np.maximum(np.ptp(self.arguments, axis=1), 1e-300)
        return replace(self, frequencies=tuple((self.frequencies + np.clip(steps, -limits, limits)).tolist()))


def refined(waves: Sequence[Wave], background: Background, target: Floats) -> list[Wave]:
    """The waves with the frequencies that fit the target best near where they are, beside the background."""
    moved, rest = list(waves), background.without(target)
    for _ in range(MOST_STEPS):
        before = moved
        moved = _stepped(before, background, rest)
        steps = [
            np.max(np.abs(np.subtract(new.frequencies, old.frequencies)) * np.ptp(old.arguments, axis=1))
            for new, old in zip(moved, before, strict=True)
        ]
        if max(steps) <= STILL:
            break
    return moved


def _stepped(waves: Sequence[Wave], background: Background, rest: Floats) -> list[Wave]:
    terms = np.concatenate([each.terms for each in waves])
    parts = solve(background.without(terms), rest).reshape(-1, 2)
    slopes = np.concatenate(
        [
            each.arguments * (sine * cosines - cosine * sines)
            for each, (sine, cosine), (sines, cosines) in zip(
                waves, parts, terms.reshape(len(waves), 2, -1), strict=True
            )
        ]
    )
    steps = solve(background.without(np.concatenate([terms, slopes])), rest)[len(terms) :]
    ends = np.cumsum([len(each.frequencies) for each in waves])[:-1]
    return [each.moved(own) for each, own in zip(waves, np.split(steps, ends), strict=True)]


def solve(terms: Floats, target: Floats) -> Floats:
    """Least-squares coefficients of terms: (terms, rows), scaled to equal size first."""
    scales = np.sqrt(np.sum(np.square(terms), axis=1))
    scales[scales == 0] = 1.0
    solution = solve_least_squares(terms.T / scales, target, 1e-13)
    return np.asarray(solution / scales, dtype=np.float64)
