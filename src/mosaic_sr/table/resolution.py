"""How finely the stored numbers of a column were rounded, read from the numbers themselves."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# 500 values settle the digits of a column: a wrong verdict needs all of them to end early by chance.
NUM_SAMPLED = 500
# Sorting a million values takes longer than many a search; this many still show a grid of thousands.
MOST_SORTED = 50_000
# Shortest texts of unrounded float64 numbers have 16 or 17 digits (one in twenty has 15), so a column that
# never exceeds 15 was rounded.
MOST_ROUNDED_DIGITS = 15
# Numbers of 6 digits or fewer are float32 numbers anyway, so they do not show that a column was stored as such.
LEAST_FLOAT32_DIGITS = 7
# Zeros at the end of the bits of whole numbers that chance does not give.
LEAST_ZERO_BITS = 60.0
# A rounded number ends in the last kept digit unless that digit is 0: 90 % do. Hand-picked grids
# (steps of 0.25 or 0.5) stay below this share.
LEAST_SHARE_OF_FULL = 0.7
# Share of computed numbers whose errors a rule covers: a row beside a pole would spoil the rule for all others.
COVERED = 0.99


class Rounding(Enum):
    """The rule by which a column was rounded."""

    FLOAT64 = "float64"
    FLOAT32 = "float32"
    DECIMALS = "decimals"
    SIGNIFICANT = "significant"
    DERIVED = "derived"


@dataclass(frozen=True)
class Resolution:
    """A rule of rounding; `digits` counts decimals or significant digits.

    absolute, relative: the quantum of computed numbers is absolute + relative x magnitude.
    `exponent` is the power of two that was taken out of the column: `quantum` takes and returns scaled numbers.
    """

    rounding: Rounding
    digits: int = 0
    exponent: int = 0
    absolute: float = 0.0
    relative: float = 0.0

    def quantum(self, values: Floats) -> Floats:
        """Distance between neighbouring storable numbers at each value: (rows,). Rounding moved it by at most half."""
        original = np.abs(np.ldexp(values, self.exponent))
        return np.ldexp(np.maximum(self._step(original), np.spacing(original)), -self.exponent)

    def _step(self, magnitudes: Floats) -> Floats:
        if self.rounding is Rounding.FLOAT64:
            return np.spacing(magnitudes)
        if self.rounding is Rounding.FLOAT32:
            largest = np.finfo(np.float32).max
            return np.spacing(np.minimum(magnitudes, largest).astype(np.float32)).astype(np.float64)
        if self.rounding is Rounding.DERIVED:
            return self.absolute + self.relative * magnitudes
        if self.rounding is Rounding.DECIMALS:
            return np.full(len(magnitudes), 10.0**-self.digits)
        is_zero = magnitudes == 0
        decade = np.floor(np.log10(np.where(is_zero, 1.0, magnitudes)))
        return np.where(is_zero, 0.0, 10.0 ** (decade - self.digits + 1))


def derived_resolution(values: Floats, errors: Floats) -> Resolution:
    """The resolution of computed values that are off by at most `errors`: the tighter of two rules."""
    absolute = 2.0 * float(np.quantile(errors, COVERED))
    is_zero = values == 0
    if np.any(is_zero & (errors > 0)):
        return Resolution(Rounding.DERIVED, absolute=absolute)
    relative = (
        2.0 * float(np.quantile(errors[~is_zero] / np.abs(values[~is_zero]), COVERED)) if not is_zero.all() else 0.0
    )
    if relative * float(np.mean(np.abs(values))) < absolute:
        return Resolution(Rounding.DERIVED, relative=relative)
    return Resolution(Rounding.DERIVED, absolute=absolute)


def find_resolution(values: Floats, exponent: int = 0) -> Resolution:
    """The rounding that the values show; `values` are scaled by 2**-exponent.

    Whole numbers and evenly spaced grids count as exact, because they are set rather than measured, but for numbers too
    large for the digits of float32. Any other grid chosen by hand looks the same as rounding: the reader of a coarse
    resolution has to weigh that.
    """
    some = values[:: max(1, len(values) // MOST_SORTED)]
    distinct = np.unique(np.ldexp(some, exponent))
    if len(distinct) < 3 or _is_evenly_spaced(distinct):
        return Resolution(Rounding.FLOAT64, exponent=exponent)
    sampled = distinct[:: max(1, len(distinct) // NUM_SAMPLED)]
    if _is_whole(distinct):
        return Resolution(Rounding.FLOAT32 if _are_large_singles(sampled) else Rounding.FLOAT64, exponent=exponent)
    rounding, digits = _rounding_of(sampled)
    return Resolution(rounding, digits, exponent)


def _rounding_of(distinct: Floats) -> tuple[Rounding, int]:
    texts = [Decimal(repr(value)).normalize() for value in np.abs(distinct[distinct != 0]).tolist()]
    significant, share_significant = _largest(Counter(len(text.as_tuple().digits) for text in texts))
    decimals, share_decimals = _largest(Counter(-int(text.as_tuple().exponent) for text in texts))
    if significant <= MOST_ROUNDED_DIGITS and max(share_significant, share_decimals) >= LEAST_SHARE_OF_FULL:
        if share_decimals >= share_significant:
            return Rounding.DECIMALS, decimals
        return Rounding.SIGNIFICANT, significant
    is_single = significant >= LEAST_FLOAT32_DIGITS and _is_float32(distinct)
    return (Rounding.FLOAT32, 0) if is_single else (Rounding.FLOAT64, 0)


def _largest(counts: Counter[int]) -> tuple[int, float]:
    """The largest number counted and its share."""
    largest = max(counts)
    return largest, counts[largest] / counts.total()


def _is_whole(distinct: Floats) -> bool:
    """Whether all are whole numbers that are small enough to be counts."""
    return bool(np.all(np.abs(distinct) < 1e15) and np.all(distinct == np.rint(distinct)))


def _are_large_singles(whole: Floats) -> bool:
    """Whether whole numbers are float32 numbers beyond chance: those above 2^24 have zeros as their last bits."""
    steps = np.spacing(np.abs(whole).astype(np.float32)).astype(np.float64)
    num_zero_bits = np.sum(np.log2(np.maximum(steps, 1.0)))
    num_digits = max(len(str(int(abs(value))).rstrip("0")) for value in whole.tolist())
    return bool(num_zero_bits >= LEAST_ZERO_BITS and num_digits >= LEAST_FLOAT32_DIGITS and _is_float32(whole))


def _is_evenly_spaced(distinct: Floats) -> bool:
    # The last digit of each value may be off by rounding, so steps agree only up to that.
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.diff(distinct)
        return bool(np.ptp(steps) <= 4 * np.spacing(np.max(np.abs(distinct))))


def _is_float32(distinct: Floats) -> bool:
    """Whether all are float32 numbers, in binary or by their shortest decimal text."""
    tiny, largest = np.finfo(np.float32).tiny, np.finfo(np.float32).max
    magnitudes = np.abs(distinct[distinct != 0])
    if np.min(magnitudes) < tiny or np.max(magnitudes) > largest:
        return False
    singles = magnitudes.astype(np.float32)
    from_text = np.array([float(str(single)) for single in singles])
    return bool(np.all((singles.astype(np.float64) == magnitudes) | (from_text == magnitudes)))
