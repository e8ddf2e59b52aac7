"""Ridge functions: t = a.z + p(B z), a polynomial of few directions B beside a straight part, through scattered rows.

Polynomial and straight part follow from the directions by least squares, so only B is searched for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.linear_algebra import solve_least_squares, thin_svd
from mosaic_sr.proposal.reductions.polynomials import evaluate_chebyshev, list_exponents
from mosaic_sr.proposal.regression.levenberg_marquardt import Evaluated, minimise_squares
from mosaic_sr.proposal.regression.projection import remove_span

Floats = NDArray[np.float64]

# Steps converge quadratically; where this many have not helped, the start was wrong.
STEPS = 25
# Terms of the polynomial whose slopes are the first guess; the time grows with their square.
MOST_TERMS = 330
# Degrees by the number of directions: functions over two decades are met to 1e-3 or better.
DEGREES = {1: 10, 2: 7, 3: 5, 4: 4}


@dataclass(frozen=True, eq=False)
class Ridge:
    """Directions (directions, columns), orthonormal, and what they leave.

    straight: a, (columns,).  error: root mean square of what is left, as a share of the target's deviation.
    residuals: (rows,).  slopes: (rows, parameters), of what is fitted by directions and, in a product, the straight
    part, beyond what terms make up for.
    """

    directions: Floats
    straight: Floats
    error: float
    residuals: Floats
    slopes: Floats


@dataclass(frozen=True, eq=False)
class RidgeRows:
    """Rows in which ridges are looked for.

    z: (rows, columns), standardised.  target: (rows,).
    is_product: whether the straight part is an exponent, t = exp(a.z) p(B z), instead of a term.
    """

    z: Floats
    target: Floats
    is_product: bool = False

    def find(self, num_directions: int, slopes: Floats) -> Ridge | None:
        """The best ridge function of so many directions; slopes: a guess at each row, (columns, rows).

        None where the rows do not determine it twice over.
        """
        degree = self._affordable_degree(num_directions)
        if degree < 2:
            return None
        bent = slopes if self.is_product else slopes - slopes.mean(axis=1, keepdims=True)
        start = thin_svd(bent)[0][:, :num_directions].T
        num_more = self.z.shape[1] if self.is_product else 0

        def evaluate(parameters: Floats) -> Evaluated:
            fit = self._fit(*_split(parameters[0], start.shape), degree)
            return fit.residuals[None], lambda: fit.slopes[None]

        found, _ = minimise_squares(evaluate, np.append(start.ravel(), np.zeros(num_more))[None], STEPS)
        return self._fit(*_split(found[0], start.shape), degree)

    def fit(self, directions: Floats, straight: Floats) -> Ridge | None:
        """The ridge function of given directions; where it is a product, of a given straight part too."""
        degree = self._affordable_degree(len(directions))
        return None if degree < 2 else self._fit(_orthonormal(directions), straight, degree)

    def _affordable_degree(self, num_directions: int) -> int:
        degree = DEGREES[num_directions]
        unknowns = 1 + (1 + num_directions) * self.z.shape[1]
        while degree >= 2 and 2 * (unknowns + len(list_exponents(num_directions, degree, 2))) > len(self.z):
            degree -= 1
        return degree

    def _fit(self, directions: Floats, straight: Floats, degree: int) -> Ridge:
        heed_stop()
        z, (num_rows, num_columns) = self.z, self.z.shape
        seen = z @ directions.T
        low, high = seen.min(axis=0), seen.max(axis=0)
        half = np.maximum(0.5 * (high - low), np.finfo(np.float64).tiny)
        terms = list_exponents(len(directions), degree, 1 if self.is_product else 2)
        values, slopes = evaluate_chebyshev(((seen - 0.5 * (low + high)) / half).T, terms)
        beside = np.empty((num_rows, 0)) if self.is_product else z
        factor = np.exp(z @ straight)[:, None] if self.is_product else 1.0
        design = factor * np.column_stack([np.ones(num_rows), beside, values])
        span, triangle = np.linalg.qr(design)
        coefficients = solve_least_squares(triangle, span.T @ self.target)
        fitted, bent = design @ coefficients, coefficients[1 + beside.shape[1] :]
        moved = [factor * (slope @ bent / width)[:, None] * z for slope, width in zip(slopes, half, strict=True)]
        if self.is_product:
            moved.append(fitted[:, None] * z)
        else:
            straight = coefficients[1 : 1 + num_columns]
        left = self.target - fitted
        error = float(np.sqrt(np.mean(np.square(left)))) / float(self.target.std())
        return Ridge(directions, straight, error, left, remove_span(np.concatenate(moved, axis=1).T, span).T)


def _split(parameters: Floats, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """Directions of a shape, made orthonormal, and the straight part, 0 where the parameters have none."""
    size = shape[0] * shape[1]
    directions = _orthonormal(parameters[:size].reshape(shape))
    straight = parameters[size:] if len(parameters) > size else np.zeros(shape[1])
    # Along the directions the polynomial can do what the straight part does.
    return directions, straight - directions.T @ (directions @ straight)


def guess_slopes(z: Floats, target: Floats) -> Floats:
    """Slopes of a full polynomial at the rows: (columns, rows)."""
    num_columns = z.shape[1]
    most = min(MOST_TERMS, len(z) // 3)
    degree = 1
    while len(list_exponents(num_columns, degree + 1)) <= most and degree < max(DEGREES.values()):
        degree += 1
    half = np.abs(z).max(axis=0)
    values, slopes = evaluate_chebyshev((z / half).T, list_exponents(num_columns, degree, 1))
    design = np.column_stack([np.ones(len(z)), values])
    coefficients = solve_least_squares(design, target)[1:]
    return np.asarray(np.stack([slope @ coefficients for slope in slopes]) / half[:, None])


def _orthonormal(directions: Floats) -> Floats:
    """The directions nearly as they are: none is turned round."""
    basis, triangle = np.linalg.qr(directions.T)
    return np.asarray((basis * np.copysign(1.0, np.diag(triangle))).T)
