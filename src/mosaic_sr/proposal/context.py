"""`ProposalContext`: what a proposer may read, and the interface that all proposers share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import never
from mosaic_sr.equation import Equation
from mosaic_sr.exactness import agrees
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.limits import Limits
from mosaic_sr.proposal.by_units import view_of_groups
from mosaic_sr.proposal.joined import MOST_COLUMNS, MOST_ROWS, Joined, find_joined, join_further
from mosaic_sr.relevance import most_relevant
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows, Table, spread_over_target
from mosaic_sr.workers import Threads, Workers

# Training rows, and as many for validation, on which a law that ends a search must hold.
PROOF_ROWS = 2000

# Searches a smaller table and returns its law, or None when it found none that is exact.
Solve = Callable[[Table], Equation | None]
# Searches a smaller table and returns its exact law, if any, and its best laws of each length, shorter ones first.
Explore = Callable[[Table], tuple[Equation, ...]]
# Searches another table as a whole search does, paths and all, and yields the stage and its best laws after each round.
Delve = Callable[[Table], Iterator[tuple[str, tuple[Equation, ...]]]]


def nothing(table: Table) -> tuple[Equation, ...]:
    """No laws of any table."""
    del table
    return ()


def no_laws() -> Sequence[Equation]:
    """No laws so far."""
    return ()


def no_rounds(table: Table) -> Iterator[tuple[str, tuple[Equation, ...]]]:
    """No rounds of any search."""
    del table
    return iter(())


@dataclass
class Coverage:
    """How far the enumeration has come: all forms of up to so many bits, how many that are, and sums beside them.

    has_begun: whether it was asked, and will try forms.  num_additions: turns in which terms were added to laws.
    over: what columns make together, where forms over these quantities were tried first.
    """

    num_forms: int = 0
    bits: float = 0.0
    num_sums: int = 0
    has_begun: bool = False
    num_additions: int = 0
    over: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class ProposalContext:
    """A table and what has been made of it once for all proposers.

    rows: some training rows, spread over the target.  scores: (columns,), how relevant each column seems, 0 to 1.
    operators: the names that sketches may use.  notes: what the user should know of how proposers read the table; they
    append to it, one sentence each.  solve, explore: of smaller tables, exact ones and those that are known roughly.
    delve: a whole search of another table.
    limits: sketches that cannot become laws within them are of no use.  coverage: the enumeration keeps it.
    looks_noisy: whether a smooth function through the rows leaves more than rounding.
    workers: they do tasks of proposers.  forms: made by the enumeration, kept for when proposers begin again.
    best: the best distinct laws so far, those of least error first.  likeliest: of noisy rows, the most probable first.
    """

    table: Table
    rows: Rows
    scores: NDArray[np.float64]
    operators: tuple[str, ...]
    solve: Solve
    notes: list[str] = field(default_factory=list)
    explore: Explore = nothing
    delve: Delve = no_rounds
    limits: Limits = field(default_factory=Limits)
    coverage: Coverage = field(default_factory=Coverage)
    is_noise_left: Callable[[], bool] = never
    is_improbable: Callable[[], bool] = never
    workers: Workers = field(default_factory=Threads)
    best: Callable[[], Sequence[Equation]] = no_laws
    likeliest: Callable[[], Sequence[Equation]] = no_laws
    forms: dict[object, Any] = field(default_factory=dict)
    looks_noisy: bool = False

    def holds(self, expression: Expression) -> bool:
        """Whether a law is within the limits and agrees, also with rows that the search does not read."""
        return self.limits.may_lead(expression) and all(
            agrees(expression, rows, self.table) for rows in (self.rows, *self._more_rows)
        )

    def needs_more(self) -> bool:
        """Whether the most probable law so far leaves more than noise, or is less probable than all others together."""
        return not self.is_noise_left() or self.is_improbable()

    @cached_property
    def joined(self) -> Joined | None:
        """What columns of a noisy table make together; None where each acts on its own."""
        if not self.looks_noisy:
            return None
        rows, dimensions = self.table.some_training(MOST_ROWS), self.limits.dimensions
        if dimensions is not None and dimensions.has_one_law:
            return None
        if self.view_of_groups is not None:
            return join_further(self.view_of_groups, rows, self.operators)
        columns = most_relevant(self.scores, MOST_COLUMNS)
        return find_joined(rows, columns, self.operators, self.table.column_exponents, dimensions)

    @cached_property
    def view_of_groups(self) -> Joined | None:
        """The groups without a unit, where units leave laws of these alone; else None."""
        return view_of_groups(self.table, self.limits.dimensions) if "mul" in self.operators else None

    @cached_property
    def _more_rows(self) -> tuple[Rows, Rows]:
        return self.table.some_training(PROOF_ROWS), spread_over_target(self.table.validation, PROOF_ROWS)


class Signal(Enum):
    """What a proposer says beside sketches: it is still at work, or slow work follows that finds less."""

    HEARTBEAT = auto()  # the progress is shown, and a time limit is heard
    PAUSE = auto()  # the others are asked first


Event = list[Sketch] | Signal
# A proposer yields lists of sketches, the surest first, and signals. Its loops call `heed_stop`, which ends the search
# where its time is up.
Proposer = Callable[[ProposalContext, np.random.Generator], Iterator[Event]]


def sparing(events: Iterator[Event], every: int) -> Iterator[Event]:
    """The events with each `every`-th heartbeat: a round for each short step is too many. Empty lists count as such."""
    num_quiet = 0
    for event in events:
        is_quiet = event is Signal.HEARTBEAT or event == []
        num_quiet += is_quiet
        if not is_quiet:
            yield event
        elif num_quiet % every == 0:
            yield Signal.HEARTBEAT
