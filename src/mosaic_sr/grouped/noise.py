"""The noise of grouped rows: the same in all rows or in proportion to the value, of one size or one for each group."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.noise import LEAST_SHARE, Noise, log_prior
from mosaic_sr.grouped.rows import GroupedRows

Floats = NDArray[np.float64]

# Group sizes of the noise vary by less than this factor either way, mostly.
FACTORS_WITHIN = 3.0


@dataclass(frozen=True, eq=False)
class GroupNoise:
    """The scatter of each row up to one factor for all rows.

    kind: as in `evidence.noise`.  factors: (groups,) of the scatter of each group, or (0,) where all are 1.
    log_prior: how likely this noise is before any row is read, with its factors integrated out.
    """

    kind: Noise
    factors: Floats
    log_prior: float

    def sizes(self, values: Floats, rows: GroupedRows) -> Floats:
        """The scatter of the rows in units of one common factor: (rows,); values: of the law."""
        own = self.kind.sizes(values, rows.usual, rows.sigma)
        return own * self.factors[rows.group_of_row] if len(self.factors) else own

    def first_sizes(self, rows: GroupedRows) -> Floats:
        """The same before a law is known: the target stands for its values, and none is far below the usual size."""
        values = rows.target
        if self.kind.kind == "proportional":
            values = np.maximum(np.abs(values), 30.0 * LEAST_SHARE * rows.usual)
        return self.sizes(values, rows)

    def some(self, groups: NDArray[np.intp]) -> GroupNoise:
        """The noise of some groups."""
        return GroupNoise(self.kind, self.factors[groups], self.log_prior) if len(self.factors) else self


def common_noise(kind: Noise) -> GroupNoise:
    """Noise of one size in all groups."""
    return GroupNoise(kind, np.empty(0), log_prior(kind))


@np.errstate(all="ignore")
def noise_by_group(kind: Noise, squares: Floats, to_spare: Floats) -> GroupNoise | None:
    """Noise with a size of its own in each group; None where the groups have too few rows to tell.

    squares: (groups,) of residuals over the common sizes.  to_spare: (groups,) rows beyond those that constants take.

    The logarithms of the sizes are normal about their mean; they are integrated out.
    """
    is_known = (to_spare >= 2.0) & (squares > 0.0)
    if np.count_nonzero(is_known) < 2:
        return None
    logs = 0.5 * np.log(squares[is_known] / to_spare[is_known])
    errors = 0.5 / to_spare[is_known]  # variance of the logarithm of a spread
    mean = float(np.average(logs, weights=1.0 / errors))
    spread = max(float(np.average(np.square(logs - mean), weights=1.0 / errors)) - float(np.mean(errors)), 0.0)
    if not spread > 0.0:
        return None
    total = spread + errors
    fit = float(np.sum(-0.5 * np.log(total / errors) - 0.5 * np.square(logs - mean) / total))
    factors = np.ones(len(squares))
    factors[is_known] = np.exp((logs - mean) * spread / total)
    width = math.log(2.0 * math.log(FACTORS_WITHIN) * math.sqrt(len(logs)))
    return GroupNoise(kind, factors, log_prior(kind) + math.log(0.5) + fit - max(width, 0.0))
