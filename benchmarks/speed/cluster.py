"""What tasks of a search cost, measured here, and what follows for clusters of up to a thousand cores, simulated."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from joblib import parallel_config

from benchmarks.speed.row import Row
from benchmarks.speed.search import Search, prepare
from benchmarks.speed.simulated_cluster import BUNDLES_PER_WORKER, Costs, simulate_round
from mosaic_sr import SearchConfig, discover
from mosaic_sr.budget import never
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal import PROPOSERS, ProposalConfig
from mosaic_sr.proposal.enumeration import EnumerationConfig
from mosaic_sr.proposal.enumeration.streams import all_in_order
from mosaic_sr.proposal.grammar import GrammarConfig
from mosaic_sr.proposal.trials import Trials
from mosaic_sr.refinement import Paths, refine, start_paths
from mosaic_sr.refinement.sending import Move, SentPath
from mosaic_sr.relevance import relevance
from mosaic_sr.workers import Tasks, hired

CORES = (3, 8, 24, 100, 300, 1000)
NUM_ROUNDS, NUM_FORMS, NUM_MESSAGES = 30, 500, 200
# A search of a bootstrap sample takes from seconds to a minute; the time does not matter much where tasks are so long.
SAMPLE_SECONDS = 20.0
LEAST_SHARE = 0.8


def rows() -> Iterator[Row]:
    """All figures of this part."""
    search = prepare()
    message = message_seconds()
    yield Row("cluster: milliseconds of the driver for a message to a worker and back", 1e3 * message)
    paths = measure_paths(search, message)
    yield from paths.rows("paths", "a round of a path")
    forms = measure_forms(search, message)
    yield from forms.rows("forms", "a fit of a form")
    for cores in CORES:
        yield _simulated(f"24 paths on {cores} cores", paths, 24, cores)
    for cores in CORES:
        yield _simulated(f"a path per core on {cores} cores", paths, cores, cores)
    for cores in CORES:
        yield _simulated(f"100 forms per core on {cores} cores", forms, 100 * cores, cores)
    for cores in CORES:
        yield _simulated(
            f"a bootstrap sample per core on {cores} cores", samples(search, message), cores, cores, LEAST_SHARE
        )


@dataclass(frozen=True)
class Measured:
    """Tasks of one kind: the processor seconds of some of them, and what they cost beside."""

    seconds: tuple[float, ...]
    costs: Costs

    def rows(self, name: str, what: str) -> Iterator[Row]:
        """What was measured."""
        yield Row(f"{name}: milliseconds of {what}", 1e3 * float(np.mean(self.seconds)))
        yield Row("  milliseconds of the driver for its arrays", 1e3 * self.costs.per_task)
        yield Row("  kilobytes sent and returned", (self.costs.sent + self.costs.returned) / 1e3)
        yield Row("  milliseconds of the driver beside them, for the next one", 1e3 * self.costs.making)
        yield Row("  milliseconds of the driver beside them, for a round", 1e3 * self.costs.per_round)


def _simulated(name: str, measured: Measured, count: int, cores: int, least_share: float | None = None) -> Row:
    drawn = np.random.default_rng(0).choice(measured.seconds, count)
    found = simulate_round(drawn.tolist(), cores, measured.costs)
    traffic = found.num_bytes / found.seconds / 1e6
    told = f"  simulated, {name}: cores at work ({1e3 * found.seconds:.0f} ms, {traffic:.0f} MB/s)"
    return Row(told, cores * found.share, goal="" if least_share is None else f">= {least_share * cores:g}")


def nothing(task: int) -> int:
    """A task without work."""
    return task


def message_seconds() -> float:
    """Processor seconds of this process for a bundle that is sent and comes back, by processes of loky."""
    with parallel_config("loky", n_jobs=2), hired(1) as workers:
        list(workers.results(Tasks(nothing, (), range(BUNDLES_PER_WORKER), is_even=False), never))
        started = time.process_time()
        list(workers.results(Tasks(nothing, (), range(NUM_MESSAGES), is_even=False), never))
        return (time.process_time() - started) / NUM_MESSAGES


def measure_paths(search: Search, message: float) -> Measured:
    """Rounds of search paths."""
    list(islice(_Times().rounds(search), 1))  # compiled code is loaded at its first use
    times = _Times()
    states = [one.state for one in islice(times.rounds(search), NUM_ROUNDS)]
    state = states[-1]
    before, after = (state.paths[0] for state in states[-2:])
    sent, returned = SentPath.of(before), Move.between(before, after)
    sizes = [len(pickle.dumps(one, pickle.HIGHEST_PROTOCOL)) for one in (sent, returned)]
    packing = _best(lambda: pickle.dumps(SentPath.of(before), pickle.HIGHEST_PROTOCOL))
    content = pickle.dumps(returned, pickle.HIGHEST_PROTOCOL)
    packing += _best(lambda: pickle.loads(content).after(before))
    # Merging takes longer the more paths there are.
    count = len(state.paths)
    few, many = (times.merging(search, Paths(state.num_rounds, state.paths * factor)) for factor in (1, 10))
    per_path = max(0.0, (many - few) / (9 * count))
    shared = len(pickle.dumps(times.vocabulary, pickle.HIGHEST_PROTOCOL))
    fixed = max(0.0, round_seconds(search) - per_path * count)
    return Measured(tuple(times.seconds), Costs(message, packing + per_path, fixed, sizes[0], sizes[1], shared))


def round_seconds(search: Search) -> float:
    """Processor seconds of a whole round of a search beside the tasks of its paths: merging, choosing the law."""
    others = tuple(name for name in PROPOSERS if name != "grammar")
    config = SearchConfig(proposal=ProposalConfig(without=others, grammar=GrammarConfig(num_sketches=60)))
    times, spent, before = _Times(), list[float](), 0.0
    for snapshot in discover(search.table, config, np.random.default_rng(0), workers=times):
        now = time.process_time() - sum(times.seconds)
        spent += [now - before] if snapshot.paths is not None else []
        before = now
        if len(spent) > NUM_ROUNDS:
            break
    return float(np.median(spent))


class _Times:
    """Workers that do the paths' tasks here and take their times."""

    are_elsewhere, num = False, 1

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.vocabulary: Any = None
        self._are_idle = False

    def results(self, tasks: Tasks[Any], is_interrupted: Any) -> Iterator[Any]:
        """As workers do; where they are idle, a path stays where it is."""
        del is_interrupted
        self.vocabulary = tasks.shared[1]
        for task in tasks.each:
            started = time.thread_time()
            result = task if self._are_idle else tasks.done(task)
            self.seconds += [] if self._are_idle else [time.thread_time() - started]
            yield result

    def rounds(self, search: Search, state: Paths | None = None) -> Iterator[Any]:
        """Rounds of the search's paths."""
        config = search.config.refinement
        state = state or start_paths(search.seeds, config, np.random.default_rng(0))
        table = search.table
        rows, scores = table.some_training(search.config.search_rows), relevance(table.training)
        return refine(state, rows, table.names, scores, config, self, never)

    def merging(self, search: Search, state: Paths) -> float:
        """Processor seconds of a round of these paths beside the tasks."""
        self._are_idle = True
        rounds = self.rounds(search, state)
        next(rounds)
        seconds = _best(lambda: next(rounds))
        self._are_idle = False
        return seconds


