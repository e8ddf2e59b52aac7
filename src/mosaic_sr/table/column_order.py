"""An order of columns that their numbers decide: a search must not depend on where a column stood in the file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Columns that the extremes do not tell apart mostly differ in the rows of the smallest targets.
HEAD_ROWS = 1000


def content_order(columns: Sequence[Floats], target: Floats) -> list[int]:
    """Positions of the columns in an order that depends on neither their places nor the order of the rows.

    A column comes the earlier, the smaller the target is where the column is largest; then where it is smallest. Scales
    and repeated rows make no difference. Columns that are still alike are told apart by their ranks over the rows in
    the order of the target. Those that no number tells apart can be exchanged, and keep their places.
    """
    keys = [_extremes(column, target) for column in columns]
    groups: dict[tuple[float, ...], list[int]] = {}
    for position in sorted(range(len(columns)), key=keys.__getitem__):
        groups.setdefault(keys[position], []).append(position)
    ordered: list[int] = []
    by_target = np.argsort(target, kind="stable") if len(groups) < len(columns) else np.empty(0, np.intp)
    for group in groups.values():
        ordered += group if len(group) == 1 else _told_apart(group, ordered, columns, target, by_target)
    return ordered


def _extremes(column: Floats, target: Floats) -> tuple[float, ...]:
    """The least and the largest target among the rows where the column is largest, and where it is smallest."""
    # A column of a user's array is spread over all of its memory.
    column = np.ascontiguousarray(column)
    high, low = target[column == column.max()], target[column == column.min()]
    return float(high.min()), float(high.max()), float(low.min()), float(low.max())


def _told_apart(
    group: Sequence[int], before: Sequence[int], columns: Sequence[Floats], target: Floats, by_target: Indices
) -> list[int]:
    """The columns of a group in order; `before`: those that have their places already."""
    left, ordered, num_rows = list(group), list[int](), HEAD_ROWS
    while left:
        head = _head(target, by_target, num_rows)
        known = [target[head], *(columns[position][head] for position in (*before, *ordered))]
        keys = {position: _ranks_in_order(columns[position][head], known) for position in left}
        best = min(left, key=keys.__getitem__)
        is_single = sum(keys[position] == keys[best] for position in left) == 1
        if not is_single and len(head) < len(target):
            num_rows *= 8
            continue
        ordered.append(best)
        left.remove(best)
    return ordered


def _head(target: Floats, by_target: Indices, num_rows: int) -> Indices:
    """At least so many rows of the smallest targets, with all rows of the last such target."""
    if num_rows >= len(target):
        return by_target
    last = target[by_target[num_rows - 1]]
    return by_target[: np.searchsorted(target, last, side="right", sorter=by_target)]


def _ranks_in_order(column: Floats, known: Sequence[Floats]) -> bytes:
    """Dense ranks of the column over the distinct rows, ordered by the known columns and then by itself.

    The bytes of large numbers come first, so that comparing bytes compares numbers.
    """
    ranks = np.unique(column, return_inverse=True)[1]
    order = np.lexsort([ranks, *reversed(known)])
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = np.any([key[order[1:]] != key[order[:-1]] for key in (*known, ranks)], axis=0)
    return ranks[order[is_new]].astype(">i8").tobytes()
