"""Streams of forms: over the columns, and over what two of them make together, merged in the order of their bits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import combinations

from mosaic_sr.evidence.written import NOWHERE, Context
from mosaic_sr.expressions.expression import Expression, apply, substituted, variable
from mosaic_sr.proposal.enumeration.forms import Forms, Making, to_expression

# What two columns make together that a law reads as one quantity, with the bits of choosing it.
PAIRINGS = (("mul", 5.0), ("div", 5.0), ("add", 6.0), ("sub", 7.0))
# Columns that are paired, the likeliest.
MOST_PAIRED = 3


@dataclass(frozen=True, eq=False)
class Stream:
    """Forms over some quantities; bits: what choosing the quantities costs."""

    forms: Forms
    quantities: tuple[Expression, ...]
    bits: float

    def in_order(self) -> Iterator[tuple[float, Expression]]:
        """Laws with holes for constants, with their bits, those of fewest bits first."""
        for bits, form in self.forms.in_order():
            yield bits + self.bits, substituted(to_expression(form), self.quantities)


def all_in_order(
    columns: Sequence[int],
    column_bits: Sequence[float],
    needed: Sequence[int],
    operators: Sequence[str],
    max_constants: int,
    start: Context = NOWHERE,
) -> Iterator[tuple[float, Expression]]:
    """The forms of all streams, those of fewest bits first.

    columns: their places in the table.  column_bits: what it costs to name each.  needed: those in every law.
    start: where the forms stand in a law.
    """
    known: dict[tuple[tuple[float, ...], frozenset[int]], Forms] = {}
    making = Making()

    def stream(quantities: Sequence[Expression], own_bits: Sequence[float], bits: float) -> Stream:
        wanted = frozenset(place for place, quantity in enumerate(quantities) if set(quantity.columns) & set(needed))
        key = tuple(own_bits), wanted
        if key not in known:
            known[key] = Forms(key[0], tuple(operators), max_constants, wanted, making=making, start=start)
        return Stream(known[key], tuple(quantities), bits)

    streams = [stream([variable(column) for column in columns], column_bits, 0.0)]
    # Each pair is as much work as all columns.
    likely = sorted(sorted(range(len(columns)), key=lambda place: column_bits[place])[:MOST_PAIRED])
    num_pairs = math.comb(len(likely), 2)
    for one, other in combinations(likely, 2):
        rest = [place for place in range(len(columns)) if place not in (one, other)]
        others = [variable(columns[place]) for place in rest]
        # The quantity takes the place of two columns and is as likely as both.
        shares = [2.0 ** -column_bits[place] for place in (*rest, one, other)]
        own_bits = [-math.log2(share) for share in (sum(shares[-2:]), *shares[:-2])]
        for name, bits in PAIRINGS:
            if name in operators:
                pair = apply(name, variable(columns[one]), variable(columns[other]))
                streams.append(stream([pair, *others], own_bits, bits + math.log2(num_pairs)))
    return merge(*(each.in_order() for each in streams), key=lambda entry: entry[0])
