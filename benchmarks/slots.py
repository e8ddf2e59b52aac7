"""The child processes of a job: the method's, which never holds a truth or a test row, and the judge's."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

import numpy as np

from benchmarks.judge import start_judge
from benchmarks.methods import Budget, Outcome, Settings, load_method
from benchmarks.suites import Sample
from benchmarks.worker import Worker

# Compilation on a cold cache may take minutes; it happens once per machine and state of the code.
REHEARSAL_LIMIT = 900.0
# The first rehearsal compiles and may end before the last stage has begun; the second one gets as far as a run does.
NUM_REHEARSALS = 2
MOST_REHEARSAL_SECONDS = 10.0


class Slot:
    """One job's processes, kept between runs so that imports and compilation are paid once."""

    def __init__(self) -> None:
        self.judge = start_judge()
        self._player: Worker | None = None
        self._cast: tuple[str, Settings] | None = None

    def player(self, method: str, settings: Settings) -> Worker:
        """A started worker in which this method has been rehearsed; a failed rehearsal is raised."""
        if self._player is None or self._cast != (method, settings):
            self.dismiss()
            self._player = Worker(rehearse, method, settings, limit=REHEARSAL_LIMIT)
            self._cast = (method, settings)
        self._player.start()
        return self._player

    def dismiss(self) -> None:
        """End the method's process."""
        if self._player is not None:
            self._player.close()

    def close(self) -> None:
        self.dismiss()
        self.judge.close()


class SlotPool:
    """Slots that are lent to one run at a time; leaving the pool's context ends all their processes."""

    def __init__(self) -> None:
        self._all: list[Slot] = []
        self._idle: list[Slot] = []

    @contextmanager
    def borrow(self) -> Iterator[Slot]:
        """A slot that nobody else uses meanwhile."""
        try:
            slot = self._idle.pop()
        except IndexError:
            slot = Slot()
            self._all.append(slot)
        try:
            yield slot
        finally:
            self._idle.append(slot)

    def __enter__(self) -> SlotPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for slot in self._all:
            slot.close()
        self._all, self._idle = [], []


# One pool per process, so that a run can be handed to any process as plain arguments.
SLOTS = SlotPool()


def rehearse(method: str, settings: Settings) -> None:
    """Runs in the method's process: fit a small noisy table, so that imports and compilation are over before a run."""
    rng = np.random.default_rng(0)
    columns = rng.uniform(0.5, 2.0, (2, 60))
    rows = Sample(columns, columns[0] * np.sin(columns[1]) + 0.1 * rng.standard_normal(60))
    budget = Budget(min(settings.time_limit, MOST_REHEARSAL_SECONDS))
    for _ in range(NUM_REHEARSALS):
        play(method, rows, rows, budget, 0, settings)


def play(
    method: str, train: Sample, validation: Sample | None, budget: Budget, seed: int, settings: Settings
) -> tuple[Outcome, float]:
    """Runs in the method's process: the outcome and the seconds of the method alone."""
    fit = load_method(method)
    start = time.perf_counter()
    outcome = fit(train, validation, budget, seed, settings)
    seconds = time.perf_counter() - start
    if not isinstance(outcome, Outcome) or not isinstance(outcome.equation, str):
        raise TypeError(f"method {method} returned no outcome with an equation's text")
    return outcome, seconds
