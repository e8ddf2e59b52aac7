"""What a law leaves over in many rows: the evidence of a polynomial of the columns against noise alone.

A polynomial has a few dozen numbers for any number of rows, so that all of them are read; a smooth function would take
hours. Its numbers have a prior that falls with their degree and are integrated out.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np
from numpy.polynomial.legendre import legvander
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import logsumexp
from scipy.stats import rankdata

from mosaic_sr.smooth import one_thread

Floats = NDArray[np.float64]

# Degree of the polynomial, as far as it has no more terms than this: some ten milliseconds for 2,000 rows.
MOST_DEGREE, MOST_TERMS = 6, 130
# Variance of the numbers of degree 0 beside the noise, and by which factor it falls with each degree.
SIZES, FALLS = tuple(np.logspace(-4.0, 0.0, 9).tolist()), (0.3, 0.7)


def trend_gain(columns: Floats, values: Floats) -> float:
    """By how much a polynomial of the columns is likelier than noise for some values; columns: (columns, rows)."""
    terms, degrees = _terms(columns)
    with one_thread():
        squares, along, total = terms.T @ terms, terms.T @ values, float(values @ values)
        scores = [
            _score(squares, along, total, len(values), size * np.power(fall, degrees))
            for size in SIZES
            for fall in FALLS
        ]
    noise = -0.5 * len(values) * math.log(total)
    return float(logsumexp(scores)) - math.log(len(scores)) - noise


def _score(squares: Floats, along: Floats, total: float, count: int, variances: Floats) -> float:
    """Log probability of the values, the variance of the noise at its best, for these variances of the numbers."""
    deviations = np.sqrt(variances)
    inner = np.eye(len(along)) + deviations[:, None] * squares * deviations
    factor = np.linalg.cholesky(inner)
    told = solve_triangular(factor, deviations * along, lower=True)
    left = max(total - float(told @ told), np.finfo(np.float64).tiny)
    return -0.5 * count * math.log(left) - float(np.log(np.diag(factor)).sum())


def _terms(columns: Floats) -> tuple[Floats, Floats]:
    """The terms of the polynomial in each row, of variance 1, and their degrees."""
    places = np.array([2.0 * (rankdata(column) - 0.5) / len(column) - 1.0 for column in columns])
    degree = max(
        (own for own in range(1, MOST_DEGREE + 1) if math.comb(len(columns) + own, own) <= MOST_TERMS), default=1
    )
    powers = legvander(places, degree) * np.sqrt(2.0 * np.arange(degree + 1) + 1.0)
    terms, degrees = [np.ones(columns.shape[1])], [0]
    for total in range(1, degree + 1):
        for chosen in combinations_with_replacement(range(len(columns)), total):
            counts = np.bincount(chosen, minlength=len(columns))
            terms.append(np.prod([powers[place, :, own] for place, own in enumerate(counts.tolist())], axis=0))
            degrees.append(total)
    return np.column_stack(terms), np.array(degrees, dtype=np.float64)
