"""A cheap look in doubles that spares hopeless pairs the work in many digits; it never accepts anything."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.verify.arithmetic import DOUBLES, relative_difference, to_number
from benchmarks.verify.matching import Side
from benchmarks.verify.points import Columns, to_points

Floats = NDArray[np.float64]

MAX_STEPS = 8
# In units of allowances: truncation and rounding of such central differences are both near 1e-10.
DIFFERENCE = 1e-2
# Constants that start within their allowances bring an identity far below this.
NEAR = 1e-6
# An identity is reached by steps of at most one allowance per constant; ten leave room for curvature.
MAX_ALLOWANCES = 10.0
NUM_PROBES = 8
RELIABLE = 1e-9
# Weaker directions are errors of the differences, and move values by less than what counts as near.
LEAST_SINGULAR_VALUE = 1e-7


def is_hopeless(truth: Side, prediction: Side, columns: Columns) -> bool:
    """Whether doubles suffice to see that no constants near those of the prediction make it the truth."""
    with np.errstate(all="ignore"):
        if not (_is_reliable(truth, columns) and _is_reliable(prediction, columns)):
            return False
        return not _can_be_matched(truth, prediction, columns)


def _can_be_matched(truth: Side, prediction: Side, columns: Columns) -> bool:
    """Gauss-Newton on the rows that are nearest to each other, in units of the constants' allowances."""
    true_values = _values(truth, np.zeros(len(truth.free)), columns)
    steps = np.zeros(len(prediction.free))
    for _ in range(MAX_STEPS):
        differences = (true_values - _values(prediction, steps, columns)) / true_values
        rows = _nearest_half(differences)
        if len(rows) == 0 or np.abs(differences[rows]).max() < NEAR:
            return True
        jacobian = _jacobian(prediction, steps, columns[:, rows]) / true_values[rows, None]
        if not np.all(np.isfinite(jacobian)):
            return True
        steps = steps + np.linalg.lstsq(jacobian, differences[rows], rcond=LEAST_SINGULAR_VALUE)[0]
        if np.linalg.norm(steps) > MAX_ALLOWANCES * np.sqrt(len(steps)):
            return False
    return False


def _nearest_half(differences: Floats) -> NDArray[np.intp]:
    finite = np.flatnonzero(np.isfinite(differences))
    order = finite[np.argsort(np.abs(differences[finite]))]
    return order[: (len(order) + 1) // 2]


def _jacobian(side: Side, steps: Floats, columns: Columns) -> Floats:
    """Change of the values per unit of each free constant: (rows, constants)."""
    jacobian = np.empty((columns.shape[1], len(steps)))
    for place, nudge in enumerate(np.eye(len(steps)) * DIFFERENCE):
        upper, lower = _values(side, steps + nudge, columns), _values(side, steps - nudge, columns)
        jacobian[:, place] = (upper - lower) / (2 * DIFFERENCE)
    return jacobian


def _values(side: Side, steps: Floats, columns: Columns) -> Floats:
    """The side's values when each of its free constants has moved by so many units."""
    constants = np.array([float(value) for value in side.constants])
    constants[side.free] += steps * np.array([float(side.units[place]) for place in side.free])
    return np.broadcast_to(side.formula.evaluate(constants.tolist(), columns, DOUBLES), columns.shape[1])


def _is_reliable(side: Side, columns: Columns) -> bool:
    """Whether doubles agree with many digits in a few rows."""
    probes = columns[:, :NUM_PROBES]
    values = _values(side, np.zeros(len(side.free)), probes).tolist()
    pairs = zip(values, to_points(probes), strict=True)
    return all(relative_difference(to_number(value), side(point)) < RELIABLE for value, point in pairs)
