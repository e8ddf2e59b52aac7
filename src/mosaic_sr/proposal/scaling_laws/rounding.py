"""Simple exponents for rough scaling laws: with noise many forms fit alike, but few of them with simple exponents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.proposal.scaling_laws.descent import Descent, refit
from mosaic_sr.proposal.scaling_laws.scene import Scene

# An exponent is held at a multiple of this.
UNIT = 0.5
# What n log(cost) may grow by for an exponent that is held: so much chance gives to one in a hundred.
MOST_GROWTH = 7.0
# Descents whose deviation is larger than the least by this factor are of the wrong form.
MOST_WORSE = 1.5
STEPS = 6
# A simple exponent is one of some eight.
NATS_PER_EXPONENT = 2.0


def simplest(descents: Sequence[Descent], scene: Scene) -> list[Descent]:
    """The descents with simple exponents where the rows allow them, the most credible first."""
    least = min((descent.error for descent in descents), default=0.0)
    made = [rounded(descent, scene) for descent in descents if descent.error <= MOST_WORSE * least]
    return sorted(made, key=lambda descent: _bits(descent, scene))


def rounded(descent: Descent, scene: Scene) -> Descent:
    """The descent with as many simple exponents as the rows allow; powers first, because all others lean on them."""
    is_free = np.ones(descent.groups.size + len(descent.powers), dtype=bool)
    powers = [
        descent.groups.size + place for place, factor in enumerate(descent.form.factors) if not factor.is_exponential
    ]
    exponents = [place for place in range(descent.groups.size) if place % descent.groups.shape[1]]
    for places in (powers, exponents):
        descent = _held(descent, places, is_free, scene)
    return descent


def _held(descent: Descent, places: Sequence[int], is_free: NDArray[np.bool_], scene: Scene) -> Descent:
    """With as many of some parameters held as the rows allow, the cheapest first; they are marked as not free."""
    left = set(places)
    while left:
        tried = {place: _with_held(descent, place, is_free, scene) for place in sorted(left)}
        place, best = min(tried.items(), key=lambda entry: entry[1].error)
        if 2.0 * len(scene.target) * np.log(best.error / descent.error) > MOST_GROWTH:
            break
        descent, is_free[place] = best, False
        left.remove(place)
    return descent


def _with_held(descent: Descent, place: int, is_free: NDArray[np.bool_], scene: Scene) -> Descent:
    """The descent with one parameter at its nearest simple value; a power is never 0, a coefficient of a sum always."""
    groups, powers = descent.groups.copy(), descent.powers.copy()
    if place < groups.size:
        is_linear = descent.form.linear_groups[place // groups.shape[1]]
        groups.flat[place] = 0.0 if is_linear else UNIT * np.rint(groups.flat[place] / UNIT)
    else:
        value = powers[place - groups.size]
        powers[place - groups.size] = np.copysign(max(UNIT, UNIT * np.rint(abs(value) / UNIT)), value)
    others = is_free.copy()
    others[place] = False
    return refit(scene, replace(descent, groups=groups, powers=powers), others, STEPS)


def _bits(descent: Descent, scene: Scene) -> float:
    """What it takes to tell the rows by a law, up to a constant: residuals, numbers, and which exponents there are."""
    num_rows, exponents = len(scene.target), descent.groups[:, 1:]
    num_numbers = len(descent.groups) + np.count_nonzero(exponents % UNIT) + np.count_nonzero(descent.powers % UNIT)
    told = 0.5 * np.log(num_rows) * num_numbers + NATS_PER_EXPONENT * np.count_nonzero(exponents)
    return float(num_rows * np.log(descent.error) + told)
