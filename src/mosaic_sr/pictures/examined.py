"""`Examined`: one equation on the observed rows, with its values, its residuals and the noise about it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.bands import standard_deviations
from mosaic_sr.equation import Equation
from mosaic_sr.outcome import Outcome
from mosaic_sr.pictures.observed import Observed

Floats = NDArray[np.float64]

# Three decades on a plain axis hide all but the last.
LEAST_DECADES = 1000.0


@dataclass(frozen=True, eq=False)
class Examined:
    """An equation of an outcome on the rows of a table.

    equation: over the columns that are kept of the rows.  is_law: whether it is the law; is_rival: one of its rivals.
    """

    outcome: Outcome
    rows: Observed
    equation: Equation
    is_law: bool
    is_rival: bool

    @cached_property
    def values(self) -> Floats:
        """Of the equation: (rows,), NaN where it has none."""
        with np.errstate(all="ignore"):
            values = self.equation.predict(self.rows.columns)
        return np.where(np.isfinite(values), values, np.nan)

    @cached_property
    def residuals(self) -> Floats:
        """Target minus value: (rows,)."""
        with np.errstate(all="ignore"):
            return self.rows.target - self.values

    @cached_property
    def is_relative(self) -> bool:
        """Whether residuals are seen as shares of the value: where the target is positive and spans decades."""
        target, values = self.rows.target[self.is_known], self.values[self.is_known]
        return spans_decades(target) and bool(np.all(values > 0.0))

    @property
    def seen_residuals(self) -> Floats:
        """The residuals as pictures show them, over the value where they are relative: (rows,)."""
        with np.errstate(all="ignore"):
            return self.residuals / self.values if self.is_relative else self.residuals

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """(rows,), whether the equation has a value there."""
        return np.isfinite(self.residuals)

    @property
    def is_outlier(self) -> NDArray[np.bool_]:
        """(rows,), whether the law and its noise do not explain the row; the same rows for all equations."""
        return self.rows.outliers

    @cached_property
    def scatter(self) -> Floats | None:
        """Standard deviation of each row about the value, (rows,), where the noise was weighed; None elsewhere."""
        known = self.outcome.scatter
        return known.deviations(self.values) if known is not None and (self.is_law or self.is_rival) else None

    def deviations(self, columns: Floats) -> Floats:
        """How far new rows may lie from the equation: (rows,); columns: (kept columns, rows)."""
        weighed = self.outcome.scatter if self.is_law or self.is_rival else None
        own = replace(self.outcome, law=self.equation, scatter=weighed, names=self.rows.names)
        return standard_deviations(own, columns)

    @property
    def r_squared(self) -> float:
        """Share of the variance of the observed targets that the equation explains; NaN where that is not defined."""
        is_known = self.is_known
        target, left = self.rows.target[is_known], self.residuals[is_known]
        # Divided by the largest, so that squares of large numbers stay finite.
        size = float(np.max(np.abs(target), initial=0.0))
        with np.errstate(all="ignore"):
            spread = float(np.var(target / size)) if size > 0.0 else 0.0
            return 1.0 - float(np.mean(np.square(left / size))) / spread if spread > 0.0 else math.nan

    @property
    def median_residual(self) -> float:
        """The middle of the sizes of the residuals, which outliers do not move; NaN where there are none."""
        left = self.residuals[self.is_known]
        return 2.0 * float(np.median(np.abs(left) / 2.0)) if len(left) else math.nan


def spans_decades(values: Floats) -> bool:
    """Whether numbers are positive and so different in size that an axis should be logarithmic."""
    known = values[np.isfinite(values)]
    return len(known) > 0 and bool(known.min() > 0.0 and known.max() / LEAST_DECADES >= known.min())


def examine(outcome: Outcome, rows: Observed, equation: Equation) -> Examined:
    """An equation of the outcome on the rows."""
    is_law = equation.expression == outcome.law.expression
    shown = outcome.law if is_law else equation
    is_rival = any(equation.expression == tie.expression for tie in outcome.law.ties)
    return Examined(outcome, rows, rows.narrowed(shown), is_law, is_rival and not is_law)


def candidates(outcome: Outcome) -> tuple[Equation, ...]:
    """The front in its order, the law also where it is not on it, and then rivals that are not."""
    found: list[Equation] = list(outcome.front)
    for equation in (outcome.law, *outcome.law.ties):
        if all(equation.expression != other.expression for other in found):
            found.append(equation)
    return tuple(found)
