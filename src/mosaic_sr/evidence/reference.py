"""The reference of a law: a smooth function through the rows, which stands for laws without a closed form.

It has the noise that the law has, so that it shows what the law leaves unexplained and not what its noise does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.judge import Judged, judge
from mosaic_sr.evidence.laplace import PRIOR_WIDTH, Measured
from mosaic_sr.evidence.noise import Noise
from mosaic_sr.evidence.trend import trend_gain
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.relevance import most_relevant, relevance
from mosaic_sr.smooth import Settings, fit_smooth, learn, log_likelihood, standardised
from mosaic_sr.table import Rows, divided, squaring_exponent

Floats = NDArray[np.float64]

# A smooth function is laid through at most so many rows and columns, which takes up to a fifth of a second.
MOST_ROWS, MOST_COLUMNS, LEAST_ROWS = 200, 12, 8
# Distances from a smooth function, in medians: 4 standard deviations of Gaussian noise.
FAR = 6.0
# Twice the share of outliers that the noise model expects.
MOST_OUTLIERS = 0.1
# A function that bends a dozen times along a column.
SHORT = 0.1


def smooth_gain(law: Judged, measured: Measured) -> float | None:
    """By how much a smooth function through some rows is likelier than the law, its structure counted.

    None where the rows are too few for a smooth function. Rows that the law calls outliers are left out.
    """
    some = measured.values.some(MOST_ROWS)
    own = law if some is measured else judge(law.expression, some, law.evidence.noise)
    if own is None or not _is_smoothable(some):
        return None
    kept = _inliers(own)
    noise = own.evidence.noise
    if len(kept) < some.rows.num_rows:
        some = some.take(kept)
    own = judge(law.expression, some, Noise(noise.kind, noise.additive)) if noise.has_outliers else own
    if own is None or not _is_smoothable(some):
        return None
    smooth = _log_likelihood(some.rows.columns[_read_columns(some.rows, own)], some, own.evidence.sizes)
    return None if smooth is None else smooth - own.score


def residual_gain(law: Judged, measured: Measured, quantities: Sequence[Expression] = ()) -> float | None:
    """By how much a smooth function of the columns is likelier than noise for what the law leaves over.

    None as for `smooth_gain`. A law that is merely close to rows without noise leaves a smooth function.
    quantities: what the function is of in place of the columns, where these are known to act together.
    """
    some = measured.values.some(MOST_ROWS)
    own = law if some is measured else judge(law.expression, some, law.evidence.noise)
    if own is None or not _is_smoothable(some):
        return None
    kept = _inliers(own)
    values = evaluate_expression(own.expression, some.rows.columns)
    shares = ((some.rows.target - values) / own.evidence.sizes)[kept]
    if len(kept) < LEAST_ROWS or not np.ptp(shares) > 0.0:
        return None
    seen = _seen(some.rows, own, quantities)
    if seen is None:
        return None
    columns, target = _standard_columns(seen[:, kept]), standardised(shares)[0]
    try:
        smooth = max(log_likelihood(columns, target, learn(columns, target, start)) for start in _starts(len(columns)))
    except np.linalg.LinAlgError:
        return None
    noise = -0.5 * len(kept) * (math.log(2.0 * math.pi) + 1.0)
    # Beside lengths and noise share it has a trend along each column.
    return smooth - noise - 0.5 * (2 * len(columns) + 2) * math.log(len(kept))


def trend_left(law: Judged, measured: Measured, quantities: Sequence[Expression] = ()) -> float | None:
    """By how much a polynomial is likelier than noise for what the law leaves over in all rows; as `residual_gain`.

    None where the rows are so few that a smooth function reads them all.
    """
    values = measured.values
    if values.rows.num_rows <= MOST_ROWS:
        return None
    own = law if values is measured else judge(law.expression, values, law.evidence.noise)
    if own is None:
        return None
    kept = _inliers(own)
    shares = (values.rows.target - evaluate_expression(own.expression, values.rows.columns)) / own.evidence.sizes
    seen = _seen(values.rows, own, quantities)
    if seen is None or not np.ptp(shares[kept]) > 0.0:
        return None
    return trend_gain(seen[:, kept], shares[kept])


def _seen(rows: Rows, law: Judged, quantities: Sequence[Expression]) -> Floats | None:
    """What a function of the rest reads; None where that is not finite."""
    if not quantities:
        return np.asarray(rows.columns[_read_columns(rows, law)])
    seen = np.array([evaluate_expression(quantity, rows.columns) for quantity in quantities])
    return seen if np.all(np.isfinite(seen)) else None


def strays(measured: Measured, farthest: float = FAR) -> NDArray[np.bool_]:
    """Rows that are so many medians farther than others from what a smooth function of the others predicts: (rows,).

    All of them where there is no such function.
    """
    rows = measured.rows
    if rows.num_rows > MOST_ROWS or not _is_smoothable(measured):
        return np.ones(rows.num_rows, dtype=np.bool_)
    columns, target = _standard_columns(rows.columns[_read_columns(rows)]), _standard(rows.target)[0]
    distances = np.abs(fit_smooth(columns, target, learn(columns, target)).residuals)
    return np.asarray(distances > farthest * np.median(distances))


def _inliers(law: Judged) -> NDArray[np.intp]:
    """Rows that are no outliers; all of them where the law calls too many outliers, because then it is wrong."""
    is_off = law.evidence.chances < 0.5
    return np.flatnonzero(~is_off) if np.mean(is_off) <= MOST_OUTLIERS else np.arange(len(is_off))


def _is_smoothable(measured: Measured) -> bool:
    return measured.rows.num_rows >= LEAST_ROWS and not measured.rows.has_constant_target


def _read_columns(rows: Rows, law: Judged | None = None) -> list[int]:
    """Columns that a smooth function reads: all, or those of the law and the most relevant others."""
    if len(rows.columns) <= MOST_COLUMNS:
        return list(range(len(rows.columns)))
    scores = relevance(rows)
    scores[list(() if law is None else law.expression.columns)] = np.inf
    return most_relevant(scores, MOST_COLUMNS)


def _log_likelihood(read: Floats, measured: Measured, sizes: Floats) -> float | None:
    """Log likelihood of a smooth function of some columns whose noise has these sizes, up to a factor."""
    rows = measured.rows
    columns, (target, log_deviation) = _standard_columns(read), _standard(rows.target)
    variances = np.square(sizes / np.sqrt(np.mean(np.square(sizes / sizes.max()))) / sizes.max())
    try:
        likelihood = max(
            log_likelihood(columns, target, learn(columns, target, start, variances=variances), variances, PRIOR_WIDTH)
            for start in _starts(len(columns))
        )
    except np.linalg.LinAlgError:
        return None
    # Lengths, noise share and variance were learned from the rows: each costs half the log of their number.
    learned = 0.5 * (len(columns) + 2) * math.log(rows.num_rows)
    total = likelihood - learned - rows.num_rows * log_deviation
    return total if math.isfinite(total) else None


def _starts(num_columns: int) -> tuple[Settings, ...]:
    """Where learning starts: a function that bends once, and one that bends often and looks like noise from there."""
    usual = Settings.first(num_columns)
    return usual, Settings(SHORT * usual.lengths, usual.nugget)


def _standard(target: Floats) -> tuple[Floats, float]:
    """The target with mean 0 and deviation 1, and the log of its deviation."""
    exponent = squaring_exponent(target)
    scaled, deviation = standardised(divided(target, exponent))
    return scaled, math.log(float(deviation)) + exponent * math.log(2.0)


def _standard_columns(columns: Floats) -> Floats:
    scaled = np.array([divided(column, squaring_exponent(column)) for column in columns])
    return standardised(scaled)[0]
