"""Standard errors of the target that the user states, checked: one positive number for each row, in its units."""

from __future__ import annotations

import numbers
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidTable
from mosaic_sr.table.checks import TO_NUMBERS, Series, count_rows, single_column, to_floats

Floats = NDArray[np.float64]

NOT_BOTH = "give sigma or weights, not both: sigma already states how much each row counts"
# Fewer rows say little about whether the stated errors explain all of the scatter.
LEAST_ROWS = 20


def checked_sigma(sigma: object, label: str) -> Floats:
    """Standard errors that are finite and above 0: (rows,)."""
    if isinstance(sigma, numbers.Real):
        raise InvalidTable(
            f"{label} must have one number per row, got the number {sigma}; "
            f"for the same standard error in all rows pass np.full(len(y), {sigma})"
        )
    checked = to_floats(single_column(sigma, label), label, TO_NUMBERS)
    num_unknown = int(np.count_nonzero(~np.isfinite(checked)))
    if num_unknown:
        raise InvalidTable(
            f"{label} has {count_rows(num_unknown)} with NaN or inf; give the standard error of the target in every "
            "row, or drop those rows"
        )
    num_bad = int(np.count_nonzero(checked <= 0.0))
    if num_bad:
        raise InvalidTable(
            f"{label} has {count_rows(num_bad)} at 0 or below; a standard error must be larger than 0 in every row"
        )
    return checked


def refuse_shared_column(
    sigma: object, checked: Floats, names: Sequence[str], columns: Sequence[Floats], target: tuple[str, Floats]
) -> None:
    """Refuse a series of standard errors that is also a feature or the target, by its name and its numbers."""
    own = str(sigma.name) if isinstance(sigma, Series) and sigma.name is not None else None
    for name, column in zip(names, columns, strict=True):
        if name == own and np.array_equal(column, checked):
            raise InvalidTable(f"sigma is also the column {name!r} of X; leave that column out of X")
    if own == target[0] and np.array_equal(target[1], checked):
        raise InvalidTable(f"sigma is the target {own!r} itself; give the standard error of the target in each row")


def refuse_larger_than_signal(sigma: Floats, target: Floats, name: str) -> None:
    """Refuse standard errors beside which all targets are the same: no law could be seen."""
    usual, extent = float(np.median(sigma)), float(np.max(target)) - float(np.min(target))
    if usual > extent:
        raise InvalidTable(
            f"the noise is larger than the signal: half of the standard errors in sigma are {usual:g} or larger, "
            f"but the target {name!r} varies by only {extent:g} in all rows; check that sigma has the units of the "
            "target"
        )


def notes_on_sigma(sigma: Floats, target: Floats) -> list[str]:
    """A note where the stated errors explain all of the scatter of the target, so that a constant would do."""
    if len(sigma) < LEAST_ROWS:
        return []
    trust = np.square(np.min(sigma) / sigma)
    with np.errstate(all="ignore"):
        shares = (target - np.average(target, weights=trust)) / sigma
        per_row = float(np.sum(np.square(shares))) / (len(sigma) - 1)
    if not per_row < 1.0:
        return []
    return [
        "the standard errors in sigma are as large as the variation of the target, which a constant explains too; "
        "a law needs smaller errors or more rows"
    ]
