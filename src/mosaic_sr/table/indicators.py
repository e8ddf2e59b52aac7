"""Indicators: a column of labels as columns of 0 and 1, one for each label, or a single one where there are two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidTable
from mosaic_sr.table.checks import Frame, count_rows
from mosaic_sr.table.labels import in_order, label_text, plain_label

Floats = NDArray[np.float64]
# By column, its labels as text in order.
Indicators = Mapping[str, tuple[str, ...]]

# More labels than this name groups of rows; as many columns would hide the others.
MOST_LABELS = 10


def labels_of(cells: Sequence[Any], column: str) -> tuple[str, ...]:
    """The labels of a column as text; InvalidTable where one is missing, all are the same, or there are too many."""
    plain = [plain_label(cell) for cell in cells]
    missing = [row for row, own in enumerate(plain) if own is None]
    if missing:
        raise InvalidTable(
            f"column {column!r} has {count_rows(len(missing))} without a label, the first is row {missing[0]}; "
            "leave these rows out, or give them a label such as 'unknown'"
        )
    known = {label_text(own): own for own in plain if own is not None}
    names = tuple(label_text(own) for own in in_order(list(known.values())))
    if not 2 <= len(names) <= MOST_LABELS:
        why = (
            "an indicator needs two" if len(names) < 2 else f"indicators have at most {MOST_LABELS}; try groups instead"
        )
        raise InvalidTable(f"column {column!r} has {len(names)} different labels; {why}, or leave the column out")
    return names


def indicator_names(column: str, labels: Sequence[str]) -> tuple[str, ...]:
    """Names of the columns of 0 and 1: one for each label, or of two labels that of the second."""
    shown = labels[1:] if len(labels) == 2 else labels
    return tuple(f"{column}_{label}" for label in shown)


def indicator_values(cells: Sequence[Any], column: str, labels: Sequence[str]) -> list[Floats]:
    """The columns of 0 and 1, each (rows,), NaN for an empty cell; a label that is not known is refused."""
    plain = [plain_label(cell) for cell in cells]
    texts = np.array(["" if own is None else label_text(own) for own in plain], dtype=object)
    unknown = sorted({text for text in texts if text and text not in labels})
    if unknown:
        raise InvalidTable(f"column {column!r} has {unknown[0]!r}, which is none of its labels {', '.join(labels)}")
    shown = labels[1:] if len(labels) == 2 else labels
    is_missing = texts == ""
    return [np.where(is_missing, np.nan, (texts == label).astype(np.float64)) for label in shown]


def with_indicators(X: Any, indicators: Indicators) -> Any:
    """A frame with columns of 0 and 1 in place of columns of labels; others as they are."""
    if not indicators:
        return X
    import pandas as pd

    if not isinstance(X, Frame):
        raise InvalidTable("indicators name columns, but X has no column names; pass a data frame")
    columns: dict[str, Any] = {}
    for name in X.columns:
        labels = indicators.get(str(name))
        cells = X[name].to_numpy()
        if labels is None:
            columns[str(name)] = cells
            continue
        for own, values in zip(
            indicator_names(str(name), labels), indicator_values(cells, str(name), labels), strict=True
        ):
            columns[own] = values
    return pd.DataFrame(columns)


def is_unread(X: Any, indicators: Indicators) -> bool:
    """Whether a frame still has the columns of labels, rather than columns of 0 and 1."""
    return isinstance(X, Frame) and not set(indicators).isdisjoint(map(str, X.columns))


def read_indicators(X: Any, wanted: Sequence[str] | str | None) -> dict[str, tuple[str, ...]]:
    """The labels of the columns of a frame that the user names."""
    names = (wanted,) if isinstance(wanted, str) else tuple(wanted or ())
    found = {}
    for name in names:
        if not isinstance(X, Frame) or name not in list(map(str, X.columns)):
            raise InvalidTable(f"indicators names the column {name!r}, but X has none of that name; pass a data frame")
        column = next(own for own in X.columns if str(own) == name)
        found[name] = labels_of(X[column].to_numpy().tolist(), name)
    return found


def indicator_notes(indicators: Indicators) -> list[str]:
    """What the columns of 0 and 1 mean, one sentence for each column of labels."""
    notes = []
    for column, labels in indicators.items():
        names = indicator_names(column, labels)
        others = f", 0 for {labels[0]!r}" if len(labels) == 2 else ""
        notes.append(f"column {column!r} is read as {', '.join(names)}: 1 where its label is the one named{others}")
    return notes
