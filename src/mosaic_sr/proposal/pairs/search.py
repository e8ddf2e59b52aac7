"""One search: a library, the views of the target held against it, and the hits that hold on all rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.exactness import CLOSE, agrees
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, join
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import FitConfig, fit_constants
from mosaic_sr.proposal.pairs import meeting
from mosaic_sr.proposal.pairs.library import Library, are_balanced
from mosaic_sr.proposal.pairs.relation import Quotient, Related, relate, write_quotient
from mosaic_sr.proposal.pairs.views import View
from mosaic_sr.proposal.regression.projection import make_background
from mosaic_sr.proposal.regression.systems import weigh_by_size
from mosaic_sr.table import Rows, Table

Floats = NDArray[np.float64]
# Columns that met: kind and entry of each.
Hit = tuple[tuple[int, int], ...]

# Pairs kept of one view. A law meets in a few ways; more are the mark of columns that hardly vary.
MOST_PAIRS = 2048
# Bins of the first key; more than columns would not shorten the comparisons.
MOST_BINS = 1 << 19
# A target that rounding moves by more of its variation meets everything.
COARSEST = 1e-3
# Of entries that lose so many digits where they meet, the ratios are not compared; three ratios that agree to 1e-5 are
# chance once in 1e15 pairs.
SLACK_PER_NOISE, SLACKS = 1e4, (1e-9, 1e-5)
# The values of a law are off by a few units in the last place, whatever the order of its operations.
ROUNDINGS = 4.0


@dataclass(frozen=True, eq=False)
class Screen:
    """What every view of one library is held against.

    key_rows: positions among the rows at which the library has its values.  directions: (key rows, functionals).
    """

    table: Table
    rows: Rows
    key_rows: NDArray[np.intp]
    directions: Floats
    library: Library

    def values(self, entry: int) -> Floats:
        """An entry on all rows."""
        return evaluate_expression(self.library.expression(entry), self.rows.columns)


def find_laws(screen: Screen, view: View, most_checked: int) -> Iterator[Expression | None]:
    """For the smallest hits, the formula of the target, or None where it is not exact on the rows."""
    target, noise = _view_values(screen, view)
    if noise > COARSEST:
        return
    for hit in find_hits(screen, view, target[screen.key_rows], noise)[:most_checked]:
        yield _law_of(screen, view, hit, target, noise)


def _view_values(screen: Screen, view: View) -> tuple[Floats, float]:
    """The target in the view, (rows,), and its rounding error relative to its variation."""
    stored = screen.rows.target
    quanta = screen.table.target_resolution.quantum(stored)
    with np.errstate(all="ignore"):
        target = view.forward(stored)
        moved = np.abs(view.forward(stored + quanta) - target) + np.spacing(np.abs(target))
        weights = weigh_by_size(target)
        variation = np.sqrt(np.mean(np.square(weights * (target - np.mean(target)))))
        noise = ROUNDINGS * np.sqrt(np.mean(np.square(weights * moved))) / variation
    return target, float(noise) if np.isfinite(noise) else 1.0


def find_hits(screen: Screen, view: View, target: Floats, noise: float) -> list[Hit]:
    """Entries that explain the view alone or in pairs, the smallest first; target: (key rows,)."""
    library, count = screen.library, len(screen.library)
    functionals = _functionals(screen, view, target)
    keys, slacks = np.empty((3 * count, meeting.NUM_KEYS)), np.empty(3 * count)
    most_slack = float(np.clip(SLACK_PER_NOISE * noise, *SLACKS))
    meeting.project(library.values, library.is_first, count, target, functionals, noise, most_slack, keys, slacks)
    heed_stop()  # projecting a long list takes some tenths of a second, and so does comparing it
    widest = 2.0 * meeting.SLACK * most_slack
    num_bins = int(min(MOST_BINS, 3 * count, 2.0 / widest))
    starts, order = np.empty(num_bins + 1, dtype=np.int32), np.empty(3 * count, dtype=np.int32)
    ordered, pairs = np.empty((3 * count, 3)), np.empty((MOST_PAIRS, 2), dtype=np.int32)
    pairs = pairs[: meeting.find_pairs(keys, slacks, count, starts, order, ordered, pairs)]
    heed_stop()
    pairs = pairs[_are_balanced(library, target, pairs[:, 0]) & _are_balanced(library, target, pairs[:, 1])]
    alone = np.flatnonzero(slacks == meeting.ALONE)[:MOST_PAIRS]
    alone = alone[_are_balanced(library, target, alone)]
    met = [[column] for column in alone.tolist()] + pairs.tolist()
    hits = [tuple((column // count, column % count) for column in columns) for columns in met]
    return sorted(hits, key=lambda hit: len(hit) + sum(int(library.costs[entry]) for _, entry in hit))


def _are_balanced(library: Library, target: Floats, places: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which columns of a meeting vary in more than two rows."""
    kinds, values = places[:, None] // len(library), library.values[places % len(library)]
    columns = np.where(kinds == meeting.PLAIN, values, target * values)
    # Columns of a meeting are finite, but the branch that is not taken may divide by 0.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return are_balanced(np.where(kinds == meeting.OVER, target / values, columns))


