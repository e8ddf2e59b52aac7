"""One step of the classical Runge-Kutta method, which makes the curves of all suites."""

from __future__ import annotations

import numpy as np

from benchmarks.suites.problem import Floats, Law


def runge_kutta(slope: Law, state: Floats, step: float) -> Floats:
    """The state after a step of time; errors are of the fourth order in it."""
    first = slope(state)
    second = slope(state + 0.5 * step * first)
    third = slope(state + 0.5 * step * second)
    fourth = slope(state + step * third)
    return np.asarray(state + step / 6.0 * (first + 2.0 * second + 2.0 * third + fourth))
