"""Standard errors of named constants, carried over from the constants of the law by the delta method."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation
from mosaic_sr.expressions.expression import Expression

# Central differences over this share of a constant: their error is its square, and that of rounding is smaller.
STEP = 1e-4
# A derivative below this share of the largest is rounding.
NO_INFLUENCE = 1e-7

Values = Callable[[Expression], Sequence[float] | None]


def standard_errors(equation: Equation, values: Values, at: Sequence[float]) -> list[float]:
    """One per named constant; NaN where the errors of the law do not determine it.

    values: the named constants of a law of the same form.  at: those of the equation.
    """
    nothing = [math.nan] * len(at)
    if not equation.standard_errors or any(math.isnan(error) for error in equation.standard_errors):
        return nothing
    uncertain = [number for number, error in enumerate(equation.standard_errors) if error > 0.0]
    with np.errstate(all="ignore"):
        slopes = _slopes(equation.expression, values, uncertain, np.array(at))
        if slopes is None:
            return nothing
        if equation.covariance:
            covariance = np.array(equation.covariance)[np.ix_(uncertain, uncertain)]
            errors = np.sqrt(np.einsum("ij,jk,ik->i", slopes, covariance, slopes)).tolist()
        else:
            errors = _from_single_errors(slopes, np.array(equation.standard_errors)[uncertain])
    return [error if math.isfinite(error) else math.nan for error in errors]


def _slopes(
    law: Expression, values: Values, uncertain: Sequence[int], at: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Derivatives of the named constants by those of the law: (named, uncertain); None where one is not known."""
    columns = []
    for number in uncertain:
        step = STEP * abs(float(law.constants[number])) or STEP
        shifts = np.eye(law.num_constants)[number] * step
        above, below = (values(law.with_constants(law.constants + sign * shifts)) for sign in (1.0, -1.0))
        if above is None or below is None:
            return None
        slope = (np.array(above) - np.array(below)) / (2.0 * step)
        # What a step of a ten-thousandth moves by less than rounding does not depend on this constant.
        columns.append(np.where(np.abs(slope * step) > NO_INFLUENCE * STEP * np.abs(at), slope, 0.0))
    return np.array(columns).T.reshape(len(at), len(uncertain))


def _from_single_errors(slopes: NDArray[np.float64], errors: NDArray[np.float64]) -> list[float]:
    """Without covariances only a named constant that depends on one constant of the law has an error."""
    return [float(np.sum(np.abs(row) * errors)) if np.count_nonzero(row) <= 1 else math.nan for row in slopes]
