"""Sums and differences of two columns that a law reads as one quantity, as T1 - T2 in a law of heat."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mosaic_sr.expressions.expression import Expression, variable
from mosaic_sr.operators import CODES, VARIABLE

# What two columns make together that a law reads as one quantity, with the bits of choosing it.
PAIRINGS = (("mul", 5.0), ("div", 5.0), ("add", 6.0), ("sub", 7.0))
# Canonical forms order the factors of products, so that two columns seldom stand side by side in them.
BITS_OF_SUMS = {CODES[name]: bits for name, bits in PAIRINGS if name in ("add", "sub")}


def with_pair_as_column(expression: Expression, num_columns: int) -> Iterator[tuple[Expression, float]]:
    """The expression with one column in the place of two that occur only in their sum or difference, and its bits."""
    codes, slots = expression.codes, expression.slots
    are_columns = codes == VARIABLE
    is_pair = np.zeros(len(codes), dtype=np.bool_)
    is_pair[2:] = are_columns[1:-1] & are_columns[:-2] & np.isin(codes[2:], list(BITS_OF_SUMS))
    places: dict[tuple[int, int, int], list[int]] = {}
    for node in np.flatnonzero(is_pair).tolist():
        places.setdefault((int(codes[node]), int(slots[node - 2]), int(slots[node - 1])), []).append(node)
    for (code, one, other), own in places.items():
        num_uses = [np.count_nonzero(are_columns & (slots == column)) for column in (one, other)]
        if one == other or num_uses != [len(own)] * 2:
            continue
        single = expression
        for node in reversed(own):
            single = single.replaced(node, variable(one))
        left = [column - (column > other) for column in range(num_columns)]
        yield single.renamed(left), BITS_OF_SUMS[code] + math.log2(math.comb(num_columns, 2))
