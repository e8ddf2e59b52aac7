"""`GroupedRows`: the rows of all groups in the user's units, those of a group side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.table import Rows

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """Rows sorted by group.

    columns: (columns of the user, rows).  target, weights, rounding: (rows,); rounding is the standard deviation of
    what rounding adds to each target.  sigma: (rows,), standard errors that the user states, or None.
    starts: (groups,), the first row of each group.
    """

    columns: Floats
    target: Floats
    weights: Floats
    rounding: Floats
    sigma: Floats | None
    starts: Indices

    @property
    def num_rows(self) -> int:
        return len(self.target)

    @property
    def num_groups(self) -> int:
        return len(self.starts)

    @cached_property
    def sizes_of_groups(self) -> Indices:
        """Rows of each group: (groups,)."""
        return np.diff(self.starts, append=self.num_rows)

    @cached_property
    def group_of_row(self) -> Indices:
        """(rows,)."""
        return np.repeat(np.arange(self.num_groups), self.sizes_of_groups)

    @cached_property
    def usual(self) -> float:
        """Root mean square of the target."""
        largest = float(np.max(np.abs(self.target)))
        return largest * float(np.sqrt(np.mean(np.square(self.target / largest)))) if largest else 1.0

    def sums(self, values: Floats) -> Floats:
        """Sums over the rows of each group: (..., rows) become (..., groups)."""
        return np.asarray(np.add.reduceat(values, self.starts, axis=-1))

    def take_groups(self, groups: Sequence[int]) -> GroupedRows:
        """The rows of some groups, in the order given."""
        if list(groups) == list(range(self.num_groups)):
            return self
        sizes = self.sizes_of_groups[list(groups)]
        firsts = self.starts[list(groups)]
        places = np.concatenate([np.arange(first, first + size) for first, size in zip(firsts, sizes, strict=True)])
        return self._at(places, np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp))

    def _at(self, places: Indices, starts: Indices) -> GroupedRows:
        return GroupedRows(
            np.ascontiguousarray(self.columns[:, places]),
            self.target[places],
            self.weights[places],
            self.rounding[places],
            None if self.sigma is None else self.sigma[places],
            starts,
        )

    def thinned(self, most_rows: int) -> GroupedRows:
        """At most so many rows of each group, spread over its target."""
        if self.sizes_of_groups.max() <= most_rows:
            return self
        places, starts = [], [0]
        for start, size in zip(self.starts, self.sizes_of_groups, strict=True):
            own = np.arange(start, start + size)
            if size > most_rows:
                ranks = np.linspace(0, size - 1, most_rows).astype(np.intp)
                own = np.sort(own[np.argsort(self.target[own], kind="stable")[ranks]])
            places.append(own)
            starts.append(starts[-1] + len(own))
        return self._at(np.concatenate(places), np.array(starts[:-1], dtype=np.intp))

    def group(self, group: int) -> Rows:
        """The rows of one group."""
        own = slice(self.starts[group], self.starts[group] + self.sizes_of_groups[group])
        sigma = np.empty(0) if self.sigma is None else self.sigma[own]
        return Rows(np.ascontiguousarray(self.columns[:, own]), self.target[own], self.weights[own], sigma)

    @property
    def fit_weights(self) -> Floats:
        """How much each row counts in a fit: (rows,)."""
        if self.sigma is None:
            return self.weights
        return np.asarray(self.weights * np.square(np.min(self.sigma) / self.sigma))
