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
