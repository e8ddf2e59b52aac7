"""Projection: what a basis leaves of targets and of further terms, and which of these are alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.linear_algebra import solve_least_squares

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Diagonal of R, for columns of norm 1, below which a column depends on the ones before it.
DEPENDENT = 1e-11


def scale_to_unit(columns: Floats) -> Floats:
    """The columns (rows, columns) with norm 1; those that are 0 stay."""
    norms = np.linalg.norm(columns, axis=0)
    return np.asarray(columns / np.where(norms > 0, norms, 1.0))


def add_offset(columns: Floats) -> Floats:
    """The columns (rows, columns) with a column of ones before them."""
    return np.concatenate([np.ones((len(columns), 1)), columns], axis=1)


def solve_scaled(columns: Floats, target: Floats) -> Floats:
    """Least-squares coefficients of columns (rows, columns), which are brought to norm 1 first."""
    norms = np.linalg.norm(columns, axis=0)
    norms = np.where(norms > 0, norms, 1.0)
    return np.asarray(solve_least_squares(columns / norms, target) / norms)


def find_complement(columns: Floats) -> Floats:
    """Orthonormal directions (rows, rows - columns) that are at right angles to all columns (rows, columns)."""
    return np.linalg.qr(scale_to_unit(columns), mode="complete")[0][:, columns.shape[1] :]


def find_independent(columns: Floats) -> Indices:
    """The columns that do not depend on the ones before them."""
    triangle = np.linalg.qr(scale_to_unit(columns), mode="r")
    return np.flatnonzero(np.abs(np.diag(triangle)) > DEPENDENT)


def remove_span(values: Floats, directions: Floats, num_passes: int = 2) -> Floats:
    """Values (..., rows) less what orthonormal directions (rows, directions) hold of them.

    One pass leaves rounding of the size of what is removed, which does no harm where much is left.
    """
    for _ in range(num_passes):
        values = values - (values @ directions) @ directions.T
    return values


@dataclass(frozen=True, eq=False)
class Background:
    """Terms that may stand beside others.

    directions: (rows, terms), orthonormal.  kept: the terms that do not depend on the ones before them.
    """

    directions: Floats
    kept: Indices

    def without(self, values: Floats) -> Floats:
        """What the background leaves of values: (..., rows)."""
        return remove_span(values, self.directions)

    def head(self, num_rows: int) -> Background:
        """On the first rows."""
        return self if num_rows >= len(self.directions) else make_background(self.directions[:num_rows].T)


def make_background(terms: Floats) -> Background:
    """The background of terms: (terms, rows), of which none has to be independent of the others.

    Terms beyond the range of floats are left out.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = np.linalg.norm(terms, axis=1)
    kept = np.flatnonzero((sizes > 0) & (sizes < np.inf))
    directions, triangle = np.linalg.qr(scale_to_unit(terms[kept].T))
    is_own = np.abs(np.diag(triangle)) > DEPENDENT
    if not np.all(is_own):
        # The direction of a dependent term is rounding, and so is what later terms lost to it.
        kept = kept[: len(is_own)][is_own]
        directions = np.linalg.qr(scale_to_unit(terms[kept].T))[0]
    return Background(directions, kept)


def make_offset_background(terms: Floats) -> Background:
    """The background of a number and terms: (terms, rows)."""
    return make_background(add_offset(terms.T).T)


def find_distinct(directions: Floats, digits: int) -> Indices:
    """The first of the directions (terms, rows), of norm 1, that are equal up to sign to so many digits.

    Two weighted sums tell directions apart; the weights are fixed, so that the same table gives the same terms.
    """
    places = np.arange(directions.shape[1])
    marks = np.abs(directions @ np.stack([np.cos(places + 1.0), np.sin(1.7 * places)], axis=1))
    rounded = np.round(marks, digits)
    return np.sort(np.unique(rounded[:, 0] + 1j * rounded[:, 1], return_index=True)[1])
