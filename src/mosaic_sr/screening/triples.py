"""The best of all triples of columns, by their signs: a product of three shows nothing in any two of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.kernel.jit import compiled
from mosaic_sr.screening.scan import Group, group_beyond_chance

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

# Rows that are compared, in words of 64: those with the largest targets, whose signs noise leaves alone. With fewer,
# the best of a billion unrelated triples looks like a law; with more, the scan takes longer than it has to.
NUM_WORDS = 4
NUM_ROWS = 64 * NUM_WORDS
# 1.3 billion triples took three seconds; of more columns, those whose sizes go best with the size of the target.
MOST_COLUMNS = 2_000


def best_triple(columns: Floats, target: Floats) -> Group | None:
    """The triple whose product has most often the sign of the target; None for tables of few rows.

    columns: (columns, rows) and target: (rows,), both about their middle.
    """
    if len(target) < NUM_ROWS or len(columns) < 3:
        return None
    rows = np.sort(np.argsort(-np.abs(target), kind="stable")[:NUM_ROWS])
    chosen = _likeliest(columns, target)
    signs, own = _signs(columns[chosen][:, rows]), _signs(target[None, rows])[0]
    best, triple = 0, (0, 0, 0)
    for first in range(len(signs) - 2):
        if first % 64 == 0:
            heed_stop()
        found = _best_partners(signs, own, first)
        if found[2] > best:
            best, triple = found[2], (first, found[0], found[1])
    num_tried = len(chosen) ** 3 // 6
    return group_beyond_chance(tuple(chosen[list(triple)].tolist()), best / (NUM_ROWS / 2), num_tried, NUM_ROWS)


def _likeliest(columns: Floats, target: Floats) -> NDArray[np.intp]:
    """At most so many columns: a factor is large where the product is."""
    if len(columns) <= MOST_COLUMNS:
        return np.arange(len(columns))
    sizes = np.abs(columns)
    scores = np.abs((sizes - sizes.mean(axis=1, keepdims=True)) @ (np.abs(target) - np.abs(target).mean()))
    return np.sort(np.argsort(-scores, kind="stable")[:MOST_COLUMNS])


def _signs(numbers: Floats) -> Words:
    """Whether each number is positive, 64 to a word: (arrays, words)."""
    packed = np.packbits(numbers > 0.0, axis=1)
    return np.ascontiguousarray(packed).view(np.uint64)


@compiled()
def _count_bits(word: Any) -> Any:
    """The usual sum of halves, quarters and bytes, which compilers know as one instruction."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled("Tuple((int64, int64, int64))(uint64[:, ::1], uint64[::1], int64)")
def _best_partners(signs: Words, target: Words, first: int) -> Any:
    """The two later columns that make the best triple with a column, and how far their agreement is from chance."""
    best, partners = np.int64(-1), (np.int64(0), np.int64(0))
    a0, a1 = signs[first, 0] ^ target[0], signs[first, 1] ^ target[1]
    a2, a3 = signs[first, 2] ^ target[2], signs[first, 3] ^ target[3]
    for second in range(first + 1, len(signs)):
        b0, b1, b2, b3 = (
            a0 ^ signs[second, 0], a1 ^ signs[second, 1], a2 ^ signs[second, 2], a3 ^ signs[second, 3],
        )  # fmt: skip
        for third in range(second + 1, len(signs)):
            differ = _count_bits(b0 ^ signs[third, 0]) + _count_bits(b1 ^ signs[third, 1])
            differ += _count_bits(b2 ^ signs[third, 2]) + _count_bits(b3 ^ signs[third, 3])
            distance = abs(differ - np.int64(128))
            if distance > best:
                best, partners = distance, (np.int64(second), np.int64(third))
    return partners[0], partners[1], best
