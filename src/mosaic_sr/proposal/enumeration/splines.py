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
# Added to what is solved, because both functions may have the same number added.
RIDGE = 1e-10
# Of the squares of the target: what is left of them below this is rounding.
ROUNDING = 1e-12


def splines_of(column: Floats) -> Floats:
    """Cubic splines over the ranks of a column, so that each has as many rows: (rows, splines)."""
    values, places = np.unique(column, return_inverse=True)
    ranks = np.linspace(0.0, 1.0, len(values))[places]
    count = int(np.clip(len(column) // ROWS_PER_SPLINE, LEAST_SPLINES, MOST_SPLINES))
    inner = np.linspace(0.0, 1.0, count - DEGREE + 1)
    knots = np.concatenate([np.zeros(DEGREE), inner, np.ones(DEGREE)])
    return np.asarray(BSpline.design_matrix(ranks, knots, DEGREE).toarray())


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


def fit_splines(moments: Moments) -> tuple[float, Floats]:
    """The log likelihood of the best smooth sum of splines, and the coefficients of all of them."""
    squares, along = moments.squares, moments.along
    bending = np.zeros_like(squares)
    for place in moments.places:
        second = np.diff(np.eye(place.stop - place.start), 2, axis=0)
        bending[place, place] = second.T @ second
    size, both = float(np.trace(squares)) / len(squares), np.column_stack([squares, along])
    found: list[tuple[float, Floats]] = []
    for stiffness in STIFFNESSES:
        solved = np.linalg.solve(squares + size * (stiffness * bending + RIDGE * np.eye(len(squares))), both)
        weights, num_free = np.asarray(solved[:, -1]), float(np.trace(solved[:, :-1]))
        left = moments.total - 2.0 * float(weights @ along) + float(weights @ squares @ weights)
        found.append((log_likelihood(max(left, ROUNDING * moments.total), moments.num_rows, num_free), weights))
    return max(found, key=lambda each: each[0])


def log_likelihood(squares: float, count: int, num_free: float) -> float:
    """Log likelihood of residuals with their spread at its best, as generalised cross-validation sees it."""
    if num_free >= count:
        return -math.inf
    least = np.finfo(np.float64).tiny
    return -0.5 * count * math.log(max(squares, least) / count) + count * math.log1p(-num_free / count)
