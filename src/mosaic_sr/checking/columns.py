"""What single columns can show: their precision and range, and columns that hardly vary or only count the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.checking.finding import Finding, Importance, listed, verb
from mosaic_sr.table.resolution import Resolution, Rounding, find_resolution

Floats = NDArray[np.float64]

# Digits of some hundred numbers settle a column; where there are hundreds of columns fewer have to do.
ROWS_FOR_DIGITS, ROWS_OF_MANY, MANY_COLUMNS = 500, 25, 200
# A column that moves by less than this share of its size shows nothing of how the target depends on it.
LEAST_MOVE = 1e-3
# A value that nearly all rows share: the law is seen in the few others only.
MOST_SHARED = 0.95
LEAST_ROWS = 10
# Within a factor of two a power law, an exponential and a straight line differ by a few percent.
NARROW = 2.0
# From this factor on a column or target spans orders of magnitude.
WIDE = 1e3
# Rounding coarser than this share of a column's spread acts like noise in the column.
COARSE = 0.1


@dataclass(frozen=True)
class ColumnFacts:
    """What is known of one column; low and high are NaN where it holds no number."""

    name: str
    is_target: bool
    num_missing: int
    num_distinct: int
    low: float
    high: float
    precision: str
    resolution: Resolution | None = None


def column_facts(name: str, values: Floats, is_target: bool, is_one_of_many: bool) -> ColumnFacts:
    """Range and precision of a column; values: (rows,), NaN where a cell holds no number."""
    finite = values[np.isfinite(values)]
    missing = len(values) - len(finite)
    if len(finite) == 0:
        return ColumnFacts(name, is_target, missing, 0, np.nan, np.nan, "no numbers")
    distinct = len(np.unique(finite))
    resolution = find_resolution(finite[:ROWS_OF_MANY] if is_one_of_many else finite)
    words = precision_words(resolution, finite)
    return ColumnFacts(
        name, is_target, missing, distinct, float(finite.min()), float(finite.max()), words, resolution
    )  # fmt: skip


def precision_words(resolution: Resolution, values: Floats) -> str:
    """How finely a column was written."""
    if resolution.rounding is Rounding.DECIMALS:
        return f"steps of {10.0**-resolution.digits:g}"
    if resolution.rounding is Rounding.SIGNIFICANT:
        return f"{resolution.digits} digits"
    if resolution.rounding is Rounding.FLOAT32:
        return "float32"
    if np.all(values == np.rint(values)):
        return "whole numbers"
    distinct = np.unique(values[:ROWS_FOR_DIGITS])
    return "few values" if len(distinct) < 3 else "all digits"


def check_columns(facts: Mapping[str, ColumnFacts], columns: Mapping[str, Floats], is_noisy: bool) -> Iterator[Finding]:
    """Findings on columns other than the target; columns: of rows without gaps, (rows,) each.

    is_noisy: whether the target looks noisy, so that a narrow range matters.
    """
    still = list(_hardly_vary(columns))
    yield from still
    yield from _coarse(facts, columns)
    if is_noisy:
        known = {name for finding in still for name in finding.columns}
        yield from _narrow({name: own for name, own in columns.items() if name not in known})
    yield from _wide(columns)


def _hardly_vary(columns: Mapping[str, Floats]) -> Iterator[Finding]:
    for name, values in columns.items():
        low, high = float(values.min()), float(values.max())
        if low == high or len(values) < LEAST_ROWS:
            continue
        size = max(abs(low), abs(high))
        if (high - low) < LEAST_MOVE * size and not np.all(np.diff(values) == np.diff(values)[0]):
            share = f"{100.0 * (high - low) / size:.2g} %"
            text = (
                f"column {name!r} moves by only {share} of its size: the rows hardly show how the target depends on it"
            )
            remedy = "measure over a wider range, or subtract an offset if the column is a small change"
            yield Finding(Importance.WARNING, "almost-constant", text, remedy, (name,))
            continue
        common, count = _most_common(values)
        if count > MOST_SHARED * len(values):
            text = f"column {name!r} is {common:g} in {count:,} of {len(values):,} rows"
            remedy = "only the other rows show its effect; add rows in which it varies, or leave it out"
            yield Finding(Importance.WARNING, "almost-constant", text, remedy, (name,))


def _most_common(values: Floats) -> tuple[float, int]:
    middle = float(np.median(values))
    return middle, int(np.count_nonzero(values == middle))


def check_index(columns: Mapping[str, Floats]) -> Iterator[Finding]:
    """Columns that rise by one from row to row, beside others; columns: of all rows, (rows,) each."""
    counting = [
        name
        for name, values in columns.items()
        if len(columns) > 1 and len(values) >= LEAST_ROWS and np.all(np.diff(values) == 1.0)
    ]
    if counting:
        text = f"{verb(counting, 'column', 'columns')} {listed(counting)} {verb(counting, 'counts', 'count')} the rows"
        remedy = "leave it out unless the order of the rows is a quantity, such as time"
        yield Finding(Importance.WARNING, "index", text, remedy, tuple(counting))


def _coarse(facts: Mapping[str, ColumnFacts], columns: Mapping[str, Floats]) -> Iterator[Finding]:
    """Columns that were rounded so coarsely that the rounding is part of the noise."""
    for name, values in columns.items():
        known = facts[name].resolution
        if known is None or known.rounding not in (Rounding.DECIMALS, Rounding.SIGNIFICANT):
            continue
        spread = float(np.std(values))
        step = float(np.median(known.quantum(values)))
        if spread > 0.0 and step > COARSE * spread:
            share = f"{100.0 * step / spread:.0f} %"
            text = f"column {name!r} is rounded to {facts[name].precision}, {share} of its standard deviation"
            yield Finding(Importance.WARNING, "precision", text, "give more digits if you have them", (name,))


def check_singles(facts: Mapping[str, ColumnFacts]) -> Iterator[Finding]:
    """Columns, and the target, that were stored with half the digits."""
    singles = [name for name, known in facts.items() if known.precision == "float32"]
    if singles:
        text = f"{listed(singles)} {verb(singles, 'was', 'were')} stored as float32, with about 7 digits"
        yield Finding(Importance.NOTE, "precision", text, "give float64 numbers if you have them", tuple(singles))


def _narrow(columns: Mapping[str, Floats]) -> Iterator[Finding]:
    narrow = {}
    for name, values in columns.items():
        low, high = sorted((abs(float(values.min())), abs(float(values.max()))))
        has_one_sign = float(values.min()) > 0.0 or float(values.max()) < 0.0
        if has_one_sign and 1.0 < high / low < NARROW and len(values) >= LEAST_ROWS:
            narrow[name] = high / low
    if narrow:
        shown = [f"{name!r} (factor {ratio:.3g})" for name, ratio in list(narrow.items())[:4]]
        more = f" and {len(narrow) - 4:,} more" if len(narrow) > 4 else ""
        text = (
            f"{verb(list(narrow), 'column', 'columns')} {', '.join(shown)}{more} {verb(list(narrow), 'spans', 'span')} "
            "less than a factor of two: power law, exponential and straight line differ little there"
        )
        yield Finding(Importance.WARNING, "narrow", text, "measure over a wider range", tuple(narrow))


def _wide(columns: Mapping[str, Floats]) -> Iterator[Finding]:
    wide = {
        name: float(values.max() / values.min())
        for name, values in columns.items()
        if values.min() > 0.0 and values.max() > WIDE * values.min()
    }
    if wide:
        shown = ", ".join(f"{name!r} ({np.log10(ratio):.1f})" for name, ratio in list(wide.items())[:6])
        text = f"orders of magnitude that columns span: {shown}"
        yield Finding(Importance.NOTE, "range", text, "", tuple(wide))
