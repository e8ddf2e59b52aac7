"""Reductions: ways to a table with fewer columns that the slopes of smooth rows suggest, the likeliest first.

All rest on one fact. If link(y) = c h(x_i) + rest, then link'(y) y_i = c h'(x_i); if y depends on x_i and x_j through
a(x_i) + c b(x_j) only, then c b'(x_j) y_i = a'(x_i) y_j. Either side is read from the slopes, and c with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.expressions.expression import Expression, apply, constant, substituted, variable
from mosaic_sr.expressions.powers import power
from mosaic_sr.proposal.reductions.shapes import EXPONENTS, LOG_SHAPES, SHAPES, Shape
from mosaic_sr.proposal.reductions.smooth_rows import SmoothRows
from mosaic_sr.proposal.smaller_tables import FACTOR, LINKS, Link, Number, SmallerTable, TakenPart

Floats = NDArray[np.float64]

# Slopes are poorest in a corner of the table; the test hears the better rows only.
KEPT_SHARE = 0.85
# Of two reductions that fit alike the shorter one is tried first: each operator counts as this factor of misfit.
PER_OPERATOR = 1.3
# Above this misfit a reduction explains less than three quarters of the slopes.
MOST_MISFIT = 0.5
# Sums of logarithms are products, which the other shapes make.
SUM_SHAPES = tuple(shape for shape in SHAPES if shape.name != "log")
# Columns whose slopes are below this share of the steepest column's may be irrelevant.
FLAT = 0.02
# Exponents that laws have, and ratios of two such.
POWERS = (1 / 6, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1.0, 4 / 3, 3 / 2, 2.0, 5 / 2, 3.0, 4.0, 5.0, 6.0)
# An exponent that is read from slopes is good to some per cent.
POWER_REACH = 0.1


@dataclass(frozen=True)
class Reduction:
    """Columns that go, and what replaces them.

    first, second: shapes of the columns that go; a term has no second, and columns that are dropped have neither.
    link: the function of the target from which a term is taken.  factor: the number c.
    misfit: share of the slopes that the reduction does not explain.
    """

    columns: tuple[int, ...]
    misfit: float
    first: Shape | None = None
    second: Shape | None = None
    link: Link | None = None
    factor: float = 1.0

    @property
    def has_free_factor(self) -> bool:
        """Whether c may be any number rather than a simple exponent."""
        last = self.first if self.second is None else self.second
        return last is not None and not last.is_log

    @property
    def size(self) -> int:
        shapes = sum(shape.size for shape in (self.first, self.second) if shape is not None)
        return shapes + (self.link.size if self.link is not None else 0) + (self.factor not in (1.0, -1.0))

    @property
    def rank(self) -> float:
        return (self.misfit + 1e-4) * PER_OPERATOR**self.size

    def apply_to(self, smaller: SmallerTable, doubt: float = 0.0) -> SmallerTable:
        """What is left of a table after the reduction; doubt: how far its number c may be off."""
        kept = [column for index, column in enumerate(smaller.columns) if index not in self.columns]
        if self.first is None:
            return replace(smaller, columns=tuple(kept))
        own = [column.expression for column in smaller.columns]
        part = Number(substituted(self.written(), own), substituted(self.unit(), own), doubt)
        if self.link is None:
            return replace(smaller, columns=(part, *kept))
        return SmallerTable(tuple(kept), (*smaller.steps, TakenPart(self.link, part)))

    def written(self) -> Expression:
        """The term, the factor or the new column, over the columns that go."""
        assert self.first is not None
        first = self.first.write(variable(self.columns[0]))
        if self.second is None:
            return power(first, self.factor) if self.first.is_log else self._last(first)
        if not self.first.is_log:
            second = self.second.write(variable(self.columns[1]))
            return (
                apply("sub", first, second) if self.factor == -1.0 else apply("add", first, _times(self.factor, second))
            )
        second = self.second.write(variable(self.columns[1]))
        if not self.second.is_log:
            return apply("mul", first, apply("exp", _times(self.factor, second)))
        if self.factor < 0:
            return apply("div", first, power(second, -self.factor))
        return apply("mul", first, power(second, self.factor))

    def _last(self, shape: Expression) -> Expression:
        term = _times(self.factor, shape)
        return apply("exp", term) if self.link is FACTOR else term

    def unit(self) -> Expression:
        """What the number c multiplies."""
        last = self.first if self.second is None else self.second
        assert last is not None
        return last.write(variable(self.columns[-1]))


def _times(factor: float, term: Expression) -> Expression:
    return term if factor == 1.0 else apply("mul", constant(factor), term)


def candidates(smooth_rows: SmoothRows) -> list[Reduction]:
    """All reductions that the slopes suggest, the likeliest first."""
    # Where rows are predicted badly the slopes are a guess, and no misfit can be better than that.
    doubt = float(np.median(np.abs(smooth_rows.residuals)))
    with np.errstate(all="ignore"):
        found = [*_terms(smooth_rows), *_pairs(smooth_rows)]
    found = [replace(reduction, misfit=reduction.misfit + doubt) for reduction in found]
    found = sorted((reduction for reduction in found if reduction.misfit < MOST_MISFIT), key=lambda found: found.rank)
    return [*_drops(smooth_rows), *found]


def _drops(smooth_rows: SmoothRows) -> Iterator[Reduction]:
    """The flat columns, all at once."""
    steepness = np.sqrt(np.mean(np.square(smooth_rows.slopes), axis=1))
    flat = np.flatnonzero(steepness < FLAT * steepness.max())
    if len(flat):
        yield Reduction(tuple(flat.tolist()), misfit=0.0)


def _terms(smooth_rows: SmoothRows) -> Iterator[Reduction]:
    """Terms and factors of one column."""
    for column in range(len(smooth_rows.columns)):
        heed_stop()
        for link, shapes in ((FACTOR, (*LOG_SHAPES, *EXPONENTS)), *((link, SHAPES) for link in LINKS)):
            if not link.covers(smooth_rows.target):
                continue
            stretch = smooth_rows.steps[column] * smooth_rows.height.speed / link.slope(smooth_rows.target)
            for shape in shapes:
                expected = shape.slope(smooth_rows.columns[column]) * stretch
                if np.all(np.isfinite(expected)):
                    yield _term(smooth_rows.slopes[column], expected, column, shape, link)


def _term(slopes: Floats, expected: Floats, column: int, shape: Shape, link: Link) -> Reduction:
    factor = _ratio(slopes, expected)
    if shape.is_log:
        factor = nearest_power(factor)
    return Reduction((column,), _misfit(slopes - factor * expected, slopes), shape, None, link, factor)


def _pairs(smooth_rows: SmoothRows) -> Iterator[Reduction]:
    """Pairs of columns that act through one number."""
    choices = (*product(SUM_SHAPES, SUM_SHAPES), *product(LOG_SHAPES, (*LOG_SHAPES, *EXPONENTS)))
    turned = [(first, second) for second in EXPONENTS for first in LOG_SHAPES]
    for i, j in combinations(range(len(smooth_rows.columns)), 2):
        heed_stop()
        yield from _shaped(smooth_rows, i, j, choices)
        yield from _shaped(smooth_rows, j, i, turned)  # exp(c x_i) x_j, where the exponential comes first in the table


def _shaped(smooth_rows: SmoothRows, i: int, j: int, choices: Sequence[tuple[Shape, Shape]]) -> Iterator[Reduction]:
    """Columns i and j in each choice of two shapes."""
    steps = smooth_rows.steps
    firsts = {shape: shape.slope(smooth_rows.columns[i]) * steps[i] for shape in {first for first, _ in choices}}
    seconds = {shape: shape.slope(smooth_rows.columns[j]) * steps[j] for shape in {second for _, second in choices}}
    for first, second in choices:
        a, b = firsts[first], seconds[second]
        if np.all(np.isfinite(a)) and np.all(np.isfinite(b)):
            yield _pair(smooth_rows.slopes[i], smooth_rows.slopes[j], a, b, Reduction((i, j), 1.0, first, second))


def _pair(p: Floats, q: Floats, a: Floats, b: Floats, found: Reduction) -> Reduction:
    """The reduction with its number c; p, q: slopes along both columns, a, b: those of the shapes."""
    # Slopes are equally uncertain along any direction, so the component across (a, c b) is what counts.
    norm = np.hypot(a, _ratio(q * a, p * b) * b)
    factor = _ratio(q * a / norm, p * b / norm)
    if found.second is not None and found.second.is_log:
        factor = nearest_power(factor)
    norm = np.hypot(a, factor * b)
    misfit = _misfit((factor * p * b - q * a) / norm, np.hypot(p, q))
    # Of a column that hardly acts, any partner would do.
    weaker, both = min(float(np.mean(p * p)), float(np.mean(q * q))), float(np.mean(p * p + q * q))
    misfit = misfit * np.sqrt(both / weaker) if weaker > np.square(FLAT) * both else 1.0
    return Reduction(found.columns, misfit, found.first, found.second, None, factor)


def _ratio(values: Floats, units: Floats) -> float:
    """The number c for which values = c units in most rows."""
    kept = np.ones(len(values), dtype=bool)
    factor = 0.0
    for _ in range(2):
        norm = float(units[kept] @ units[kept])
        factor = float(values[kept] @ units[kept]) / norm if norm > 0 and np.isfinite(norm) else 0.0
        kept = _smaller(values - factor * units)
    return factor


def _misfit(off: Floats, whole: Floats) -> float:
    if not np.isfinite(off).all():
        return 1.0
    kept = _smaller(off)
    total = float(np.mean(np.square(whole[kept])))
    return float(np.sqrt(np.mean(np.square(off[kept])) / total)) if total > 0 else 1.0


def _smaller(off: Floats) -> NDArray[np.bool_]:
    """The rows that are less off than the worst."""
    sizes = np.abs(off)
    last = int(KEPT_SHARE * (len(off) - 1))
    return np.asarray(sizes <= np.partition(sizes, last)[last])


def nearest_power(exponent: float) -> float:
    """The simple exponent within reach, else NaN."""
    best = min(POWERS, key=lambda power: abs(power - abs(exponent)))
    return float(np.copysign(best, exponent)) if abs(best - abs(exponent)) <= POWER_REACH * best else np.nan
