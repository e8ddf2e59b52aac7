"""Logarithms of factors that hold a free number, such as x + 0.7 or tanh(0.3 x), and their Gauss-Newton refinement."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.operators import NAMES, operator_named
from mosaic_sr.proposal.powers import simple_number
from mosaic_sr.proposal.products.functions import Function
from mosaic_sr.proposal.regression.projection import Background, make_background

Floats = NDArray[np.float64]

# Distances of the singularity from the data in units of their spread; in between a shift changes little. From afar a
# law hardly bends, but the digits of exact data show it.
DISTANCES = np.concatenate([np.geomspace(0.01, 30.0, 10), [1e2, 1e3, 1e4, 1e5]])
# Scales times the median operand: beyond these a function is its own limit, below it hardly bends.
SCALES = np.concatenate([[1e-4, 1e-3, 1e-2], np.geomspace(0.1, 10.0, 8)])
# An amount this many times the spread leaves nothing of the other summand.
FARTHEST = 1e7
# Quadratic convergence needs some six steps, damped starts a few more.
MOST_STEPS = 16
# Relative steps below this change nothing but the last digit.
STILL = 1e-15
# Squares of a term beside others, as a share of its own, that are rounding.
DEPENDENT = 1e-26
# Steps under a known exponent; they begin within a millionth.
MOST_POLISHING = 3


@dataclass(frozen=True, eq=False)
class Shift:
    """log|whole + amount part|; whole, part: (rows,), part is nowhere 0."""

    whole: Floats
    part: Floats
    amount: float

    @property
    def term(self) -> Floats:
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            return np.log(np.abs(self.whole + self.amount * self.part))

    @property
    def slope(self) -> Floats:
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            return self.part / (self.whole + self.amount * self.part)

    def moved(self, step: float) -> Shift:
        """By half of the way to the next singularity at most."""
        with np.errstate(over="ignore"):
            ratios = self.whole / self.part
        room = 0.5 * float(np.min(np.abs(ratios + self.amount)))
        amount = self.amount + float(np.clip(step, -room, room))
        return replace(self, amount=amount if abs(amount) <= FARTHEST * float(np.ptp(ratios)) else np.nan)


@dataclass(frozen=True, eq=False)
class Scaled:
    """log|f(amount operand)|; operand: (rows,), nowhere 0."""

    function: Function
    operand: Floats
    amount: float

    @property
    def term(self) -> Floats:
        with np.errstate(all="ignore"):
            return np.log(np.abs(self.function.value(self.amount * self.operand)))

    @property
    def slope(self) -> Floats:
        inner = self.amount * self.operand
        with np.errstate(all="ignore"):
            return self.function.slope(inner, self.function.value(inner)) / self.amount

    def moved(self, step: float) -> Scaled:
        """By half of the amount at most."""
        room = 0.5 * abs(self.amount)
        return replace(self, amount=self.amount + float(np.clip(step, -room, room)))


FreeTerm = Shift | Scaled


def scale_amounts(function: Function, operands: Floats) -> Floats:
    """Amounts to begin with; operands: (operands, rows), result: (operands, amounts)."""
    # The sign of the scale matters to functions that are neither odd nor even.
    has_parity = function.name in NAMES and operator_named(function.name).parity
    scales = SCALES if has_parity else np.concatenate([SCALES, -SCALES])
    return np.asarray(scales / np.median(np.abs(operands), axis=1)[:, None])


def shift_amounts(whole: Floats, part: Floats) -> Floats:
    """Amounts to begin with, for which the sums have one sign on all rows.

    whole, part: (sums, rows); result: (sums, amounts).
    """
    ratios = -whole / part
    low, high = ratios.min(axis=1)[:, None], ratios.max(axis=1)[:, None]
    return np.concatenate([low - (high - low) * DISTANCES, high + (high - low) * DISTANCES], axis=1)


def refined_factor(factor: FreeTerm, others: Floats, target: Floats) -> FreeTerm | None:
    """The factor whose term, beside the terms others: (terms, rows), fits the target best near where it is."""
    beside = _beside(others)
    rest, exponent = beside.without(target), 0.0
    for _ in range(MOST_STEPS):
        terms = np.array([factor.term, factor.slope])
        if not np.all(np.isfinite(terms)):
            return None
        term, slope = beside.without(terms)
        size = float(term @ term)
        if size <= DEPENDENT * float(terms[0] @ terms[0]):
            return None
        # The exponent without the slope beside it: with it, where the two are much alike, it may have any sign.
        exponent = float(term @ rest) / size
        if exponent == 0:
            return None
        moved = factor.moved(_coefficient(slope - (slope @ term / size) * term, rest, terms[1]) / exponent)
        is_last, factor = _is_still(moved, factor), moved
        if is_last:
            break
    simple = simple_number(exponent, 0.0)
    factor = _polished(factor, beside, rest, simple) if simple else factor
    return None if np.isnan(factor.amount) else factor


def _polished(factor: FreeTerm, beside: Background, rest: Floats, exponent: float) -> FreeTerm:
    """The factor under a known exponent: where a function is close to its limit, both together lose many digits."""
    for _ in range(MOST_POLISHING):
        terms = np.array([factor.term, factor.slope])
        if np.all(np.isfinite(terms)):
            term, slope = beside.without(terms)
            factor = factor.moved(_coefficient(slope, rest - exponent * term, terms[1]) / exponent)
    return factor


def refined_target(shift: Shift, terms: Floats) -> Shift | None:
    """The shift whose own logarithm the terms explain best near where it is."""
    beside = _beside(terms)
    for _ in range(MOST_STEPS):
        own = np.array([shift.term, shift.slope])
        if not np.all(np.isfinite(own)):
            return None
        rest, slope = beside.without(own)
        moved = shift.moved(-_coefficient(slope, rest, own[1]))
        is_last, shift = _is_still(moved, shift), moved
        if is_last:
            break
    return None if np.isnan(shift.amount) else shift


def _beside(terms: Floats) -> Background:
    """An intercept and the terms: (terms, rows)."""
    return make_background(np.concatenate([np.ones((1, terms.shape[1])), terms]))


def _coefficient(new: Floats, rest: Floats, whole: Floats) -> float:
    """Of the part of a term that is new beside others; 0 where rounding is all that is new of the whole."""
    size = float(new @ new)
    return float(new @ rest) / size if size > DEPENDENT * float(whole @ whole) else 0.0


def _is_still(moved: FreeTerm, factor: FreeTerm) -> bool:
    return abs(moved.amount - factor.amount) <= STILL * abs(factor.amount)
