"""A search on three nodes of a local ray cluster beside the same search on three threads, on the same cores."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from benchmarks.speed.row import Row
from benchmarks.speed.search import Search, prepare
from mosaic_sr import SearchConfig, discover
from mosaic_sr.budget import never
from mosaic_sr.refinement import refine, start_paths
from mosaic_sr.relevance import relevance
from mosaic_sr.workers import hired
from mosaic_sr.workers.ray_cluster import on_cluster

NUM_NODES, NUM_REPEATS = 3, 3
NUM_ROUNDS = 150
# Candidates of a whole search: finders, two turns of the enumeration and two turns of paths, half a minute.
BUDGET = 200_000
LEAST_SHARE = ">= 0.8"


def rows() -> Iterator[Row]:
    """All figures of this part."""
    search = prepare()
    kinds = {"a whole search": lambda: whole_search(search), "rounds of paths": lambda: paths(search)}
    for run in kinds.values():
        run()  # compiled code is loaded at its first use
    here = {name: _best(run) for name, run in kinds.items()}
    with three_nodes():
        for run in kinds.values():
            run()
        there = {name: _best(run) for name, run in kinds.items()}
    for name in kinds:
        (ours, found), (peer, expected) = there[name], here[name]
        if found != expected:
            raise RuntimeError(f"{name}: three nodes found {found}, threads {expected}")
        yield Row(f"{name}: candidates per second on three nodes of ray and on three threads", ours, peer, ours / peer,
                  LEAST_SHARE)  # fmt: skip


def _best(run: Callable[[], tuple[int, Any]]) -> tuple[float, Any]:
    """The most candidates per second of some runs, and what they found."""
    rates = []
    for _ in range(NUM_REPEATS):
        started = time.perf_counter()
        count, found = run()
        rates.append(count / (time.perf_counter() - started))
    return max(rates), found


def whole_search(search: Search) -> tuple[int, Any]:
    """Candidates of a search with its budget, and the law."""
    config = replace(SearchConfig(), max_evaluations=BUDGET, stops_when_exact=False)
    *_, last = discover(search.table, config, np.random.default_rng(0), NUM_NODES)
    return last.evaluations, None if last.law is None else last.law.text()


def paths(search: Search) -> tuple[int, Any]:
    """Candidates of rounds of paths, and the best loss of each size."""
    config, table = search.config.refinement, search.table
    state = start_paths(search.seeds, config, np.random.default_rng(0))
    rows, scores = table.some_training(search.config.search_rows), relevance(table.training)
    with hired(NUM_NODES) as workers:
        rounds = refine(state, rows, table.names, scores, config, workers, never)
        *_, last = islice(rounds, NUM_ROUNDS)
    return last.screened, last.state.bests.losses.tolist()


@contextmanager
def three_nodes() -> Iterator[None]:
    """Searches within this block run on a local cluster of three nodes with one core each."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    for _ in range(NUM_NODES):
        cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    try:
        with on_cluster(cluster.address):
            yield
    finally:
        cluster.shutdown()
