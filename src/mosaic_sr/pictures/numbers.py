"""The numbers behind the pictures of one equation: predictions, residuals and one-variable curves."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.bands import interval_factor
from mosaic_sr.pictures.examined import Examined, spans_decades
from mosaic_sr.pictures.observed import thinned
from mosaic_sr.pictures.picture import Curve, Picture, Points

Floats = NDArray[np.float64]

# Points of a picture: more would hide each other.
MOST_POINTS = 2000
# Places of a curve: a bend every hundredth of the width can be seen.
NUM_PLACES = 161
# New rows lie inside a band so often.
BAND_LEVEL = 0.9
# Bands that are narrower than this share of the picture cannot be seen.
LEAST_WIDTH = 0.002
# Residuals this many times as far off as all ordinary ones are drawn at the edge: they would flatten the others.
FAR_OFF, MARGIN = 2.0, 1.25
# More error bars would hide each other.
MOST_BARRED = 300
# What the picture over the rows is called.
IN_ORDER = "in order"
# Columns that an equation and its residuals are drawn over: of more nobody looks at each.
MOST_COLUMNS = 8


def fit_picture(seen: Examined, most_points: int = MOST_POINTS) -> Picture:
    """Predicted against measured values."""
    points, outliers, words = _split(seen, seen.rows.target, seen.values, most_points)
    target = seen.outcome.target
    values = np.concatenate([seen.rows.target[seen.is_known], seen.values[seen.is_known]])
    is_log = spans_decades(values)
    caption = _sentences("On the line, prediction and measurement are equal.", words)
    return Picture(
        "fit", "Prediction against measurement", f"measured {target}", f"predicted {target}", caption,
        points, outliers, has_diagonal=True, is_log_x=is_log, is_log_y=is_log,
    )  # fmt: skip


def response_pictures(seen: Examined, most_points: int = MOST_POINTS) -> list[Picture]:
    """For each column of the equation the curve over it, the other columns at their medians, with rows and band.

    Of an equation of very many columns those over which it changes most.
    """
    known = [one for one in seen.equation.expression.columns if np.isfinite(seen.rows.columns[one]).any()]
    if len(known) > MOST_COLUMNS:
        known = sorted(sorted(known, key=lambda column: -_span(_at_medians(seen, column)))[:MOST_COLUMNS])
    return [_response(seen, column, most_points) for column in known]


def _span(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.max() - known.min()) if len(known) else 0.0


def residual_pictures(seen: Examined, most_points: int = MOST_POINTS) -> Iterator[Picture]:
    """Residuals in the order of the rows, then against columns: those that the equation reads and others."""
    if not np.nan_to_num(seen.residuals).any():
        return
    word = seen.rows.place_word
    yield _residuals(seen, IN_ORDER, word, seen.rows.places.astype(np.float64), most_points)
    for column in columns_to_compare(seen):
        name, values = seen.rows.names[column], seen.rows.columns[column]
        note = "" if column in seen.equation.expression.columns else f"The equation does not read {name}."
        yield _residuals(seen, f"against {name}", name, values, most_points, note)


def columns_to_compare(seen: Examined) -> list[int]:
    """Columns against which residuals are drawn: those read, then others that follow the residuals most."""
    read = list(seen.equation.expression.columns)
    varying = [column for column, fact in enumerate(seen.rows.facts[:-1]) if fact.num_distinct > 1]
    others = [column for column in varying if column not in read]
    by_size = sorted(others, key=lambda column: -_follows(seen.rows.columns[column], seen.seen_residuals))
    return [*[column for column in read if column in varying], *by_size][:MOST_COLUMNS]


def _response(seen: Examined, column: int, most_points: int) -> Picture:
    rows, name = seen.rows, seen.rows.names[column]
    own, is_log_x = rows.columns[column], spans_decades(rows.columns[column])
    places = _places(own, is_log_x)
    columns = np.tile(rows.medians[:, None], len(places))
    columns[column] = places
    curve = _curve(seen, places, columns)
    is_alone = len(seen.equation.expression.columns) == 1
    heights, bars = (rows.target, rows.sigma) if is_alone else _moved(seen, column)
    points, outliers, words = _split(seen, own, heights, most_points, bars)
    held = "" if is_alone else f"Other columns are at their medians: a point is the curve {_way(seen)} of its row."
    band = f"Of new rows, {BAND_LEVEL:.0%} lie in the band." if len(curve.low) else ""
    is_log_y = spans_decades(np.concatenate([curve.y, heights]))
    return Picture(
        "response", f"{seen.outcome.target} over {name}", name, seen.outcome.target,
        _sentences(held, band, words), points, outliers, (curve,), is_log_x=is_log_x, is_log_y=is_log_y,
    )  # fmt: skip


@np.errstate(all="ignore")
def _moved(seen: Examined, column: int) -> tuple[Floats, Floats | None]:
    """The targets, and their standard errors, as they would be with all columns but one at their medians: (rows,)."""
    values, sigma = _at_medians(seen, column), seen.rows.sigma
    if not seen.is_relative:
        return values + seen.residuals, sigma
    factors = values / seen.values
    return factors * seen.rows.target, None if sigma is None else factors * sigma


def _way(seen: Examined) -> str:
    return "times target over prediction" if seen.is_relative else "plus the residual"


def residual_label(seen: Examined) -> str:
    """What pictures call the residuals that they show."""
    return "residual / prediction" if seen.is_relative else "residual"


def _places(values: Floats, is_log: bool) -> Floats:
    """Values of a column from the smallest to the largest, at which a curve is drawn."""
    known = values[np.isfinite(values)]
    low, high = float(known.min()), float(known.max())
    return np.geomspace(low, high, NUM_PLACES) if is_log else _between(low, high)


def _between(low: float, high: float) -> Floats:
    """Numbers from low to high, also where their difference is not finite."""
    shares = np.linspace(0.0, 1.0, NUM_PLACES)
    return low * (1.0 - shares) + high * shares


def _curve(seen: Examined, places: Floats, columns: Floats) -> Curve:
    with np.errstate(all="ignore"):
        values = seen.equation.predict(columns)
        half = interval_factor(BAND_LEVEL) * seen.deviations(columns)
    values = np.where(np.isfinite(values), values, np.nan)
    known = values[np.isfinite(values)]
    if not len(known) or not np.nanmax(half, initial=0.0) > LEAST_WIDTH * (known.max() - known.min()):
        return Curve(places, values)
    return Curve(places, values, values - half, values + half)


def _at_medians(seen: Examined, column: int) -> Floats:
    """Values of the equation in the rows with all columns but one at their medians: (rows,)."""
    columns = np.tile(seen.rows.medians[:, None], seen.rows.columns.shape[1])
    columns[column] = seen.rows.columns[column]
    with np.errstate(all="ignore"):
        values = seen.equation.predict(columns)
    return np.where(np.isfinite(values), values, np.nan)


def _residuals(seen: Examined, way: str, label: str, x: Floats, most_points: int, note: str = "") -> Picture:
    limit = _ordinary_limit(seen)
    heights = seen.seen_residuals if limit is None else np.clip(seen.seen_residuals, -limit, limit)
    sigma = seen.rows.sigma
    with np.errstate(all="ignore"):
        bars = sigma / seen.values if sigma is not None and seen.is_relative else sigma
    points, outliers, words = _split(seen, x, heights, most_points, bars)
    edge = "" if limit is None else "Outliers far off are drawn at the edge."
    return Picture(
        "residuals", f"Residuals {way}", label, residual_label(seen), _sentences(note, words, edge), points, outliers,
        level=0.0, is_log_x=way != IN_ORDER and spans_decades(x), y_range=None if limit is None else (-limit, limit),
    )  # fmt: skip


def _ordinary_limit(seen: Examined) -> float | None:
    """How far a picture of residuals reaches where outliers are so far off that they would flatten all others."""
    sizes = np.abs(seen.seen_residuals)
    ordinary = float(np.max(sizes[seen.is_known & ~seen.is_outlier], initial=0.0))
    far = float(np.max(sizes[seen.is_known & seen.is_outlier], initial=0.0))
    return MARGIN * ordinary if ordinary > 0.0 and far > FAR_OFF * ordinary else None


def _split(
    seen: Examined, x: Floats, y: Floats, most_points: int, bars: Floats | None = None
) -> tuple[Points, Points | None, str]:
    """Ordinary rows, thinned, and outliers as points, and what was left out in words; bars: (rows,), error bars."""
    is_drawn = np.isfinite(x) & np.isfinite(y)
    ordinary = np.flatnonzero(is_drawn & ~seen.is_outlier)
    marked = np.flatnonzero(is_drawn & seen.is_outlier)
    chosen = ordinary[thinned(len(ordinary), most_points)]
    words = []
    if (shown := len(chosen) + len(marked)) < seen.rows.num_rows - (lost := _num_unknown(seen)):
        words.append(f"{shown:,} of {seen.rows.num_rows:,} rows are drawn.")
    if lost:
        words.append(f"In {lost:,} row{'s' if lost > 1 else ''} the equation has no value.")
    outliers = _points(seen, x, y, marked, bars) if len(marked) else None
    return _points(seen, x, y, chosen, bars), outliers, " ".join(words)


def _num_unknown(seen: Examined) -> int:
    return int(np.count_nonzero(~seen.is_known))


def _points(seen: Examined, x: Floats, y: Floats, chosen: NDArray[np.intp], bars: Floats | None) -> Points:
    own = np.empty(0) if bars is None or len(chosen) > MOST_BARRED else bars[chosen]
    return Points(x[chosen], y[chosen], own, seen.rows.places[chosen])


@np.errstate(all="ignore")
def _follows(column: Floats, residuals: Floats) -> float:
    """How closely residuals follow a column: the size of their correlation, 0 where there is none."""
    is_known = np.isfinite(column) & np.isfinite(residuals)
    if np.count_nonzero(is_known) < 3:
        return 0.0
    own, left = column[is_known], residuals[is_known]
    own, left = own - own.mean(), left - left.mean()
    share = float(np.abs(own @ left) / (np.linalg.norm(own) * np.linalg.norm(left)))
    return share if math.isfinite(share) else 0.0


def _sentences(*parts: str) -> str:
    return " ".join(filter(None, parts))
