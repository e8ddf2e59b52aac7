"""Groups: few products of powers through which alone a target depends on its columns, and a product in front of it.

Laws of nature have them because their units must agree. On logarithmic scales log|y| = a.z + h(B z): the directions B
are found as those of a ridge function, the simple exponents next to them are taken, and the law of the groups is
solved for. That law proves the groups; nothing here claims anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, variable
from mosaic_sr.expressions.powers import monomial
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.reductions.ridges import Ridge, RidgeRows, guess_slopes
from mosaic_sr.proposal.regression.systems import fit_magnitudes
from mosaic_sr.proposal.simple_exponents import find_fraction
from mosaic_sr.proposal.smaller_tables import Number, SmallerTable, TakenPart
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]

# An exponent is good to this when the directions are right.
REACH = 0.06
# Simple exponents must explain the rows as well as the best ones do, up to this factor of the error.
MOST_WORSE = 1.2
# Above this share of the deviation a ridge function has not seen the law.
MOST_ERROR = 0.1
# Directions that are nearly parallel on the chosen columns say nothing about exponents.
WORST_CONDITION = 1e3
# Errors as small as this are those of the polynomial.
LEAST_ERROR = 1e-9
# Another group must lower the error by this factor to be tried first.
PER_GROUP = 2.0
# No law raises a column to a higher power.
LARGEST = 6.0
NUM_ROWS = 900  # nearly three for each term of the first polynomial
LEAST_ROWS = 40  # fewer do not determine the directions
MOST_COLUMNS = 9  # beyond, the first polynomial has a degree too low to be of use
MOST_GROUPS = 4  # for which ridges have polynomials; of more, these have a degree too low to be of use
MOST_SOLVES = 3  # each takes a second or more; the right groups are nearly always the first


@dataclass(frozen=True, eq=False)
class Groups:
    """exponents: (groups, columns).  front: (columns,), exponents of the product that the target is divided by."""

    exponents: Floats
    front: Floats

    def smaller(self, columns: tuple[Expression, ...]) -> SmallerTable:
        """The table of the groups, over expressions of the columns' magnitudes."""
        parts = tuple(Number(monomial(columns, row)) for row in self.exponents)
        taken = (TakenPart(Number(monomial(columns, self.front))),) if np.any(self.front) else ()
        return SmallerTable(parts, taken)


def propose_groups(context: ProposalContext) -> Iterator[Event]:
    """The laws that follow from those of the groups, the likeliest first; a signal before each search."""
    rows = context.table.some_training(NUM_ROWS)
    columns = _usable_columns(rows, context)
    if len(columns) < 2 or rows.num_rows < LEAST_ROWS or not {"mul", "div"} <= set(context.operators):
        return
    bases = tuple(_magnitude(column, rows) for column in range(context.table.num_columns))
    found = find_groups(rows.columns[columns], rows.target, MOST_GROUPS)
    for rank, groups in enumerate(found[:MOST_SOLVES]):
        # The first are nearly always the right ones, and a search that finds nothing takes seconds.
        yield Signal.PAUSE if rank else Signal.HEARTBEAT
        law = groups.smaller(tuple(bases[column] for column in columns)).solve(context.table, context.solve)
        if law is not None:
            yield [Sketch(law, 0.0, "reductions")]
            return


def _usable_columns(rows: Rows, context: ProposalContext) -> list[int]:
    """Columns without zeros and changes of sign, the most relevant ones."""
    most_relevant = np.argsort(-context.scores, kind="stable")[:MOST_COLUMNS]
    return sorted(column for column in most_relevant.tolist() if _has_one_sign(rows.columns[column]))


def _has_one_sign(values: Floats) -> bool:
    return bool((np.all(values > 0) or np.all(values < 0)) and np.ptp(values) > 0)


def _magnitude(column: int, rows: Rows) -> Expression:
    return variable(column) if rows.columns[column, 0] > 0 else apply("neg", variable(column))


def find_groups(columns: Floats, target: Floats, most_groups: int) -> list[Groups]:
    """Groups that leave fewer columns, or a product less, the likeliest first; columns: (columns, rows), not zero."""
    logs = np.log(np.abs(columns)).T
    spread = logs.std(axis=0)
    rows, front = _as_ridge((logs - logs.mean(axis=0)) / spread, target)
    slopes = guess_slopes(rows.z, rows.target)
    found = []
    for num_groups in range(1, min(most_groups, len(columns)) + 1):
        ridge = rows.find(num_groups, slopes)
        if ridge is None or ridge.error > MOST_ERROR:
            continue
        groups = _simple_groups(rows, front, ridge, spread)
        if groups is not None and (num_groups < len(columns) or np.any(groups.front)):
            found.append((ridge.error * PER_GROUP**num_groups, groups))
    return [groups for _, groups in sorted(found, key=lambda entry: entry[0])]


def _as_ridge(z: Floats, target: Floats) -> tuple[RidgeRows, Floats]:
    """log|y|, or where y changes its sign, y without the product that its magnitude follows on the whole.

    Also returns the exponents of the product that was taken off: (columns,).
    """
    if _has_one_sign(target):
        return RidgeRows(z, np.log(np.abs(target))), np.zeros(z.shape[1])
    logs = np.log(np.maximum(np.abs(target), np.finfo(np.float64).tiny))
    front = fit_magnitudes(np.column_stack([np.ones(len(z)), z]), logs)[1:]
    level = target * np.exp(-z @ front)
    return RidgeRows(z, level / np.abs(level).max(), is_product=True), front


def _simple_groups(rows: RidgeRows, front: Floats, ridge: Ridge, spread: Floats) -> Groups | None:
    """The simplest exponents next to those of a ridge that explain the rows as well; front: those taken off before."""
    limit = MOST_WORSE * ridge.error + LEAST_ERROR
    for pivots, exponents in _simplest(ridge.directions / spread):
        near = rows.fit(exponents * spread, ridge.straight)
        if near is None or near.error > limit:
            continue
        straight = (near.straight + front) / spread
        simple = _rounded(straight - straight[list(pivots)] @ exponents)
        if simple is not None:
            return Groups(exponents, simple)
    return None


def _simplest(directions: Floats) -> list[tuple[tuple[int, ...], Floats]]:
    """Bases of the same directions with simple exponents, the simplest first, each with its columns of exponent 1."""
    found = []
    for pivots in combinations(range(directions.shape[1]), len(directions)):
        corner = directions[:, pivots]
        if np.linalg.cond(corner) < WORST_CONDITION:
            exponents = _rounded(np.asarray(np.linalg.solve(corner, directions), dtype=np.float64))
            if exponents is not None:
                found.append((pivots, exponents))
    return sorted(found, key=lambda entry: _length(entry[1]))


def _rounded(exponents: Floats) -> Floats | None:
    """The simple exponents next to some, or None where one is too far."""
    found = [find_fraction(each, REACH * max(1.0, abs(each))) for each in exponents.ravel().tolist()]
    near = [each for each in found if each is not None and abs(each) <= LARGEST]
    return np.array(near).reshape(exponents.shape) if len(near) == exponents.size else None


def _length(exponents: Floats) -> float:
    """What it takes to write the exponents: none, 1, other whole numbers, others."""
    sizes = np.abs(exponents)
    return float(np.sum((sizes != 0) + (sizes > 1) + 2.0 * (sizes != np.rint(sizes))))
