"""`Intervals`: the constants of a law with their 68 and 95 % intervals and correlations, for people and programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.intervals.form import LEVELS, FittedForm
from mosaic_sr.intervals.methods import METHODS
from mosaic_sr.law_values import finite

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

# Below this share of the usual target the scatter bends no law within its intervals, so standard errors are enough.
LEAST_SCATTER = 1e-8
FROM_ERRORS = "the rows have no noise beyond rounding, so the intervals are taken from the standard errors"
# Correlations that are listed: two constants with a larger one can hardly be told apart.
LEAST_TOLD = 0.9
PERCENT = tuple(round(100 * level) for level in LEVELS)


@dataclass(frozen=True, eq=False)
class Intervals:
    """Constants with their intervals.

    values, errors: (constants,).  bounds: (constants, levels, 2), for 68 and 95 %; infinite where rows set no bound.
    correlation: (constants, constants), NaN where a constant is fixed or not determined.
    noise: what was assumed about it, in words.
    """

    names: tuple[str, ...]
    values: Floats
    errors: Floats
    bounds: Floats
    correlation: Floats
    method: str
    noise: str
    notes: tuple[str, ...] = ()

    @property
    def table(self) -> pd.DataFrame:
        """One row per constant: value, standard_error, low_68, high_68, low_95, high_95."""
        import pandas as pd

        columns = {"value": self.values, "standard_error": self.errors}
        for place, percent in enumerate(PERCENT):
            columns[f"low_{percent}"], columns[f"high_{percent}"] = self.bounds[:, place].T
        return pd.DataFrame(columns, index=list(self.names))

    @property
    def correlations(self) -> pd.DataFrame:
        """The correlation of each constant with each other."""
        import pandas as pd

        return pd.DataFrame(self.correlation, index=list(self.names), columns=list(self.names))

    def lines(self) -> list[str]:
        """The intervals for a person, one line for each constant, correlations, noise and notes behind them."""
        width = max(map(len, self.names), default=0)
        cells = [[range_text(low, high) for low, high in own] for own in self.bounds.tolist()]
        widths = [max((len(own[place]) for own in cells), default=0) for place in range(len(LEVELS))]
        rows = [
            f"  {name:{width}}  " + "  ".join(
                f"{percent} %: {cell:{size}}" for percent, cell, size in zip(PERCENT, own, widths, strict=True)
            )
            for name, own in zip(self.names, cells, strict=True)
        ]  # fmt: skip
        return [f"{self.method} intervals, {self.noise}", *map(str.rstrip, rows), *self._correlated(), *self.notes]

    def _correlated(self) -> Iterator[str]:
        for one in range(len(self.names)):
            for other in range(one):
                if abs(value := float(self.correlation[one, other])) >= LEAST_TOLD:
                    shown = f"{value:.4f}" if abs(value) > 0.995 else f"{value:.2f}"
                    yield f"  {self.names[other]} and {self.names[one]} are correlated ({shown})"

    def described(self) -> dict[str, Any]:
        """As plain values; null stands for no bound."""
        entries = {
            name: {f"{percent}": [finite(low), finite(high)] for percent, (low, high) in zip(PERCENT, own, strict=True)}
            for name, own in zip(self.names, self.bounds.tolist(), strict=True)
        }
        correlation = [[finite(value) for value in row] for row in self.correlation.tolist()]
        return {
            "method": self.method, "noise": self.noise, "intervals": entries, "correlation": correlation,
            "notes": list(self.notes),
        }  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(self.lines())


def check_method(method: str) -> None:
    """Refuse a method of intervals that is none of those known."""
    if method not in METHODS:
        raise InvalidSettings(f"intervals must be {', '.join(METHODS)}, got {method!r}")


def measured_intervals(
    form: FittedForm, names: Sequence[str], method: str, noise: str, rng: np.random.Generator
) -> Intervals:
    """The intervals of a form's parameters by one of the methods."""
    check_method(method)
    notes: tuple[str, ...] = ()
    if method == "profile" and _is_without_noise(form):
        method, notes = "delta", (FROM_ERRORS,)
    form, bounds = METHODS[method](form, rng)
    return Intervals(tuple(names), form.values, form.errors, bounds, form.correlation, method, noise, notes)


def _is_without_noise(form: FittedForm) -> bool:
    largest = float(np.max(np.abs(form.rows.target), initial=0.0))
    weights = form.rows.weights if len(form.rows.weights) else np.ones(form.rows.num_rows)
    typical = form.scatter / math.sqrt(float(np.median(weights)) or 1.0)
    return bool(typical <= LEAST_SCATTER * largest)


def range_text(low: float, high: float) -> str:
    """An interval as people write it: ends to the third digit of its width."""
    if math.isnan(low) or math.isnan(high):
        return "not determined by the rows"
    if low == high:
        return "fixed"
    if math.isinf(low) and math.isinf(high):
        return "no bound"
    if math.isinf(high):
        return f"above {low:.4g}, no upper bound"
    if math.isinf(low):
        return f"below {high:.4g}, no lower bound"
    size = max(abs(low), abs(high))
    digits = max(3, min(15, 3 + math.ceil(math.log10(size / (high - low)))))
    return f"{low:.{digits}g} to {high:.{digits}g}"
