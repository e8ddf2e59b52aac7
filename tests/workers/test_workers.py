"""Workers: results in the order of the tasks, whoever does them, and tasks of lost workers done again."""

import os

import distant_work
import numpy as np
import pytest
from joblib import parallel_config

from mosaic_sr.budget import never
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.workers import Tasks, Threads, hired, named
from mosaic_sr.workers.named import Missing, NamedWorkers, Sent, WorkersLost, perform

SQUARES = [number * number for number in range(20)]


@pytest.fixture
def loky():
    """Two processes."""
    with parallel_config("loky", n_jobs=2), hired(1) as workers:
        assert isinstance(workers, NamedWorkers)
        yield workers


def test_threads_are_hired_where_nothing_is_named():
    with hired(1) as one, hired(2) as two:
        assert isinstance(one, Threads)
        assert (one.num, two.num) == (1, 2)
        for workers in (one, two):
            assert list(workers.results(Tasks(distant_work.square, (0,), range(20)), never)) == SQUARES


def test_threads_that_are_named_are_hired():
    with parallel_config("threading", n_jobs=3), hired(1) as workers:
        assert isinstance(workers, Threads)
        assert workers.num == 3


def test_processes_are_as_many_as_are_asked_for_where_no_number_is_named():
    with parallel_config("loky"), hired(3) as workers:
        assert isinstance(workers, NamedWorkers)
        assert workers.num == 3


def test_results_come_in_the_order_of_the_tasks(loky):
    assert list(loky.results(Tasks(distant_work.square, (0,), range(20)), never)) == SQUARES
    assert list(loky.results(Tasks(distant_work.square, (1,), range(3), is_even=False), never)) == [1, 2, 5]
    assert list(loky.results(Tasks(distant_work.square, (0,), []), never)) == []


def test_what_tasks_share_is_read_once_by_each_worker(loky, tmp_path):
    shared = distant_work.Noted(tmp_path / "readers")
    for _ in range(4):
        found = list(loky.results(Tasks(distant_work.pid_beside, (shared,), range(6)), never))
        assert [task for task, _ in found] == list(range(6))
        assert os.getpid() not in {pid for _, pid in found}
    readers = (tmp_path / "readers").read_text().split()
    assert 1 <= len(readers) == len(set(readers)) <= 2


def test_a_worker_that_lacks_what_tasks_share_says_so():
    from mosaic_sr import __version__

    sent = Sent.of(np.arange(3))
    assert perform(__version__, distant_work.square, [(sent.key, None)], [1]) is Missing.SHARED
    read = perform(__version__, distant_work.square, [(sent.key, sent.content)], [2])
    np.testing.assert_array_equal(read, [[4, 5, 6]])
    again = perform(__version__, distant_work.square, [(sent.key, None)], [2])
    np.testing.assert_array_equal(again, [[4, 5, 6]])


def test_a_worker_of_another_version_is_refused():
    with pytest.raises(InvalidSettings, match=r"runs mosaic-sr 0\.0, a worker has"):
        perform("0.0", distant_work.square, [], [1])


def test_the_tasks_of_a_killed_worker_are_done_again(loky, tmp_path):
    flag = tmp_path / "killed"
    # The new workers lack what the killed ones had been sent.
    for _ in range(2):
        assert list(loky.results(Tasks(distant_work.square_or_die, (str(flag),), range(20)), never)) == SQUARES
    assert flag.exists()


def test_tasks_that_kill_every_worker_are_given_up(loky, monkeypatch):
    monkeypatch.setattr(named, "MOST_LOSSES", 2)
    with pytest.raises(WorkersLost, match="2 workers were lost in a row"):
        list(loky.results(Tasks(distant_work.die, (), [1]), never))


def test_an_error_of_a_task_is_raised_where_results_are_waited_for(loky):
    with pytest.raises(ValueError, match="3 is refused"):
        list(loky.results(Tasks(distant_work.refuse, (), [3]), never))


def test_a_stop_is_heard_while_workers_are_at_work(loky, tmp_path):
    flag, found = tmp_path / "go", []
    for result in loky.results(Tasks(distant_work.wait_for, (), ["", str(flag)], is_even=False), lambda: bool(found)):
        found.append(result)
    assert found == [""]
    assert not flag.exists()  # the second task was left behind, still waiting
    flag.touch()
    assert list(loky.results(Tasks(distant_work.square, (0,), range(20)), never)) == SQUARES


def test_tasks_that_come_while_workers_are_busy_are_done_here(loky):
    outer = loky.results(Tasks(distant_work.pid_beside, (None,), range(4)), never)
    next(outer)
    inner = dict(loky.results(Tasks(distant_work.pid_beside, (None,), range(2)), never))
    assert inner == {0: os.getpid(), 1: os.getpid()}
    assert [task for task, _ in outer] == [1, 2, 3]
    after = dict(loky.results(Tasks(distant_work.pid_beside, (None,), range(2)), never))
    assert os.getpid() not in after.values()


def test_the_last_result_leaves_the_workers_free(loky):
    outer = loky.results(Tasks(distant_work.pid_beside, (None,), range(2)), never)
    next(outer)
    next(outer)
    assert os.getpid() not in dict(loky.results(Tasks(distant_work.pid_beside, (None,), range(2)), never)).values()
