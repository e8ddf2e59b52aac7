"""The trial of a reduction: are rows predicted better from each other after it than before?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.proposal.reductions.slopes import PER_OPERATOR, Reduction
from mosaic_sr.proposal.reductions.smooth_rows import SmoothRows, resurvey, survey
from mosaic_sr.proposal.smaller_tables import FACTOR, SmallerTable
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]

# Deviates of the normal distribution: a reduction that does not help passes with probability 0.001, and one that does
# no harm is refused with that probability.
CERTAIN = 3.09
# Share of the target's spread; a smooth function in float64 predicts no better, so no difference can be seen below it.
FLOOR = 1e-5
# Above this error the rows show no law, and what is left could not be told from chance.
MOST_ERROR = 0.2
# Gauss-Newton steps for the number c; each multiplies its digits.
NEWTON_STEPS = 4
NUDGE = 1e-4
FARTHEST = 0.3
# A number c is believed to be a simple one where the chance that one lies so near is below this.
SNAP_CHANCE = 0.1
# Squares of larger numbers overflow.
LARGEST = 1e150
# Standard errors within which a number is known.
REACH = 4.0


@dataclass(frozen=True, eq=False)
class Trial:
    """A reduction that was tried: what is left, its smooth rows, and how much better rows are predicted.

    error: median error of the prediction as a share of the spread of the target before.
    """

    smaller: SmallerTable
    smooth_rows: SmoothRows | None
    passes: bool
    error: float
    size: int

    @property
    def rank(self) -> float:
        """Better predictions first, shorter reductions among equals."""
        return max(self.error, FLOOR) * PER_OPERATOR**self.size

    @property
    def is_certain(self) -> bool:
        """Whether rows are predicted as well as any smooth function can be."""
        return self.passes and self.error < FLOOR


def attempt(before: SmallerTable, smooth_rows: SmoothRows, reduction: Reduction, rows: Rows) -> Trial | None:
    """The trial of a reduction on these rows; None where its numbers are not finite."""
    later = _surveyed(reduction.apply_to(before), rows)
    doubt = 0.0
    if later is not None and reduction.has_free_factor:
        reduction, doubt = _sharpened(before, smooth_rows, reduction, rows, later)
        after = reduction.apply_to(before, doubt)
        if is_constant(after.compute(rows).target):
            return Trial(after, None, True, 0.0, reduction.size)
        later = _surveyed(after, rows, later)
    after = reduction.apply_to(before, doubt)
    if later is None:
        is_end = is_constant(after.compute(rows).target)
        return Trial(after, None, True, 0.0, reduction.size) if is_end else None
    residuals = _in_units_before(later, smooth_rows, reduction)
    passes = _passes(reduction, residuals, smooth_rows.residuals)
    return Trial(after, later, passes, float(np.median(np.abs(residuals))), reduction.size)


def _surveyed(smaller: SmallerTable, rows: Rows, known: SmoothRows | None = None) -> SmoothRows | None:
    """The smooth rows of what is left, on scales that are known or not; None where there is none."""
    numbers = smaller.compute(rows)
    # Written so that NaN is refused too.
    if not (np.all(np.abs(numbers.target) < LARGEST) and np.all(np.abs(numbers.columns) < LARGEST)):
        return None
    if not len(numbers.columns) or np.any(np.ptp(numbers.columns, axis=1) == 0) or is_constant(numbers.target):
        return None
    if known is None or (known.scales.target and np.any(numbers.target == 0)):
        return survey(numbers.columns, numbers.target)
    return resurvey(numbers.columns, numbers.target, known.scales, None)


def is_constant(target: Floats) -> bool:
    """Whether a target is one number but for the uncertainty of what was taken from it."""
    return bool(np.isfinite(target).all() and np.ptp(target) <= 1e-6 * abs(float(np.median(target))))


def _passes(reduction: Reduction, after: Floats, before: Floats) -> bool:
    """A sign test over the rows."""
    if float(np.median(np.abs(after))) > MOST_ERROR:
        return False
    num_better = int(np.count_nonzero(np.abs(after) < np.abs(before)))
    deviate = (2 * num_better - len(after)) / np.sqrt(len(after))
    if float(np.median(np.abs(after))) < FLOOR:
        return True
    # A column that says nothing need not help by leaving.
    return bool(deviate > (-CERTAIN if reduction.first is None else CERTAIN))


def _in_units_before(later: SmoothRows, smooth_rows: SmoothRows, reduction: Reduction) -> Floats:
    """Residuals after a reduction as errors of the height before."""
    with np.errstate(all="ignore"):
        off = later.residuals / later.height.speed
        if reduction.link is FACTOR:
            off = off * smooth_rows.target / later.target
        elif reduction.link is not None:
            off = off / reduction.link.slope(smooth_rows.target)
        off = off * smooth_rows.height.speed
    return np.where(np.isfinite(off), off, np.inf)


def _sharpened(
    before: SmallerTable, smooth_rows: SmoothRows, reduction: Reduction, rows: Rows, start: SmoothRows
) -> tuple[Reduction, float]:
    """The reduction with the number c that predicts rows best, and how far c may be off."""
    doubt, first = 0.0, reduction
    for _ in range(NEWTON_STEPS):
        step, doubt = _newton(before, smooth_rows, reduction, rows, start)
        # Far from where it began there is no minimum but that of another reduction.
        if not np.isfinite(step) or abs(reduction.factor - step - first.factor) > FARTHEST * abs(first.factor):
            return first, 0.0
        reduction = replace(reduction, factor=reduction.factor - step)
        if abs(step) < 0.1 * doubt:
            break
    return _snapped(reduction, REACH * doubt)


def _newton(
    before: SmallerTable, smooth_rows: SmoothRows, reduction: Reduction, rows: Rows, start: SmoothRows
) -> tuple[float, float]:
    """The step of c that lowers the residuals, and its standard error; rows that are far off count as less."""
    nudge = NUDGE * abs(reduction.factor)
    low, high = (
        _residuals(before, smooth_rows, replace(reduction, factor=reduction.factor + by), rows, start)
        for by in (-nudge, nudge)
    )
    middle, slope = 0.5 * (low + high), (high - low) / (2.0 * nudge)
    scale = max(float(np.median(np.abs(middle))), 1e-12)
    weights = 1.0 / (1.0 + np.square(middle / (3.0 * scale)))
    weights[~np.isfinite(middle) | ~np.isfinite(slope)] = 0.0
    middle, slope = np.where(weights > 0, middle, 0.0), np.where(weights > 0, slope, 0.0)
    norm = float(weights @ np.square(slope))
    if norm <= 0:
        return np.nan, 0.0
    variance = float(weights @ np.square(middle)) / max(float(weights.sum()), 1.0)
    return float(weights @ (middle * slope)) / norm, float(np.sqrt(variance / norm))


def _residuals(
    before: SmallerTable, smooth_rows: SmoothRows, reduction: Reduction, rows: Rows, start: SmoothRows
) -> Floats:
    numbers = reduction.apply_to(before).compute(rows)
    later = resurvey(numbers.columns, numbers.target, start.scales, start.fit.settings)
    return _in_units_before(later, smooth_rows, reduction)


def _snapped(reduction: Reduction, reach: float) -> tuple[Reduction, float]:
    for value, spacing in _simple_numbers(reduction.factor):
        if abs(value - reduction.factor) <= reach and 2.0 * reach <= SNAP_CHANCE * spacing:
            return replace(reduction, factor=value), 0.0
    return reduction, reach


def _simple_numbers(value: float) -> Iterator[tuple[float, float]]:
    """Simple numbers near a value, the simplest first, each with the distance to the next of its kind."""
    if not np.isfinite(value):
        return
    for denominator in (1, 2, 3, 4, 5, 6):
        if numerator := float(np.rint(value * denominator)):
            yield numerator / denominator, 1.0 / denominator
    for digits in (2, 3, 4):
        rounded = float(f"{value:.{digits}g}")
        if rounded:
            yield rounded, float(10.0 ** (np.floor(np.log10(abs(value))) - digits + 1))
