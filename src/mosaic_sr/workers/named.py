"""Workers that joblib's `parallel_config` names: processes of loky, or those of a ray or dask cluster."""

from __future__ import annotations

import pickle
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from copy import copy
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from hashlib import blake2b
from itertools import chain, pairwise
from queue import Empty, Queue
from typing import Any

import numpy as np
from joblib import Parallel, delayed, parallel_config
from joblib.parallel import get_active_backend
from threadpoolctl import threadpool_limits

from mosaic_sr import __version__
from mosaic_sr.budget import Stopped
from mosaic_sr.errors import InvalidSettings, MosaicError
from mosaic_sr.workers import Result, Stop, Tasks, Threads

# Bundles of tasks for each worker: one that waits for no other balances tasks of unequal length, and a third would cost
# more in messages, a few milliseconds each, than it saves.
BUNDLES_PER_WORKER = 2
# The time limit and Ctrl-C are heard so often while workers are at work: a tenth of a second is not felt.
SECONDS_BETWEEN_LOOKS = 0.1
# Tasks whose results nobody waits for are given so long to end; then their pool is left behind.
PATIENCE_SECONDS = 0.5
# A worker keeps what so many searches share; the rows of a search are some hundred kilobytes.
MOST_KEPT = 16
# Losses of workers in a row without any result: then the tasks themselves end them, most likely for want of memory.
MOST_LOSSES = 5
KEY_BYTES = 16


class WorkersLost(MosaicError, RuntimeError):
    """Workers were lost again and again, so that a search could not go on."""


def named_workers(num_threads: int) -> Threads | NamedWorkers | None:
    """The workers that `parallel_config` names, None where it names none.

    num_threads: how many there are where it does not say.
    """
    # Who prefers threads gets them unless the user has named something else.
    backend, num = get_active_backend(prefer="threads")
    num = num_threads if num in (None, 1) else num
    if getattr(backend, "supports_sharedmem", False):
        threads = int(backend.effective_n_jobs(num))
        return Threads(threads) if threads > num_threads else None
    return NamedWorkers(backend, num)


class Missing(Enum):
    """The answer of a worker that lacks what its tasks share."""

    SHARED = auto()


@dataclass(frozen=True)
class Sent:
    """Something that all tasks share, as bytes; workers know it by its key, which depends on the bytes alone."""

    value: Any
    key: bytes
    content: bytes

    @classmethod
    def of(cls, value: Any) -> Sent:
        """The value, pickled."""
        content = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        return cls(value, blake2b(content, digest_size=KEY_BYTES).digest(), content)


class NamedWorkers:
    """Workers behind joblib; results do not depend on how many there are, and a lost one's tasks are done again."""

    are_elsewhere = True

    def __init__(self, backend: Any, num: int) -> None:
        # What `parallel_config` names holds in its own thread only, so that it is kept.
        self._backend, self._asked = backend, num
        self._parallel: Any = None
        self._is_busy = False
        self._packed: OrderedDict[int, Sent] = OrderedDict()
        self._known: set[bytes] = set()

    @property
    def num(self) -> int:
        """How many there are now: clusters grow and shrink."""
        return max(1, int(self._backend.effective_n_jobs(self._asked)))

    def results(self, tasks: Tasks[Result], is_interrupted: Stop) -> Iterator[Result]:
        """As in `Workers`."""
        if self._is_busy:
            # Its workers all have tasks of this search, and joblib takes no other calls before these are done.
            return Threads().results(tasks, is_interrupted)
        if is_interrupted() or not tasks.each:
            return iter(())
        count = len(tasks.each)
        bundles = list(_split(tasks.each, min(count, BUNDLES_PER_WORKER * self.num) if tasks.is_even else count))
        found = self._done(tasks.work, [self._sent(value) for value in tasks.shared], bundles)
        heard = self._heard(found, len(bundles), is_interrupted)
        next(heard)  # the workers begin
        return chain.from_iterable(heard)

    def _heard(self, found: Iterator[list[Any]], count: int, is_interrupted: Stop) -> Iterator[list[Any]]:
        """Nothing when the workers begin, then so many results; fewer where `is_interrupted` says yes.

        Where the caller asks no more, the workers end in vain.
        """
        arrived: Queue[Any] = Queue()
        listener = threading.Thread(target=_listen, args=(found, arrived), daemon=True)
        listener.start()
        self._is_busy = True
        try:
            yield []
            for number in range(count):
                result = _next(arrived, is_interrupted)
                # With the last result the workers are free, whether the caller asks on or not.
                self._is_busy = number < count - 1 or _next(arrived, is_interrupted) is not Arrival.END
                yield result
        except Stopped:
            return
        finally:
            if self._is_busy:
                listener.join(PATIENCE_SECONDS)
                self._is_busy = False
                self._parallel = None if listener.is_alive() else self._parallel

    def _done(self, work: Callable[..., Any], shared: list[Sent], bundles: list[list[Any]]) -> Iterator[list[Any]]:
        """The results of each bundle, in order."""
        num_losses, waiting = 0, bundles
        while waiting:
            try:
                for found in self._asked_for(work, shared, waiting):
                    waiting, num_losses = waiting[1:], 0
                    yield found
            except lost_worker_errors() as error:
                self.leave()
                num_losses += 1
                if num_losses == MOST_LOSSES:
                    raise WorkersLost(
                        f"{MOST_LOSSES} workers were lost in a row, the last with {type(error).__name__}; check the "
                        "memory of the nodes and their logs"
                    ) from error

    def _asked_for(self, work: Callable[..., Any], shared: list[Sent], bundles: list[list[Any]]) -> Iterator[list[Any]]:
        """The results of each bundle; what workers are not known to have goes along, and where one lacks it, again."""
        answers = self._calls(
            work, [(one.key, None if one.key in self._known else one.content) for one in shared], bundles
        )
        for place, answer in enumerate(answers):
            if not isinstance(answer, Missing):
                yield answer
                continue
            rest = [answer, *answers]  # joblib takes no new calls before the last answer
            missed = [bundle for bundle, one in zip(bundles[place:], rest, strict=True) if isinstance(one, Missing)]
            again = self._calls(work, [(one.key, one.content) for one in shared], missed)
            yield from (next(again) if isinstance(one, Missing) else one for one in rest)
        self._known |= {one.key for one in shared}

    def _calls(
        self, work: Callable[..., Any], shared: list[tuple[bytes, bytes | None]], bundles: list[list[Any]]
    ) -> Iterator[Any]:
        """The answers of workers, in order, as they come."""
        if self._parallel is None:
            # One pool for the whole search: backends that start their own processes need seconds for it.
            # A pool that was left behind still uses its backend.
            own = {"backend": copy(self._backend), "return_as": "generator", "batch_size": 1, "pre_dispatch": "all"}
            self._parallel = Parallel(n_jobs=self._asked, **own).__enter__()
        calls = (delayed(perform)(__version__, work, shared, bundle) for bundle in bundles)
        return iter(self._parallel(calls))

    def _sent(self, value: Any) -> Sent:
        """The value as it is sent; what was sent before is not pickled again."""
        sent = self._packed.get(id(value)) or Sent.of(value)  # it keeps the value, so that no other has its id
        self._packed[id(value)] = sent
        self._packed.move_to_end(id(value))
        if len(self._packed) > MOST_KEPT:
            self._packed.popitem(last=False)
        return sent

    def leave(self) -> None:
        """End the pool."""
        parallel, self._parallel = self._parallel, None
        self._known.clear()
        if parallel is not None and not self._is_busy:
            parallel.__exit__(None, None, None)


