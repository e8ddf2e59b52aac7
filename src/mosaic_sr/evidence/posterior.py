"""Probabilities of laws: their evidence normalised over all that were visited, with a remainder for the others."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.judge import Judged
from mosaic_sr.evidence.written import shape
from mosaic_sr.expressions.values import evaluate_expression

Floats = NDArray[np.float64]

# Laws whose values differ by less than this share of the scatter on the rows, and of their own size around them, are
# one law in two forms: their fits end so near to each other.
SAME = 0.02
SAME_ELSEWHERE = 1e-3
# Columns smaller and larger than they are, for a look outside the rows.
FACTORS = (0.5, 2.0)


def distinct(judged: Sequence[Judged], columns: Floats) -> list[int]:
    """Places of the laws that are other functions than all before them; columns: (columns, rows)."""
    elsewhere = np.concatenate([factor * columns for factor in FACTORS], axis=1)
    known: dict[tuple[str, ...], tuple[Floats, Floats]] = {}
    kept: list[int] = []
    for place, one in enumerate(judged):
        # The signs of free constants are no structure: a + b*x and a - b*x are one law.
        structure = shape(one.expression)
        if structure in known:
            continue
        with np.errstate(all="ignore"):
            scatter = one.evidence.spread * one.evidence.sizes
            values = evaluate_expression(one.expression, columns), evaluate_expression(one.expression, elsewhere)
        if not any(_are_same(values, other, scatter) for other in known.values()):
            known[structure] = values
            kept.append(place)
    return kept


@np.errstate(all="ignore")
def _are_same(one: tuple[Floats, Floats], other: tuple[Floats, Floats], scatter: Floats) -> bool:
    """Whether two laws agree on the rows, and elsewhere wherever both have a value."""
    if not np.all(np.abs(one[0] - other[0]) <= SAME * scatter):
        return False
    gap, size = np.abs(one[1] - other[1]), np.maximum(np.abs(one[1]), np.abs(other[1]))
    is_known = np.isfinite(gap)
    return bool(np.all(gap[is_known] <= SAME_ELSEWHERE * size[is_known] + SAME * float(np.median(scatter))))


def normalised(scores: Sequence[float], remainder: float) -> list[float]:
    """Probabilities of laws with these scores; remainder: the score of all laws that were not visited."""
    largest = max([*scores, remainder])
    weights = [math.exp(score - largest) for score in scores]
    total = sum(weights) + math.exp(remainder - largest)
    return [weight / total for weight in weights]
