"""A ray cluster of two worker nodes on this machine, one of which is killed once the first line has been written."""

import sys
import threading
import time
from pathlib import Path

from ray.cluster_utils import Cluster

from benchmarks.__main__ import main

LINES_AT_THE_END_OF_THE_NODE = []


def kill_when_started(cluster, node, path):
    """Remove a node, not gracefully, as soon as the file has a line."""
    while not (path.exists() and path.read_text()):
        time.sleep(0.05)
    cluster.remove_node(node, allow_graceful=False)
    LINES_AT_THE_END_OF_THE_NODE.append(len(path.read_text().splitlines()))


if __name__ == "__main__":
    out, words = Path(sys.argv[1]), sys.argv[2:]
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    cluster.wait_for_nodes()
    threading.Thread(target=kill_when_started, args=(cluster, nodes[1], out), daemon=True).start()
    code = main(["run", *words, "--cluster", cluster.address, "--out", str(out)])
    alive = sum(node.any_processes_alive() for node in cluster.worker_nodes)
    print(f"nodes left: {alive}, lines when one was lost: {LINES_AT_THE_END_OF_THE_NODE}")
    cluster.shutdown()
    sys.exit(code)
