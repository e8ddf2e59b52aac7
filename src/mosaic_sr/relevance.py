"""How much each column says about the target, alone and together with the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.smooth import fit_smooth, learn, smoothed, standardised
from mosaic_sr.table import Rows
from mosaic_sr.table.rows import spread_over_target

Floats = NDArray[np.float64]

# Bins of equal count along a column; enough to see a period or two, few enough to hold rows at 100 rows.
BINS = 8
# Enough to see which of ten columns act, and a tenth of a second.
ROWS_TO_LEARN, STEPS = 200, 20
# Distances along each of so many columns take 16 MB; few rows tell nothing of how more of them act together.
MOST_TOGETHER = 50
# Share of noise in the variance of the target from which rows look noisy. With 1 % noise it is 8e-5 and more in 133 of
# 134 tables of `generated` and `generated-b`, without noise 1e-7 and less in half of them and 3e-6 in 57 of 100.
LEAST_NOISE = 3e-6
# A smooth function through a few large targets may hide what is left of the others, or bend from row to row: this share
# of the rows, about the middle, is looked at alone, too. With 1 permille noise 32 of 116 Feynman tables did not look
# noisy without that, now one; without noise 36 did, now 45.
MIDDLE = 0.8
MOST_SMOOTHED = 8
# One smooth function for each column: fewer rows suffice to see a factor.
ROWS_TO_COMPARE = 120
# A column is needed when without it a row's target is predicted this many times worse: chance alone stays below 1.3.
NEEDED = 1.5
# Fewer rows say nothing about interactions.
LEAST_ROWS = 20


def relevance(rows: Rows) -> Floats:
    """Each column's share in the changes of the target, or what it explains alone if that is more: (columns,), 0 to 1.

    Target and columns are seen as ranks, so that no scale matters.
    """
    scores = _explained_alone(rows)
    if len(rows.columns) == 1 or rows.num_rows < LEAST_ROWS:
        return scores
    chosen = most_relevant(scores, MOST_TOGETHER)
    some = spread_over_target(replace(rows, columns=rows.columns[chosen]), ROWS_TO_LEARN)
    scores[chosen] = np.maximum(scores[chosen], _explained_together(some))
    return scores


def needed_columns(rows: Rows, columns: Sequence[int]) -> list[int]:
    """Those of some columns without which the others explain far less of the target.

    One of two columns that go together is not needed, because the other stands in for it.
    """
    if len(columns) == 1:
        return list(columns)
    if rows.num_rows < LEAST_ROWS:
        return []
    some = spread_over_target(rows, ROWS_TO_COMPARE)
    whole = _unexplained(some, columns)
    left = {column: _unexplained(some, [other for other in columns if other != column]) for column in columns}
    return [column for column in columns if left[column] > NEEDED * whole]


@np.errstate(all="ignore")  # numerical trouble is a value
def looks_noisy(rows: Rows) -> bool:
    """Whether a smooth function through the rows leaves more than rounding; rough functions look noisy too."""
    if rows.num_rows < LEAST_ROWS // 2:
        return False
    some = spread_over_target(rows, ROWS_TO_LEARN)
    if len(rows.columns) > MOST_SMOOTHED:
        some = replace(some, columns=some.columns[most_relevant(relevance(some), MOST_SMOOTHED)])
    return _has_noise(some) or _has_noise(_middle(some))


def _middle(rows: Rows) -> Rows:
    """The rows without the largest and smallest targets."""
    distances = np.abs(rows.target - np.median(rows.target))
    return rows.take(np.flatnonzero(distances <= np.quantile(distances, MIDDLE)))


def _has_noise(rows: Rows) -> bool:
    columns, target = standardised(rows.columns)[0], standardised(rows.target)[0]
    # The nugget is a share of the variance of the smooth function, which is many times the target's where it is nearly
    # straight over the rows.
    return smoothed(columns, target, learn(columns, target), np.ones(len(target))).noise > LEAST_NOISE


def _unexplained(rows: Rows, chosen: Sequence[int]) -> float:
    """Median distance of each row's target, as a rank, from what a smooth function of the other rows predicts."""
    columns = standardised(np.array([_ranks(rows.columns[column]) for column in chosen]))[0]
    target = standardised(_ranks(rows.target))[0]
    fit = fit_smooth(columns, target, learn(columns, target, steps=STEPS))
    return float(np.median(np.abs(fit.residuals)))


def most_relevant(scores: Floats, count: int) -> list[int]:
    """The places of at most so many columns of the highest scores, in their order."""
    places: list[int] = np.sort(np.argsort(-scores, kind="stable")[:count]).tolist()
    return places


def _explained_together(rows: Rows) -> Floats:
    """Mean squares of the slopes along each column over the largest, times what a smooth function explains."""
    columns = standardised(np.array([_ranks(column) for column in rows.columns]))[0]
    target = standardised(_ranks(rows.target))[0]
    fit = fit_smooth(columns, target, learn(columns, target, steps=STEPS))
    explained = max(0.0, 1.0 - float(np.mean(np.square(fit.residuals))))
    slopes = np.mean(np.square(fit.slopes), axis=1)
    return np.asarray(explained * slopes / max(float(slopes.max()), np.finfo(np.float64).tiny))


def _explained_alone(rows: Rows) -> Floats:
    """Share of the variance of the target's ranks that bins along each column explain, beyond chance."""
    ranks = _ranks(rows.target)
    return np.array([_explained(column, ranks) for column in rows.columns])


def _explained(column: Floats, ranks: Floats) -> float:
    place = np.argsort(np.argsort(column, kind="stable"), kind="stable")
    bins = place * BINS // len(column)
    counts = np.bincount(bins, minlength=BINS)
    means = np.bincount(bins, weights=ranks, minlength=BINS) / np.maximum(counts, 1)
    between = float(np.sum(counts * np.square(means - ranks.mean())))
    total = float(np.sum(np.square(ranks - ranks.mean())))
    chance = (BINS - 1) / max(len(column) - 1, BINS)
    return max(0.0, between / total - chance) / (1.0 - chance) if total > 0 else 0.0


def _ranks(values: Floats) -> Floats:
    """Mean ranks; equal values share one."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - 0.5 * (counts + 1))[places])
