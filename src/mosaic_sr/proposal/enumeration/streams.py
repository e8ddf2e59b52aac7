"""Streams of forms: over the columns, and over what two of them make together, merged in the order of their bits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import combinations

from mosaic_sr.evidence.column_pairs import PAIRINGS
from mosaic_sr.evidence.written import NOWHERE, Context
from mosaic_sr.expressions.expression import Expression, apply, substituted, variable
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.by_units import Grouped
from mosaic_sr.proposal.enumeration.forms import Forms, Making, to_expression, until_too_many
from mosaic_sr.proposal.enumeration.kept_lists import kept
from mosaic_sr.proposal.enumeration.prices import can_be, prices_of
from mosaic_sr.units.dimensions import Dimensions

# Bits of the second product in front of groups, and of each further one.
BITS_PER_FRONT = 0.5
# Forms of more columns have so many bits that other proposers come first.
MOST_NEEDED = 3
# Columns that are paired, the likeliest.
MOST_PAIRED = 3


def anything(form: Expression) -> bool:
    """Yes, whatever it is."""
    del form
    return True


@dataclass(frozen=True, eq=False)
class Stream:
    """Forms over some quantities; bits: what choosing the quantities costs.  front: what laws are multiplied by.

    keep: forms for which it says no are left out.
    """

    forms: Forms
    quantities: tuple[Expression, ...]
    bits: float
    front: Expression | None = None
    keep: Callable[[Expression], bool] = anything

    def in_order(self) -> Iterator[tuple[float, Expression | None]]:
        """Laws with holes for constants, with their bits, those of fewest bits first; None as in `Forms.in_order`."""
        places = [int(quantity.slots[0]) for quantity in self.quantities if len(quantity) == 1]
        are_columns = len(places) == len(self.quantities)
        for bits, form in self.forms.in_order():
            if form is None:
                yield bits + self.bits, None
                continue
            expression = to_expression(form)
            if not self.keep(expression):
                continue
            law = expression.renamed(places) if are_columns else substituted(expression, self.quantities)
            # The free factor of a form stands first, as it does in forms without a product in front.
            yield bits + self.bits, law if self.front is None else apply("mul", law, self.front)


def all_in_order(
    columns: Sequence[int],
    column_bits: Sequence[float],
    needed: Sequence[int],
    operators: Sequence[str],
    max_constants: int,
    start: Context = NOWHERE,
    dimensions: Dimensions | None = None,
    grouped: Grouped | None = None,
    most_needed: int = MOST_NEEDED,
    keep: Callable[[Expression], bool] = anything,
    known: dict[object, Forms] | None = None,
) -> Iterator[tuple[float, Expression]]:
    """The forms of all streams, those of fewest bits first, as far as it is worth while.

    columns: their places in the table.  column_bits: what it costs to name each.  needed: those in every law.
    start: where the forms stand in a law.  dimensions: what the columns measure, where it is known.
    grouped: groups without a unit, over which forms stand too, or alone where more columns than `most_needed` are
        needed: forms over so many columns have so many bits that none would come.
    keep: a function of a module; forms for which it says no are left out.
    known: forms with units made earlier, by what they are made of; those made now are added.
    """
    if dimensions is not None or grouped is not None or not set(operators) <= set(NAMES):
        more = dimensions, grouped, most_needed, keep, known
        return until_too_many(_in_order(columns, column_bits, needed, operators, max_constants, start, *more))
    # Forms over columns of which nothing is known but how likely they occur are the same in all tables.
    own = range(len(columns)), tuple(column_bits), [list(columns).index(column) for column in needed]
    settings = *own, tuple(operators), max_constants, tuple(start), keep.__qualname__
    listed = kept(settings, lambda: until_too_many(_in_order(*own, operators, max_constants, start, keep=keep)))
    return ((bits, law.renamed(columns)) for bits, law in listed)


def _in_order(
    columns: Sequence[int],
    column_bits: Sequence[float],
    needed: Sequence[int],
    operators: Sequence[str],
    max_constants: int,
    start: Context,
    dimensions: Dimensions | None = None,
    grouped: Grouped | None = None,
    most_needed: int = MOST_NEEDED,
    keep: Callable[[Expression], bool] = anything,
    known: dict[object, Forms] | None = None,
) -> Iterator[tuple[float, Expression]]:
    """As `all_in_order`, made anew, until too many were made."""
    known = {} if known is None else known
    making = next((forms.making for forms in known.values() if forms.start == start), Making())
    settings = tuple(operators), max_constants, start

    def stream(quantities: Sequence[Expression], own_bits: Sequence[float], bits: float) -> Stream:
        wanted = frozenset(place for place, quantity in enumerate(quantities) if set(quantity.columns) & set(needed))
        prices = prices_of(quantities, dimensions)
        key = tuple(own_bits), wanted, None if prices is None else prices.key, *settings
        if key not in known:
            known[key] = Forms(
                tuple(own_bits), tuple(operators), max_constants, wanted, making=making, start=start, prices=prices
            )
        return Stream(known[key], tuple(quantities), bits, keep=keep)

    def stream_of_groups(groups: Grouped, place: int) -> Stream:
        wanted = groups.wanted(needed, groups.fronts[place])
        key = groups.bits, wanted, "groups", *settings
        if key not in known:
            known[key] = Forms(groups.bits, tuple(operators), max_constants, wanted, making=making, start=start)
        return Stream(known[key], groups.quantities, BITS_PER_FRONT * place, groups.fronts[place], keep)

    if grouped is not None and len(needed) > most_needed:
        return _merged([stream_of_groups(grouped, place) for place in range(len(grouped.fronts))])
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
            pair = apply(name, variable(columns[one]), variable(columns[other]))
            if name in operators and can_be(pair, dimensions):
                streams.append(stream([pair, *others], own_bits, bits + math.log2(num_pairs)))
    if grouped is not None and "mul" in operators:
        streams += [stream_of_groups(grouped, place) for place in range(len(grouped.fronts))]
    return _merged(streams)


def _merged(streams: Sequence[Stream]) -> Iterator[tuple[float, Expression]]:
    """The laws of all streams, those of fewest bits first."""
    for bits, law in merge(*(each.in_order() for each in streams), key=lambda entry: entry[0]):
        if law is not None:
            yield bits, law
