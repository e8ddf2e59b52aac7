"""Tables made easy for other methods: few exact rows, so that they get far in the time, and numbers of usual size."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import wraps

import numpy as np
from numpy.typing import NDArray

from benchmarks.methods import Budget, Fit, Outcome, Settings
from benchmarks.suites import Sample

# Of exact rows so many tell a law. With thousands pyoperon makes a tenth of the generations and finds far less.
# Of noisy rows more tell more, so that all are seen.
MOST_ROWS = 300
# Some compute in 32 bits or print few decimals. Where the median size is within these decades,
# numbers are as a user would leave them.
MOST_DECADES = 3


def eased(fit: Fit) -> Fit:
    """A method that sees the first rows where they are exact, numbers of unusual size divided by a power of ten.

    Its formula comes back in their units.
    """

    @wraps(fit)
    def easily(train: Sample, validation: Sample | None, budget: Budget, seed: int, settings: Settings) -> Outcome:
        decades = [decades_of(column) for column in train.columns]
        of_target = decades_of(train.target)
        rescaled = _rescaler(decades, of_target, None if settings.noise else MOST_ROWS)
        outcome = fit(rescaled(train), validation and rescaled(validation), budget, seed, settings)
        return replace(outcome, equation=in_own_units(outcome.equation, decades, of_target))

    return easily


def decades_of(numbers: NDArray[np.float64]) -> int:
    """The power of ten nearest to the median size of the numbers, 0 where that is a usual one."""
    sizes = np.abs(numbers[numbers != 0.0])
    decades = round(math.log10(float(np.median(sizes)))) if len(sizes) else 0
    return decades if abs(decades) > MOST_DECADES else 0


def in_own_units(equation: str, decades: list[int], of_target: int) -> str:
    """The formula of divided columns and target as one of the columns x0, x1, ... themselves."""

    def column(found: re.Match[str]) -> str:
        power = decades[int(found[1])]
        return f"(x{found[1]}*1e{-power})" if power else found[0]

    written = re.sub(r"\bx(\d+)\b", column, equation)
    return f"1e{of_target}*({written})" if of_target else written


def _rescaler(decades: list[int], of_target: int, num_rows: int | None) -> Callable[[Sample], Sample]:
    factors = np.array([10.0**-power for power in decades])

    def rescaled(sample: Sample) -> Sample:
        first = sample.rows(slice(num_rows))
        return Sample(first.columns * factors[:, None], first.target * 10.0**-of_target)

    return rescaled
