"""Products of Chebyshev's polynomials, which stand for unknown functions of one or a few columns."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Exponents = tuple[tuple[int, ...], ...]


@cache
def list_exponents(num_columns: int, degree: int, least: int = 0) -> Exponents:
    """Exponents of all terms of a total degree from the least one on."""
    if num_columns == 1:
        return tuple((power,) for power in range(least, degree + 1))
    return tuple(
        (first, *rest)
        for first in range(degree + 1)
        for rest in list_exponents(num_columns - 1, degree - first, max(least - first, 0))
    )


def evaluate_chebyshev(units: Floats, terms: Exponents) -> tuple[Floats, list[Floats]]:
    """The products in columns (columns, rows) between -1 and 1, and their slopes along each: (rows, terms) each."""
    powers, degree = np.array(terms), max(map(max, terms))
    # Column k has the coefficients of the derivative of the k-th polynomial.
    derivatives = np.polynomial.chebyshev.chebder(np.eye(degree + 2))[:, : degree + 1]
    values = [np.polynomial.chebyshev.chebvander(unit, degree) for unit in units]
    along = [_products([*values[:k], own @ derivatives, *values[k + 1 :]], powers) for k, own in enumerate(values)]
    return _products(values, powers), along


def _products(values: list[Floats], powers: NDArray[np.int64]) -> Floats:
    return np.asarray(np.prod([each[:, own] for each, own in zip(values, powers.T, strict=True)], axis=0))
