"""Labels of groups: which rows share constants, as one number per row and a list of labels."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidTable
from mosaic_sr.table.cells import MISSING
from mosaic_sr.table.checks import count_rows

Label = str | int | float | bool

# With fewer rows to a group on average there is nothing to tell its constants from noise.
LEAST_ROWS_PER_GROUP = 2.0


@dataclass(frozen=True, eq=False)
class Labels:
    """names: the distinct labels, in order.  codes: (rows,), the place of each row's label in `names`."""

    names: tuple[Label, ...]
    codes: NDArray[np.intp]


def plain_label(value: Any) -> Label | None:
    """A label as plain Python has it, whole numbers without a point; None where it is missing."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, str):
        word = value.strip()
        return None if word.lower() in MISSING else word
    if isinstance(value, bool):
        return value
    if isinstance(value, numbers.Real):
        own = float(value)
        if math.isnan(own):
            return None
        return int(own) if own.is_integer() and abs(own) < 2.0**53 else own
    return str(value)


def label_text(label: Label) -> str:
    """The text by which labels are compared: those of a file are text, and 1, 1.0 and "1" are one label."""
    if isinstance(label, str):
        try:
            own = plain_label(float(label))
        except ValueError:
            return label
        return label if own is None else str(own)
    return str(label)


def in_order(labels: Sequence[Label]) -> list[Label]:
    """Numbers by size, then texts by letters; a text that is a number stands with the numbers."""

    def place(label: Label) -> tuple[int, float, str]:
        try:
            return 0, float(label), ""
        except ValueError:
            return 1, 0.0, str(label)

    return sorted(labels, key=place)


def checked_labels(values: Sequence[Any] | NDArray[Any], num_rows: int, label: str) -> Labels:
    """The groups of all rows; InvalidTable where labels are missing, too many or not one for each row.

    label: what the user calls them, for messages.
    """
    plain = [plain_label(value) for value in values]
    if len(plain) != num_rows:
        raise InvalidTable(f"X has {count_rows(num_rows)} and {label} has {len(plain)}; both need one entry per row")
    missing = [row for row, own in enumerate(plain) if own is None]
    if missing:
        raise InvalidTable(
            f"{label} has {count_rows(len(missing))} without a label, the first is row {missing[0]}; leave these rows "
            "out, or give them a label such as 'unknown'"
        )
    known = {label_text(own): own for own in plain if own is not None}
    if len(known) > 1 and len(known) * LEAST_ROWS_PER_GROUP > num_rows:
        raise InvalidTable(
            f"{label} has {len(known)} different labels in {count_rows(num_rows)}; a group needs two rows or more on "
            "average. A column of measured numbers is a feature, not a group: leave it in X"
        )
    names = in_order(list(known.values()))
    place = {label_text(name): number for number, name in enumerate(names)}
    codes = np.array([place[label_text(own)] for own in plain if own is not None], dtype=np.intp)
    return Labels(tuple(names), codes)


def found_groups(values: Sequence[Any] | NDArray[Any], names: Sequence[Label]) -> NDArray[np.intp]:
    """The place of each label among `names`, -1 for one that is not there or missing: (rows,)."""
    place = {label_text(name): number for number, name in enumerate(names)}
    plain = (plain_label(value) for value in values)
    return np.array([-1 if own is None else place.get(label_text(own), -1) for own in plain], dtype=np.intp)
