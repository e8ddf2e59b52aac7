"""The simulation of a cluster: shares of cores that can be worked out by hand."""

from dataclasses import replace

import pytest

from benchmarks.speed import simulated_cluster
from benchmarks.speed.simulated_cluster import Costs, simulate_round

FREE = Costs(message=0.0, per_task=0.0, per_round=0.0, sent=0, returned=0)


@pytest.fixture(autouse=True)
def no_latency(monkeypatch):
    monkeypatch.setattr(simulated_cluster, "LATENCY_SECONDS", 0.0)


def test_tasks_without_costs_keep_all_cores_at_work():
    found = simulate_round([1.0] * 40, 10, FREE)
    assert (found.seconds, found.share, found.num_bytes) == (4.0, 1.0, 0)


def test_more_cores_than_tasks_leave_some_idle():
    assert simulate_round([1.0] * 24, 96, FREE).share == pytest.approx(0.25)


def test_what_the_driver_does_beside_the_workers_counts_where_it_takes_longer():
    assert simulate_round([1.0] * 4, 4, replace(FREE, per_round=0.9)).share == pytest.approx(1.0)
    assert simulate_round([1.0] * 4, 4, replace(FREE, per_round=2.0)).share == pytest.approx(0.5)
    assert simulate_round([1.0] * 4, 4, replace(FREE, making=0.5)).share == pytest.approx(0.5)


def test_a_driver_that_needs_longer_for_messages_than_cores_for_tasks_sets_the_pace():
    found = simulate_round([1.0] * 1000, 1000, replace(FREE, message=0.02))
    # Half of each message is sent, half is read, and the last task ends after the last was sent.
    assert found.seconds == pytest.approx(20.0, rel=0.1)


def test_bytes_count_for_each_task_and_shared_ones_for_each_bundle():
    found = simulate_round([1.0] * 40, 5, replace(FREE, sent=3, returned=4, shared=100))
    assert found.num_bytes == 40 * 7 + 10 * 100


def test_bytes_pass_the_line_of_the_driver_one_after_the_other():
    heavy = replace(FREE, sent=int(simulated_cluster.BYTES_PER_SECOND))
    assert simulate_round([0.0] * 6, 3, heavy).seconds == pytest.approx(6.0)
