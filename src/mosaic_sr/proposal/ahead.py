"""Turns of finders as tasks: all turns of a round are asked for at the same time and heard in their usual order.

The sketches and their order are the same as when one finder follows the other; some work is done in vain where an early
one ends the search.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from mosaic_sr.budget import Stopped, is_stop_asked, never
from mosaic_sr.equation import Equation
from mosaic_sr.expressions.definitions import has_defined
from mosaic_sr.proposal.context import Coverage, Event, ProposalContext, Signal, no_laws, no_rounds, nothing
from mosaic_sr.proposal.registry import FINDERS, RECURSIVE, ProposalConfig
from mosaic_sr.table import Table
from mosaic_sr.workers import Tasks, Threads

# What they say depends on the table, their settings and their chances alone. Those that search smaller tables draw
# their chances from one source, in the order in which they ask.
ALONE = tuple(name for name in FINDERS if name not in RECURSIVE)


@dataclass(frozen=True)
class Turn:
    """A finder, its chances, and the number of its turn, from 0."""

    finder: str
    rng: np.random.Generator
    number: int


@dataclass(frozen=True)
class Said:
    """What a finder has said in a turn; has_more: whether it has paused."""

    events: list[Event]
    has_more: bool


class Ahead:
    """The finders of one search whose turns are tasks; none where the workers are threads of this process."""

    def __init__(
        self, context: ProposalContext, config: ProposalConfig, chances: Mapping[str, np.random.Generator]
    ) -> None:
        self._workers, self._config, self._chances = context.workers, config, chances
        self._context = replace(
            context, solve=no_law, explore=nothing, delve=no_rounds, notes=[],
            coverage=Coverage(), is_noise_left=never, best=no_laws, likeliest=no_laws, forms={}, workers=Threads(),
        )  # fmt: skip
        self._num_heard: dict[str, int] = {}
        self._answers: Iterator[Said] = iter(())

    def takes(self, finder: str) -> bool:
        """Whether the turns of this one are tasks."""
        return self._workers.are_elsewhere and finder in ALONE and not has_defined(self._context.operators)

    def begin_round(self, names: Iterable[str]) -> None:
        """Ask for the next turn of each of these."""
        turns = [Turn(name, self._chances[name], self._num_heard.get(name, 0)) for name in names if self.takes(name)]
        if turns:
            shared = self._context, self._config
            self._answers = iter(self._workers.results(Tasks(say_turn, shared, turns, is_even=False), is_stop_asked))

    def events(self, finder: str) -> Iterator[Event]:
        """What the finder says, turn by turn; each turn is heard in the round in which it was asked for."""
        has_more = True
        while has_more:
            said = next(self._answers, None)
            if said is None:
                raise Stopped
            self._num_heard[finder] = self._num_heard.get(finder, 0) + 1
            yield from said.events
            has_more = said.has_more
            if has_more:
                yield Signal.PAUSE


def no_law(table: Table) -> Equation | None:
    """No law of any table."""
    del table
    return None


class _Begun(threading.local):
    """The finders that a worker has begun for one search, which go on from where they are."""

    def __init__(self) -> None:
        self.context: ProposalContext | None = None
        self.finders: dict[str, tuple[int, Iterator[Event]]] = {}

    def take(self, context: ProposalContext, config: ProposalConfig, turn: Turn) -> Iterator[Event]:
        """The events from this turn on; a finder that another worker has begun says again what was heard already."""
        if self.context is not context:
            self.context, self.finders = context, {}
        number, events = self.finders.pop(turn.finder, (0, None))
        if events is None or number > turn.number:
            number, events = 0, config.proposers()[turn.finder](context, turn.rng)
        for _ in range(number, turn.number):
            one_turn(events)
        return events


_begun = _Begun()


def say_turn(context: ProposalContext, config: ProposalConfig, turn: Turn) -> Said:
    """What a finder says in one of its turns; a pure function."""
    events = _begun.take(context, config, turn)
    said = one_turn(events)
    if said.has_more:
        _begun.finders[turn.finder] = turn.number + 1, events
    return said


def one_turn(events: Iterator[Event]) -> Said:
    """What comes up to the next pause."""
    said: list[Event] = []
    for event in events:
        if event is Signal.PAUSE:
            return Said(said, True)
        said.append(event)
    return Said(said, False)
