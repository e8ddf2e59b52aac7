"""What the first stage hands to the second beside sketches: signs of life, and turns of the search paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mosaic_sr.sketch import Sketch


@dataclass(frozen=True)
class Batch:
    """Sketches of one proposer, the most certain first."""

    proposer: str
    sketches: Sequence[Sketch]


@dataclass(frozen=True)
class Heartbeat:
    """A proposer is at work and has nothing new: the progress is shown, and a time limit is heard."""

    proposer: str


@dataclass(frozen=True)
class PathsTurn:
    """The search paths have a turn before slow proposers go on."""


ProposalEvent = Batch | Heartbeat | PathsTurn
