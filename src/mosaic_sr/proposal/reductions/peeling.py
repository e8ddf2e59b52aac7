"""Peeling: terms, factors and pairs of columns that act as one are taken off, and what is left is solved.

Slopes of a smooth function through the rows suggest reductions; a reduction is made when rows are then predicted better
from their neighbours (sign test, one error in a thousand); the law of the smallest table proves it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mosaic_sr.expressions.expression import apply, constant
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.reductions.slopes import candidates
from mosaic_sr.proposal.reductions.smooth_rows import SmoothRows, survey
from mosaic_sr.proposal.reductions.trial import Trial, attempt
from mosaic_sr.proposal.smaller_tables import SmallerTable
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows, Table

NAME = "reductions"
# Share of the target's variance; numbers taken off that blur what is left by more would hide its law.
COARSEST = 1e-9


@dataclass(frozen=True)
class PeelingConfig:
    """How long it is smaller."""

    num_rows: int = 300  # slopes gain little from more, and the time grows with the cube
    least_rows: int = 30  # below, a sign test over the rows says nothing
    max_solves: int = 6  # a right reduction is among the first; each takes a second
    max_trials: int = 40  # a tenth of a second each
    trials: int = 5  # of each table; slopes put the right reductions first
    branches: int = 2  # reductions of one table that are followed further


def propose_peeled(config: PeelingConfig, context: ProposalContext) -> Iterator[Event]:
    """Laws put together from those of smaller tables; a heartbeat after each trial and each search."""
    rows = context.table.some_training(config.num_rows)
    if context.table.num_columns > 1 and rows.num_rows >= config.least_rows:
        search = _Search(config, context, rows)
        yield from search.explore(SmallerTable.whole(context.table.num_columns), survey(rows.columns, rows.target))


class _Search:
    """What has been tried so far."""

    def __init__(self, config: PeelingConfig, context: ProposalContext, rows: Rows) -> None:
        self._config, self._context, self._rows = config, context, rows
        self._num_trials = self._num_solves = 0
        self._is_solved = False
        self._seen: set[bytes] = set()

    def explore(self, smaller: SmallerTable, smooth_rows: SmoothRows) -> Iterator[Event]:
        """Follow the reductions of a table to their ends, the smallest tables first."""
        passed: list[Trial] = []
        for trial in self._trials(smaller, smooth_rows):
            yield Signal.HEARTBEAT
            if trial is not None and trial.passes:
                passed.append(trial)
            if sum(trial.is_certain for trial in passed) == self._config.branches:
                break
        for trial in sorted(passed, key=lambda trial: trial.rank)[: self._config.branches]:
            yield from self._follow(trial)
            if self._is_solved:
                return

    def _trials(self, smaller: SmallerTable, smooth_rows: SmoothRows) -> Iterator[Trial | None]:
        for reduction in candidates(smooth_rows)[: self._config.trials]:
            if self._num_trials == self._config.max_trials:
                return
            self._num_trials += 1
            yield attempt(smaller, smooth_rows, reduction, self._rows)

    def _follow(self, trial: Trial) -> Iterator[Event]:
        if trial.smooth_rows is None:
            self._is_solved = True
            yield [Sketch(trial.smaller.constant_law(self._rows), 0.0, NAME)]
            return
        if self._is_known(trial):
            return
        if len(trial.smaller.columns) > 1:
            yield from self.explore(trial.smaller, trial.smooth_rows)
        if not self._is_solved and self._num_solves < self._config.max_solves:
            yield self._solve(trial.smaller)
            yield Signal.PAUSE

    def _is_known(self, trial: Trial) -> bool:
        """Whether another order of the same reductions led here before."""
        assert trial.smooth_rows is not None
        heights = trial.smooth_rows.height.values
        key = np.round(heights * np.sign(heights[0]), 4).tobytes() + bytes([len(trial.smaller.columns)])
        is_known = key in self._seen
        self._seen.add(key)
        return is_known

    def _solve(self, smaller: SmallerTable) -> list[Sketch]:
        derived = smaller.table(self._context.table)
        if derived is None or not _can_be_solved(derived):
            return []
        self._num_solves += 1
        law = self._context.solve(derived)
        if law is None:
            return _seeds(smaller)
        whole = smaller.law(law, derived)
        self._is_solved = self._context.limits.may_lead(whole)
        return [Sketch(whole, 0.0, NAME)]


def _can_be_solved(table: Table) -> bool:
    """Whether the numbers taken off are known well enough for a law of what is left to show."""
    floor = table.target_resolution.quantum(table.target)
    return bool(np.mean(np.square(floor)) <= 4.0 * COARSEST * np.var(table.target))


def _seeds(smaller: SmallerTable) -> list[Sketch]:
    """What was taken off with a multiple of each column that is left, for the search to start from."""
    parts = [apply("mul", constant(np.nan), column.expression) for column in smaller.columns]
    return [Sketch(smaller.undone(part), -1.0, NAME) for part in parts]
