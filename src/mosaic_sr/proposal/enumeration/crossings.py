"""Laws f(x) + g(x)*h(z), also inside outer operators: where x and z act together in more than a sum or a product.

The terms of h are looked for first, beside the splines of f and g. Each of the best is then a column of its own, and f
and g are the functions of a sum, or one term times 1 and a power of x: f(x) (1 + c x h(z)).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.judge import is_number
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, apply, constant, substituted, variable
from mosaic_sr.expressions.powers import power
from mosaic_sr.proposal.enumeration.sides import HOLE, Choice, Crossing, Inner, Side, Sides
from mosaic_sr.proposal.enumeration.two_functions import TwoFunctions
from mosaic_sr.proposal.trials import Tried
from mosaic_sr.proposal.views.steps import wrap

# Crossings that are looked at, terms of h for each, those of them with which sums are tried, which takes longer, and
# laws that are fitted once more with the numbers in h.
NUM_CROSSINGS, NUM_INNER, NUM_IN_SUMS, NUM_REFITTED = 2, 3, 2, 12
# Terms of f and of g that are fitted together.
NUM_KEPT = 8
# Powers of x beside h in what a common factor multiplies.
POWERS_BESIDE = (1.0, -1.0)
# The number of crossings grows with the square of the columns.
MOST_COLUMNS = 3


def crossed_laws(functions: TwoFunctions, sides: Sides) -> Iterator[list[Tried]]:
    """The most probable laws of the crossings that explain most."""
    count = len(functions.joined.quantities)
    if count > MOST_COLUMNS:
        return
    for weighting in functions.trials.weightings:
        for crossing in sides.crossings(weighting, NUM_CROSSINGS):
            for place, term in enumerate(_inner_terms(functions, crossing)):
                wider = functions.with_quantity(term, NUM_KEPT)
                if wider is None:
                    continue
                quantities = [*map(variable, range(count)), term]
                for tried in _laws(wider, crossing, weighting, count, has_sums=place < NUM_IN_SUMS):
                    laws = (substituted(one.expression, quantities) for one in tried)
                    yield [_refitted(functions, law, weighting) for law in laws]


def _laws(
    wider: TwoFunctions, crossing: Crossing, weighting: str, crossed: int, has_sums: bool
) -> Iterator[list[Tried]]:
    """The most probable laws in which h is a quantity, `crossed` its place."""
    yield _with_common_factor(wider, crossing, crossed)
    if has_sums:
        yield _sums(wider, crossing, weighting, crossed)


def _inner_terms(functions: TwoFunctions, crossing: Crossing) -> list[Expression]:
    """The terms of h that explain most of what f leaves, without their factors, which f and g have; z itself is one."""
    level, slope, crossed = crossing.splines
    inner = replace(crossing.inner, values=crossing.inner.values - level)
    pair = Choice(inner, (crossing.side, crossing.other), (slope, crossed), crossing.score, is_product=True)
    parts = functions.terms(pair, 1, np.ldexp(slope, inner.exponent))[:NUM_INNER]
    terms = [part.form.with_constants([1.0, *part.term.constants[1:]]) for part in parts]
    plain = variable(crossing.other.column)
    return [*(term for term in terms if canonical(term) != plain), plain]


def _sums(wider: TwoFunctions, crossing: Crossing, weighting: str, crossed: int) -> list[Tried]:
    """The most probable laws f + g*h, f and g each a term."""
    own, factor = Side(variable(crossed), crossing.side.column), wider.rows.columns[crossed]
    sides = Sides(wider.rows, [crossing.side.column], wider.operators)
    inner: Inner = crossing.inner
    choice = sides.fitted(inner, ((crossing.side, np.ones_like(factor)), (own, factor)), sides.weights(weighting))
    return sorted(wider.laws(choice, weighting), key=lambda one: -one.score)[:NUM_REFITTED]


def _with_common_factor(wider: TwoFunctions, crossing: Crossing, crossed: int) -> list[Tried]:
    """The most probable laws f(x) (1 + c x^n h)."""
    column = variable(crossing.side.column)
    besides = [
        apply("add", constant(1.0), apply("mul", HOLE, apply("mul", power(column, own), variable(crossed))))
        for own in POWERS_BESIDE
    ]
    laws = [
        (bits, wrap(apply("mul", term, beside), crossing.inner.outer))
        for bits, term in wider.terms_of(crossing.side.column)
        for beside in besides
    ]
    return sorted(wider.tried_on_few(laws), key=lambda one: -one.score)[:NUM_KEPT]


def _refitted(functions: TwoFunctions, law: Expression, weighting: str) -> Tried:
    values: NDArray[np.float64] = law.constants
    holes = [value if is_number(value) else np.nan for value in values.tolist()]
    return functions.trials.tried_from(law.with_constants(holes), functions.bits_of(law), values, weighting)