def measure_forms(search: Search, message: float) -> Measured:
    """Fits of enumerated forms."""
    columns = list(range(search.table.num_columns))
    bits = [float(np.log2(len(columns)))] * len(columns)
    trials = Trials(search.table.some_training(search.config.search_rows), EnumerationConfig().fit)
    stream = all_in_order(columns, bits, columns[:1], NAMES, 6)
    list(islice(stream, NUM_FORMS))  # the first ones take longer to make
    started = time.process_time()
    forms = list(islice(stream, NUM_FORMS))
    making = (time.process_time() - started) / NUM_FORMS
    seconds = [_spent(partial(trials.tried, form, own)) for own, form in forms]
    tried = trials.tried(forms[-1][1], forms[-1][0])
    packing = _best(lambda: pickle.loads(pickle.dumps(forms[-1]))) + _best(lambda: pickle.loads(pickle.dumps(tried)))
    sizes = len(pickle.dumps(forms[-1])), len(pickle.dumps(tried))
    return Measured(tuple(seconds), Costs(message, packing, 0.0, *sizes, making=making))


def samples(search: Search, message: float) -> Measured:
    """Searches of bootstrap samples, which are sent a table and return a structure."""
    size = len(pickle.dumps(search.table, pickle.HIGHEST_PROTOCOL))
    spread = np.random.default_rng(0).uniform(0.7, 1.0, 50) * SAMPLE_SECONDS
    return Measured(tuple(spread.tolist()), Costs(message, 1e-4, 0.0, 1000, 1000, size))


def _spent(action: Callable[[], Any]) -> float:
    started = time.thread_time()
    action()
    return time.thread_time() - started


def _best(action: Callable[[], Any], repeats: int = 7) -> float:
    """The least processor seconds of some repetitions."""
    return min(_spent(action) for _ in range(repeats))
