"""Sums: the finder of laws that are, behind outer functions, sums of terms without free numbers or quotients of such.

The terms are products of functions of columns. Its border: numbers stand before the terms and beside them, not inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from mosaic_sr.proposal.context import Event, ProposalContext
from mosaic_sr.proposal.sums.basis_search import LinearConfig
from mosaic_sr.proposal.sums.linear import propose_linear
from mosaic_sr.proposal.sums.quotients import QuotientConfig, propose_quotients


@dataclass(frozen=True)
class SumConfig:
    """How large the sums of each kind grow."""

    linear: LinearConfig = field(default_factory=LinearConfig)
    quotients: QuotientConfig = field(default_factory=QuotientConfig)


def propose_sums(config: SumConfig, context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """Sums, then quotients of sums."""
    del rng  # nothing is left to chance
    yield from propose_linear(config.linear, context)
    yield from propose_quotients(config.quotients, context)
