"""Labels of groups as users hand them in: an array, or the name of a column of X, which is no feature then."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidTable, MosaicWarning
from mosaic_sr.group_constants import GroupConstants, shown_labels
from mosaic_sr.table.checks import Frame, Series, count_rows
from mosaic_sr.table.labels import Labels, checked_labels, found_groups

Values = Sequence[Any] | NDArray[Any]


def parted(X: Any, groups: Any) -> tuple[Any, Values | None]:
    """X without the column of groups, and the labels; None where `groups` names no column of X or is None.

    groups: an array with a label for each row, or the name of a column.
    """
    if groups is None:
        return X, None
    if not isinstance(groups, str):
        return X, _values(groups)
    if not isinstance(X, Frame) or groups not in list(map(str, X.columns)):
        return X, None
    frame: Any = X
    column = next(name for name in X.columns if str(name) == groups)
    rest = frame.drop(columns=[column]) if hasattr(frame, "iloc") else frame.drop(column)
    return rest, X[column].to_numpy()


def read_groups(X: Any, groups: Any) -> tuple[Any, Labels, str]:
    """X without the column of groups, the groups of all rows, and the name of the column; InvalidTable if unusable."""
    rest, labels = parted(X, groups)
    if labels is None:
        raise InvalidTable(_no_column(X, str(groups)))
    num_rows = len(X)
    name = groups if isinstance(groups, str) else ""
    return rest, checked_labels(labels, num_rows, f"the group column {name!r}" if name else "groups"), name


def placed(labels: Values, known: GroupConstants, num_rows: int) -> NDArray[np.intp]:
    """The group of each row, -1 for one that was not fitted, with a warning: (rows,)."""
    if len(labels) != num_rows:
        raise InvalidTable(f"X has {count_rows(num_rows)} and groups has {len(labels)}; both need one entry per row")
    places = found_groups(labels, known.labels)
    if note := unseen_words(labels, places):
        warnings.warn(note, MosaicWarning, stacklevel=4)
    return places


def unseen_words(labels: Values, places: NDArray[np.intp]) -> str:
    """A note on rows of groups that were not fitted; empty where there are none."""
    unseen = np.flatnonzero(places < 0)
    if not len(unseen):
        return ""
    names = shown_labels([labels[row] for row in unseen.tolist()])
    verb = "is" if len(unseen) == 1 else "are"
    return f"{count_rows(len(unseen))} {verb} in groups that were not fitted ({names}) and got the mean constants"


def _values(groups: Any) -> Values:
    if isinstance(groups, Series | Frame):
        groups = groups.to_numpy()
    values = groups if isinstance(groups, list | tuple) else np.asarray(groups)
    if isinstance(values, np.ndarray):
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if values.ndim != 1:
            raise InvalidTable(f"groups must have one label per row, got shape {values.shape}")
    return values


def _no_column(X: Any, name: str) -> str:
    if not isinstance(X, Frame):
        return (
            f"groups={name!r} names a column, but X has no column names; pass a data frame, or an array with one label "
            "per row"
        )
    names = list(map(str, X.columns))
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the columns are {', '.join(map(repr, names[:8]))}"
    return f"X has no column {name!r} for the groups; {hint}"
