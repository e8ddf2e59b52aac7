"""An order of columns that their numbers decide: a search must not depend on where a column stood in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Key = TypeVar("Key", tuple[float, ...], bytes)

# Columns that the extremes do not tell apart mostly differ in the rows of the smallest targets.
HEAD_ROWS = 1000


def content_order(columns: Sequence[Floats], target: Floats) -> list[int]:
    """Positions of the columns in an order that depends on neither their places nor the order of the rows.

    A column comes the earlier, the smaller the target is where the column is largest; then where it is smallest. Scales
    and repeated rows make no difference. Columns that are still alike are told apart by their ranks over the rows in
    the order of the target. Those that no number tells apart can be exchanged, and keep their places.
    """
    groups = _split([list(range(len(columns)))], lambda place: _extremes(columns[place], target))
    if len(groups) < len(columns):
        for rows in _heads(target):
            groups = _split(groups, partial(_ranks_along, columns, target, rows))
    ordered: list[int] = []
    for group in groups:
        ordered += group if len(group) == 1 else _told_apart(group, ordered, columns, target)
    return ordered


def _split(groups: Sequence[list[int]], key: Callable[[int], Key]) -> list[list[int]]:
    """The groups split by a key, in its order; those of one column need none."""
    split: list[list[int]] = []
    for group in groups:
        keys = {} if len(group) == 1 else {place: key(place) for place in group}
        alike: dict[Key, list[int]] = {}
        for place in sorted(group, key=keys.__getitem__) if keys else ():
            alike.setdefault(keys[place], []).append(place)
        split += list(alike.values()) if keys else [group]
    return split


def _extremes(column: Floats, target: Floats) -> tuple[float, ...]:
    """The least and the largest target among the rows where the column is largest, and where it is smallest."""
    # A column of a user's array is spread over all of its memory.
    column = np.ascontiguousarray(column)
    high, low = target[column == column.max()], target[column == column.min()]
    return float(high.min()), float(high.max()), float(low.min()), float(low.max())


def _heads(target: Floats) -> Iterator[Indices]:
    """The rows of the smallest targets, with all of the last such target, and then all rows."""
    by_target = np.argsort(target, kind="stable")
    if len(target) > HEAD_ROWS:
        last = target[by_target[HEAD_ROWS - 1]]
        yield by_target[: np.searchsorted(target, last, side="right", sorter=by_target)]
    yield by_target


def _told_apart(group: Sequence[int], before: Sequence[int], columns: Sequence[Floats], target: Floats) -> list[int]:
    """The columns of a group by how they go with those that have their places already, one after the other."""
    left, ordered = list(group), list[int]()
    while left:
        known = [target, *(columns[place] for place in (*before, *ordered))]
        best = min(left, key=lambda place: _ranks_in_order(columns[place], known))
        ordered.append(best)
        left.remove(best)
    return ordered


def _ranks_along(columns: Sequence[Floats], target: Floats, rows: Indices, place: int) -> bytes:
    return _ranks_in_order(columns[place][rows], [target[rows]])


def _ranks_in_order(column: Floats, known: Sequence[Floats]) -> bytes:
    """Dense ranks of the column over the distinct rows, ordered by the known columns and then by itself.

    The bytes of large numbers come first, so that comparing bytes compares numbers.
    """
    ranks = np.unique(column, return_inverse=True)[1]
    order = np.lexsort([ranks, *reversed(known)])
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = np.any([key[order[1:]] != key[order[:-1]] for key in (*known, ranks)], axis=0)
    return ranks[order[is_new]].astype(">i8").tobytes()
