"""Simple exponents for rough scaling laws: with noise many forms fit alike, but few of them with simple exponents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.proposal.products.descent import Descent, find_front, refit
from mosaic_sr.proposal.products.functions import Sum
from mosaic_sr.proposal.products.scaling_rows import ScalingRows
from mosaic_sr.proposal.simple_exponents import round_to_half

Floats = NDArray[np.float64]

# What n log(cost) may grow by for an exponent that is held: so much chance gives to one in a hundred.
MOST_GROWTH = 7.0
# Descents whose deviation is larger than the least by this factor are of the wrong form.
MOST_WORSE = 1.5
# Exponents that are known are this close to simple ones; deviations below the second are rounding.
SIMPLE, ROUNDING = 5e-7, 1e-12
# Steps after one number is held, and after the powers are, on which all else leans.
STEPS, STEPS_WITH_POWERS = 6, 20
# A simple exponent is one of some eight.
NATS_PER_EXPONENT = 2.0


def simplify_descents(descents: Sequence[Descent], scaling_rows: ScalingRows) -> list[Descent]:
    """The descents with simple exponents where the rows allow them, the most credible first."""
    least = min((descent.error for descent in descents), default=0.0)
    made = [simplify_descent(descent, scaling_rows) for descent in descents if descent.error <= MOST_WORSE * least]
    return sorted(made, key=lambda descent: measure_nats(descent, scaling_rows))


def has_simple_powers(descent: Descent) -> bool:
    """Whether the rows show the powers and these are simple; a factor that hardly bends leaves them open."""
    away = descent.powers - round_to_half(descent.powers)
    is_known = [not factor.is_exponential for factor in descent.form.factors]
    return bool(np.all(np.abs(away[is_known]) <= SIMPLE))


def simplify_descent(descent: Descent, scaling_rows: ScalingRows) -> Descent:
    """The most credible of the laws with simple exponents that are next to a descent, and itself."""
    nearest = np.copysign(np.maximum(0.5, np.abs(round_to_half(descent.powers))), descent.powers)  # 0 is no power
    choices = {tuple(nearest)} | ({(1.0,), (-1.0,)} if len(nearest) == 1 else set())
    made = [_rounded_with(np.array(powers), descent, scaling_rows) for powers in sorted(choices)]
    return min([*made, descent], key=lambda law: measure_nats(law, scaling_rows))


def _rounded_with(powers: Floats, descent: Descent, scaling_rows: ScalingRows) -> Descent:
    """The descent with given powers, on which all else leans, and as many simple exponents as the rows allow."""
    is_free = np.ones(descent.groups.size + len(powers), dtype=bool)
    is_free[descent.groups.size :] = [factor.is_exponential for factor in descent.form.factors]
    descent = refit(scaling_rows, replace(descent, powers=powers), is_free, STEPS_WITH_POWERS)
    exponents = [place for place in range(descent.groups.size) if place % descent.groups.shape[1]]
    descent = _held(descent, exponents, is_free, scaling_rows)
    return _with_simple_front(descent, is_free, scaling_rows)


def _with_simple_front(descent: Descent, is_free: NDArray[np.bool_], scaling_rows: ScalingRows) -> Descent:
    """The descent with simple exponents in front too, where the rows allow it."""
    front = round_to_half(find_front(descent, scaling_rows))
    tried = refit(replace(scaling_rows, front=front), descent, is_free, STEPS)
    return tried if _growth(tried, descent, scaling_rows) <= MOST_GROWTH * len(front) else descent


def _growth(later: Descent, before: Descent, scaling_rows: ScalingRows) -> float:
    """What holding parameters adds to n log(cost)."""
    return float(2.0 * len(scaling_rows.target) * np.log(max(later.error, ROUNDING) / max(before.error, ROUNDING)))


def _held(descent: Descent, places: Sequence[int], is_free: NDArray[np.bool_], scaling_rows: ScalingRows) -> Descent:
    """With as many of some parameters held as the rows allow, the cheapest first; they are marked as not free."""
    left = set(places)
    while left:
        tried = {place: _with_held(descent, place, is_free, scaling_rows) for place in sorted(left)}
        place, best = min(tried.items(), key=lambda entry: entry[1].error)
        if _growth(best, descent, scaling_rows) > MOST_GROWTH:
            break
        descent, is_free[place] = best, False
        left.remove(place)
    return descent


def _with_held(descent: Descent, place: int, is_free: NDArray[np.bool_], scaling_rows: ScalingRows) -> Descent:
    """The descent with one exponent at its nearest simple value, or one coefficient of a sum at 0."""
    groups = descent.groups.copy()
    is_linear = descent.form.linear_groups[place // groups.shape[1]]
    groups.flat[place] = 0.0 if is_linear else round_to_half(groups.flat[place])
    others = is_free.copy()
    others[place] = False
    return refit(scaling_rows, replace(descent, groups=groups), others, STEPS)


def measure_nats(descent: Descent, scaling_rows: ScalingRows) -> float:
    """What it takes to tell the rows by a law, up to a constant: residuals, numbers, and which exponents there are."""
    num_rows, exponents = len(scaling_rows.target), descent.groups[:, 1:]
    front = np.full(len(scaling_rows.means), np.nan) if descent.front is None else descent.front
    others = np.concatenate([exponents.ravel(), front, descent.powers])
    num_numbers = len(descent.groups) + np.count_nonzero(others != round_to_half(others))
    num_stated = _num_exponents(descent, front) + np.count_nonzero(np.abs(descent.powers) != 1.0)
    stated = 0.5 * np.log(num_rows) * num_numbers + NATS_PER_EXPONENT * num_stated
    return float(num_rows * np.log(max(descent.error, ROUNDING)) + stated)


def _num_exponents(descent: Descent, front: Floats) -> int:
    """Exponents other than 0 in the shortest way to write a law: x / (1 + k x) is 1 / (1 + (1/k) / x), with fewer.

    Each term of a sum can be taken out of it; which one stands for 1 is an accident of the descent.
    """
    inner = descent.groups[:, 1:]
    counts = [np.count_nonzero(inner) + np.count_nonzero(front)]
    for place, (factor, own) in enumerate(descent.form.parts()):
        others = np.count_nonzero(inner) - np.count_nonzero(inner[own])
        for taken in inner[own] if isinstance(factor, Sum) else ():
            within = np.count_nonzero(taken) + np.count_nonzero(inner[own] - taken)
            counts.append(others + within + np.count_nonzero(front + descent.powers[place] * taken))
    return int(min(counts))
