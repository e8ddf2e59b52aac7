"""Sums and products of functions of one column: u*f(x) + v*g(z), outer(f(x) + g(z)), u*f(x)*g(z), f(x) + g(x)*h(z).

Splines tell which choice of columns and of u and v noisy rows ask for, and where the functions come from. Where columns
act together, as in x - z, such quantities stand in their place first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import variable
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.enumeration.crossings import crossed_laws
from mosaic_sr.proposal.enumeration.sides import Sides
from mosaic_sr.proposal.enumeration.two_functions import SeparableConfig, TwoFunctions
from mosaic_sr.proposal.joined import Joined
from mosaic_sr.proposal.trials import Tried
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows

__all__ = ["SeparableConfig", "propose_separable"]

SEPARABLE = "separable"
# Columns that are looked at, the most relevant: the number of choices grows with the sixth power.
MOST_COLUMNS = 4


def propose_separable(config: SeparableConfig, context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """Sums of two functions, once, where the most probable law so far leaves more than noise."""
    del rng  # nothing is left to chance
    operators = tuple(name for name in context.operators if name in NAMES)
    has_enumeration = context.looks_noisy and context.coverage.has_begun
    if not has_enumeration or len(context.scores) < 2 or not {"add", "mul"} <= set(operators):
        return
    for _ in range(config.num_turns):
        if context.coverage.num_forms and context.needs_more():
            for joined, rows in _views(context):
                functions = TwoFunctions(config, context, operators, joined, rows)
                for laws in (_sums_and_products, crossed_laws):
                    for tried in laws(functions, Sides(rows, range(len(joined.quantities)), operators)):
                        yield _sketches(tried, joined, context, config.num_sketches)
                        yield Signal.HEARTBEAT
                    if not context.needs_more():
                        return
            return
        yield Signal.PAUSE


def _views(context: ProposalContext) -> Iterator[tuple[Joined, Rows]]:
    """What functions may have as their arguments: what columns make together, then columns; the most relevant."""
    plain = context.view_of_groups or Joined(tuple(map(variable, range(len(context.scores)))), 0.0)
    for joined in (context.joined, plain):
        if joined is not None and len(joined.quantities) > 1:
            scores = [float(np.sum(context.scores[list(each.columns)])) for each in joined.quantities]
            best = sorted(np.argsort(-np.array(scores), kind="stable")[:MOST_COLUMNS].tolist())
            chosen = replace(joined, quantities=tuple(joined.quantities[place] for place in best))
            rows = chosen.seen(context.rows)
            if rows is not None:
                yield chosen, rows


def _sums_and_products(functions: TwoFunctions, sides: Sides) -> Iterator[list[Tried]]:
    """The laws of two functions for the choices that explain most."""
    for weighting in functions.trials.weightings:
        for choice in sides.choices(weighting, functions.config.num_choices):
            yield functions.laws(choice, weighting)


def _sketches(tried: Sequence[Tried], joined: Joined, context: ProposalContext, count: int) -> list[Sketch]:
    laws = (joined.law(one.expression) for one in sorted(tried, key=lambda one: -one.score))
    best = islice((law for law in laws if context.limits.may_go_on(canonical(law))), count)
    return [Sketch(law, -float(rank), SEPARABLE, is_fitted=True) for rank, law in enumerate(best)]
