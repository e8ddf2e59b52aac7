"""`Scene`: the rows in which scaling laws are looked for, on logarithmic and on plain scales."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scene:
    """columns: (rows, columns), none of them 0.  target: (rows,), not 0."""

    columns: Floats
    target: Floats

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
    def plain_design(self) -> Floats:
        """A column of ones and the standardised columns."""
        return np.column_stack([np.ones(len(self.logs)), (self.columns - self.middles) / self.spreads])

    @cached_property
    def heights(self) -> Floats:
        """log|y|."""
        return np.log(np.abs(self.target))

    @cached_property
    def has_signs(self) -> bool:
        """Whether a column is negative somewhere."""
        return bool(np.any(self.signs < 0))

    @cached_property
    def crosses(self) -> bool:
        """Whether y changes its sign although no column does."""
        return not _changes(self.signs) and _changes(np.sign(self.target))


def make_scene(columns: Floats, target: Floats) -> Scene:
    """The scene of some rows; columns: (columns, rows)."""
    return Scene(columns.T, target)


def _changes(signs: Floats) -> bool:
    return bool(np.any(signs != signs[0]))
