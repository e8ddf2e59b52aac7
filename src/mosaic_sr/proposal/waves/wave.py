"""Waves: sinusoids of a sum of arguments under an amplitude, beside a background, and their refinement."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.proposal.regression.levenberg_marquardt import Evaluated, minimise_squares
from mosaic_sr.proposal.regression.projection import Background, make_background, solve_scaled
from mosaic_sr.proposal.waves.phases import Phase, Piece

Floats = NDArray[np.float64]

# Quadratic near a wave that is the law, and no use beyond near one that is not.
MOST_STEPS = 12


@dataclass(frozen=True, eq=False)
class Wave:
    """A sinusoid of the sum of frequencies times the arguments of a phase, under an amplitude."""

    frequencies: tuple[float, ...]
    phase: Phase
    amplitude: Piece

    @property
    def arguments(self) -> Floats:
        """(arguments, rows)."""
        return self.phase.arguments

    @property
    def terms(self) -> Floats:
        """Sine and cosine: (2, rows)."""
        angle = np.array(self.frequencies) @ self.arguments
        return np.array([self.amplitude.values * np.sin(angle), self.amplitude.values * np.cos(angle)])

    @property
    def num_periods(self) -> float:
        """Over the range of the argument that has most."""
        return float(np.max(np.abs(self.frequencies) * np.ptp(self.arguments, axis=1))) / (2.0 * np.pi)

    def is_same(self, other: Wave) -> bool:
        """Whether both are one wave but for less than a period over the range."""
        if not np.array_equal(self.arguments, other.arguments):
            return False
        apart = np.abs(np.subtract(self.frequencies, other.frequencies))
        return bool(np.all(apart * np.ptp(self.arguments, axis=1) < 2.0 * np.pi))

    def on(self, rows: slice) -> Wave:
        """On some of the rows."""
        phase = replace(self.phase, arguments=self.arguments[:, rows])
        return Wave(self.frequencies, phase, self.amplitude.on(rows))


def refine_waves(waves: Sequence[Wave], background: Background, target: Floats) -> list[Wave]:
    """The waves with the frequencies that fit the target best near where they are, beside the background."""
    rest = background.without(target)
    rest = rest / max(float(np.std(rest)), sys.float_info.min)
    # Steps are in radians over the range of an argument, so that no wave leaves its peak.
    ranges = np.maximum(np.concatenate([np.ptp(each.arguments, axis=1) for each in waves]), sys.float_info.min)
    ends = np.cumsum([len(each.frequencies) for each in waves])[:-1]

    def moved(angles: Floats) -> list[Wave]:
        own = zip(waves, np.split(angles / ranges, ends), strict=True)
        return [replace(each, frequencies=tuple(frequencies.tolist())) for each, frequencies in own]

    def evaluate(angles: Floats) -> Evaluated:
        terms = np.concatenate([each.terms for each in moved(angles[0])])
        bare = background.without(terms)
        own = make_background(bare)

        def slopes() -> Floats:
            parts = solve_scaled(bare.T, rest).reshape(-1, 2)
            along = [
                each.arguments * (sine * cosines - cosine * sines)
                for each, (sine, cosine), (sines, cosines) in zip(
                    waves, parts, np.split(terms, len(waves)), strict=True
                )
            ]
            along_range = own.without(background.without(np.concatenate(along))) / ranges[:, None]
            return np.asarray(along_range.T[None])

        return own.without(rest)[None], slopes

    start = np.concatenate([each.frequencies for each in waves]) * ranges
    return moved(minimise_squares(evaluate, start[None], MOST_STEPS)[0][0])
