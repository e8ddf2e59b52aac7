"""What users hand in becomes named columns of finite float64 numbers, or an `InvalidTable` that names the remedy."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidCell, InvalidTable

Floats = NDArray[np.float64]

# What to do about a column of text: a table does without some columns, but not without its target.
TO_NUMBERS = "convert it to numbers"
HOW_TO_DROP = (
    "e.g. with `frame.dropna()` before you split it into X and y, or for arrays with "
    "`kept = np.isfinite(X).all(axis=1) & np.isfinite(y)` and `fit(X[kept], y[kept])`"
)
LEAVE_OUT = "convert it to numbers, name it in groups or indicators, or leave the column out"


@runtime_checkable
class Frame(Protocol):
    """A pandas or polars frame, known by what it answers so that neither needs to be imported."""

    @property
    def columns(self) -> Iterable[object]: ...

    def to_numpy(self) -> NDArray[Any]: ...

    def __getitem__(self, name: Any) -> Any: ...


@runtime_checkable
class Series(Protocol):
    """One named column of a pandas or polars frame."""

    @property
    def name(self) -> object: ...

    def to_numpy(self) -> NDArray[Any]: ...


@runtime_checkable
class Sparse(Protocol):
    """A scipy sparse matrix or array."""

    @property
    def nnz(self) -> int: ...

    def toarray(self) -> NDArray[Any]: ...


def checked_features(X: object, names: Sequence[object] | None, label: str) -> tuple[list[Floats], tuple[str, ...]]:
    """The columns of X, each (rows,) and a view of X where possible, and their names."""
    columns, own_names = columns_of(X, label)
    checked = checked_names(own_names if names is None else names, len(columns), label)
    return to_finite(columns, [f"column {name!r} of {label}" for name in checked], LEAVE_OUT), checked


def checked_target(y: object, label: str) -> Floats:
    """The target: (rows,)."""
    return to_finite([single_column(y, label)], [label], TO_NUMBERS)[0]


def checked_weights(weights: object, label: str) -> Floats:
    """Weights that are finite, not negative and not all zero: (rows,)."""
    checked = to_finite([single_column(weights, label)], [label], TO_NUMBERS)[0]
    num_negative = int(np.count_nonzero(checked < 0))
    if num_negative:
        raise InvalidTable(f"{label} has {count_rows(num_negative)} below 0; weights must be 0 or larger")
    if len(checked) and not np.any(checked > 0):
        raise InvalidTable(f"{label} are all zero; at least three rows need a weight above 0")
    return checked


def name_of_target(y: object, target_name: str | None, names: Sequence[str]) -> str:
    """The name given, else that of the series, else `y` or the first free name like it; refused among the features."""
    given = _own_name(y) if target_name is None else target_name
    if given is None or given == "":
        return next(name for name in ("y", "target", *(f"y_{i}" for i in range(len(names)))) if name not in names)
    refuse_half_characters(str(given), "the target")
    if str(given) in names:
        raise InvalidTable(f"the target {str(given)!r} is also in the feature columns; remove it from X")
    return str(given)


def target_name_beside(X: object, y: object) -> str | None:
    """None leaves the name to the table; a series computed from a column of X has its name and wants another."""
    if not isinstance(X, Frame) or not isinstance(y, Series) or y.name not in list(X.columns):
        return None
    return None if np.array_equal(np.asarray(X[y.name]), np.asarray(y)) else ""


def _own_name(y: object) -> object:
    if isinstance(y, Frame):
        return next(iter(y.columns), None)
    return y.name if isinstance(y, Series) else None


def check_lengths(num_rows: int, others: dict[str, int], label: str) -> None:
    """Refuses parts of a table that differ in their number of rows."""
    for other, length in others.items():
        if length != num_rows:
            raise InvalidTable(
                f"{label} has {count_rows(num_rows)} and {other} has {length}; both need one entry per row"
            )


def to_finite(columns: Sequence[NDArray[Any]], labels: Sequence[str], advice: str) -> list[Floats]:
    """Each column as float64; NaN and infinity are refused by the label and the number of rows of every such column.

    advice: what to do about a column that holds no numbers.
    """
    floats = [to_floats(column, label, advice) for column, label in zip(columns, labels, strict=True)]
    bad = [(label, int(np.count_nonzero(~np.isfinite(column)))) for label, column in zip(labels, floats, strict=True)]
    found = [f"{label} has {count_rows(count)} with NaN or inf" for label, count in bad if count]
    if found:
        more = f" (and {len(found) - 3} more columns)" if len(found) > 3 else ""
        raise InvalidTable(f"{'; '.join(found[:3])}{more}; drop or impute them first, {HOW_TO_DROP}")
    return floats


def columns_of(X: object, label: str) -> tuple[list[NDArray[Any]], list[object] | None]:
    if isinstance(X, Sparse):
        raise InvalidTable(f"{label} is a sparse {type(X).__name__}; pass a dense array, e.g. X.toarray()")
    if isinstance(X, Frame):
        own_names = list(X.columns)
        refuse_duplicates([str(name) for name in own_names], label)
        return [X[name].to_numpy() for name in own_names], _unless_counted(own_names)
    array = _as_array(X, label)
    if array.ndim == 2:
        return list(array.T), None
    if array.ndim == 1 and len(array):
        raise InvalidTable(
            f"{label} must have rows and columns, got shape {array.shape}; for one column use reshape(-1, 1)"
        )
    if array.ndim == 1:
        raise InvalidTable(f"{label} is empty; at least three rows are needed")
    raise InvalidTable(f"{label} must have rows and columns, got {_kind(X, array)}; pass a 2-D array or a data frame")


def single_column(values: object, label: str) -> NDArray[Any]:
    """One number per row, as it was handed in: (rows,)."""
    if isinstance(values, Sparse):
        raise InvalidTable(f"{label} is a sparse {type(values).__name__}; pass a dense array, e.g. {label}.toarray()")
    if isinstance(values, Series | Frame):
        values = values.to_numpy()
    array = _as_array(values, label)
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        raise InvalidTable(
            f"{label} must have one number per row, got {_kind(values, array)}; fit one target at a time"
        )
    return array


def _as_array(values: object, label: str) -> NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray):
        if values.dtype.kind in "biuf":
            return np.where(np.ma.getmaskarray(values), np.nan, values.data)
        return np.asarray(values.filled())
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        raise InvalidTable(f"{label} has rows of different lengths; every row needs the same columns") from error
    if array.dtype.kind in "US" and isinstance(values, list | tuple):
        return np.asarray(values, dtype=object)  # one text among numbers has turned all of them into texts
    return array


def _kind(values: object, array: NDArray[Any]) -> str:
    return f"an object of type {type(values).__name__}" if array.ndim == 0 else f"shape {array.shape}"


def checked_names(names: Sequence[object] | None, num_columns: int, label: str) -> tuple[str, ...]:
    if num_columns == 0:
        raise InvalidTable(f"{label} has no columns; at least one feature is needed")
    if names is None:
        return tuple(f"x{i}" for i in range(num_columns))
    checked = tuple(str(name) for name in names)
    if len(checked) != num_columns:
        raise InvalidTable(f"{label} has {num_columns} columns but {len(checked)} names were given")
    refuse_duplicates(checked, label)
    for name in checked:
        refuse_half_characters(name, f"a column of {label}")
        if not name.strip() or "`" in name:
            raise InvalidTable(
                f"{label} has a column named {name!r}; rename it: empty names and backticks cannot be printed"
            )
    return checked


def refuse_half_characters(name: str, label: str) -> None:
    """Refuses names with half of a surrogate pair, which no file can hold; bytes that are no UTF-8 leave them."""
    if any("\ud800" <= character <= "\udfff" for character in name):
        raise InvalidTable(f"{label} has the name {name!r}; rename it: it contains half of a surrogate pair")


def refuse_duplicates(names: Sequence[str], label: str) -> None:
    """Refuses columns that share a name."""
    for name, count in Counter(names).items():
        if count > 1:
            raise InvalidTable(f"{label} has {count} columns named {name!r}; rename or drop all but one")


def _unless_counted(names: list[object]) -> list[object] | None:
    """None for the names 0, 1, 2, ... that a frame has when nobody named its columns."""
    return None if names == list(range(len(names))) else names


def to_floats(column: NDArray[Any], label: str, advice: str) -> Floats:
    """A column as float64 numbers, NaN where a cell is missing; advice: what to do about one that holds no numbers."""
    kind = column.dtype.kind
    if kind == "O":
        return np.array(
            [_to_float(cell, row, label, advice) for row, cell in enumerate(column.tolist())], dtype=np.float64
        )
    if kind == "c":
        raise InvalidTable(
            f"Complex data not supported: {label} contains complex numbers; pass real and imaginary parts"
        )
    if kind in "mM":
        raise InvalidTable(
            f"{label} contains dates or times; convert them to numbers first, e.g. seconds since the first row"
        )
    if kind not in "biuf":
        example = f", e.g. {column[0].item()!r}" if len(column) else ""
        raise InvalidTable(f"{label} contains text or other objects{example}; {advice}")
    with np.errstate(over="ignore"):  # a long double beyond float64 becomes inf, which is refused by name
        return np.asarray(column, dtype=np.float64)


def _to_float(cell: object, row: int, label: str, advice: str) -> float:
    """The number in a cell of an object column; NaN for a missing one."""
    if cell is None or type(cell).__name__ == "NAType":
        return math.nan
    if isinstance(cell, numbers.Complex) and not isinstance(cell, numbers.Real):
        raise InvalidTable(
            f"Complex data not supported: {label} contains complex numbers; pass real and imaginary parts"
        )
    if not isinstance(cell, numbers.Real | Decimal | np.bool_):
        kind = InvalidTable if isinstance(cell, str) else InvalidCell
        raise kind(
            f"{label} has {cell!r:.60} in row {row}; {advice}, "
            "since an argument must be a number or a string that was converted to a number"
        )
    try:
        return float(cell)
    except OverflowError:
        return math.inf
    except ValueError:  # a signalling NaN of decimal.Decimal
        return math.nan


def count_rows(count: int) -> str:
    """A number of rows, for messages."""
    return "1 row" if count == 1 else f"{count} rows"
