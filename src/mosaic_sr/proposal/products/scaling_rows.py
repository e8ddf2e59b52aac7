"""`ScalingRows`: the rows in which scaling laws are looked for, on logarithmic and on plain scales."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# A target whose median is a smaller share of its largest value spans decades.
LEAST_MIDDLE = 0.01
# Rows of less weight are left out.
LEAST_WEIGHT = 0.1
# Share of the squares that rows of the other sign have where noise turned them.
MOST_ASTRAY = 1e-3


@dataclass(frozen=True, eq=False)
class ScalingRows:
    """columns: (rows, columns), none of them 0.  target: (rows,), not 0.  weights: (rows,), of log|y|.

    front: (columns,), exponents of the product in front where they are known.
    """

    columns: Floats
    target: Floats
    weights: Floats
    front: Floats | None = None

    @cached_property
    def means(self) -> Floats:
        """Means of the logarithms of the columns' magnitudes."""
        return np.asarray(np.log(np.abs(self.columns)).mean(axis=0))

    @cached_property
    def logs(self) -> Floats:
        """Logarithms of the columns' magnitudes less their means: (rows, columns)."""
        return np.log(np.abs(self.columns)) - self.means

    @cached_property
    def signs(self) -> Floats:
        return np.sign(self.columns)

    @cached_property
    def middles(self) -> Floats:
        """Means of the columns."""
        return np.asarray(self.columns.mean(axis=0))

    @cached_property
    def spreads(self) -> Floats:
        """Deviations of the columns, 1 for a column of equal numbers."""
        spreads = self.columns.std(axis=0)
        return np.where(spreads > 0, spreads, 1.0)

    @cached_property
    def design(self) -> Floats:
        """A column of ones and the logarithms."""
        return np.column_stack([np.ones(len(self.logs)), self.logs])

    @cached_property
    def straight(self) -> Floats:
        """What log|y| may hold beside the factors: a number, and the logarithms where the product in front is open."""
        return self.design if self.front is None else self.design[:, :1]

    @cached_property
    def plain_design(self) -> Floats:
        """A column of ones and the standardised columns."""
        return np.column_stack([np.ones(len(self.logs)), (self.columns - self.middles) / self.spreads])

    @cached_property
    def heights(self) -> Floats:
        """log|y|, without the product in front where it is known."""
        heights = np.log(np.abs(self.target))
        return heights if self.front is None else heights - self.logs @ self.front

    @cached_property
    def has_signs(self) -> bool:
        """Whether a column is negative somewhere."""
        return bool(np.any(self.signs < 0))

    @cached_property
    def crosses(self) -> bool:
        """Whether y changes its sign although no column does."""
        return not _changes(self.signs) and _changes(np.sign(self.target))


def make_scaling_rows(columns: Floats, target: Floats) -> ScalingRows:
    """The scaling_rows of some rows; columns: (columns, rows)."""
    return ScalingRows(columns.T, target, _weights(target))


def find_telling_rows(target: Floats) -> NDArray[np.bool_]:
    """Rows whose logarithm says something: all of them unless noise turned the signs of small ones."""
    sizes = np.abs(target) / np.abs(target).max()
    is_astray = np.sign(target) == -np.sign(np.sum(np.sign(target)))
    if np.sum(np.square(sizes[is_astray])) > MOST_ASTRAY * np.sum(np.square(sizes)):
        return np.ones(len(target), dtype=bool)
    return np.asarray(~is_astray & (_weights(target) >= LEAST_WEIGHT))


def _weights(target: Floats) -> Floats:
    """Weights of log|y|: what disturbs a target within few decades is likely alike in all rows; small ones say less."""
    sizes = np.abs(target)
    if np.median(sizes) <= LEAST_MIDDLE * sizes.max():
        return np.ones_like(sizes)
    return np.asarray(np.minimum(1.0, sizes / np.median(sizes)))


def _changes(signs: Floats) -> bool:
    return bool(np.any(signs != signs[0]))
