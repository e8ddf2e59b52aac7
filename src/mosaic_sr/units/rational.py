"""Linear equations over the fractions, solved exactly by elimination."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Vector = tuple[Fraction, ...]


def reduced(rows: Sequence[Sequence[Fraction]]) -> tuple[list[list[Fraction]], list[int]]:
    """The reduced echelon form of some rows without those of zeros, and the column of each row's leading 1."""
    own, pivots = [list(row) for row in rows], list[int]()
    for column in range(len(own[0]) if own else 0):
        done = len(pivots)
        found = next((row for row in range(done, len(own)) if own[row][column]), None)
        if found is None:
            continue
        own[done], own[found] = own[found], own[done]
        own[done] = [value / own[done][column] for value in own[done]]
        for row in range(len(own)):
            if row != done and own[row][column]:
                factor = own[row][column]
                own[row] = [value - factor * lead for value, lead in zip(own[row], own[done], strict=True)]
        pivots.append(column)
    return own[: len(pivots)], pivots


def null_vectors(columns: Sequence[Sequence[Fraction]]) -> list[Vector]:
    """A basis of the exponents with which the columns add up to zero; columns: one vector each."""
    echelon, pivots = reduced(list(zip(*columns, strict=True)))
    found = []
    for free in range(len(columns)):
        if free in pivots:
            continue
        vector = [Fraction(0)] * len(columns)
        vector[free] = Fraction(1)
        for row, pivot in zip(echelon, pivots, strict=True):
            vector[pivot] = -row[free]
        found.append(tuple(vector))
    return found


def solution(columns: Sequence[Sequence[Fraction]], target: Sequence[Fraction]) -> Vector | None:
    """Exponents with which the columns add up to the target, most of them 0; None where there are none."""
    echelon, pivots = reduced(list(zip(*columns, target, strict=True)))
    if len(columns) in pivots:
        return None
    vector = [Fraction(0)] * len(columns)
    for row, pivot in zip(echelon, pivots, strict=True):
        vector[pivot] = row[-1]
    return tuple(vector)


def is_independent(vectors: Sequence[Sequence[Fraction]]) -> bool:
    """Whether no vector is a sum of multiples of the others."""
    return len(reduced(vectors)[1]) == len(vectors)
