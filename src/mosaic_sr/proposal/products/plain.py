"""Products of powers: log|y| is linear in the logarithms of the factors, and exact data let its residual fall to 0.

Plain products come first, then those behind an outer link and those with a number inside a factor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mosaic_sr.exactness import CLOSE, NEARLY_EXACT, agrees, is_exact
from mosaic_sr.expressions.expression import operator_names
from mosaic_sr.proposal.context import Event, ProposalContext
from mosaic_sr.proposal.products.centred import find_centred_products
from mosaic_sr.proposal.products.free_factors import find_products_with_a_number
from mosaic_sr.proposal.products.linked import find_linked_products
from mosaic_sr.proposal.products.product_search import Product, ProductSearch
from mosaic_sr.sketch import Sketch, rank_sketches

# Nodes of an approximation that is handed on; larger ones are beyond what refinement edits.
LARGEST_SEED = 30
# Factors beside the plain columns: of 1,000 a fourth is found as often as not and costs as much as the rest.
NUM_FACTORS = 3
BEAM = 16  # supports of each size that are looked at closely
NUM_SKETCHES = 4  # handed on: the simplest exact ones, else the best of the rough ones


class PlainSearch:
    """Products of given factors; a law among those that were handed on ends the search."""

    def __init__(self, context: ProposalContext) -> None:
        self._context = context
        rows = context.rows.take(np.flatnonzero(context.rows.target != 0))
        # Of fewer rows any product is the law.
        is_usable = rows.num_rows >= 4 and not rows.has_constant_target
        self._search = ProductSearch(context, rows) if is_usable else None
        self._rough: list[Product] = []
        self._seen: set[bytes] = set()
        self._is_done = not is_usable

    def propose(self) -> Iterator[Event]:
        """The products that reach the floor of the data, else the best approximations."""
        if self._search is None:
            return
        for is_plain, batch in _batches(self._context, self._search):
            yield from self._hand_on(batch, is_plain)
            if self._is_done:
                return
        yield self._written(sorted(self._rough, key=lambda found: found.badness))

    def propose_centred(self) -> Iterator[Event]:
        """Longer products around a number; they take as long as all before, and few laws have one."""
        if self._search is None or self._is_done:
            return
        for laws in find_centred_products(self._context):
            # One that is not exact is an accident: it says nothing about the law.
            yield from self._hand_on(self._search.measured(laws), may_be_seed=False) if laws else ()
            if self._is_done:
                return

    def _hand_on(self, batch: Sequence[Product], may_be_seed: bool) -> Iterator[Event]:
        """Those of a batch that are exact or nearly so."""
        table, rows = self._context.table, self._context.rows
        close = [found for found in batch if found.badness < CLOSE**4]  # the product of two squared shares
        agreeing = [found for found in close if agrees(found.expression, rows, table)]
        if agreeing:
            yield self._written(sorted(agreeing, key=lambda found: len(found.expression)))
            proved = (found.expression for found in agreeing if self._context.holds(found.expression))
            self._is_done = any(is_exact(law, rows, table) for law in proved)
            if self._is_done:
                return
        best = sorted(batch, key=lambda found: found.badness)[:1]
        # A law with a free number inside may lack its last digits only.
        near = [one for one in best if one.badness < NEARLY_EXACT**4 and one.expression.structure_key not in self._seen]
        self._seen.update(found.expression.structure_key for found in near)
        yield self._written(near)
        self._rough += [found for found in best if may_be_seed and len(found.expression) <= LARGEST_SEED]

    def _written(self, products: Sequence[Product]) -> list[Sketch]:
        """Sketches of the first products that the allowed operators can write."""
        known = set(self._context.operators)
        distinct = {found.expression.key: found.expression for found in products}
        usable = [expression for expression in distinct.values() if operator_names(expression) <= known]
        return rank_sketches(usable[:NUM_SKETCHES], "products")


def _batches(context: ProposalContext, search: ProductSearch) -> Iterator[tuple[bool, list[Product]]]:
    """Plain products, then those behind an outer link, then with a number inside.

    Each batch with whether its products may be seeds.

    A link that is not exact is an accident.
    """
    yield from ((True, batch) for batch in search.levels(search.rows.target, NUM_FACTORS, BEAM))
    yield from ((False, batch) for batch in find_linked_products(search, context))
    yield from ((True, batch) for batch in find_products_with_a_number(search, context.operators))
