"""Views of a table: other targets over the same rows, and how a law of a view becomes a law of the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation
from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]
# A view whose target varies by less than rounding leaves has nothing to read.
LEAST_SPREAD = 1e-12


@dataclass(frozen=True, eq=False)
class View:
    """target: (rows,).  back: turns a sketch of the view into a sketch of the table.

    size: of the numbers that the target is a difference of; 0 where it is none.
    """

    name: str
    target: Floats
    back: Callable[[Expression], Expression]
    size: float = 0.0

    @property
    def is_readable(self) -> bool:
        """Whether the target is finite and varies by more than rounding."""
        if not np.isfinite(self.target).all():
            return False
        return float(np.ptp(self.target)) > LEAST_SPREAD * max(self.size, float(np.abs(self.target).max()))


def views_of_target(target: Floats) -> Iterator[View]:
    """The logarithm and the inverse, where the target has one sign."""
    if target.min() > 0.0 or target.max() < 0.0:
        yield View("logarithm", np.log(np.abs(target)), _exponential)
        yield View("inverse", 1.0 / target, lambda sketch: apply("inv", sketch))


def views_beyond(law: Equation, rows: Rows) -> Iterator[View]:
    """What a law leaves: the residual, and the quotient of the target by it."""
    with np.errstate(all="ignore"):
        values = np.broadcast_to(evaluate_expression(law.expression, rows.columns), rows.target.shape)
        size = float(np.abs(rows.target).max())
        yield View("residual", rows.target - values, lambda sketch: apply("add", law.expression, sketch), size)
        yield View("quotient", rows.target / values, lambda sketch: apply("mul", law.expression, sketch))


def _exponential(sketch: Expression) -> Expression:
    """The sign of the target and its unit are a factor in front."""
    return apply("mul", constant(float("nan")), apply("exp", sketch))
