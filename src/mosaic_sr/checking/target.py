"""What the rows can show of the target: its kind, its noise, rows that stand out, and columns that explain nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.checking.columns import ColumnFacts
from mosaic_sr.checking.finding import Finding, Importance, listed, verb
from mosaic_sr.relevance import looks_noisy, most_relevant, relevance
from mosaic_sr.smooth import SmoothFit, fit_smooth, learn, standardised
from mosaic_sr.table import Rows, spread_over_target
from mosaic_sr.table.kinds_of_target import COUNTS, notes_on_target
from mosaic_sr.table.resolution import Rounding
from mosaic_sr.verdict import percent

Floats = NDArray[np.float64]

# As many as the search screens columns on.
ROWS_TO_SCREEN = 1000
# A smooth function is laid through at most so many rows and columns, which takes a tenth of a second.
BLOCK, MOST_COLUMNS, LEAST_ROWS = 200, 6, 12
# Rows that are looked at for outliers: ten blocks.
MOST_LOOKED_AT = 2000
# A row stands out that is this many medians, 6 standard deviations of Gaussian noise, and this share of the target's
# spread from what its neighbours suggest: where there is no noise a smooth function is off by less.
FAR, FAR_OF_SPREAD = 9.0, 0.25
# Where more rows stand out the function is rough, and the rows are not wrong.
MOST_OUTLIERS = 0.1
SHOWN_ROWS = 5
# An outlier hides others, which are found once it is gone.
MOST_PASSES = 4
# Numbers that span more are looked at as logarithms, too.
DECADE = 10.0
# A column below this says nothing that chance would not; measured on columns of random numbers beside a law.
LEAST_RELEVANCE = 0.02
# Columns that a smooth function explains less of than this are not enough for a law.
LEAST_EXPLAINED = 0.1
# Smaller deviations from a smooth function are those of its own arithmetic.
LEAST_NOISE = 1e-6
# A measured target hardly repeats itself: with fewer than one value in three rows it was rounded.
LEAST_VALUES = 3
# Rounding above this share of the target's spread is as large as usual noise.
COARSE = 0.01
MORE_DIGITS = "give more digits if you have them"


@dataclass(frozen=True)
class Dependence:
    """How the target depends on the columns.

    scores: relevance of each column, 0 to 1.  unexplained: deviation of a row from what a smooth function of the others
    predicts, over the deviation of the target; None where there is no such function.
    """

    scores: Floats
    is_noisy: bool
    unexplained: float | None


def find_dependence(rows: Rows) -> Dependence:
    """Relevance and noise; rows without gaps whose columns and target vary."""
    some = spread_over_target(rows, ROWS_TO_SCREEN)
    scores = relevance(some)
    chosen = most_relevant(scores, MOST_COLUMNS)
    narrow = replace(some, columns=np.ascontiguousarray(some.columns[chosen]))
    smooth = _smooth(spread_over_target(narrow, BLOCK))
    unexplained = None if smooth is None else 1.4826 * float(np.median(np.abs(smooth.residuals)))
    return Dependence(scores, looks_noisy(narrow), unexplained)


def _smooth(rows: Rows) -> SmoothFit | None:
    """A smooth function of the columns, its residuals in deviations of the target; None where there is none."""
    if rows.num_rows < LEAST_ROWS or rows.has_constant_target:
        return None
    columns, target = standardised(rows.columns)[0], standardised(rows.target)[0]
    if not (np.all(np.isfinite(columns)) and np.all(np.isfinite(target))):
        return None
    try:
        return fit_smooth(columns, target, learn(columns, target))
    except np.linalg.LinAlgError:
        return None


def _distances(rows: Rows) -> Floats:
    """How far each row that stands out is from what a smooth function predicts, in medians; 0 for others: (rows,)."""
    smooth = _smooth(rows)
    if smooth is None:
        return np.zeros(rows.num_rows)
    distances = np.abs(smooth.residuals / smooth.deviations)
    usual = float(np.median(distances))
    is_far = (distances > FAR * usual) & (np.abs(smooth.residuals) > FAR_OF_SPREAD)
    return np.where(is_far, distances / usual if usual > 0.0 else np.inf, 0.0)


def _far_rows(rows: Rows, chosen: Sequence[int], places: NDArray[np.intp]) -> list[tuple[float, int]]:
    """Distance, with a minus, and place of each row that stands out among those at some places."""
    found: list[tuple[float, int]] = []
    for _ in range(MOST_PASSES):
        some = rows.take(places)
        some = replace(some, columns=np.ascontiguousarray(some.columns[chosen]))
        distances = _distances(some)
        if distances.any():
            # Beside a pole rows differ from their neighbours as they are, but not as logarithms.
            distances = np.minimum(distances, _distances(_compressed(some)))
        if not distances.any():
            break
        # An outlier also pulls the function away from its neighbours: only the farthest are sure.
        is_sure = distances >= 0.5 * distances.max()
        found += [(-float(distances[own]), int(places[own])) for own in np.flatnonzero(is_sure)]
        places = places[~is_sure]
    return found


def _compressed(rows: Rows) -> Rows:
    """The rows with numbers that span decades as logarithms, or nearly so where they have both signs."""
    return Rows(np.array([_log_if_wide(column) for column in rows.columns]), _log_if_wide(rows.target), rows.weights)


def _log_if_wide(values: Floats) -> Floats:
    sizes = np.abs(values)
    usual, largest, least = float(np.median(sizes)), float(sizes.max()), float(sizes.min())
    if (values.min() > 0.0 or values.max() < 0.0) and largest > DECADE * least:
        return np.asarray(np.log(sizes))
    return np.asarray(np.arcsinh(values / usual)) if usual > 0.0 and largest > DECADE * usual else values


def check_target(facts: ColumnFacts, target: Floats, has_sigma: bool) -> Iterator[Finding]:
    """Findings on the target alone; target: (rows,) without gaps."""
    if len(target) and np.all(target == target[0]):
        text = f"the target {facts.name!r} is {target[0]:g} in every row: there is no law to find"
        yield Finding(Importance.PROBLEM, "target", text, "choose another target", (facts.name,))
        return
    notes = notes_on_target(target, has_sigma)
    for note in notes:
        importance = Importance.WARNING if note == COUNTS else Importance.NOTE
        yield Finding(importance, "target", note, columns=(facts.name,))
    known, spread = facts.resolution, float(np.std(target))
    if known is not None and known.rounding in (Rounding.DECIMALS, Rounding.SIGNIFICANT):
        step = float(np.median(known.quantum(target)))
        if step > COARSE * spread:
            text = (
                f"the target is rounded to {facts.precision}, {percent(step / spread)} of its standard deviation: "
                "rounding alone acts like noise"
            )
            yield Finding(Importance.WARNING, "precision", text, MORE_DIGITS, (facts.name,))
            return
    if not notes and LEAST_VALUES * facts.num_distinct <= len(target) and len(target) >= LEAST_ROWS:
        text = (
            f"the target has only {facts.num_distinct:,} different values in {len(target):,} rows: rounded, or classes"
        )
        yield Finding(Importance.WARNING, "precision", text, MORE_DIGITS, (facts.name,))


def check_dependence(dependence: Dependence, names: Sequence[str]) -> Iterator[Finding]:
    """What the columns explain."""
    left = dependence.unexplained
    if left is not None and left > 1.0 - LEAST_EXPLAINED:
        text = "no smooth function of the columns explains the target"
        remedy = (
            "check that the right columns are there and that rows were not mixed up, unless the law oscillates fast"
        )
        yield Finding(Importance.WARNING, "dependence", text, remedy)
        return
    if left is not None:
        yield Finding(Importance.NOTE, "noise", _noise_words(left, dependence.is_noisy))
    weak = [name for name, score in zip(names, dependence.scores.tolist(), strict=True) if score < LEAST_RELEVANCE]
    if weak and len(weak) < len(names):
        text = (
            f"{verb(weak, 'column', 'columns')} {listed(weak)} {verb(weak, 'explains', 'explain')} nothing of the "
            "target on these rows"
        )
        remedy = "the search leaves out what does not matter"
        yield Finding(Importance.NOTE, "dependence", text, remedy, tuple(weak))


def _noise_words(left: float, is_noisy: bool) -> str:
    if not is_noisy or left < LEAST_NOISE:
        return "the target looks smooth: no noise beyond what rounding leaves"
    return (
        f"a smooth function of the columns predicts the target up to about {percent(left)} of its standard deviation: "
        "noise, or columns that are missing"
    )


def check_outliers(
    rows: Rows, scores: Floats, numbers: NDArray[np.intp], place: Callable[[int], str]
) -> Iterator[Finding]:
    """Rows whose target is far from what their neighbours suggest.

    numbers: of the rows in the table, (rows,).  place: says where such a row is.
    """
    chosen = most_relevant(scores, MOST_COLUMNS)
    looked_at = min(rows.num_rows, MOST_LOOKED_AT)
    shuffled = np.random.default_rng(0).permutation(rows.num_rows)[:looked_at]
    found: list[tuple[float, int]] = []
    for block in np.array_split(shuffled, math.ceil(looked_at / BLOCK)):
        found += _far_rows(rows, chosen, np.sort(block))
    if not 0 < len(found) <= MOST_OUTLIERS * looked_at:
        return
    rows_found = [int(numbers[row]) for _, row in sorted(found)]
    shown = ", ".join(map(place, rows_found[:SHOWN_ROWS]))
    more = f" and {len(rows_found) - SHOWN_ROWS:,} more" if len(rows_found) > SHOWN_ROWS else ""
    among = f" (of {looked_at:,} rows looked at)" if looked_at < rows.num_rows else ""
    text = f"the target is far from what similar rows suggest in {shown}{more}{among}"
    remedy = "check these rows, unless the law may have a pole or a jump there; the search copes with a few outliers"
    yield Finding(Importance.WARNING, "outliers", text, remedy, rows=tuple(rows_found[:100]))
