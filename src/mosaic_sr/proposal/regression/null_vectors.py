"""Sparse null vectors of [M, -t M]: linear relations between a target and monomials that hold to rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.linear_algebra import singular_values, thin_svd
from mosaic_sr.proposal.regression.projection import remove_span

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Entries of a null vector, over its largest, that count as none.
NEGLIGIBLE = 1e-7
# More relations than this mean that the tolerance is too coarse to tell them from smoothness.
MOST_RELATIONS = 8
# Columns have norm 1, and a null vector of them leaves the rounding of each.
SPREAD = 10.0
# First rows on which a relation is refuted.
ROWS_PER_COLUMN = 2


def find_null_vector(system: Floats, num_above: int, tolerance: float) -> Floats | None:
    """A null vector with few entries, or None where the columns are independent; system: (rows, columns).

    The first `num_above` columns are independent by themselves. Of many null vectors, one without late columns.
    """
    scales = np.linalg.norm(system, axis=0)
    columns = system / scales
    limit = SPREAD * tolerance
    if not _has_relation(columns, num_above, limit):
        return None
    active = np.arange(columns.shape[1])
    null = _null_space(columns, limit)
    if not 0 < len(null) <= MOST_RELATIONS:
        return None
    active, null = _single(columns, active, null, limit)
    active, null = _eliminated(columns, active, null, limit)
    vector = np.zeros(columns.shape[1])
    vector[active] = null[-1]
    vector /= scales
    return vector if np.any(vector[num_above:]) and np.any(vector[:num_above]) else None


def may_relate(system: Floats, num_above: int, tolerance: float) -> bool:
    """Whether the first rows allow a null vector, which holds on them if it does on all: a few rows refute most."""
    few = ROWS_PER_COLUMN * system.shape[1]
    scales = np.linalg.norm(system, axis=0)
    if len(system) <= few or not np.all((scales > 0) & (scales < np.inf)):
        return True
    return _has_relation(system[:few] / scales, num_above, SPREAD * tolerance)


def _has_relation(columns: Floats, num_above: int, limit: float) -> bool:
    """Whether some combination of the later columns lies in the span of the first: half the size of the whole."""
    basis = np.linalg.qr(columns[:, :num_above])[0]
    triangle = np.asarray(np.linalg.qr(remove_span(columns[:, num_above:].T, basis).T, mode="r"))
    return bool(singular_values(triangle)[-1] <= limit)


def _null_space(columns: Floats, limit: float) -> Floats:
    """(dimension, columns), orthonormal, the vector that leaves least last."""
    triangle = np.asarray(np.linalg.qr(columns, mode="r"))
    _, sizes, vectors = thin_svd(triangle)
    return np.asarray(vectors[sizes <= limit])


def _single(columns: Floats, active: Indices, null: Floats, limit: float) -> tuple[Indices, Floats]:
    """One relation of several: a column of each further one can be spared, the one of the highest degree."""
    while len(null) > 1:
        leverage = np.linalg.norm(null, axis=0)
        last = np.flatnonzero(leverage > NEGLIGIBLE * leverage.max())[-1]
        kept = np.delete(active, last)
        smaller = _null_space(columns[:, kept], limit)
        if len(smaller) == 0:
            return active, null[-1:]
        active, null = kept, smaller
    return active, null


def _eliminated(columns: Floats, active: Indices, null: Floats, limit: float) -> tuple[Indices, Floats]:
    """The relation without the columns that it does not need, the smallest entries first, many at a time."""
    count = max(int(np.count_nonzero(np.abs(null[-1]) <= NEGLIGIBLE * np.abs(null[-1]).max())), len(active) // 2)
    while count > 0 and len(active) > 2:
        kept = np.sort(active[np.argsort(np.abs(null[-1]), kind="stable")[count:]])
        smaller = _null_space(columns[:, kept], limit)
        if len(smaller):
            active, null = kept, smaller
            count = min(count, len(active) - 2)
        else:
            count //= 2
    return active, null
