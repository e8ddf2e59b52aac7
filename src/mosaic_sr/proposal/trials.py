"""Trials: forms with their constants fitted to some rows, and how probable they are, roughly."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import Stopped, heed_stop, is_stop_asked
from mosaic_sr.equation import Errors
from mosaic_sr.evidence.judge import LOG_2
from mosaic_sr.evidence.pool import rough_log_likelihood
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import QuickConfig, QuickFitter, spans_decades
from mosaic_sr.table import Rows
from mosaic_sr.workers import Tasks, Workers

# Rows for each constant that is fitted: fewer, and many forms fit.
ROWS_PER_CONSTANT = 3
# A form, its bits, the constants at which its fit starts, and the weighting of the rows.
Start = tuple[Expression, float, NDArray[np.float64], str]
Task = TypeVar("Task")


@dataclass(frozen=True, eq=False)
class Tried:
    """A form with fitted constants.

    form: the same with holes for its constants.  bits: of its structure.  score: its log probability, roughly.
    """

    form: Expression
    bits: float
    score: float
    expression: Expression

    @property
    def num_free(self) -> int:
        return int(np.count_nonzero(np.isnan(self.form.constants)))


class Trials:
    """Tries forms on some rows.

    On targets that span decades, noise that is the same in all rows drowns the small ones: both weightings are tried.
    """

    def __init__(self, rows: Rows, config: QuickConfig) -> None:
        self.rows = rows
        self.weightings = ("uniform", "relative") if spans_decades(rows) else ("uniform",)
        self._fitters = [QuickFitter(rows, config, weighting) for weighting in self.weightings]
        once = replace(config, starts=1)
        self._refitters = {weighting: QuickFitter(rows, once, weighting) for weighting in self.weightings}

    def tried(self, form: Expression, bits: float) -> Tried:
        """The form with the constants that are holes fitted; the others are kept."""
        return self._best(form, bits, form, self._fitters)

    def tried_from(self, form: Expression, bits: float, start: NDArray[np.float64], weighting: str) -> Tried:
        """As `tried`, from one start under one weighting; start: (constants,)."""
        return self._best(form, bits, form.with_constants(start), [self._refitters[weighting]])

    def _best(self, form: Expression, bits: float, start: Expression, fitters: Sequence[QuickFitter]) -> Tried:
        heed_stop()
        is_free = np.isnan(form.constants)
        fits = [fitter.fit(start, 0.5, is_free) for fitter in fitters]
        scores = [rough_log_likelihood(Errors(fit.loss, fit.relative_loss), self.rows) for fit in fits]
        best = max(range(len(fits)), key=lambda place: scores[place])
        cost = LOG_2 * bits + 0.5 * int(np.count_nonzero(is_free)) * math.log(self.rows.num_rows)
        return Tried(form, bits, scores[best] - cost, fits[best].expression)


def all_tried(trials: Trials, forms: Sequence[tuple[float, Expression]], workers: Workers) -> Iterator[Tried]:
    """All forms tried, each a task; forms: each after the bits of its structure. Workers elsewhere begin at once."""
    return _done(_try_form, trials, forms, workers)


def all_tried_from(trials: Trials, starts: Sequence[Start], workers: Workers) -> Iterator[Tried]:
    """All forms tried from the constants at which they start, each a task."""
    return _done(_try_start, trials, starts, workers)


def _done(
    work: Callable[[Trials, Task], Tried], trials: Trials, tasks: Sequence[Task], workers: Workers
) -> Iterator[Tried]:
    # A fit is short, and half of it is Python's, so that threads would wait for each other.
    if not workers.are_elsewhere:
        return (work(trials, task) for task in tasks)
    return _all_of(workers.results(Tasks(work, (trials,), tasks), is_stop_asked), len(tasks))


def _all_of(found: Iterator[Tried], count: int) -> Iterator[Tried]:
    """So many results; Stopped where there are fewer."""
    for _ in range(count):
        one = next(found, None)
        if one is None:
            raise Stopped
        yield one


def _try_form(trials: Trials, form: tuple[float, Expression]) -> Tried:
    return trials.tried(form[1], form[0])


def _try_start(trials: Trials, start: Start) -> Tried:
    return trials.tried_from(*start)
