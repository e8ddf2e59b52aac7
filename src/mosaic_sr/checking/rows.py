"""What the rows are: enough, repeated, measured twice at the same place, or one path through the columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.checking.finding import Finding, Importance, listed
from mosaic_sr.table.door import LEAST_ROWS, LEAST_ROWS_PER_CONSTANT
from mosaic_sr.table.rows import lexicographic_order
from mosaic_sr.table.table import size_notes
from mosaic_sr.verdict import percent

Floats = NDArray[np.float64]

# Ten rows for each constant are the usual rule of regression.
ROWS_PER_CONSTANT = 10
# Below this many rows a third constant is a matter of luck.
FEW_ROWS = 20
# Mean square of the steps from row to row over twice the variance: 1 for rows in random order, near 0 for a path.
PATH = 0.1


def check_rows(columns: Sequence[Floats], names: Sequence[str], target: Floats | None) -> Iterator[Finding]:
    """Findings on the rows without gaps; columns: (rows,) each, target: (rows,)."""
    others = [] if target is None else [target]
    # Rows that agree in all columns stand together in this order, and so do those that also agree in the target.
    order = lexicographic_order([*columns, *others])
    is_first_of_place = _is_first(columns, order)
    distinct = int(np.count_nonzero(is_first_of_place | _is_first(others, order)))
    yield from _duplicates(len(order), distinct)
    if distinct == 1 < len(order):
        return
    if target is not None:
        yield from _replicates(np.cumsum(is_first_of_place) - 1, target[order])
    yield from _size(distinct, len(columns))
    yield from _path(columns, names)


def _is_first(keys: Sequence[Floats], order: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which rows, in this order, differ from the one before in a key: (rows,)."""
    is_first = np.zeros(len(order), dtype=np.bool_)
    is_first[0] = True
    for key in keys:
        is_first[1:] |= key[order[1:]] != key[order[:-1]]
    return is_first


def _duplicates(num_rows: int, distinct: int) -> Iterator[Finding]:
    if distinct == 1 and num_rows > 1:
        yield Finding(Importance.PROBLEM, "duplicates", "all rows are the same", "give rows that differ")
    elif distinct < num_rows:
        count = num_rows - distinct
        text = f"{count:,} of {num_rows:,} rows {'repeats an earlier row' if count == 1 else 'repeat earlier rows'}"
        remedy = "a repeated row counts twice; remove it if it was copied, keep it if it was measured again"
        yield Finding(Importance.WARNING, "duplicates", text, remedy)


def _replicates(groups: NDArray[np.intp], target: Floats) -> Iterator[Finding]:
    """The noise from rows that agree in all columns and differ in the target.

    groups: (rows,), the same number for rows that agree in all columns.
    """
    counts = np.bincount(groups)
    means = np.bincount(groups, weights=target) / counts
    squares = np.bincount(groups, weights=np.square(target - means[groups]))
    is_replicated = (counts > 1) & (squares > 0.0)
    if not is_replicated.any():
        return
    to_spare = float(np.sum(counts[counts > 1] - 1))
    deviation = math.sqrt(float(squares.sum()) / to_spare)
    extent = float(np.ptp(target)) or 1.0
    num_rows, num_groups = int(counts[counts > 1].sum()), int(np.count_nonzero(counts > 1))
    text = (
        f"{num_rows:,} rows share their columns with others but not the target, in {num_groups:,} groups: noise of "
        f"standard deviation {deviation:.3g} ({percent(deviation / extent)} of the target's range)"
    )
    variance = float(np.var(target))
    most = max(0.0, 1.0 - deviation**2 / variance) if variance > 0.0 else 0.0
    remedy = f"no law of these columns can reach an R² above about {most:.4f}"
    yield Finding(Importance.WARNING, "replicates", text, remedy)


def _size(distinct: int, num_columns: int) -> Iterator[Finding]:
    if distinct < LEAST_ROWS:
        text = f"there {'is 1 row' if distinct == 1 else f'are {distinct} distinct rows'} without gaps"
        yield Finding(Importance.PROBLEM, "rows", text, f"at least {LEAST_ROWS} are needed, better {FEW_ROWS} or more")
        return
    for note in size_notes(distinct, num_columns):
        yield Finding(Importance.WARNING, "rows", note, "leave out columns that cannot matter")
    sure, most = distinct // ROWS_PER_CONSTANT, distinct // LEAST_ROWS_PER_CONSTANT
    text = f"{distinct:,} distinct rows: enough for laws of up to {max(sure, 1):,} constants, at most {max(most, 1):,}"
    if distinct < FEW_ROWS:
        yield Finding(Importance.WARNING, "rows", text, "more rows make the law more certain")
    elif distinct < 10 * FEW_ROWS:
        yield Finding(Importance.NOTE, "rows", text)


def _path(columns: Sequence[Floats], names: Sequence[str]) -> Iterator[Finding]:
    """Whether each row is near the one before in all of several columns."""
    varying = [(name, own) for name, own in zip(names, columns, strict=True) if np.ptp(own) > 0.0]
    if len(varying) < 2 or len(varying[0][1]) < FEW_ROWS:
        return
    with np.errstate(all="ignore"):
        ratios = [float(np.mean(np.square(np.diff(own))) / (2.0 * np.var(own))) for _, own in varying]
    if max(ratios) < PATH:
        shown = listed([name for name, _ in varying])
        text = f"the rows follow one path: {shown} change little from row to row, and together"
        remedy = (
            "rows of a path depend on each other, so that stated probabilities are too high, and columns that move "
            "together can replace each other in a law; add rows of other paths"
        )
        yield Finding(Importance.WARNING, "path", text, remedy)
