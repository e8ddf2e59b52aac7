"""Powers of columns that noisy slopes have told half a step wrong: y = x^a z^b F(x^c z^d), with a to d set right.

Splines stand for F, so that another choice takes a fraction of a millisecond.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.judge import LOG_2
from mosaic_sr.expressions.expression import Expression, variable
from mosaic_sr.expressions.powers import monomial, powers_of_columns
from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.proposal.splines import splines_of

Floats = NDArray[np.float64]

# Splines of the quantity: as many as follow a law of few bends.
NUM_SPLINES = 12
# Steps by which one power is changed at a time, and changes one after the other.
STEPS, MOST_CHANGES = (-1.0, -0.5, 0.5, 1.0), 6


@dataclass(frozen=True)
class Powers:
    """Those of the columns in the quantity, and in front."""

    inside: tuple[float, ...]
    front: tuple[float, ...]

    def bits(self, per_power: float) -> float:
        """Bits of choosing them; those that are not whole or above 1 have more."""
        return sum(per_power * (1.0 + (abs(power) != 1.0)) for power in (*self.inside, *self.front) if power)

    def expressions(self) -> tuple[Expression, Expression]:
        """The quantity, and what stands in front."""
        columns = [variable(column) for column in range(len(self.inside))]
        return monomial(columns, np.array(self.inside)), monomial(columns, np.array(self.front))

    def changed(self) -> Iterator[Powers]:
        """These with one power changed."""
        for place, step in product(range(len(self.inside)), STEPS):
            yield replace(self, inside=_with_step(self.inside, place, step))
            yield replace(self, front=_with_step(self.front, place, step))


def _with_step(powers: tuple[float, ...], place: int, step: float) -> tuple[float, ...]:
    return (*powers[:place], powers[place] + step, *powers[place + 1 :])


def read_powers(quantity: Expression, front: Expression | None, num_columns: int) -> Powers | None:
    """The powers of the columns in a quantity and in front of it; None where either is no product of powers."""
    inside = powers_of_columns(quantity, num_columns)
    outside = (0.0,) * num_columns if front is None else powers_of_columns(front, num_columns)
    return None if inside is None or outside is None else Powers(inside, outside)


def best_powers(start: Powers, columns: Floats, target: Floats, variances: Floats, per_power: float) -> Powers:
    """The powers near the start under which the rows are likeliest, with the bits of choosing them.

    columns: (columns, rows).  variances: of the noise in each row, up to a factor.
    """
    best, score = start, _score(start, columns, target, variances, per_power)
    for _ in range(MOST_CHANGES):
        scores = [(_score(one, columns, target, variances, per_power), one) for one in best.changed()]
        reached, nearest = max(scores, key=lambda each: each[0])
        if not reached > score:
            break
        best, score = nearest, reached
    return best


@np.errstate(all="ignore")
def _score(powers: Powers, columns: Floats, target: Floats, variances: Floats, per_power: float) -> float:
    """Log probability of the rows under splines of the quantity times the front, less that of choosing the powers."""
    inside, front = (
        np.prod(np.power(columns, np.array(own)[:, None]), axis=0) for own in (powers.inside, powers.front)
    )
    inside = np.log(inside) if np.all(inside > 0.0) else inside
    roots = front / np.sqrt(variances)
    if not (np.all(np.isfinite(inside)) and np.all(np.isfinite(roots)) and np.ptp(inside) > 0.0 and np.any(roots)):
        return -math.inf
    design, values = roots[:, None] * splines_of(inside, NUM_SPLINES), target / np.sqrt(variances)
    left = values - design @ solve_least_squares(design, values)
    squares = max(float(left @ left), np.finfo(np.float64).tiny)
    return -0.5 * len(target) * math.log(squares) - powers.bits(per_power) * LOG_2
