"""Speed of a running search: candidates per second and core, how threads help, and the share of Python."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.speed.row import Row
from mosaic_sr import SearchConfig
from mosaic_sr.equation import UNKNOWN, Equation, measure
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.refinement import Round, path, refine, start_paths, walk
from mosaic_sr.relevance import relevance
from mosaic_sr.table import Table
from mosaic_sr.workers import Threads

NUM_ROUNDS, NUM_REPEATS = 40, 5


def rows() -> Iterator[Row]:
    """All figures of this part."""
    search = prepare()
    search.run(1, 2)
    # In turn, because the machine's speed drifts; the quickest of each is the least disturbed.
    pairs = [(search.run(1, NUM_ROUNDS), search.run(2, NUM_ROUNDS)) for _ in range(NUM_REPEATS)]
    one, two = (min(runs, key=lambda figures: figures.seconds) for runs in zip(*pairs, strict=True))
    for unit, spent in (("processor time", one.processor), ("the clock", one.seconds)):
        name = f"search on 3 variables: candidates screened per second of {unit}, one core"
        yield Row(name, one.screened / spent, goal=">= 100000")
        yield Row(f"  candidates refitted per second of {unit}, one core", one.fitted / spent, goal=">= 10000")
    yield Row("  share of the time outside compiled paths", one.python_share, goal="<= 0.1")
    yield Row("  seconds of one round of all paths, on one core", one.processor / NUM_ROUNDS, goal="<= 0.3")
    yield Row("  seconds on two threads and on one", two.seconds, one.seconds, one.seconds / two.seconds, ">= 1.7")
    # What threads cost each other, whoever else uses the machine.
    yield Row("  processor time on two threads over that on one", two.processor / one.processor, goal="<= 1.18")


@dataclass(frozen=True)
class Figures:
    """What was measured: candidates, and the seconds of the clock and of the processor that they took.

    Both are the same on an idle machine; on a shared one the processor's are the search's own.
    """

    screened: int
    fitted: int
    python_share: float
    seconds: float
    processor: float


@dataclass(frozen=True, eq=False)
class Search:
    """A refinement that never ends, because its target is noisy."""

    table: Table
    seeds: list[Equation]
    config: SearchConfig

    def run(self, n_jobs: int, num_rounds: int) -> Figures:
        """Figures of the first rounds."""
        clock, rounds = _Clock(), self.rounds(n_jobs)
        started, processor = time.perf_counter(), time.process_time()
        with patch.object(path, "run_path", clock.timed(walk.run_path)):
            last = list(islice(rounds, num_rounds))[-1]
        seconds, processor = time.perf_counter() - started, time.process_time() - processor
        share = 1.0 - clock.seconds / processor
        return Figures(last.screened, last.fitted, share, seconds, processor)

    def rounds(self, n_jobs: int) -> Iterator[Round]:
        """The rounds of the refinement, the same at each call."""
        rows = self.table.some_training(self.config.search_rows)
        scores = relevance(self.table.training)
        config = self.config.refinement
        paths = start_paths(self.seeds, config, np.random.default_rng(0))
        return refine(paths, rows, self.table.names, scores, config, Threads(n_jobs), lambda: False)


class _Clock:
    """Adds up the processor time of calls, whatever thread makes them."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def timed(self, function: Any) -> Any:
        """The function, on the clock."""

        def call(*arguments: Any) -> None:
            started = time.thread_time()
            function(*arguments)
            self.seconds += time.thread_time() - started

        return call


def prepare(num_rows: int = 400) -> Search:
    """A table of three columns and a noisy target, and equations to start from."""
    rng = np.random.default_rng(0)
    columns = rng.uniform(0.5, 3.0, (num_rows, 3))
    exact = np.exp(-0.7 * columns[:, 0]) * np.sin(2.3 * columns[:, 1]) + columns[:, 2] ** 2 / (1.5 + columns[:, 0])
    table = Table.from_arrays(columns, exact + 0.02 * rng.normal(size=num_rows), rng=rng)
    return Search(table, list(islice(random_equations(table, rng), 48)), SearchConfig())


def random_equations(table: Table, rng: np.random.Generator) -> Iterator[Equation]:
    """Small random equations that have a value in every row."""
    while True:
        expression = generate(rng, GeneratorConfig(num_variables=table.num_columns, max_operators=4))
        errors = measure(expression, table.training)
        if np.isfinite(errors.nmse):
            yield Equation(expression, table.names, errors, UNKNOWN, "random")
