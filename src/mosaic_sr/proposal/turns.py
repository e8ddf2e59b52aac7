"""Proposers take turns: each is asked up to its next pause, and the search paths have a turn after each round."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from functools import partial
from itertools import chain, count

import numpy as np

from mosaic_sr.budget import never
from mosaic_sr.events import Batch, Heartbeat, PathsTurn, ProposalEvent
from mosaic_sr.proposal.ahead import Ahead
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.registry import FOR_EXACT_ROWS, LAST, LATE, PROPOSERS, QUICK, STREAMS, ProposalConfig

# On rows that look noisy, late proposers begin after one round of turns, or after so many where noise is all that is
# left to explain; then those that only see what is exact have one turn.
ROUNDS_BEFORE = 2
# On noisy rows forms are enumerated first where they are few, then come sums and products of two functions; else both
# follow the quick finders. Among more columns, tables without noise look noisy.
FEW_COLUMNS = 2
LISTED = ("enumeration", "separable")
Started = dict[str, Iterator[Event]]


def propose(context: ProposalContext, config: ProposalConfig, rng: np.random.Generator) -> Iterator[ProposalEvent]:
    """What the proposers say, by turns; sketches that cannot become laws within the limits are left out."""
    proposers = config.proposers()
    # Each proposer has chances of its own, so that switching one off changes nothing for the others.
    streams = rng.spawn(1 + max(STREAMS.values()))
    chances = {name: streams[number] for name, number in STREAMS.items()}
    ahead = Ahead(context, config, chances)
    asked = [name for name in proposers if name not in config.without and (name in QUICK or not config.is_brief)]
    started = {
        name: ahead.events(name) if ahead.takes(name) else proposers[name](context, chances[name]) for name in asked
    }
    last = {name: started.pop(name) for name in LAST if name in started}
    late: Started = {}
    if "enumeration" in started and context.looks_noisy:
        late = {name: started.pop(name) for name in LATE if name in started}
        following = "products" if _has_few_forms(context) else "additions"
        started = {name: started[name] for name in sorted(started, key=partial(_place_on_noisy_rows, following))}
    for event in chain(by_turns(started, late, context.is_noise_left, ahead.begin_round), by_turns(last, {}, never)):
        if config.is_brief and isinstance(event, PathsTurn):
            return
        # The user wants to hear of each guess, also of one that the limits forbid.
        if isinstance(event, Batch) and event.proposer != "guesses" and not context.limits.are_open:
            allowed = [one for one in event.sketches if context.limits.may_lead(one.expression)]
            yield Batch(event.proposer, allowed)
        else:
            yield event


def _has_few_forms(context: ProposalContext) -> bool:
    """Whether the enumeration comes far in a second: over few columns, or where units or joined columns leave few."""
    dimensions, joined = context.limits.dimensions, context.joined
    if dimensions is not None and dimensions.reduced is not None:
        return True
    if joined is not None and len(joined.quantities) <= FEW_COLUMNS:
        return True
    return len(context.scores) <= FEW_COLUMNS


def _place_on_noisy_rows(following: str, name: str) -> tuple[float, int]:
    """The place of a proposer in a round: those that list forms stand before `following`, in their own order."""
    if name in LISTED:
        return PROPOSERS.index(following) - 0.5, LISTED.index(name)
    return PROPOSERS.index(name), 0


def by_turns(
    started: Started,
    late: Started,
    is_noise_left: Callable[[], bool],
    begin_round: Callable[[list[str]], object] = list,
) -> Iterator[ProposalEvent]:
    """What each says up to its next pause, in turn, until all are done; after each round of turns one of the paths.

    late: those that begin after a round, or after `ROUNDS_BEFORE` where noise is left.
    begin_round: hears before each round whose turns follow.
    """
    turns = deque(started.items())
    for num_rounds in count(1):
        begin_round([name for name, _ in turns])
        for _ in range(len(turns)):
            name, events = turns.popleft()
            if (yield from _turn(name, events)) and not (name in FOR_EXACT_ROWS and is_noise_left()):
                turns.append((name, events))
        if late and (num_rounds >= ROUNDS_BEFORE or not turns or not is_noise_left()):
            turns.extendleft(reversed(late.items()))
            late = {}
        if not turns:
            return
        yield PathsTurn()


def _turn(name: str, events: Iterator[Event]) -> Generator[ProposalEvent, None, bool]:
    """What one says up to its next pause; returns whether it has more to say after it."""
    for event in events:
        if event is Signal.PAUSE:
            return True
        yield Heartbeat(name) if isinstance(event, Signal) else Batch(name, event)
    return False
