"""Laws f(x) + g(x)*h(z), also inside outer operators: where x and z act together in more than a sum or a product.

The terms of h are looked for first, beside the splines of f and g. Each of the best is then a column of its own, and f
and g are the functions of a sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.judge import is_number
from mosaic_sr.expressions.expression import Expression, substituted, variable
from mosaic_sr.proposal.enumeration.sides import Choice, Crossing, Inner, Side, Sides
from mosaic_sr.proposal.enumeration.two_functions import TwoFunctions
from mosaic_sr.proposal.trials import Tried

# Crossings that are looked at, terms of h for each, and laws that are fitted once more with the numbers in h.
NUM_CROSSINGS, NUM_INNER, NUM_REFITTED = 2, 2, 12
# Terms of f and of g that are fitted together.
NUM_KEPT = 8
# The number of crossings grows with the square of the columns.
MOST_COLUMNS = 3


def crossed_laws(functions: TwoFunctions, sides: Sides) -> Iterator[list[Tried]]:
    """The most probable laws of the crossings that explain most."""
    if len(functions.joined.quantities) > MOST_COLUMNS:
        return
    for weighting in functions.trials.weightings:
        for crossing in sides.crossings(weighting, NUM_CROSSINGS):
            for term in _inner_terms(functions, crossing):
                yield _laws(functions, crossing, term, weighting)


def _inner_terms(functions: TwoFunctions, crossing: Crossing) -> list[Expression]:
    """The terms of h that explain most of what f leaves, without their factors, which f and g have."""
    level, slope, crossed = crossing.splines
    inner = replace(crossing.inner, values=crossing.inner.values - level)
    pair = Choice(inner, (crossing.side, crossing.other), (slope, crossed), crossing.score, is_product=True)
    parts = functions.terms(pair, 1, np.ldexp(slope, inner.exponent))[:NUM_INNER]
    return [part.form.with_constants([1.0, *part.term.constants[1:]]) for part in parts]


def _laws(functions: TwoFunctions, crossing: Crossing, term: Expression, weighting: str) -> list[Tried]:
    """The laws with this term for h, all their numbers fitted."""
    count = len(functions.joined.quantities)
    wider = functions.with_quantity(term, NUM_KEPT)
    if wider is None:
        return []
    own = Side(variable(count), crossing.side.column)
    factor = wider.rows.columns[count]
    sides = Sides(wider.rows, [crossing.side.column], functions.operators)
    inner: Inner = crossing.inner
    choice = sides.fitted(inner, ((crossing.side, np.ones_like(factor)), (own, factor)), sides.weights(weighting))
    tried = sorted(wider.laws(choice, weighting), key=lambda one: -one.score)[:NUM_REFITTED]
    quantities = [*map(variable, range(count)), term]
    return [_refitted(functions, substituted(one.expression, quantities), weighting) for one in tried]


def _refitted(functions: TwoFunctions, law: Expression, weighting: str) -> Tried:
    values: NDArray[np.float64] = law.constants
    holes = [value if is_number(value) else np.nan for value in values.tolist()]
    return functions.trials.tried_from(law.with_constants(holes), functions.bits_of(law), values, weighting)
