"""Standard errors of columns: checked, and turned into the most probable true values with what stays uncertain of them.

A row with a measured value far out is more likely to have an error outwards than inwards, so that its true value is
nearer to the middle: fits to measured values are too flat. True values are taken to be normally distributed, together
with the other columns, with mean and covariance as the rows show them less what the errors add; given the measured
values, those of a row have a mean and a standard deviation.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidTable
from mosaic_sr.table.checks import TO_NUMBERS, Frame, columns_of, count_rows, single_column, to_floats

Floats = NDArray[np.float64]

# Other columns tell of true values where there are so many rows for each of them: their covariance is known then.
ROWS_PER_COLUMN = 10
# True values vary at least by this share of the variance of the measured ones: below it nothing would be left of them.
LEAST_SHARE = 0.02
# Variances of rounding beside a variance of 1.
ROUNDING = 1e-12
# Numbers of matrices that are solved at once.
NUMBERS_AT_ONCE = 1_000_000


def checked_x_sigma(given: object, names: Sequence[str], num_rows: int, label: str) -> Floats:
    """The standard errors of all columns, 0 for those without: (columns, rows).

    given: an array like X, or a mapping from columns to a number or to one number per row.
    """
    found = np.zeros((len(names), num_rows))
    if isinstance(given, Mapping):
        for name, values in given.items():
            if str(name) not in names:
                raise InvalidTable(
                    f"{label} names {str(name)!r}, which is not a column of X; the columns are {', '.join(names[:8])}"
                )
            found[list(names).index(str(name))] = _checked(values, f"{label} of {str(name)!r}", num_rows)
    else:
        found[:] = _checked_table(given, names, num_rows, label)
    if not np.any(found > 0.0):
        raise InvalidTable(f"{label} is 0 everywhere; leave it out, or give the standard errors of at least one column")
    return found


def _checked_table(given: object, names: Sequence[str], num_rows: int, label: str) -> Floats:
    columns, own_names = columns_of(given, label)
    if len(columns) != len(names):
        raise InvalidTable(
            f"{label} has {len(columns)} columns, but X has {len(names)}; give one for each, 0 where there is no "
            "error, or a mapping such as {'x': 0.1}"
        )
    if isinstance(given, Frame) and own_names is not None and [str(name) for name in own_names] != list(names):
        raise InvalidTable(
            f"{label} has the columns {list(map(str, own_names))}, but X has {list(names)}; use the same"
        )
    return np.array([_checked(own, f"{label} of {name!r}", num_rows) for own, name in zip(columns, names, strict=True)])


def _checked(values: object, label: str, num_rows: int) -> Floats:
    if isinstance(values, numbers.Real) and not isinstance(values, bool):
        checked = np.full(num_rows, float(values))
    else:
        checked = to_floats(single_column(values, label), label, TO_NUMBERS)
    if len(checked) != num_rows:
        raise InvalidTable(f"{label} has {count_rows(len(checked))} and X has {num_rows}; both need one entry per row")
    bad = int(np.count_nonzero(~(np.isfinite(checked) & (checked >= 0.0))))
    if bad:
        raise InvalidTable(
            f"{label} has {count_rows(bad)} below 0, NaN or inf; a standard error must be 0 or larger in every row"
        )
    return checked


def refuse_larger_than_column(columns: Sequence[Floats], x_sigma: Floats, names: Sequence[str]) -> None:
    """Refuse errors beside which all values of a column are the same: no law could be seen."""
    for column, errors, name in zip(columns, x_sigma, names, strict=True):
        if float(np.mean(np.square(errors))) >= (1.0 - LEAST_SHARE) * float(np.var(column)) > 0.0:
            raise InvalidTable(
                f"the errors in X_sigma of {name!r} are as large as the variation of the column: root mean square "
                f"{np.sqrt(np.mean(np.square(errors))):.3g}, standard deviation {np.std(column):.3g}; leave the column "
                "out, or check the units of its errors"
            )


def true_columns(columns: Floats, given: object, names: Sequence[str]) -> tuple[Floats, Floats | None]:
    """The most probable true values of columns and what stays uncertain of them: (columns, rows) both.

    given: as in `checked_x_sigma`; without it the columns are as they were measured, and certain.
    """
    if given is None:
        return columns, None
    errors = checked_x_sigma(given, names, columns.shape[1], "X_sigma")
    return TrueValues(columns, errors, np.empty(0)).given(columns, errors)


class TrueValues:
    """The distribution of the true values of some columns, learned from measured ones: (columns, rows) each."""

    def __init__(self, columns: Floats, x_sigma: Floats, weights: Floats) -> None:
        has_errors = np.any(x_sigma > 0.0, axis=1)
        # Columns with errors first make up the covariance; the others join where the rows suffice.
        is_used = has_errors | (columns.shape[1] >= ROWS_PER_COLUMN * len(columns))
        self._used, self._with_errors = np.flatnonzero(is_used), has_errors
        own = weights if len(weights) else np.ones(columns.shape[1])
        measured = columns[self._used]
        self._scales = np.sqrt(np.maximum(np.average(np.square(_centred(measured, own)), axis=1, weights=own), 1e-300))
        self._mean = np.average(measured, axis=1, weights=own)
        scaled = _centred(measured, own) / self._scales[:, None]
        # The mean has taken up one row.
        spare = columns.shape[1] / max(columns.shape[1] - 1, 1)
        total = spare * (scaled * own) @ scaled.T / own.sum()
        added = np.average(np.square(x_sigma[self._used] / self._scales[:, None]), axis=1, weights=own)
        self._covariance = _positive(total - np.diag(added))

    def given(self, columns: Floats, x_sigma: Floats) -> tuple[Floats, Floats]:
        """Means and standard deviations of the true values, given the measured ones: (columns, rows) both."""
        means, deviations = columns.copy(), np.zeros_like(columns)
        step = max(1, NUMBERS_AT_ONCE // len(self._used) ** 2)
        for start in range(0, columns.shape[1], step):
            chunk = slice(start, start + step)
            found, left = self._of_chunk(columns[self._used, chunk], x_sigma[self._used, chunk])
            has_own = x_sigma[self._used, chunk] > 0.0
            means[self._used, chunk] = np.where(has_own, found, columns[self._used, chunk])
            deviations[self._used, chunk] = np.where(has_own, left, 0.0)
        return means, deviations

    def _of_chunk(self, columns: Floats, x_sigma: Floats) -> tuple[Floats, Floats]:
        scaled = (columns - self._mean[:, None]) / self._scales[:, None]
        errors, prior = x_sigma / self._scales[:, None], self._covariance
        # Of each row: (rows, used, used).  A column without error is what it is: rounding keeps the matrix regular.
        own = prior + np.einsum("ir,ij->rij", np.square(errors) + ROUNDING, np.eye(len(prior)))
        gains = np.linalg.solve(own, np.broadcast_to(prior, own.shape)).transpose(0, 2, 1)
        means = np.einsum("rij,jr->ir", gains, scaled)
        left = np.diag(prior)[:, None] - np.einsum("rij,ji->ir", gains, prior)
        return self._mean[:, None] + self._scales[:, None] * means, self._scales[:, None] * np.sqrt(
            np.maximum(left, 0.0)
        )


def _centred(columns: Floats, weights: Floats) -> Floats:
    return np.asarray(columns - np.average(columns, axis=1, weights=weights)[:, None])


def _positive(covariance: Floats) -> Floats:
    """The nearest matrix whose variances are at least the least share, in units of the measured ones."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.maximum(values, LEAST_SHARE) @ vectors.T)
