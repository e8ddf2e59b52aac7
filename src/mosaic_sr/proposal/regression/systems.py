"""Systems of a basis and a target behind a link: weights, tolerances, and what the rows can tell."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.proposal.regression.sparse import System, measure_centred_norm
from mosaic_sr.proposal.terms.dictionary import Dictionary
from mosaic_sr.proposal.views.links import Linked
from mosaic_sr.table import Rounding, Table

Floats = NDArray[np.float64]

# Rounding of the target leaves about half of its floor.
SLACK = 3.0
# Rounding errors of evaluating a law grow with what cancels in it; approximations seldom come as close as this.
EVALUATION = 1e-12
# What single precision of the columns leaves.
FLOAT32_EVALUATION = 1e-6
# Decades of the target's middle nine tenths beyond which rows are weighed relative to themselves.
WIDE_SPAN = 100.0
# A sum of functions of one column needs so many distinct values per term, or it may interpolate.
VALUES_PER_TERM = 3
# Six terms of various functions of one column come close to any smooth function of it.
MOST_ALIKE = 6
# Magnitudes below this quantile are near a zero, where the product that they follow on the whole shows least.
NEAR_ZERO = 0.1
# Digits by which the rows must outweigh the choice of terms before a support counts as more than luck.
SPARE_DIGITS = 6.0


def find_column_tolerance(table: Table) -> float:
    """What the rounding of the columns may leave of any target, relative to it."""
    is_single = any(resolution.rounding is Rounding.FLOAT32 for resolution in table.column_resolutions)
    return FLOAT32_EVALUATION if is_single else EVALUATION


def make_system(values: Floats, linked: Linked, column_tolerance: float) -> System:
    """The weighted system of a basis and a target; values: (rows, terms)."""
    weights, tolerance = weigh_target(linked, column_tolerance)
    weighted = values if np.all(weights == 1.0) else values * weights[:, None]
    return System(weights, weighted, linked.target * weights, tolerance)


def weigh_target(linked: Linked, column_tolerance: float) -> tuple[Floats, float]:
    """The weights of the rows of a target, and what rounding may leave of it, as a `System` has them."""
    weights = weigh_rows(linked.target)
    weights = weights * _trust(linked.target * weights, linked.floor * weights, column_tolerance)
    target = linked.target * weights
    floor = float(np.linalg.norm(np.where(weights > 0, linked.floor, 0.0) * weights)) / measure_centred_norm(
        weights, target
    )
    return weights, column_tolerance + SLACK * floor


def _trust(target: Floats, floor: Floats, column_tolerance: float) -> Floats:
    """1, or less in rows whose target is rounded more coarsely than is usual: (rows,)."""
    usual = column_tolerance * float(np.std(target)) + SLACK * float(np.median(floor))
    return usual / np.maximum(floor, max(usual, sys.float_info.min))


def weigh_rows(target: Floats) -> Floats:
    """1, or 1/|t| where plain squares would be deaf to most rows."""
    magnitudes = np.abs(target)
    low, high = np.quantile(magnitudes, [0.05, 0.95])
    if not np.all(magnitudes > 0) or high <= WIDE_SPAN * low:
        return np.ones(len(target))
    return 1.0 / magnitudes


def weigh_by_size(values: Floats) -> Floats:
    """Weights of values over decades on both sides of 1: large ones count by their size, small ones alike."""
    sizes = np.abs(values)
    return np.asarray(1.0 / (sizes + np.median(sizes)))


def fit_magnitudes(design: Floats, logs: Floats) -> Floats:
    """Coefficients of the columns of a design for the logarithms of magnitudes, without those that are near a zero."""
    kept = logs >= np.quantile(logs, NEAR_ZERO)
    return solve_least_squares(design[kept], logs[kept])


def count_distinct(columns: Floats) -> list[int]:
    """Distinct values of each column (columns, rows)."""
    return [len(np.unique(column)) for column in columns]


def determines(num_distinct: Sequence[int], basis: Dictionary, support: Iterable[int], most_alike: int) -> bool:
    """Whether the terms of a support can be a law rather than an interpolation.

    Of the terms that differ in a function of one column alone there are at most `most_alike`, and the column has values
    enough for them.
    """
    counts = Counter(part for term in support for part in basis.parts(term))
    return all(
        count <= most_alike and VALUES_PER_TERM * count <= num_distinct[column] for (column, _), count in counts.items()
    )


def count_affordable(num_rows: int, num_terms: int, tolerance: float, limit: int) -> int:
    """How many terms the rows can tell from a lucky choice: agreeing digits have to outnumber those of the choice."""
    digits = -math.log10(max(tolerance, 1e-300))
    terms = 0
    while terms < min(limit, num_rows // 3):
        chosen = terms + 1
        if (num_rows - chosen - 1) * digits < chosen * math.log10(num_terms + 1.0) + SPARE_DIGITS:
            break
        terms = chosen
    return terms
