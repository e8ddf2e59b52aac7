"""`Budget`: how much a search may spend. Evaluations repeat exactly; seconds only stop earlier."""

from __future__ import annotations

import math
import numbers
import time
from collections.abc import Callable
from dataclasses import dataclass

from mosaic_sr.errors import InvalidSettings


@dataclass(frozen=True)
class Budget:
    """The evaluations a search may spend, and the seconds after which it stops earlier (None: no limit)."""

    evaluations: int
    seconds: float | None = None

    def __post_init__(self) -> None:
        if not _is_number(self.evaluations) or self.evaluations < 1:
            raise InvalidSettings(f"the budget needs at least 1 evaluation; got {self.evaluations!r}")
        if self.seconds is not None and (not _is_number(self.seconds) or not self.seconds > 0):
            raise InvalidSettings(
                f"the time limit must be above 0 seconds; got {self.seconds!r}; leave it out for no limit"
            )


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


@dataclass(frozen=True)
class Clock:
    """Seconds since a start on a clock that never jumps, and whether the limit has passed."""

    started: float
    limit: float
    now: Callable[[], float] = time.monotonic

    @property
    def seconds(self) -> float:
        return self.now() - self.started

    @property
    def is_over(self) -> bool:
        return self.seconds >= self.limit


def never() -> bool:
    """The answer to whether to stop, where nobody can say so."""
    return False


def start_clock(budget: Budget, now: Callable[[], float] = time.monotonic) -> Clock:
    """A clock that starts now and runs for the seconds of the budget."""
    return Clock(now(), math.inf if budget.seconds is None else budget.seconds, now)
