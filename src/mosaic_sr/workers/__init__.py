"""Workers do tasks: threads of this process, or what joblib's `parallel_config` names, such as the nodes of a cluster.

A task is a call of a pure function: what it returns depends on its arguments alone, so that it does not matter which
worker does it, and a task whose worker is lost is done again. Results come in the order of the tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Generic, Protocol, TypeVar

Result = TypeVar("Result")
Stop = Callable[[], bool]

__all__ = ["Tasks", "Threads", "Workers", "hired"]


@dataclass(frozen=True)
class Tasks(Generic[Result]):
    """The calls `work(*shared, task)`, one for each task.

    work: a pure function of a module.  shared: what all tasks read; it is sent to each worker once.
    is_even: whether tasks take about as long, so that many of them can be sent together.
    """

    work: Callable[..., Result]
    shared: tuple[Any, ...]
    each: Sequence[Any]
    is_even: bool = True

    def done(self, task: Any) -> Result:
        """What the call for this task returns."""
        return self.work(*self.shared, task)


class Workers(Protocol):
    """Those who do the tasks of one search.

    are_elsewhere: whether they have memory of their own, so that what they need is sent to them.
    """

    @property
    def are_elsewhere(self) -> bool: ...

    @property
    def num(self) -> int:
        """How many tasks they do at the same time."""

    def results(self, tasks: Tasks[Result], is_interrupted: Stop) -> Iterator[Result]:
        """The result of each task, in their order; fewer where `is_interrupted` says yes.

        Workers elsewhere begin at once, so that the caller can do something else before it reads the results.
        """


class Threads:
    """Threads of this process; one thread is the caller's own."""

    are_elsewhere = False

    def __init__(self, num: int = 1) -> None:
        self.num = num
        self._pool = ThreadPoolExecutor(num) if num > 1 else None

    def results(self, tasks: Tasks[Result], is_interrupted: Stop) -> Iterator[Result]:
        """As in `Workers`; compiled work releases the interpreter, so that threads run side by side."""

        def done(task: Any) -> tuple[Result] | None:
            return None if is_interrupted() else (tasks.done(task),)

        found = map(done, tasks.each) if self._pool is None else self._pool.map(done, tasks.each)
        return (result for (result,) in takewhile(lambda one: one is not None, found))  # type: ignore[misc]

    def leave(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


@contextmanager
def hired(num_threads: int) -> Generator[Workers, None, None]:
    """The workers that `parallel_config` names; where it names none, so many threads."""
    # Slow to import, and importing this package must not be.
    from mosaic_sr.workers.named import named_workers

    workers = named_workers(num_threads) or Threads(num_threads)
    try:
        yield workers
    finally:
        workers.leave()
