"""Sums: the finder of laws that are, behind outer functions, sums or quotients of sums of terms with few free numbers.

The terms are products of functions of columns. Its border: the exponents and numbers inside the terms are simple, or
they lie on a grid that a fit can go on from; products with free exponents and fast waves have finders of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.sums.curves import propose_curves
from mosaic_sr.proposal.sums.linear import propose_linear
from mosaic_sr.proposal.sums.quotients import propose_quotients


def propose_sums(context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """Sums, quotients of sums, then sums of curves with free numbers, which take seconds."""
    del rng  # nothing is left to chance
    yield from propose_linear(context)
    yield from propose_quotients(context)
    yield Signal.PAUSE
    yield from propose_curves(context)
