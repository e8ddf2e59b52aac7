"""A search on a local ray cluster of three nodes, one of which is killed in the middle and another one added.

It prints, as JSON, the course of the search here and there, and the nodes that did tasks at the end.
"""

import json
import threading
import time

import numpy as np
import ray
from ray.cluster_utils import Cluster

from mosaic_sr import SearchConfig, Table, discover
from mosaic_sr.budget import never
from mosaic_sr.proposal import PROPOSERS, ProposalConfig
from mosaic_sr.proposal.enumeration import EnumerationConfig
from mosaic_sr.refinement import RefinementConfig
from mosaic_sr.workers import Tasks, hired
from mosaic_sr.workers.ray_cluster import on_cluster

WANTED = ("power_laws", "rationals", "enumeration")
CONFIG = SearchConfig(
    proposal=ProposalConfig(
        without=tuple(name for name in PROPOSERS if name not in WANTED), enumeration=EnumerationConfig(turns=(200, 300))
    ),
    refinement=RefinementConfig(num_paths=12, num_rounds=40),
    stops_when_exact=False,
)
# Rounds of paths after which a node is lost, and after which another one joins.
LOST_AFTER, JOINED_AFTER = 8, 20
MOST_WAITS = 60


def course(change=lambda number: None):
    """What is known after each round; `change(n)` is called after the n-th round of the paths."""
    rng = np.random.default_rng(1)
    X = rng.uniform(0.5, 3.0, (60, 2))
    y = np.exp(-X[:, 0] * X[:, 1]) + X[:, 1] ** 1.7 + 0.05 * np.sin(9e4 * X[:, 0])
    table = Table.from_arrays(X, y, rng=np.random.default_rng(0))
    told, num_rounds = [], 0
    for one in discover(table, CONFIG, np.random.default_rng(0)):
        told.append([one.stage, one.evaluations, one.num_forms, one.law.text()])
        if one.paths is not None:
            num_rounds += 1
            change(num_rounds)
    return told


def node_of(task):
    """The node that does this task."""
    del task
    time.sleep(0.2)
    return ray.get_runtime_context().get_node_id()


def nodes_at_work(count):
    """The nodes that do tasks; a node that has just joined needs seconds to start its first worker."""
    found = set()
    with hired(1) as workers:
        for _ in range(MOST_WAITS):
            found |= set(workers.results(Tasks(node_of, (), range(12), is_even=False), never))
            if len(found) == count:
                break
    return found


def main():
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(3)]
    cluster.wait_for_nodes()
    joined = []

    def change(number):
        if number == LOST_AFTER:
            # Beside the search, so that its next tasks are on their way when the node dies.
            threading.Thread(target=cluster.remove_node, args=(nodes[2], False)).start()
        if number == JOINED_AFTER:
            joined.append(cluster.add_node(num_cpus=1).node_id)

    with on_cluster(cluster.address):
        started = time.perf_counter()
        there = course(change)
        seconds = time.perf_counter() - started
        busy = nodes_at_work(3)
    answer = {"here": course(), "there": there, "busy": sorted(busy), "joined": joined, "lost": nodes[2].node_id}
    print(json.dumps({**answer, "seconds": seconds}))
    cluster.shutdown()


if __name__ == "__main__":
    main()
