"""Sums: the finder of laws that are, behind outer functions, sums or quotients of sums of terms with few free numbers.

The terms are products of functions of columns. Its border: the exponents and numbers inside the terms are simple, or
they lie on a grid that a fit can go on from; products with free exponents and fast waves have finders of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.sums.basis_search import LinearConfig
from mosaic_sr.proposal.sums.curve_search import CurveConfig
from mosaic_sr.proposal.sums.curves import propose_curves
from mosaic_sr.proposal.sums.linear import propose_linear
from mosaic_sr.proposal.sums.quotients import QuotientConfig, propose_quotients


@dataclass(frozen=True)
class SumConfig:
    """How large the sums of each kind grow."""

    linear: LinearConfig = field(default_factory=LinearConfig)
    quotients: QuotientConfig = field(default_factory=QuotientConfig)
    curves: CurveConfig = field(default_factory=CurveConfig)


def propose_sums(config: SumConfig, context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """Sums, quotients of sums, then sums of curves with free numbers, which take seconds."""
    del rng  # nothing is left to chance
    yield from propose_linear(config.linear, context)
    yield from propose_quotients(config.quotients, context)
    yield Signal.PAUSE
    yield from propose_curves(config.curves, context)