class Arrival(Enum):
    """What comes from the workers after the last result."""

    END = auto()


def _listen(found: Iterator[Any], arrived: Queue[Any]) -> None:
    """Wait for results in a thread of its own: joblib cannot be asked whether one is there."""
    try:
        for result in found:
            arrived.put(result)
        arrived.put(Arrival.END)
    except BaseException as error:  # whatever it is, it is raised where the results are waited for
        arrived.put(error)


def _next(arrived: Queue[Any], is_interrupted: Stop) -> Any:
    """What comes next; Stopped where `is_interrupted` says yes before it comes."""
    while not is_interrupted():
        try:
            arrival = arrived.get(timeout=SECONDS_BETWEEN_LOOKS)
        except Empty:
            continue
        if isinstance(arrival, BaseException):
            raise arrival
        return arrival
    raise Stopped


def _split(tasks: Sequence[Any], count: int) -> Iterator[list[Any]]:
    """So many bundles of neighbours, as even as can be."""
    ends = [len(tasks) * number // count for number in range(count + 1)] if tasks else []
    return (list(tasks[first:last]) for first, last in pairwise(ends))


def lost_worker_errors() -> tuple[type[BaseException], ...]:
    """What joblib raises where a worker has died: of loky, and of ray's own backend where it is in use."""
    ray = sys.modules.get("ray.exceptions")
    return (BrokenExecutor,) if ray is None else (BrokenExecutor, ray.RayActorError, ray.WorkerCrashedError)


class _Kept(threading.local):
    """What a thread of a worker has been sent, the latest last; fitters own buffers, so each thread needs its own."""

    def __init__(self) -> None:
        self.values: OrderedDict[bytes, Any] = OrderedDict()

    def value(self, key: bytes, content: bytes | None) -> Any:
        """The value of this key, read from `content` where it is new; `Missing` where there is none."""
        if key not in self.values and content is None:
            return Missing.SHARED
        if key not in self.values:
            self.values[key] = pickle.loads(content)  # type: ignore[arg-type]
        self.values.move_to_end(key)
        if len(self.values) > MOST_KEPT:
            self.values.popitem(last=False)
        return self.values[key]


_kept = _Kept()


@cache
def _limit_blas() -> None:
    """One thread for linear algebra in this process from now on; to look for its libraries takes milliseconds."""
    threadpool_limits(1, "blas")


def perform(
    version: str, work: Callable[..., Any], shared: Sequence[tuple[bytes, bytes | None]], tasks: Sequence[Any]
) -> list[Any] | Missing:
    """What a worker does: `work(*shared, task)` for each task; `Missing` where it lacks what the tasks share."""
    if version != __version__:
        raise InvalidSettings(f"the search runs mosaic-sr {version}, a worker has {__version__}; install the same")
    values = [_kept.value(key, content) for key, content in shared]
    if any(value is Missing.SHARED for value in values):
        return Missing.SHARED
    # As in the search itself. A task does not hand its work on: the workers are all at work.
    _limit_blas()
    with parallel_config(backend="sequential"), np.errstate(all="ignore"):
        return [work(*values, task) for task in tasks]
