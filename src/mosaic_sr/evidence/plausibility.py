"""Plausible laws: between neighbouring rows a law does what the rows around it say.

A wave faster than the rows can show, or a pole between two of them, fits anything and predicts nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import CODES, CONSTANT

Floats = NDArray[np.float64]

# Half-way between neighbouring rows a law may differ from their mean by this share of its spread: a wave with fewer
# than 2.3 rows in a period differs by more, one with four by a third of it.
MOST_BETWEEN = 0.8
WAVES = (CODES["sin"], CODES["cos"])
# Half a period.
LEAST_ANGLE = np.pi
# Rows at which a law is looked at; more say no more.
MOST_ROWS = 200


@np.errstate(all="ignore")
def is_plausible(law: Expression, columns: Floats) -> bool:
    """Whether the law has finite values half-way between neighbours along each column, near those of its neighbours;
    so has each of its waves, which may be too small to be seen in the law.

    columns: (columns, rows).
    """
    places = np.linspace(0, columns.shape[1] - 1, min(columns.shape[1], MOST_ROWS)).astype(np.intp)
    waves = [law.subtree(node) for node in np.flatnonzero(np.isin(law.codes, WAVES)).tolist()]
    return all(_is_smooth_along_all(part, columns, places) for part in (law, *waves))


@np.errstate(all="ignore")
def num_short_waves(law: Expression, is_fixed: NDArray[np.bool_], columns: Floats) -> int:
    """Waves with a fitted frequency of which the rows show less than half a period: any bend looks like that.

    is_fixed: (constants,), those that a person wrote: sin(x) of an angle is no such wave.  columns: (columns, rows).
    """
    count = 0
    for node in np.flatnonzero(np.isin(law.codes, WAVES)).tolist():
        start = int(law.starts[node - 1])
        slots = law.slots[start:node][law.codes[start:node] == CONSTANT]
        if np.all(is_fixed[slots]) or not (argument := law.subtree(node - 1)).columns:
            continue
        count += bool(np.ptp(evaluate_expression(argument, columns)) < LEAST_ANGLE)
    return count


def _is_smooth_along_all(law: Expression, columns: Floats, places: NDArray[np.intp]) -> bool:
    spread = float(np.std(evaluate_expression(law, columns)))
    return not spread > 0.0 or all(_is_smooth(law, columns, column, places, spread) for column in law.columns)


def _is_smooth(law: Expression, columns: Floats, column: int, places: NDArray[np.intp], spread: float) -> bool:
    known = np.unique(columns[column])
    if len(known) < 3:
        return True
    left = np.minimum(np.searchsorted(known, columns[column, places]), len(known) - 2)
    low, high = known[left], known[left + 1]
    here, between, there = (_at(law, columns[:, places], column, own) for own in (low, 0.5 * (low + high), high))
    if not np.all(np.isfinite(between)):
        return False
    is_known = np.isfinite(here) & np.isfinite(there)
    gaps = between[is_known] - 0.5 * (here + there)[is_known]
    return bool(np.sqrt(np.mean(np.square(gaps))) <= MOST_BETWEEN * spread) if is_known.any() else True


def _at(law: Expression, columns: Floats, column: int, values: Floats) -> Floats:
    moved = columns.copy()
    moved[column] = values
    return evaluate_expression(law, moved)
