"""Products: the finder of laws that are, but for an outer function, products of powers, c x^a f(x, y)^b g(k z^d)^e.

Its factors are columns, functions of few columns, and functions of groups of columns with free exponents; a number may
be added to the product, and one factor may be a sum. Its border: what is added is one number or one product; sums of
several terms belong to `sums`, and factors that go through many periods to `waves`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.products.plain import PlainSearch
from mosaic_sr.proposal.products.scaling import STAGES, propose_scaling


@dataclass(frozen=True)
class ProductConfig:
    """most_groups: of columns with free exponents in a product; one is quickly looked through."""

    most_groups: int = 2  # with three, random starts rarely come near

    def of_groups(self, most_groups: int) -> ProductConfig:
        """With no more groups than these."""
        return ProductConfig(most_groups)


def propose_products(config: ProductConfig, context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """Products of given factors, then of groups with free exponents, with a pause before each that takes longer."""
    plain = PlainSearch(context)
    yield from plain.propose()
    for stage in STAGES:
        yield from propose_scaling(stage, config.most_groups, context, rng)
        yield Signal.PAUSE
        if stage is STAGES[0]:
            yield from plain.propose_centred()
