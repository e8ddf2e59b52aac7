"""Which sums and products of two functions of one column each noisy rows ask for, sums also inside an outer function.

With splines for both functions a sum is linear, so that least squares tell for each choice how much of the target it
explains; the functions of a product are fitted in turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import weights_of
from mosaic_sr.linear_algebra import thin_svd
from mosaic_sr.proposal.splines import Moments, fit_splines, log_evidence, splines_of, squares_left
from mosaic_sr.proposal.views.steps import Outer, is_allowed, make_step, wrap
from mosaic_sr.table import Rows, divided, squaring_exponent

Floats = NDArray[np.float64]

# Values of a column below which it is no function's argument.
LEAST_VALUES = 8
# Nats of a column in a factor before a function, which is one of a few and seldom there, and of an outer operator.
FACTOR_NATS, OUTER_NATS = 4.0, 5.0
# Operators around a sum, the innermost first, that turn many sums into usual laws.
OUTERS: tuple[tuple[Outer, ...], ...] = ((), ("inv",), ("sqrt",), ("exp",), ("log",), ("sq",), ("sqrt", "inv"))
# Share of rows that an outer function may never reach: noise has put them there.
MOST_OUT_OF_REACH = 0.05
# Steps to both sides between which the slope of an outer function is taken, as a share of the target's deviation.
SHARE_OF_STEP = 0.01
# Splines of a column in rough comparisons, which follow a wave of some periods, and choices inside each outer function
# that are then compared with all splines.
FEW_SPLINES, NUM_COMPARED = 12, 6
# Another choice is looked at where its splines are behind the best by no more than these nats: of 120 rows splines of
# two wrong columns may be likelier than those of the right ones by a dozen.
MOST_BEHIND = 15.0
# Times that both functions of a product are fitted in turn; their first guess is near.
NUM_TURNS = 4
# Splines that leave more than this share of the target's deviation say that the law is no such sum.
MOST_LEFT = 0.3
HOLE = constant(np.nan)


@dataclass(frozen=True, eq=False)
class Side:
    """A factor of so many columns, and the column of the function behind it."""

    factor: Expression | None
    column: int
    num_factors: int = 0

    def times(self, term: Expression) -> Expression:
        """The factor times a term."""
        return term if self.factor is None else apply("mul", term, self.factor)

    def behind(self, factor: Expression) -> Side:
        """The side with one factor more."""
        return Side(self.times(factor), self.column, self.num_factors)

    @property
    def with_number(self) -> Expression:
        """The factor with a free number before it."""
        return self.times(HOLE)

    @property
    def key(self) -> bytes:
        return b"" if self.factor is None else self.factor.key


@dataclass(frozen=True, eq=False)
class Inner:
    """The target behind some outer operators, where it is as a sum: y = outer(u).

    values: u, (rows,), divided by 2^exponent.  roots: (rows,), of the weights that make errors of u those of y; 0 in
    rows that the operators do not reach.
    """

    outer: tuple[Outer, ...]
    values: Floats
    exponent: int
    roots: Floats


@dataclass(frozen=True, eq=False)
class Choice:
    """Two sides whose sum or product stands inside some outer operators.

    splines: what each adds to the sum, (rows,), or multiplies; the first has the scale of `Inner.values`.
    score: log evidence, less the nats of choosing the sides and the operators.
    """

    inner: Inner
    sides: tuple[Side, Side]
    splines: tuple[Floats, Floats]
    score: float
    is_product: bool = False


@dataclass(frozen=True, eq=False)
class Crossing:
    """A sum f(x) + g(x)*h(z) inside some outer operators.

    side, other: of f and g, and of h.  splines: the values of f, g and h in the rows; score: as of a choice.
    """

    inner: Inner
    side: Side
    other: Side
    splines: tuple[Floats, Floats, Floats]
    score: float


# A side, and the values of its factor in the rows.
Entry = tuple[Side, Floats]


class Sides:
    """What may stand on a side of a sum or a product, with its splines over some rows."""

    def __init__(self, rows: Rows, columns: Sequence[int], operators: Sequence[str]) -> None:
        self._rows, self._operators = rows, operators
        self._columns = [column for column in columns if len(np.unique(rows.columns[column])) >= LEAST_VALUES]
        self._splines = {column: splines_of(rows.columns[column]) for column in self._columns}
        self._few = {column: splines_of(rows.columns[column], FEW_SPLINES) for column in self._columns}

    def choices(self, weighting: str, count: int) -> list[Choice]:
        """The choices that explain most, where one explains the target."""
        inners = list(self._inners(weighting))
        roots = self.weights(weighting)
        found = [self.fitted(inner, entries, roots) for inner in inners for entries in self._compared(inner)]
        found += self._products(inners[0])
        found.sort(key=lambda choice: -choice.score)
        least = max([self._least(weighting), *(best.score - MOST_BEHIND for best in found[:1])])
        return [choice for choice in found[:count] if choice.score >= least]

    @cached_property
    def _all(self) -> list[Entry]:
        """Each column as an argument, alone and behind one or two others or their inverses; values of the factors."""
        found = [(Side(None, column), np.ones(self._rows.num_rows)) for column in self._columns]
        for column in self._columns:
            others = [variable(other) for other in self._columns if other != column]
            factors = [(factor, 1) for other in others for factor in self._powers(other)]
            factors += [(factor, 2) for one, other in combinations(others, 2) for factor in self._pairs(one, other)]
            for factor, num_factors in factors:
                values = evaluate_expression(factor, self._rows.columns)
                if np.all(np.isfinite(values)) and np.any(values):
                    found.append((Side(factor, column, num_factors), values / np.max(np.abs(values))))
        return found

    def _powers(self, column: Expression) -> Iterator[Expression]:
        yield column
        if "inv" in self._operators:
            yield apply("inv", column)

    def _pairs(self, one: Expression, other: Expression) -> Iterator[Expression]:
        yield apply("mul", one, other)
        if {"inv", "div"} <= set(self._operators):
            yield from (apply("div", one, other), apply("div", other, one), apply("inv", apply("mul", one, other)))

    def _inners(self, weighting: str) -> Iterator[Inner]:
        """The target behind each choice of outer operators that it admits."""
        roots, target = self.weights(weighting), self._rows.target
        step = SHARE_OF_STEP * float(np.std(target))
        for outer in OUTERS:
            if is_allowed(outer, self._operators):
                inner = _behind(outer, target, step, roots)
                if inner is not None:
                    yield inner

    def weights(self, weighting: str) -> Floats:
        """Roots of the weights of the rows for distances from the target."""
        exponent = squaring_exponent(self._rows.target)
        roots = np.sqrt(weights_of(self._rows.with_divided_target(exponent), weighting))
        return np.asarray(np.ldexp(roots, -exponent))

    def _least(self, weighting: str) -> float:
        """The evidence of a number alone, but for the share that may be left."""
        roots = self.weights(weighting)
        target = roots * self._rows.target
        nothing = target - roots * float(roots @ target) / float(roots @ roots)
        return log_evidence(MOST_LEFT**2 * float(nothing @ nothing), len(target), 0)

    @np.errstate(all="ignore")
    def _compared(self, inner: Inner) -> list[tuple[Entry, Entry]]:
        """The pairs of sides that do best with few splines; the two differ in factors or columns."""
        heed_stop()
        sides = [side for side, _ in self._all]
        if len(sides) < 2:
            return []
        design = np.column_stack([self._basis(inner, *entry, self._few) for entry in self._all])
        pairs = np.array(list(combinations(range(len(sides)), 2)))
        left = squares_left(Moments.of([design], inner.roots * inner.values), len(sides), pairs)
        nats = np.array([_nats(inner, (sides[one], sides[other])) for one, other in pairs.tolist()])
        scores = np.array([log_evidence(own, len(inner.values), 0.0) for own in left.tolist()]) - nats
        best = np.argsort(-scores, kind="stable")[:NUM_COMPARED].tolist()
        return [(self._all[pairs[place, 0]], self._all[pairs[place, 1]]) for place in best]

    @np.errstate(all="ignore")
    def fitted(self, inner: Inner, entries: tuple[Entry, Entry], roots: Floats) -> Choice:
        """Sides with all splines; how well they do is measured on the target itself, with these roots of weights."""
        heed_stop()
        sides, factors = (entries[0][0], entries[1][0]), [values for _, values in entries]
        bases = [self._basis(inner, *entry, self._splines) for entry in entries]
        fitted = fit_splines(Moments.of(bases, inner.roots * inner.values))
        shares = np.split(fitted.coefficients, [bases[0].shape[1]])
        own, beside = (
            factor * (self._splines[side.column] @ share)
            for side, factor, share in zip(sides, factors, shares, strict=True)
        )
        squares = self._squares(inner, own + beside, roots)
        return Choice(inner, sides, (own, beside), _score(squares, len(own), fitted.num_free, inner, sides))

    def _squares(self, inner: Inner, values: Floats, roots: Floats) -> float:
        """What the values of a sum leave of the squares of the target itself, with these roots of weights."""
        law = wrap(variable(0), inner.outer)
        distances = roots * (self._rows.target - evaluate_expression(law, np.ldexp(values, inner.exponent)[None]))
        # Splines may leave the domain of an operator by little, as the noise does.
        distances = np.where(np.isfinite(distances), distances, inner.roots * (inner.values - values))
        return float(distances @ distances)

    def crossings(self, weighting: str, count: int) -> list[Crossing]:
        """The sums f(x) + g(x)*h(z), inside outer operators, that explain most, where one explains the target."""
        roots, pairs = self.weights(weighting), list(permutations(self._columns, 2))
        found = [self._crossing(inner, *pair, roots) for inner in self._inners(weighting) for pair in pairs]
        found.sort(key=lambda crossing: -crossing.score)
        least = max([self._least(weighting), *(best.score - MOST_BEHIND for best in found[:1])])
        return [crossing for crossing in found[:count] if crossing.score >= least]

    @np.errstate(all="ignore")
    def _crossing(self, inner: Inner, column: int, other: int, roots: Floats) -> Crossing:
        """The functions of a crossing, fitted in turn from the best one of a sum of products."""
        heed_stop()
        side, beside, target = Side(None, column), Side(None, other), inner.roots * inner.values
        few = np.einsum("ri,rj->rij", self._few[column], self._few[other])
        design = (inner.roots[:, None, None] * few).reshape(len(target), -1)
        table = fit_splines(Moments.of([design], target)).coefficients.reshape(few.shape[1:])
        # What does not change along the other column is f.
        changing = table - np.mean(table, axis=1, keepdims=True)
        crossed = self._few[other] @ thin_svd(changing)[2][0]
        ones = np.ones_like(target)
        for _ in range(NUM_TURNS):
            crossed = (crossed - np.mean(crossed)) / max(float(np.ptp(crossed)), np.finfo(np.float64).tiny)
            bases = [self._basis(inner, side, factor, self._splines) for factor in (ones, crossed)]
            both = fit_splines(Moments.of(bases, target))
            level, slope = (self._splines[column] @ own for own in np.split(both.coefficients, 2))
            basis = self._basis(inner, beside, slope, self._splines)
            last = fit_splines(Moments.of([basis], target - inner.roots * level))
            crossed = self._splines[other] @ last.coefficients
        squares = self._squares(inner, level + slope * crossed, roots)
        score = log_evidence(squares, len(target), both.num_free + last.num_free) - OUTER_NATS * len(inner.outer)
        return Crossing(inner, side, beside, (level, slope, crossed), score if np.isfinite(squares) else -np.inf)

    @np.errstate(all="ignore")
    def _products(self, inner: Inner) -> list[Choice]:
        """The products of functions of two columns, alone and times others."""
        found = []
        for side, factor in self._all:
            own = set() if side.factor is None else set(side.factor.columns)
            for column in self._columns:
                # The factor's columns stand in it alone, and each pair of arguments comes once.
                if column > side.column and column not in own:
                    heed_stop()
                    found.append(self._product(inner, side, factor, column))
        return found

    def _product(self, inner: Inner, side: Side, factor: Floats, column: int) -> Choice:
        """A side times a function of another column: both fitted in turn, from the best product of a sum of such."""
        target, sides = inner.roots * inner.values, (side, Side(None, column))
        few = np.einsum("ri,rj->rij", self._few[side.column] * factor[:, None], self._few[column])
        design = (inner.roots[:, None, None] * few).reshape(len(target), -1)
        table = fit_splines(Moments.of([design], target)).coefficients.reshape(few.shape[1:])
        values = self._few[column] @ thin_svd(table)[2][0]
        for _ in range(NUM_TURNS):
            values = values / np.max(np.abs(values))
            one = fit_splines(Moments.of([self._basis(inner, side, factor * values, self._splines)], target))
            beside = factor * (self._splines[side.column] @ one.coefficients)
            other = fit_splines(Moments.of([self._basis(inner, sides[1], beside, self._splines)], target))
            values = self._splines[column] @ other.coefficients
        distances = target - inner.roots * beside * values
        squares, num_free = float(distances @ distances), one.num_free + other.num_free
        return Choice(inner, sides, (beside, values), _score(squares, len(target), num_free, inner, sides), True)

    def _basis(self, inner: Inner, side: Side, factor: Floats, splines: dict[int, Floats]) -> Floats:
        """The splines of a side over the rows, weighted: (rows, splines)."""
        return np.asarray((inner.roots * factor)[:, None] * splines[side.column])


def _score(squares: float, count: int, num_free: float, inner: Inner, sides: tuple[Side, Side]) -> float:
    """Log evidence of splines that leave so much of the squares of a target, and bend by so many numbers."""
    return log_evidence(squares, count, num_free) - _nats(inner, sides)


@np.errstate(all="ignore")
def _behind(outer: tuple[Outer, ...], target: Floats, step: float, roots: Floats) -> Inner | None:
    """The target behind some operators; None where too many rows are out of their reach."""
    way = make_step(*outer)
    values = way.undo(target)
    slopes = (way.undo(target + step) - way.undo(target - step)) / (2.0 * step) if outer else np.ones_like(target)
    is_reached = way.admits(target, target) & np.isfinite(values) & np.isfinite(slopes) & (slopes != 0.0)
    if np.mean(~is_reached) > MOST_OUT_OF_REACH:
        return None
    values = np.where(is_reached, values, 0.0)
    exponent = squaring_exponent(values)
    own = np.where(is_reached, np.ldexp(roots / np.abs(slopes), exponent), 0.0)
    return Inner(outer, divided(values, exponent), exponent, own) if np.all(np.isfinite(own)) else None


def _nats(inner: Inner, sides: tuple[Side, Side]) -> float:
    """What it costs to choose factors and outer operators."""
    return FACTOR_NATS * sum(side.num_factors for side in sides) + OUTER_NATS * len(inner.outer)
