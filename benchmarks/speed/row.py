"""One line of the speed table, and how times are taken."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A figure of ours beside a peer's; `ratio` is how many times ours is better, `goal` what was aimed at.

    A goal is ">= 5" for the ratio, or "<= 1.2" for our own figure where there is no peer.
    """

    name: str
    ours: float | None
    peer: float | None = None
    ratio: float | None = None
    goal: str = ""


def is_reached(row: Row) -> bool | None:
    """Whether the goal is met; None without one."""
    figure = row.ours if row.ratio is None else row.ratio
    if not row.goal or figure is None:
        return None
    word, number = row.goal.split()
    return figure >= float(number) if word == ">=" else figure <= float(number)


def seconds(action: Callable[[int], object], target: float = 0.003, rounds: int = 50) -> float:
    """The best time of one repetition; `action(n)` does n of them."""
    return race([action], target, rounds)[0]


def race(actions: list[Callable[[int], object]], target: float = 0.003, rounds: int = 50) -> list[float]:
    """The best times of one repetition each, taken in turns so that all meet the same disturbances."""
    counts = []
    for action in actions:
        action(1)
        started = time.perf_counter()
        action(1)
        counts.append(max(1, int(target / max(time.perf_counter() - started, 1e-8))))
    best = [math.inf] * len(actions)
    for _ in range(rounds):
        for index, action in enumerate(actions):
            started = time.perf_counter()
            action(counts[index])
            best[index] = min(best[index], (time.perf_counter() - started) / counts[index])
    return best


def geometric_mean(ratios: Iterable[float]) -> float:
    """The mean that suits ratios."""
    logs = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logs) / len(logs))
