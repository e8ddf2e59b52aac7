"""How much each column alone says about the target."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.table import Rows

# Bins of equal count along a column; enough to see a period or two, few enough to hold rows at 100 rows.
BINS = 8


def relevance(rows: Rows) -> NDArray[np.float64]:
    """Share of the variance of the target's ranks that bins along each column explain: (columns,), 0 to 1."""
    ranks = np.argsort(np.argsort(rows.target, kind="stable"), kind="stable").astype(np.float64)
    return np.array([_explained(column, ranks) for column in rows.columns])


def _explained(column: NDArray[np.float64], ranks: NDArray[np.float64]) -> float:
    place = np.argsort(np.argsort(column, kind="stable"), kind="stable")
    bins = place * BINS // len(column)
    counts = np.bincount(bins, minlength=BINS)
    means = np.bincount(bins, weights=ranks, minlength=BINS) / np.maximum(counts, 1)
    between = float(np.sum(counts * np.square(means - ranks.mean())))
    total = float(np.sum(np.square(ranks - ranks.mean())))
    return between / total if total > 0 else 0.0
