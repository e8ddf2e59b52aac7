"""Simple exponents for rough scaling laws: with noise many shapes fit alike, but few of them with simple exponents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.proposal.scaling_laws.descent import Descent, Scene, refit

# An exponent is held at a multiple of this.
UNIT = 0.5
# What n log(cost) may grow by for an exponent that is held: so much chance gives to one in a hundred.
MOST_GROWTH = 7.0
# Descents whose deviation is larger than the least by this factor are of the wrong shape.
MOST_WORSE = 1.5
STEPS = 6


def simplest(descents: Sequence[Descent], scene: Scene) -> list[Descent]:
    """The descents with simple exponents where the rows allow them, the most credible first."""
    least = min((descent.error for descent in descents), default=0.0)
    made = [rounded(descent, scene) for descent in descents if descent.error <= MOST_WORSE * least]
    return sorted(made, key=lambda descent: _bits(descent, scene))


def rounded(descent: Descent, scene: Scene) -> Descent:
    """The descent with as many exponents held at simple values as the rows allow, the nearest ones first."""
    is_free = np.ones(len(descent.parameters), dtype=bool)
    while True:
        tried = [_held(descent, place, is_free, scene) for place in _open_places(descent, is_free)]
        place, best = min(tried, key=lambda entry: entry[1].error, default=(0, descent))
        if place == 0 or 2.0 * len(scene.target) * np.log(best.error / descent.error) > MOST_GROWTH:
            return descent
        descent, is_free[place] = best, False


def _open_places(descent: Descent, is_free: NDArray[np.bool_]) -> list[int]:
    """Exponents that are not held; the power around a function first, since all others lean on it."""
    last = len(is_free) - 1
    if is_free[last] and not descent.shape.is_exponential:
        return [last]
    return [place for place in range(1, last) if is_free[place]]


def _held(descent: Descent, place: int, is_free: NDArray[np.bool_], scene: Scene) -> tuple[int, Descent]:
    parameters = descent.parameters.copy()
    nearest = UNIT * np.rint(parameters[place] / UNIT)
    parameters[place] = nearest if nearest or place < len(parameters) - 1 else np.copysign(UNIT, parameters[place])
    others = is_free.copy()
    others[place] = False
    return place, refit(scene, replace(descent, parameters=parameters), others, STEPS)


def _bits(descent: Descent, scene: Scene) -> float:
    """What it takes to tell the rows by a law, up to a constant: its residuals and its odd exponents."""
    exponents = descent.parameters[1:]
    num_odd = np.count_nonzero(exponents % UNIT)
    return float(len(scene.target) * np.log(descent.error) + 0.5 * np.log(len(scene.target)) * num_odd)
