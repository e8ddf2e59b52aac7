"""The grammar sampler: random structures, small ones first, that read nothing from the table but its width."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, hole, make_expression, num_operators
from mosaic_sr.expressions.generator import OPERATOR_WEIGHTS, GeneratorConfig, generate
from mosaic_sr.operators import HOLE, VARIABLE
from mosaic_sr.sketch import Sketch

# The sampler gives up on new structures after this many repeats for each sketch it was asked for.
TRIES_PER_SKETCH = 4


def propose_grammar(
    num_sketches: int, num_columns: int, max_operators: int, operators: Sequence[str], rng: np.random.Generator
) -> list[Sketch]:
    """Up to `num_sketches` distinct sketches in order of size; a leaf's column is left open."""
    weights = {name: OPERATOR_WEIGHTS[name] for name in operators}
    config = GeneratorConfig(
        num_variables=min(num_columns, 3), max_operators=max_operators, weights=weights, max_curved=1
    )
    found: dict[bytes, Expression] = {hole().structure_key: hole()}
    for _ in range(TRIES_PER_SKETCH * num_sketches):
        if len(found) >= num_sketches:
            break
        sketch = canonical(_opened(generate(rng, config)))
        if sketch.num_holes and num_operators(sketch) <= max_operators:
            found.setdefault(sketch.structure_key, sketch)
    ordered = sorted(found.values(), key=len)
    return [Sketch(expression, -float(len(expression)), "grammar") for expression in ordered]


def _opened(expression: Expression) -> Expression:
    """The expression with its variables and constants left open."""
    codes = np.where(expression.codes == VARIABLE, HOLE, expression.codes)
    return make_expression(codes, expression.slots, np.full(expression.num_constants, np.nan))
