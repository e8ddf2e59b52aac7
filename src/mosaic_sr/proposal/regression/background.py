"""`Background`: terms that may stand beside others, and what they leave of values: the one projection off a basis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Diagonal of R, for terms of norm 1, below which a term depends on the ones before it.
DEPENDENT = 1e-11


@dataclass(frozen=True, eq=False)
class Background:
    """directions: (rows, terms), orthonormal.  kept: the terms that do not depend on the ones before them."""

    directions: Floats
    kept: Indices

    def without(self, values: Floats) -> Floats:
        """What the background leaves of values: (..., rows)."""
        for _ in range(2):  # once leaves rounding of the size of what is removed
            values = values - (values @ self.directions) @ self.directions.T
        return values

    def head(self, num_rows: int) -> Background:
        """On the first rows."""
        return self if num_rows >= len(self.directions) else make_background(self.directions[:num_rows].T)


def make_background(terms: Floats) -> Background:
    """The background of terms: (terms, rows), of which none has to be independent of the others."""
    norms = np.sqrt(np.sum(np.square(terms), axis=1))
    kept = np.flatnonzero(norms > 0)
    directions, triangle = np.linalg.qr((terms[kept] / norms[kept, None]).T)
    is_own = np.abs(np.diag(triangle)) > DEPENDENT
    if not np.all(is_own):
        # The direction of a dependent term is rounding, and so is what later terms lost to it.
        kept = kept[: len(is_own)][is_own]
        directions = np.linalg.qr((terms[kept] / norms[kept, None]).T)[0]
    return Background(directions, kept)
