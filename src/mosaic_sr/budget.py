"""How much a search may spend, and how it is stopped: evaluations repeat exactly; seconds only stop earlier."""

from __future__ import annotations

import math
import numbers
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from mosaic_sr.errors import InvalidSettings


@dataclass(frozen=True)
class Budget:
    """The evaluations a search may spend, and the seconds after which it stops earlier; None or inf sets no limit."""

    evaluations: float
    seconds: float | None = None

    def __post_init__(self) -> None:
        if not _is_number(self.evaluations) or self.evaluations < 1:
            raise InvalidSettings(f"the budget must be at least 1 candidate, got {self.evaluations!r}")
        if self.seconds is not None and (not _is_number(self.seconds) or not self.seconds > 0):
            raise InvalidSettings(
                f"the time limit must be more than 0 seconds (inf for no limit), got {self.seconds!r}"
            )


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


@dataclass(frozen=True)
class Clock:
    """Seconds since a start on a clock that never jumps, and their limit."""

    started: float
    limit: float
    now: Callable[[], float] = time.monotonic

    @property
    def seconds(self) -> float:
        return self.now() - self.started


def never() -> bool:
    """The answer to whether to stop, where nobody can say so."""
    return False


def start_clock(budget: Budget, now: Callable[[], float] = time.monotonic) -> Clock:
    """A clock that starts now and runs for the seconds of the budget."""
    return Clock(now(), math.inf if budget.seconds is None else budget.seconds, now)


T = TypeVar("T")


class Stopped(Exception):  # no error: the search ends with what it has found
    """The search that this work belongs to has been stopped."""


_is_interrupted: ContextVar[Callable[[], bool]] = ContextVar("is_interrupted", default=never)


def is_stop_asked() -> bool:
    """Whether the search that called for this work has been stopped."""
    return _is_interrupted.get()()


def heed_stop() -> None:
    """Raise Stopped where the search that called for this work has been stopped; every step of a long loop calls it.

    It decides nothing else, so that it may be called as often as one likes.
    """
    if is_stop_asked():
        raise Stopped


@contextmanager
def listening(is_interrupted: Callable[[], bool]) -> Generator[None, None, None]:
    """Work within this block is stopped by `heed_stop` once `is_interrupted` says yes."""
    before = _is_interrupted.set(is_interrupted)
    try:
        yield
    finally:
        _is_interrupted.reset(before)


def until_stopped(items: Iterator[T], is_interrupted: Callable[[], bool]) -> Iterator[T]:
    """The items as they come; the work on the next one ends at its next `heed_stop` after `is_interrupted` says yes."""
    while True:
        try:
            with listening(is_interrupted):
                item = next(items)
        except (StopIteration, Stopped):
            return
        yield item
