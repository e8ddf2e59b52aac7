"""A smooth function through noisy rows, which knows no form: rows far from it are outliers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.smooth import Settings, learn, log_likelihood, smoothed, standardised
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]

# Settings are learned on the first rows, because the time grows with the cube of their number.
ROWS_TO_LEARN = 200
# Rows further than this from their prediction, in its standard deviations, are left out: chance gives one in a million.
FARTHEST = 5.0


def drop_outliers(rows: Rows) -> Rows:
    """The rows that are near a smooth function through the others."""
    target, variances = standardised(rows.target)[0], noise_variances(rows)
    columns, settings = _coordinates(rows, target, variances)
    distances = smoothed(columns, target, settings, variances).distances
    return rows.take(np.flatnonzero(np.abs(distances) <= FARTHEST))


def noise_variances(rows: Rows) -> Floats:
    """Variances of the noise in the rows, up to a factor, of mean 1."""
    return np.square(rows.sigma) / np.mean(np.square(rows.sigma)) if rows.has_sigma else np.ones(rows.num_rows)


def _coordinates(rows: Rows, target: Floats, variances: Floats) -> tuple[Floats, Settings]:
    """The columns, or the logarithms of those that are positive, whichever is more likely; and what was learned."""
    is_positive = np.all(rows.columns > 0, axis=1)
    plain = standardised(rows.columns)[0]
    # The number 1 stands for a column that has no logarithm.
    logs = standardised(np.log(np.where(is_positive[:, None], rows.columns, 1.0)))[0]
    choices = [plain] + ([np.where(is_positive[:, None], logs, plain)] if np.any(is_positive) else [])
    some = slice(0, ROWS_TO_LEARN)
    learned = [(columns, learn(columns[:, some], target[some], variances=variances[some])) for columns in choices]
    return max(learned, key=lambda each: log_likelihood(each[0][:, some], target[some], each[1], variances[some]))
