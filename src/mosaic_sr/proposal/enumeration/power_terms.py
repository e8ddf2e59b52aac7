"""Power terms: the product of powers of all columns that explains most of what a law leaves.

Its exponents are fitted beside the law's own constants, and the most credible simple ones are taken. No list of terms
reaches products of many columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.powers import monomial
from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.proposal.regression.gauss_newton import refine
from mosaic_sr.proposal.simple_exponents import find_exponents
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]

# Steps of a fit; most end after ten.
MOST_STEPS = 30
# A law of two columns and more: of one, the listed terms are all there is.
LEAST_COLUMNS = 2
# Choices of simple exponents for one fit.
NUM_CHOICES = 2
# What is left of a term beside the law's own constants, as a share of it: below, it is rounding.
LEAST_LEFT = 1e-8


@dataclass(frozen=True, eq=False)
class PowerTerm:
    """A product of powers with a free factor; explained: squares that it takes from the residuals."""

    form: Expression
    constants: Floats
    explained: float


class PowerTerms:
    """Products of powers of those of some columns that are positive; rows: those on which residuals are read."""

    def __init__(self, rows: Rows, columns: Sequence[int]) -> None:
        self._columns = [column for column in columns if np.all(rows.columns[column] > 0.0)]
        self._values = rows.columns
        self._logs = np.log(rows.columns[self._columns])
        powers = [apply("pow", variable(column), constant(0.0)) for column in self._columns]
        self._free = reduce(lambda left, right: apply("mul", left, right), powers) if powers else None

    def find(self, along: Floats, left: Floats, basis: Floats) -> Iterator[PowerTerm]:
        """The best products to add where the law changes by `along`: (rows,), per unit.

        left: (rows,), what the law's own constants leave of the residuals; basis: (rows, constants), what they explain.
        """
        if self._free is None or len(self._columns) < LEAST_COLUMNS:
            return
        codes, slots, own = self._free.codes, self._free.slots, np.ascontiguousarray(basis.T)
        fits = []
        for exponents in self._starts(along, left, basis):
            factor, share = refine(codes, slots, exponents, self._values, along, own, left, MOST_STEPS)
            if np.isfinite(factor) and np.all(np.isfinite(exponents)) and share > 0.0:
                fits.append((share, factor, exponents))
        if not fits:
            return
        share, factor, exponents = min(fits, key=lambda fit: fit[0])
        spread = share / len(left)
        covariance = self._covariance(exponents, factor, along, basis, spread)
        for simple in find_exponents(exponents, covariance, NUM_CHOICES) if covariance is not None else ():
            found = self._with_exponents(simple, along, left, basis)
            if np.any(simple) and found is not None:
                yield found

    def _starts(self, along: Floats, left: Floats, basis: Floats) -> Iterator[Floats]:
        """Exponents in the direction in which a product near 1 explains most, for either sign of its factor."""
        slopes = along * self._logs
        slopes -= (slopes @ basis) @ basis.T
        if np.all(np.isfinite(slopes)):
            direction = solve_least_squares(slopes.T, left)
            if np.any(direction):
                direction = direction / np.max(np.abs(direction))
                yield direction.copy()
                yield -direction

    def _covariance(
        self, exponents: Floats, factor: float, along: Floats, basis: Floats, spread: float
    ) -> Floats | None:
        """Of the exponents, with the factor and the law's own constants free; None where the rows do not tell."""
        value = along * np.exp(exponents @ self._logs)
        slopes = np.vstack([value, factor * value * self._logs])
        slopes -= (slopes @ basis) @ basis.T
        try:
            inverse = np.linalg.inv(slopes @ slopes.T)
        except np.linalg.LinAlgError:
            return None
        return np.asarray(spread * inverse[1:, 1:])

    def _with_exponents(self, simple: Floats, along: Floats, left: Floats, basis: Floats) -> PowerTerm | None:
        value = along * np.exp(simple @ self._logs)
        outside = value - basis @ (basis.T @ value)
        size = float(outside @ outside)
        if not size > LEAST_LEFT * float(value @ value):
            return None
        factor = float(outside @ left) / size
        form = apply("mul", constant(np.nan), monomial([variable(column) for column in self._columns], simple))
        constants = form.constants.copy()
        constants[0] = factor
        return PowerTerm(form, constants, factor**2 * size)
