"""The grammar sampler: random structures, small ones first, that read nothing from the table but its width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.definitions import written_size
from mosaic_sr.expressions.expression import Expression, hole, make_expression, num_operators
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.operators import HOLE, VARIABLE, operator_named
from mosaic_sr.proposal.context import Event, ProposalContext
from mosaic_sr.sketch import Sketch

# The sampler gives up on new structures after this many repeats for each sketch it was asked for.
TRIES_PER_SKETCH = 4
# Nodes of a sketch whose defined operators are written out, as many as search paths allow.
MOST_WRITTEN = 288


@dataclass(frozen=True)
class GrammarConfig:
    """How many structures are drawn and how large they may be."""

    num_sketches: int = 600  # a few seconds of fitting; most small laws are among them
    max_operators: int = 5  # the sampler's share of larger laws is too small to be worth its time
    batch: int = 50  # sketches per yield


def propose_grammar(config: GrammarConfig, context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """Distinct sketches in order of size, in batches; a leaf's column is left open."""
    sketches = draw_sketches(config, context.table.num_columns, context.operators, rng)
    for first in range(0, len(sketches), config.batch):
        yield sketches[first : first + config.batch]


def draw_sketches(
    config: GrammarConfig, num_columns: int, operators: Sequence[str], rng: np.random.Generator
) -> list[Sketch]:
    """Up to `num_sketches` distinct sketches in order of size."""
    weights = {name: operator_named(name).weight for name in operators}
    generator = GeneratorConfig(
        num_variables=min(num_columns, 3), max_operators=config.max_operators, weights=weights, max_curved=1
    )
    found: dict[bytes, Expression] = {hole().structure_key: hole()}
    for _ in range(TRIES_PER_SKETCH * config.num_sketches):
        if len(found) >= config.num_sketches:
            break
        sketch = canonical(_opened(generate(rng, generator)))
        is_short = num_operators(sketch) <= config.max_operators and written_size(sketch) <= MOST_WRITTEN
        if sketch.num_holes and is_short:
            found.setdefault(sketch.structure_key, sketch)
    ordered = sorted(found.values(), key=len)
    return [Sketch(expression, -float(len(expression)), "grammar") for expression in ordered]


def _opened(expression: Expression) -> Expression:
    """The expression with its variables and constants left open."""
    codes = np.where(expression.codes == VARIABLE, HOLE, expression.codes)
    return make_expression(codes, expression.slots, np.full(expression.num_constants, np.nan))
