"""`Given`: what came through the door, checked, before it is scaled and shared out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidTable
from mosaic_sr.table.censoring import CensoredRows
from mosaic_sr.table.checks import check_lengths, checked_features, checked_target, checked_weights
from mosaic_sr.table.errors_in_columns import checked_x_sigma
from mosaic_sr.table.kinds_of_target import notes_on_target
from mosaic_sr.table.rows import Rows, merge_rows
from mosaic_sr.table.stated_errors import NOT_BOTH, checked_sigma, notes_on_sigma

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Given:
    """What came through the door: finite numbers in the user's order and units."""

    names: tuple[str, ...]
    columns: list[Floats]
    target: Floats
    weights: Floats | None
    sigma: Floats | None
    x_sigma: Floats | None = None
    sides: Floats | None = None

    def parted(self, sides: Floats | None) -> tuple[Given | None, Given]:
        """The rows that have only a limit of the target, if any, and the others."""
        if sides is None:
            return None, self
        return replace(self.some(sides != 0.0), sides=sides[sides != 0.0]), self.some(sides == 0.0)

    def some(self, is_taken: NDArray[np.bool_]) -> Given:
        weights, sigma = (None if own is None else own[is_taken] for own in (self.weights, self.sigma))
        x_sigma = None if self.x_sigma is None else self.x_sigma[:, is_taken]
        columns = [column[is_taken] for column in self.columns]
        return Given(self.names, columns, self.target[is_taken], weights, sigma, x_sigma)

    @property
    def notes(self) -> list[str]:
        """On the target and its standard errors."""
        on_sigma = [] if self.sigma is None else notes_on_sigma(self.sigma, self.target)
        return [*notes_on_target(self.weighted(self.target), self.sigma is not None), *on_sigma]

    def merged(self, used: Sequence[int]) -> Rows:
        errors = None if self.x_sigma is None else self.x_sigma[list(used)]
        return merge_rows([self.columns[i] for i in used], self.target, self.weights, self.sigma, errors)

    def as_limits(self, used: Sequence[int]) -> CensoredRows | None:
        """The rows as limits, without those of weight 0; None where none is left."""
        own = self if self.weights is None else self.some(self.weights > 0.0)
        sides = np.zeros(0) if self.sides is None else self.sides
        sides = sides if self.weights is None else sides[self.weights > 0.0]
        if not len(own.target):
            return None
        empty = np.empty(0)
        rows = Rows(
            np.array([own.columns[i] for i in used]),
            own.target.copy(),
            empty if own.weights is None else own.weights.copy(),
            empty if own.sigma is None else own.sigma.copy(),
            np.empty((0, 0)) if own.x_sigma is None else own.x_sigma[list(used)].copy(),
        )
        return CensoredRows(rows, sides)

    def weighted(self, values: Floats) -> Floats:
        """The values in rows whose weight is not zero."""
        return values if self.weights is None else values[self.weights > 0]


def checked_given(
    X: object,
    y: object,
    weights: object,
    names: Sequence[object] | None,
    prefix: str,
    sigma: object,
    x_sigma: object = None,
) -> Given:
    if sigma is not None and weights is not None:
        raise InvalidTable(NOT_BOTH)
    columns, checked_names = checked_features(X, names, f"{prefix}X")
    target = checked_target(y, f"{prefix}y")
    checked = None if weights is None else checked_weights(weights, f"{prefix}weights")
    stated = None if sigma is None else checked_sigma(sigma, f"{prefix}sigma")
    others = {f"{prefix}y": target, f"{prefix}weights": checked, f"{prefix}sigma": stated}
    lengths = {label: len(values) for label, values in others.items() if values is not None}
    check_lengths(len(columns[0]), lengths, f"{prefix}X")
    if len(target) == 0:
        raise InvalidTable(f"{prefix}X is empty: it has 0 rows; at least three are needed")
    errors = None if x_sigma is None else checked_x_sigma(x_sigma, checked_names, len(target), f"{prefix}X_sigma")
    return Given(checked_names, columns, target, checked, stated, errors)
