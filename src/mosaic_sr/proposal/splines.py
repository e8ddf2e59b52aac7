"""Smooth functions of single columns as sums of splines, fitted together by least squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline

Floats = NDArray[np.float64]

# Splines of a column, which are cubic: as many as a step needs that a fifth of a column's rows span. How far they may
# bend is set by these weights of their second differences, one of which generalised cross-validation chooses.
MOST_SPLINES, ROWS_PER_SPLINE, LEAST_SPLINES, DEGREE = 24, 3, 5, 3
STIFFNESSES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
# Of the few splines of rough comparisons, which hardly bend too much.
STIFFNESS = 1e-4
# Added to what is solved, because both functions may have the same number added.
RIDGE = 1e-10
# Of the squares of the target: what is left of them below this is rounding.
ROUNDING = 1e-12


def splines_of(column: Floats, most: int = MOST_SPLINES) -> Floats:
    """At most so many cubic splines of a column, with as many rows between all knots: (rows, splines)."""
    values = np.unique(column)
    scaled = (column - values[0]) / (values[-1] - values[0])
    count = int(np.clip(len(column) // ROWS_PER_SPLINE, LEAST_SPLINES, most))
    inner = np.quantile((values - values[0]) / (values[-1] - values[0]), np.linspace(0.0, 1.0, count - DEGREE + 1))
    knots = np.concatenate([np.zeros(DEGREE), inner, np.ones(DEGREE)])
    return np.asarray(BSpline.design_matrix(scaled, knots, DEGREE).toarray())


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums of products over the rows of splines with each other and with the target, which is all that fits need.

    places: where the splines of each side stand.  total: of the squares of the target.
    """

    squares: Floats
    along: Floats
    total: float
    num_rows: int
    places: tuple[slice, ...]

    @classmethod
    def of(cls, bases: Sequence[Floats], target: Floats) -> Moments:
        """Those of the splines of some sides, each (rows, splines)."""
        design, ends = np.column_stack(bases), np.cumsum([basis.shape[1] for basis in bases]).tolist()
        places = tuple(slice(stop - basis.shape[1], stop) for stop, basis in zip(ends, bases, strict=True))
        return cls(design.T @ design, design.T @ target, float(target @ target), len(target), places)

    def some(self, sides: Sequence[int]) -> Moments:
        """Those of some of the sides."""
        chosen = np.concatenate([np.arange(self.places[side].start, self.places[side].stop) for side in sides])
        sizes = [self.places[side].stop - self.places[side].start for side in sides]
        places = tuple(slice(stop - size, stop) for stop, size in zip(np.cumsum(sizes).tolist(), sizes, strict=True))
        return Moments(self.squares[np.ix_(chosen, chosen)], self.along[chosen], self.total, self.num_rows, places)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A smooth sum of splines; log_likelihood: of rows that are left out.  num_free: how many numbers it bends by."""

    log_likelihood: float
    coefficients: Floats
    num_free: float


def fit_splines(moments: Moments) -> Fitted:
    """The best smooth sum of splines."""
    squares, along = moments.squares, moments.along
    bending = np.zeros_like(squares)
    for place in moments.places:
        bending[place, place] = _bending(place.stop - place.start)
    size, both = float(np.trace(squares)) / len(squares), np.column_stack([squares, along])
    found: list[Fitted] = []
    for stiffness in STIFFNESSES:
        solved = np.linalg.solve(squares + size * (stiffness * bending + RIDGE * np.eye(len(squares))), both)
        weights, num_free = np.asarray(solved[:, -1]), float(np.trace(solved[:, :-1]))
        left = moments.total - 2.0 * float(weights @ along) + float(weights @ squares @ weights)
        likelihood = _cross_validated(max(left, ROUNDING * moments.total), moments.num_rows, num_free)
        found.append(Fitted(likelihood, weights, num_free))
    return max(found, key=lambda each: each.log_likelihood)


def squares_left(moments: Moments, num_sides: int, pairs: NDArray[np.intp]) -> Floats:
    """What the sums of two sides leave of the squares of the target, all of one stiffness: (pairs,).

    moments: of as many splines for each of the sides, one side behind the other.  pairs: (pairs, 2), sides.
    """
    count = len(moments.along) // num_sides
    places = (pairs[:, :, None] * count + np.arange(count)).reshape(len(pairs), 2 * count)
    squares, along = moments.squares[places[:, :, None], places[:, None, :]], moments.along[places]
    sizes = np.trace(squares, axis1=1, axis2=2) / (2 * count)
    stiff = STIFFNESS * np.kron(np.eye(2), _bending(count)) + RIDGE * np.eye(2 * count)
    weights = np.linalg.solve(squares + sizes[:, None, None] * stiff, along[:, :, None])[:, :, 0]
    explained = np.einsum("pi,pij,pj->p", weights, squares, weights)
    left = moments.total - 2.0 * np.einsum("pi,pi->p", weights, along) + explained
    return np.asarray(np.maximum(left, ROUNDING * moments.total))


def _bending(count: int) -> Floats:
    """The sum of the squares of the second differences of coefficients, as a matrix."""
    second = np.diff(np.eye(count), 2, axis=0)
    return np.asarray(second.T @ second)


def log_evidence(squares: float, count: int, num_free: float) -> float:
    """Log evidence of residuals of so many rows with their spread at its best, by Schwarz's criterion."""
    return _log_likelihood(squares, count) - 0.5 * num_free * math.log(count)


def _cross_validated(squares: float, count: int, num_free: float) -> float:
    """Log likelihood of rows that are left out, as generalised cross-validation sees it."""
    return _log_likelihood(squares, count) + count * math.log1p(-num_free / count) if num_free < count else -math.inf


def _log_likelihood(squares: float, count: int) -> float:
    return -0.5 * count * math.log(max(squares, np.finfo(np.float64).tiny) / count)
