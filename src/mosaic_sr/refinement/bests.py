"""The best program of each size that a path has seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.refinement.programs import Program, to_expression

# Fits of a walk end when little is left to gain; losses that differ by less than this share are the same.
INDISTINCT = 1e-3


class Bests(NamedTuple):
    """One row per size, sizes from 0; sizes holds the numbers of nodes and of constants."""

    losses: NDArray[np.float64]
    sizes: NDArray[np.int64]
    codes: NDArray[np.int32]
    slots: NDArray[np.int32]
    constants: NDArray[np.float64]

    @classmethod
    def empty(cls, maxsize: int, capacity: int) -> Bests:
        """Nothing found yet, with room for programs in buffers of that capacity."""
        shape = (maxsize + 1, capacity)
        losses, sizes = np.full(maxsize + 1, np.inf), np.zeros((maxsize + 1, 2), np.int64)
        return cls(losses, sizes, np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape))

    @classmethod
    def merged(cls, all_bests: Sequence[Bests]) -> Bests:
        """The best program of each size of several paths, the earlier path's at a tie."""
        winners = np.array([bests.losses for bests in all_bests]).argmin(axis=0)
        merged = all_bests[0].copied()
        for size in np.flatnonzero(winners):
            best = all_bests[winners[size]]
            merged.losses[size], merged.sizes[size], merged.codes[size], merged.slots[size], merged.constants[size] = (
                best.losses[size], best.sizes[size], best.codes[size], best.slots[size], best.constants[size]
            )  # fmt: skip
        return merged

    def copied(self) -> Bests:
        """The same in arrays of its own."""
        return Bests(self.losses.copy(), self.sizes.copy(), self.codes.copy(), self.slots.copy(), self.constants.copy())

    def front(self) -> NDArray[np.int64]:
        """The sizes whose program no smaller one equals, as far as fits tell."""
        before = np.minimum.accumulate(np.concatenate([[np.inf], self.losses[:-1]]))
        return np.flatnonzero(self.losses < (1.0 - INDISTINCT) * before)

    def without(self, is_kept: Callable[[Expression], bool]) -> Bests:
        """The same without the programs that are not to be kept."""
        losses, sizes = self.losses.copy(), self.sizes.copy()
        for size in np.flatnonzero(np.isfinite(losses)).tolist():
            if not is_kept(self.expression(size)):
                losses[size], sizes[size] = np.inf, 0
        return self._replace(losses=losses, sizes=sizes)

    def program(self, size: int) -> Program:
        """The best program of that size."""
        return Program(self.codes[size], self.slots[size], self.constants[size], self.sizes[size])

    def expression(self, size: int) -> Expression:
        """The best expression of that size."""
        return to_expression(*self.program(size))
