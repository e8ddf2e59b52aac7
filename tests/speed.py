"""How slow the machine is, for tests that must bound seconds: what they allow grows with it."""

from __future__ import annotations

import time

import numpy as np

# The processor's seconds that `_work` takes on the machine on which the tests' bounds were set.
SECONDS_THERE = 0.03


def slowness() -> float:
    """How many times as long as there a piece of work takes on this machine; 1 where it is faster."""
    return max(1.0, min(_seconds_of_work() for _ in range(3)) / SECONDS_THERE)


def _seconds_of_work() -> float:
    before = time.process_time()
    numbers = np.random.default_rng(0).normal(size=100_000)
    for _ in range(10):
        np.sort(np.exp(np.sin(numbers)))
    sum(place * place % 7 for place in range(100_000))
    return time.process_time() - before
