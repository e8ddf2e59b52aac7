"""Products of powers: log|y| is linear in the logarithms of the factors, and exact data let its residual fall to 0.

Plain products come first, then those in a guise, with a number added to them, and with a number inside a factor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mosaic_sr.exactness import is_conclusive, is_exact
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.operators import ARITY, operator_of
from mosaic_sr.proposal.power_laws.centred import centred_products
from mosaic_sr.proposal.power_laws.disguised import guised_products, offset_products
from mosaic_sr.proposal.power_laws.numbered import products_with_a_number
from mosaic_sr.proposal.power_laws.product_search import Product, ProductSearch
from mosaic_sr.proposal.question import Question
from mosaic_sr.sketch import Sketch

# Above this no floor is in reach, and the floor need not be computed.
WORTH_A_LOOK = 1e-12
# Errors of 1e-10 under both weightings.
NEARLY_EXACT = 1e-20
# Nodes of an approximation that is handed on; larger ones are beyond what refinement edits.
LARGEST_SEED = 30


@dataclass(frozen=True)
class PowerLawConfig:
    """How far products are searched for.

    num_factors: beside the plain columns.  beam: supports of each size that are looked at closely.
    """

    num_factors: int = 3  # of 1,000 factors, a fourth is found as often as not and costs as much as the rest
    beam: int = 16
    num_sketches: int = 4  # handed on: the simplest exact ones, else the best of the rough ones


def propose_power_laws(config: PowerLawConfig, question: Question, rng: np.random.Generator) -> Iterator[list[Sketch]]:
    """The products that reach the floor of the data, else the best approximations."""
    rows = question.rows.take(np.flatnonzero(question.rows.target != 0))
    if rows.num_rows < 4 or rows.has_constant_target:
        return
    rough: list[Product] = []
    seen: set[bytes] = set()
    for is_plain, batch in _batches(config, question, ProductSearch(question, rows)):
        close = [found for found in batch if found.badness < WORTH_A_LOOK]
        exact = [found for found in close if is_exact(found.expression, question.rows, question.table)]
        if exact:
            yield _sketches(sorted(exact, key=lambda found: len(found.expression)), config, question)
            if any(is_conclusive(found.expression, question.table) for found in exact):
                return
        best = sorted(batch, key=lambda found: found.badness)[:1]
        # A law with a free number inside may lack its last digits only.
        near = [found for found in best if found.badness < NEARLY_EXACT and found.expression.structure_key not in seen]
        seen.update(found.expression.structure_key for found in near)
        yield _sketches(near, config, question)
        rough += [found for found in best if is_plain and len(found.expression) <= LARGEST_SEED]
    yield _sketches(sorted(rough, key=lambda found: found.badness), config, question)


def _batches(config: PowerLawConfig, question: Question, search: ProductSearch) -> Iterator[tuple[bool, list[Product]]]:
    """Plain products, then those in a guise, with something added, with a number inside; and whether they may be seeds.

    A guise that is not exact is an accident, as is a product around a centre: it says nothing about the law.
    """
    yield from ((True, batch) for batch in search.levels(search.rows.target, config.num_factors, config.beam))
    yield from ((False, batch) for batch in guised_products(search, question))
    yield from ((True, batch) for batch in offset_products(search))
    yield from ((False, search.measured(laws)) for laws in centred_products(question) if laws)
    yield from ((True, batch) for batch in products_with_a_number(search, question))


def _sketches(products: Sequence[Product], config: PowerLawConfig, question: Question) -> list[Sketch]:
    """Sketches of the first products that the allowed operators can write."""
    known = set(question.operators)
    distinct = {found.expression.key: found.expression for found in products}
    usable = [expression for expression in distinct.values() if _operators(expression) <= known]
    return [Sketch(each, -float(rank), "power_laws") for rank, each in enumerate(usable[: config.num_sketches])]


def _operators(expression: Expression) -> set[str]:
    return {operator_of(int(code)).name for code in expression.codes if ARITY[code] > 0}