def _functionals(screen: Screen, view: View, target: Floats) -> Floats:
    """Random functionals of the key rows that vanish on what is free: (NUM_FUNCTIONALS, key rows)."""
    weights = weigh_by_size(target)
    one = np.ones(len(target))
    plain = [screen.library.values[entry] for entry, is_times in view.extras if not is_times]
    times = [screen.library.values[entry] * target for entry, is_times in view.extras if is_times]
    shared = screen.directions[:, : meeting.NUM_SHARED]
    return np.ascontiguousarray(
        np.column_stack(
            [
                _vanishing(shared, weights, [one, target, *plain, *times]),
                _vanishing(screen.directions[:, 4:5], weights, [one, *plain]),
                _vanishing(screen.directions[:, 5:6], weights, [target, *times]),
            ]
        ).T
    )


def _vanishing(directions: Floats, weights: Floats, free: list[Floats]) -> Floats:
    """The directions, weighted, less what they see of the free columns; each of size about 1."""
    vanishing = make_background(np.array(free) * weights).without(directions.T).T * weights[:, None]
    scaled: Floats = vanishing / np.max(np.abs(vanishing), axis=0)
    return scaled


def _law_of(screen: Screen, view: View, hit: Hit, target: Floats, noise: float) -> Expression | None:
    """The formula of a hit if it agrees with all rows."""
    found = relate(target, _terms(screen, view, hit, target), noise)
    if found is None:
        return None
    for is_rounded in (True, False):
        law = _written(view, write_quotient(*found, is_rounded=is_rounded))
        if agrees(law, screen.rows, screen.table):
            return law
    values = evaluate_expression(law, screen.rows.columns)
    if not np.mean(np.square(values - screen.rows.target)) <= CLOSE**2 * np.var(screen.rows.target):
        return None
    fit = fit_constants(law, screen.rows, FitConfig(starts=1, weighting="both"))
    return fit.expression if agrees(fit.expression, screen.rows, screen.table) else None


def _written(view: View, quotient: Quotient) -> Expression:
    """The canonical formula of the target, multiplied out where that is shorter."""
    whole = canonical(view.undo(quotient.over_divisor(join("add", quotient.addends))))
    if not view.is_linear:
        return whole
    apart = canonical(join("add", [view.undo(quotient.over_divisor(addend)) for addend in quotient.addends]))
    return apart if len(apart) < len(whole) else whole


def _terms(screen: Screen, view: View, hit: Hit, target: Floats) -> list[Related]:
    ones = np.ones(len(target))
    terms = [Related(None, ones, is_divisor=True), Related(None, ones, is_divisor=False)]
    for kind, entry in hit:
        terms.append(_term(screen, entry, kind != meeting.PLAIN, kind == meeting.OVER))
    terms.extend(_term(screen, entry, is_times, False) for entry, is_times in view.extras)
    return terms


def _term(screen: Screen, entry: int, is_divisor: bool, is_inverse: bool) -> Related:
    return Related(screen.library.expression(entry), screen.values(entry), is_divisor, is_inverse)
