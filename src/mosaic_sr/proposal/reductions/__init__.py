"""Reductions: laws of tables with fewer columns, put together again.

Groups of columns that act jointly come first, then unknown functions of fewer columns whose sum or product the target
is. Its border: it knows no law, the other finders search each table.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.reductions.groups import propose_groups
from mosaic_sr.proposal.reductions.parts import propose_parts


def propose_reductions(context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """Laws that follow from those of smaller tables; groups at once, parts, which take long, after a pause."""
    yield from propose_groups(context)
    yield Signal.PAUSE
    yield from propose_parts(context, rng)
