"""The first forms of an unknown in the order of their bits, made once for all tables of so many arguments."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import islice

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.limits import Limits
from mosaic_sr.proposal.enumeration.streams import all_in_order

# Of forms over the same arguments and operators; those of a few templates.
MOST_KEPT = 24


def first_forms(
    arity: int, limits: Limits, max_constants: int, count: int, needs_all: bool = False
) -> list[tuple[float, Expression]]:
    """At most so many forms over `arity` arguments that can become parts within the limits, with their bits.

    needs_all: whether forms that leave an argument out are left out.
    """
    forms = _first(arity, limits.expressible, max_constants, count, needs_all)
    return [pair for pair in forms if limits.may_lead(pair[1])]


@lru_cache(maxsize=MOST_KEPT)
def _first(
    arity: int, operators: tuple[str, ...], max_constants: int, count: int, needs_all: bool
) -> tuple[tuple[float, Expression], ...]:
    bits, needed = [math.log2(arity)] * arity, range(arity) if needs_all else ()
    return tuple(islice(all_in_order(range(arity), bits, needed, operators, max_constants), count))
