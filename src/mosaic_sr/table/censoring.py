"""Censored targets: rows of which only a limit is known, as `<0.05` below what an instrument can see."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidTable
from mosaic_sr.table.checks import Frame, Series, check_lengths, count_rows
from mosaic_sr.table.limit_cells import ABOVE, BELOW, limit_in
from mosaic_sr.table.rows import Rows

Floats = NDArray[np.float64]

WORDS = {"left": BELOW, "right": ABOVE, "": 0.0, "none": 0.0, "no": 0.0, "-1": BELOW, "1": ABOVE, "0": 0.0, "-0": 0.0}
EXPECTED = "'left' or -1 (the true value is below y), 'right' or 1 (above), 0 where y is the value"


@dataclass(frozen=True, eq=False)
class CensoredRows:
    """Rows whose target is a limit.  sides: (rows,) -1 where the true target is below it, 1 where above."""

    rows: Rows
    sides: Floats

    def with_rows(self, rows: Rows) -> CensoredRows:
        """The same limits with other numbers."""
        return replace(self, rows=rows)

    def some(self, share: float) -> CensoredRows:
        """About this share of the rows, evenly spread over the limits."""
        count = max(1, round(share * self.rows.num_rows))
        places = np.linspace(0, self.rows.num_rows - 1, count).round().astype(np.intp)
        places = np.argsort(self.rows.target, kind="stable")[places]
        return CensoredRows(self.rows.take(places), self.sides[places])


def without_bounds(y: Any, censoring: object) -> tuple[Any, Floats | None]:
    """The target with limits as numbers, and the side of each row, 0 where the target is a value: (rows,) or None.

    y: texts such as "<0.05" among its numbers are limits.  censoring: one word or number per row, or None.
    """
    if isinstance(y, Frame):
        return (y, None) if censoring is None else (y, _checked_sides(censoring))
    cells = _texts(y)
    found = {} if cells is None else {row: bound for row, cell in enumerate(cells) if (bound := _bound(cell))}
    if not found:
        return y, None if censoring is None else _checked_sides(censoring)
    if censoring is not None:
        raise InvalidTable("y has limits such as '<0.05' and censoring is given too; give one of the two")
    assert cells is not None
    numbers = [found[row][0] if row in found else _number(cell) for row, cell in enumerate(cells)]
    sides = np.array([found[row][1] if row in found else 0.0 for row in range(len(cells))])
    return _like(y, numbers), sides


def _texts(y: Any) -> list[Any] | None:
    """The cells of a target, where there may be texts among them."""
    if isinstance(y, list | tuple):
        return list(y) if any(isinstance(cell, str) for cell in y) else None
    array = np.asarray(y) if isinstance(y, Series | np.ndarray) else np.empty(0)
    return array.tolist() if array.ndim == 1 and array.dtype.kind in "OUST" else None


def _bound(cell: object) -> tuple[float, float] | None:
    return limit_in(cell) if isinstance(cell, str) else None


def _number(cell: Any) -> Any:
    """The number in a cell beside limits, which have turned a column of numbers into texts."""
    try:
        return float(cell) if isinstance(cell, str) else cell
    except ValueError:
        return cell  # refused by name, with all other texts


def _like(y: Any, numbers: list[Any]) -> Any:
    """The numbers as a series of the same name, or as a list."""
    if not isinstance(y, Series):
        return numbers
    from pandas import Series as PandasSeries  # slow to import

    return PandasSeries(numbers, name=y.name)


def _checked_sides(censoring: object) -> Floats | None:
    cells = list(np.asarray(censoring).ravel().tolist()) if not isinstance(censoring, str) else [censoring]
    words = ["0" if cell is None or cell is False else str(cell).strip().lower() for cell in cells]
    sides = [WORDS.get(word.removesuffix(".0")) for word in words]
    if None in sides:
        row = sides.index(None)
        raise InvalidTable(f"censoring has {cells[row]!r:.40} in row {row}; expected {EXPECTED}")
    return np.array(sides, dtype=np.float64)


def checked_sides(sides: Floats | None, num_rows: int, weights: Floats | None, label: str) -> Floats | None:
    """The sides of the rows; None where no row is censored; refused where all are."""
    if sides is None:
        return None
    check_lengths(num_rows, {label: len(sides)}, "X")
    is_value = (sides == 0.0) & (True if weights is None else weights > 0.0)
    if not np.any(sides):
        return None
    if np.count_nonzero(is_value) < LEAST_VALUES:
        raise InvalidTable(
            f"{count_rows(int(np.count_nonzero(sides)))} of {num_rows} have only a limit of the target; at least "
            f"{LEAST_VALUES} rows with a value are needed"
        )
    return sides


# A law needs three rows with values, as every table does.
LEAST_VALUES = 3


def notes_on_censoring(sides: Floats) -> list[str]:
    """What is done about censored rows."""
    below, above = int(np.count_nonzero(sides < 0.0)), int(np.count_nonzero(sides > 0.0))
    parts = [f"{count_rows(count)} {word} their limit" for count, word in ((below, "below"), (above, "above")) if count]
    return [
        f"of {' and '.join(parts)} only the limit of the target is known: the search leaves them out, and the choice "
        "of the law and its constants count how probable it is to be beyond the limit"
    ]
