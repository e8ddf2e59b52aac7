"""What two columns make together that a law reads as one quantity, as T1 - T2 in a law of heat or v/c in another."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, constant, substituted, variable
from mosaic_sr.expressions.rows import POWERS
from mosaic_sr.operators import CODES, VARIABLE, Operator

# What two columns make together that a law reads as one quantity, with the bits of choosing it.
PAIRINGS = (("mul", 5.0), ("div", 5.0), ("add", 6.0), ("sub", 7.0))
BITS_OF_SUMS = {CODES[name]: bits for name, bits in PAIRINGS if name in ("add", "sub")}
# The power of the second column in a product that is one quantity, for that of the first.
BITS_OF_PRODUCTS = {1.0: dict(PAIRINGS)["mul"], -1.0: dict(PAIRINGS)["div"]}


def with_pair_as_column(expression: Expression, num_columns: int) -> Iterator[tuple[Expression, float]]:
    """The expression with one column in the place of two that occur together only, and its bits."""
    if num_columns < 2:
        return
    choice = math.log2(math.comb(num_columns, 2))
    for single, other, bits in (*_sums(expression), *_products(expression)):
        left = [column - (column > other) for column in range(num_columns)]
        yield single.renamed(left), bits + choice


def _sums(expression: Expression) -> Iterator[tuple[Expression, int, float]]:
    """The expression with one column for a sum or difference of two, the one that is gone, and the bits."""
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
        yield single, other, BITS_OF_SUMS[code]


def _products(expression: Expression) -> Iterator[tuple[Expression, int, float]]:
    """As `_sums`, for products and quotients; of more columns that always stand together two, which are then one."""
    powers = _powers(expression) if len(expression.columns) > 1 else []
    paired: set[int] = set()
    for one, other in combinations(expression.columns, 2):
        own = [(row.get(one, 0.0), row.get(other, 0.0)) for row in powers]
        for sign, bits in BITS_OF_PRODUCTS.items():
            if not paired & {one, other} and all(first == sign * second for first, second in own):
                paired |= {one, other}
                columns = [constant(1.0) if each == other else variable(each) for each in range(other + 1)]
                columns += map(variable, range(other + 1, max(expression.columns) + 1))
                yield canonical(substituted(expression, columns)), other, bits


def _powers(expression: Expression) -> list[dict[int, float]]:
    """The powers of the columns in each product that is no factor of another one."""
    found: list[dict[int, float]] = []

    def node(operator: Operator, operands: list[dict[int, float]]) -> dict[int, float]:
        if operator.name in ("mul", "div"):
            sign = 1.0 if operator.name == "mul" else -1.0
            left, right = operands
            return {each: left.get(each, 0.0) + sign * right.get(each, 0.0) for each in {**left, **right}}
        if operator.name == "neg":
            return operands[0]
        exponent = POWERS.get(operator.name)
        if exponent is not None:
            return {column: exponent * power for column, power in operands[0].items()}
        found.extend(operands)
        return {}

    found.append(expression.fold(node, lambda column: {column: 1.0}, lambda value: {}, dict))
    return found
