"""A driver and its workers in simulated time: how many of many cores are at work when a round of tasks is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace
from itertools import pairwise

# Bundles per worker, as in `mosaic_sr.workers`.
BUNDLES_PER_WORKER = 2
# Ten gigabits per second, what nodes of a small cluster share; and the way there and back.
BYTES_PER_SECOND, LATENCY_SECONDS = 1.25e9, 1e-4


@dataclass(frozen=True)
class Costs:
    """What a round costs beside the tasks themselves, in seconds of the driver and in bytes.

    message: of a bundle of tasks, there and back.  per_task: to pack, unpack and merge a task's arrays.
    per_round, making: what the driver does while the workers are at work, once and for each task of the next round.
    sent, returned: bytes of a task.  shared: bytes that go with each bundle.
    """

    message: float
    per_task: float
    per_round: float
    sent: int
    returned: int
    shared: int = 0
    making: float = 0.0


@dataclass(frozen=True)
class Simulated:
    """A simulated round: its seconds, the share of the cores at work, the bytes sent and returned."""

    seconds: float
    share: float
    num_bytes: int


def simulate_round(tasks: Sequence[float], num_cores: int, costs: Costs) -> Simulated:
    """A round of tasks on so many cores; tasks: the seconds of each.

    The driver is one core more: it sends bundle after bundle, a core does one at a time, and the driver, after its own
    work, reads what comes back in the order of the bundles.
    """
    bundles = _bundled(tasks, min(len(tasks), BUNDLES_PER_WORKER * num_cores))
    free = [0.0] * num_cores
    heapify(free)
    driver, done = 0.0, []
    for bundle in bundles:
        driver += 0.5 * (costs.message + costs.per_task * len(bundle)) + _carried(costs, len(bundle), costs.sent)
        start = max(driver + LATENCY_SECONDS, free[0])
        heapreplace(free, start + sum(bundle))
        done.append(start + sum(bundle) + LATENCY_SECONDS)
    driver += costs.per_round + costs.making * len(tasks)
    for bundle, end in zip(bundles, done, strict=True):
        driver = max(driver, end) + 0.5 * (costs.message + costs.per_task * len(bundle))
        driver += costs.returned * len(bundle) / BYTES_PER_SECOND
    num_bytes = (costs.sent + costs.returned) * len(tasks) + costs.shared * len(bundles)
    return Simulated(driver, sum(tasks) / (num_cores * driver), num_bytes)


def _carried(costs: Costs, count: int, size: int) -> float:
    """Seconds in which so many tasks pass the driver's line."""
    return (costs.shared + size * count) / BYTES_PER_SECOND


def _bundled(tasks: Sequence[float], count: int) -> list[Sequence[float]]:
    ends = [len(tasks) * number // count for number in range(count + 1)]
    return [tasks[first:last] for first, last in pairwise(ends)]
