"""Scans of all columns, of all their pairs and of triples, each by one product of matrices over ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.smooth import one_thread, standardised

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

# Columns of a block of pairs: 8 MB at 2,000 columns, and a hundredth of a second.
BLOCK = 512


@dataclass(frozen=True)
class Group:
    """Columns whose product goes with a target, and how far beyond chance.

    correlation: of the product of their ranks with the target's, 0 to 1.
    excess: its square minus the largest that as many unrelated groups would reach; 0 or less is chance.
    """

    columns: tuple[int, ...]
    correlation: float
    excess: float


class Scan:
    """The ranks of columns and their squares, ready to be compared with any target.

    straight, bent: (columns, rows), of mean 0 and deviation 1. Ranks, because the products of numbers with long tails
    go with anything by chance.
    """

    def __init__(self, columns: Floats) -> None:
        ranks = standardised(_ranks(columns))[0]
        self.straight: Singles = ranks.astype(np.float32)
        self.bent: Singles = standardised(np.square(ranks))[0].astype(np.float32)

    @property
    def num_columns(self) -> int:
        return len(self.straight)

    def groups(self, target: Floats, known: Sequence[int]) -> list[Group]:
        """The best column, the best pair, and the best triples that have some of the known columns; best first."""
        own = standardised(_ranks(target[None, :]))[0][0].astype(np.float32)
        found = [self._best_single(own, known, 1, ()), self._best_pair(own, 1, ())]
        for column in known:
            heed_stop()
            found.append(self._best_pair(self._times(own, (column,)), len(known), (column,)))
        for pair in combinations(known, 2):
            found.append(self._best_single(self._times(own, pair), known, len(known) ** 2, pair))
        return sorted((group for group in found if group is not None), key=lambda group: -group.excess)

    def correlations(self, target: Floats) -> Floats:
        """Of each column's ranks or their squares with the target's, the larger: (columns,)."""
        own = standardised(_ranks(target[None, :]))[0][0].astype(np.float32)
        return np.asarray(self._singles(own), dtype=np.float64)

    def _times(self, target: Singles, columns: Sequence[int]) -> Singles:
        product = target * np.prod(self.straight[list(columns)], axis=0)
        return np.asarray(standardised(product)[0], dtype=np.float32)

    def _singles(self, target: Singles) -> Singles:
        with one_thread():
            return np.asarray(np.maximum(np.abs(self.straight @ target), np.abs(self.bent @ target)) / len(target))

    def _best_single(
        self, target: Singles, known: Sequence[int], repeats: int, with_these: tuple[int, ...]
    ) -> Group | None:
        scores = self._singles(target)
        scores[list(known)] = 0.0
        place = int(np.argmax(scores))
        return group_beyond_chance(
            (*with_these, place), float(scores[place]), 2 * self.num_columns * repeats, len(target)
        )

    def _best_pair(self, target: Singles, repeats: int, with_these: tuple[int, ...]) -> Group | None:
        best, pair = 0.0, (0, 0)
        for start, scores in self._pair_blocks(target):
            place = int(np.argmax(scores))
            row, column = divmod(place, scores.shape[1])
            if scores[row, column] > best:
                best, pair = float(scores[row, column]), (start + row, column)
        if best == 0.0 or set(pair) <= set(with_these):
            return None
        num_pairs = 3 * self.num_columns**2 // 2  # straight with straight, straight with bent both ways
        return group_beyond_chance(tuple(dict.fromkeys((*with_these, *pair))), best, num_pairs * repeats, len(target))

    def _pair_blocks(self, target: Singles) -> Iterator[tuple[int, Singles]]:
        """Correlations of the target with products of some columns with all, and where the block begins."""
        for start in range(0, self.num_columns, BLOCK):
            heed_stop()
            part = slice(start, start + BLOCK)
            with one_thread():
                scores = np.abs((self.straight[part] * target) @ self.straight.T)
                np.maximum(scores, np.abs((self.bent[part] * target) @ self.straight.T), out=scores)
            own = np.arange(scores.shape[0])
            scores[own, start + own] = 0.0  # a column with itself is no pair
            yield start, np.asarray(scores / np.float32(len(target)), dtype=np.float32)


def group_beyond_chance(columns: tuple[int, ...], correlation: float, num_tried: int, num_rows: int) -> Group:
    """The group with what its correlation is worth, as the best of so many."""
    # The largest of m correlations of n unrelated rows is about sqrt(2 log(m) / n).
    return Group(columns, correlation, correlation**2 - 2.0 * np.log(max(num_tried, 2)) / num_rows)


def _ranks(values: Floats) -> Floats:
    """Places in order along each row of an array; equal values share their mean place, so that signs stay signs."""
    from scipy.stats import rankdata  # slow to import

    return np.asarray(rankdata(values, axis=1), dtype=np.float64)
