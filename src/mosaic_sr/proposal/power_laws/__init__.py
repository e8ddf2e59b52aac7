"""Products of powers: log|y| is linear in the logarithms of the factors, and exact data let its residual fall to 0.

Plain products come first, then those behind an outer link, with a number added to them,
and with a number inside a factor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mosaic_sr.exactness import CLOSE, NEARLY_EXACT, agrees, is_exact
from mosaic_sr.expressions.expression import operator_names
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.power_laws.centred import centred_products
from mosaic_sr.proposal.power_laws.disguised import linked_products, offset_products
from mosaic_sr.proposal.power_laws.numbered import products_with_a_number
from mosaic_sr.proposal.power_laws.product_search import Product, ProductSearch
from mosaic_sr.sketch import Sketch

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


def propose_power_laws(config: PowerLawConfig, context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """The products that reach the floor of the data, else the best approximations; at last those around a centre."""
    rows = context.rows.take(np.flatnonzero(context.rows.target != 0))
    if rows.num_rows < 4 or rows.has_constant_target:
        return
    search, told = ProductSearch(context, rows), _Told(config, context)
    for is_plain, batch in _batches(config, context, search):
        yield from told.sketches(batch, is_plain)
        if told.is_law:
            return
    yield told.seeds()
    yield Signal.PAUSE  # longer products around a number take as long as all before, and few laws have one
    for laws in centred_products(context):
        # One that is not exact is an accident: it says nothing about the law.
        yield from told.sketches(search.measured(laws), may_be_seed=False) if laws else ()
        if told.is_law:
            return


class _Told:
    """Which products are worth telling; is_law: whether one of them ends the search for products."""

    def __init__(self, config: PowerLawConfig, context: ProposalContext) -> None:
        self._config, self._context = config, context
        self._rough: list[Product] = []
        self._seen: set[bytes] = set()
        self.is_law = False

    def sketches(self, batch: Sequence[Product], may_be_seed: bool) -> Iterator[Event]:
        """Those of a batch that are exact or nearly so."""
        table, rows = self._context.table, self._context.rows
        close = [found for found in batch if found.badness < CLOSE**4]  # the product of two squared shares
        agreeing = [found for found in close if agrees(found.expression, rows, table)]
        if agreeing:
            yield self._written(sorted(agreeing, key=lambda found: len(found.expression)))
            proved = (found.expression for found in agreeing if self._context.holds(found.expression))
            self.is_law = any(is_exact(law, rows, table) for law in proved)
            if self.is_law:
                return
        best = sorted(batch, key=lambda found: found.badness)[:1]
        # A law with a free number inside may lack its last digits only.
        near = [one for one in best if one.badness < NEARLY_EXACT**4 and one.expression.structure_key not in self._seen]
        self._seen.update(found.expression.structure_key for found in near)
        yield self._written(near)
        self._rough += [found for found in best if may_be_seed and len(found.expression) <= LARGEST_SEED]

    def seeds(self) -> list[Sketch]:
        """The best approximations."""
        return self._written(sorted(self._rough, key=lambda found: found.badness))

    def _written(self, products: Sequence[Product]) -> list[Sketch]:
        return _sketches(products, self._config, self._context)


def _batches(
    config: PowerLawConfig, context: ProposalContext, search: ProductSearch
) -> Iterator[tuple[bool, list[Product]]]:
    """Plain products, then those behind an outer link, with something added, with a number inside.

    Each batch with whether its products may be seeds.

    A link that is not exact is an accident.
    """
    yield from ((True, batch) for batch in search.levels(search.rows.target, config.num_factors, config.beam))
    yield from ((False, batch) for batch in linked_products(search, context))
    yield from ((True, batch) for batch in offset_products(search))
    yield from ((True, batch) for batch in products_with_a_number(search, context))


def _sketches(products: Sequence[Product], config: PowerLawConfig, context: ProposalContext) -> list[Sketch]:
    """Sketches of the first products that the allowed operators can write."""
    known = set(context.operators)
    distinct = {found.expression.key: found.expression for found in products}
    usable = [expression for expression in distinct.values() if operator_names(expression) <= known]
    return [Sketch(each, -float(rank), "power_laws") for rank, each in enumerate(usable[: config.num_sketches])]
