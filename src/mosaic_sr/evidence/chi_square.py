"""chi2: whether the errors that a user states explain how far the rows lie from a law."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from mosaic_sr.evidence.laplace import Measured
from mosaic_sr.evidence.true_values import moments
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression

Floats = NDArray[np.float64]

# By chance alone a value is this unlikely: one table in a hundred, on either side.
UNLIKELY = 0.01
# Below it a factor says nothing: the law is exact.
FAR_TOO_LARGE = 1e-6


@dataclass(frozen=True)
class ChiSquare:
    """The sum of squared distances of rows from a law in units of their errors.

    dof: degrees of freedom, rows less fitted constants.
    """

    value: float
    dof: int

    @property
    def per_dof(self) -> float:
        """About 1 where the errors explain the scatter."""
        return self.value / self.dof

    @property
    def probability(self) -> float:
        """How probable a value at least as large is by chance, if law and errors are right."""
        return float(chdtrc(self.dof, self.value))

    def sentence(self) -> str:
        """The value and what follows from it."""
        return f"chi2/dof = {self.per_dof:.3g} ({self.value:.4g}/{self.dof}): {self._verdict()}"

    def _verdict(self) -> str:
        if self.probability < UNLIKELY:
            return f"the errors are too small by a factor of {math.sqrt(self.per_dof):.2g}, or the law is incomplete"
        if self.probability > 1.0 - UNLIKELY:
            is_far = self.per_dof < FAR_TOO_LARGE
            factor = "" if is_far else f" by a factor of {1.0 / math.sqrt(self.per_dof):.2g}"
            return f"the errors are {'far ' if is_far else ''}too large{factor}"
        return "the errors explain the scatter"


@np.errstate(all="ignore")
def chi_square(law: Expression, measured: Measured, num_fitted: int) -> ChiSquare | None:
    """chi2 of a law on the rows whose target is a value; None without stated errors or rows to spare."""
    own = measured.values
    weights = own.weights
    dof = round(float(weights.sum())) - num_fitted
    if own.sigma is None or dof < 1:
        return None
    values = evaluate_expression(law, own.rows.columns)
    mean, variance = moments(law, own.rows.columns, own.rows.x_sigma if own.rows.has_x_sigma else None, values)
    shares = (own.rows.target - mean) / np.hypot(own.sigma, np.sqrt(variance))
    total = float(weights @ np.square(shares))
    return ChiSquare(total, dof) if math.isfinite(total) else None
