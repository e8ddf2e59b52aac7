"""The search for products and sums of curves: scans suggest them, fits judge them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, islice

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Errors
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import QuickConfig, QuickFitter, spans_decades
from mosaic_sr.front import badness, nmse
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.regression.systems import weigh_rows
from mosaic_sr.proposal.sums.curve_scan import (
    Refined,
    Rest,
    evaluate_slopes,
    find_best_sums,
    find_best_terms,
    make_rest,
    refine_numbers,
)
from mosaic_sr.proposal.sums.curve_sheets import (
    ScoredProduct,
    is_bent,
    make_full_sheet,
    make_simple_sheet,
)
from mosaic_sr.proposal.views.links import Linked, undo_links

Floats = NDArray[np.float64]

# Squares below this share of the target's are rounding: nothing is left to explain.
ROUNDING = 1e-25
# A background may take one row in so many.
ROWS_PER_TERM = 4
# Steps of a refinement before and after it is known to be among the best.
FIRST_STEPS, MORE_STEPS = 4, 20
# Share of squares that the curve of a column may leave beside all others; of a column without one it leaves all.
MOST_LEFT = 0.5
# A node more is worth as much less of what is left; near twins differ by less, approximations and laws by far more.
PER_NODE = 1.5
# More than there are pairs of a family and a simple curve of one column.
ALL_FAMILIES = 300
# The first scan has no other before it that could have gone wrong, and looks at so many times more terms.
FIRST_WIDTH = 3
# Links beside the identity; others seldom stand outside of a sum.
NUM_LINKS = 4
# Squares that polynomials of single columns leave of a sum of curves of such, but for the most bent.
NEARLY_SEPARATE = 1e-3
NUM_COLUMNS = 5  # the most relevant ones; products of two curves grow with their square
NUM_ROWS = 80  # a scan's time grows with them, and its grid is coarser than what more could tell
NUM_REFINED = 16  # terms of a scan, of each kind, whose numbers are refined: half a millisecond each
NUM_PRODUCTS = 200  # of two curves, whose numbers are refined
NUM_SUMS = 250  # of two curves of one column that are fitted, first on few rows
NUM_FITS = 5  # of each scan, on all rows of the search
DEGREE = 7  # of polynomials that stand for an unknown curve; more would swallow what they stand beside


@dataclass(frozen=True, eq=False)
class FittedCurve:
    """A law of the target; error: what it leaves, beside a background where it was found so."""

    error: float
    expression: Expression


@dataclass(eq=False)
class CurveSearch:
    """Curves of one table."""

    context: ProposalContext

    def __post_init__(self) -> None:
        rows, operators = self.context.rows, self.context.operators
        order = sorted(np.argsort(-self.context.scores, kind="stable")[:NUM_COLUMNS].tolist())
        self._few = rows.take(np.arange(min(NUM_ROWS, rows.num_rows)))
        self._columns = [column for column in order if is_bent(self._few.columns[column])]
        leaves, columns = [variable(column) for column in self._columns], self._few.columns
        self._sheets = [make_full_sheet(leaf, columns, operators) for leaf in leaves]
        self._simple = make_simple_sheet(leaves, columns, operators)
        self._bare = [make_simple_sheet([leaf], columns, operators) for leaf in leaves]
        self._is_wide = spans_decades(rows)
        # Numbers come refined or from a grid, so one start is enough.
        self._brief = QuickFitter(self._few, QuickConfig(starts=1, draws_per_start=1, max_iterations=30))
        self._full = QuickFitter(rows, QuickConfig(starts=1, draws_per_start=1, max_iterations=40))
        linked = undo_links(self._few.target, self.context.table.target_resolution, operators)
        self._linked = list(islice(linked, 1 + NUM_LINKS))
        self._plain = self._rest(self._few.target, np.ones((1, self._few.num_rows)))

    @property
    def is_empty(self) -> bool:
        """Whether no curve is left to scan or nothing to explain."""
        return not self._columns or self._plain.share <= ROUNDING

    def one_term(self) -> list[FittedCurve]:
        """A number and a curve, or its product with a simple one."""
        found = self._refined(self._plain, self._terms(self._plain, FIRST_WIDTH * NUM_REFINED))
        return self._fitted(_sum(each) for each in found)

    def products(self) -> Iterator[list[FittedCurve]]:
        """A number and a product of two curves."""
        terms: list[ScoredProduct] = []
        for one, two in combinations_with_replacement(self._sheets, 2):
            terms += find_best_terms(self._plain, one, two, NUM_PRODUCTS, NUM_PRODUCTS)
            yield []
        best = sorted(terms, key=lambda term: -term.share)[:NUM_PRODUCTS]
        found = self._refined(self._plain, best)
        yield self._fitted(_sum(each) for each in found)

    def sums(self) -> Iterator[list[FittedCurve]]:
        """A number and two curves of one column: no background can stand for the other."""
        left = [self._rest(self._few.target, self._polynomials([column])).share for column in self._columns]
        # Such a sum reads no other column, so that a polynomial of this one leaves little, and less than of others.
        most = max(min(left), MOST_LEFT)
        sheets = [sheet for sheet, share in zip(self._sheets, left, strict=True) if share <= most]
        pairs: list[tuple[ScoredProduct, ScoredProduct]] = []
        for sheet in sheets:
            pairs += find_best_sums(self._plain, sheet, NUM_SUMS)
            yield []
        pairs = sorted(pairs, key=lambda pair: -pair[0].share)[:NUM_SUMS]
        laws = (_plus(_plus(constant(0.0), one.expression), two.expression) for one, two in pairs)
        brief = sorted((self._fit(self._brief, law) for law in laws), key=_error)
        yield self._fitted(each.expression for each in brief[: 2 * NUM_FITS])

    def behind_links(self) -> Iterator[list[FittedCurve]]:
        """One term inside an outer function."""
        for linked in self._linked[1:]:
            rest = self._rest(linked.target, self._polynomials(()), linked)
            if rest.share > ROUNDING:
                found = self._refined(rest, self._terms(rest, NUM_REFINED))
                terms = (apply("mul", constant(each.factor * rest.size), each.expression) for each in found)
                yield self._fitted(self._written(term, linked) for term in terms)

    def separate(self) -> Iterator[list[FittedCurve]]:
        """A sum of curves of single columns, and such sums inside an outer function where polynomials come near."""
        for linked in self._linked if len(self._columns) > 1 else ():
            rest = self._rest(linked.target, self._polynomials(self._columns), linked)
            if linked is self._linked[0] or ROUNDING < rest.share < NEARLY_SEPARATE:
                yield from self._separate(linked)

    def _separate(self, linked: Linked) -> Iterator[list[FittedCurve]]:
        """Beside polynomials of the others one curve is found after the other.

        The curve that fits best is taken first, and is a better background for the others than its polynomial.
        """
        law, places = constant(0.0), list(range(len(self._columns)))
        while places:
            found = {place: self._curve_of(place, law, places, linked) for place in places}
            yield []
            places = [place for place in places if found[place].error < MOST_LEFT]
            if places:
                best = min(places, key=lambda place: found[place].error)
                law = apply("add", law, found[best].expression)
                places.remove(best)
        yield self._fitted([self._written(law, linked)] if law.columns else [])

    def _curve_of(self, place: int, law: Expression, places: Sequence[int], linked: Linked) -> FittedCurve:
        """The best curve of a column beside the law and polynomials of the columns at other places."""
        value, *own = evaluate_slopes(law, self._few.columns)
        others = self._polynomials([self._columns[other] for other in places if other != place])
        rest = self._rest(linked.target - value, np.concatenate([others, own]), linked)
        terms = find_best_terms(rest, self._sheets[place], self._bare[place], ALL_FAMILIES, NUM_REFINED)
        found = self._refined(rest, _chosen(terms, NUM_REFINED)) if rest.share > ROUNDING else []
        if not found:  # also where the others tell all of this column, as of the last of one-hot columns
            return FittedCurve(np.inf, constant(0.0))
        return FittedCurve(found[0].left, apply("mul", constant(found[0].factor * rest.size), found[0].expression))

    def _rest(self, target: Floats, background: Floats, linked: Linked | None = None) -> Rest:
        """What a background leaves of a target, whose rows count as those of the target behind a link do."""
        weights = weigh_rows(self._few.target if linked is None else linked.target)
        return make_rest(self._few.columns, target, weights, background)

    @np.errstate(all="ignore")  # what is not finite does not fit
    def _written(self, law: Expression, linked: Linked) -> Expression:
        """The law of y for one behind a link less a number, which begins at its best value: no fit solves for it."""
        rest = linked.target - evaluate_expression(law, self._few.columns)
        offset = float(np.average(rest, weights=np.square(weigh_rows(linked.target))))
        return linked.law(apply("add", constant(offset), law))

    def _polynomials(self, background: Sequence[int]) -> Floats:
        """1 and the powers of the columns, as Chebyshev's polynomials: (terms, rows)."""
        num_rows = self._few.num_rows
        degree = min(DEGREE, num_rows // ROWS_PER_TERM // max(len(background), 1))
        terms = [np.ones((1, num_rows))]
        for values in self._few.columns[list(background)]:
            unit = 2.0 * (values - values.min()) / np.ptp(values) - 1.0
            terms.append(np.polynomial.chebyshev.chebvander(unit, degree).T[1:])
        return np.concatenate(terms)

    def _terms(self, rest: Rest, count: int) -> list[ScoredProduct]:
        """The best products of a curve and a simple one, so many of each kind."""
        each = (find_best_terms(rest, sheet, self._simple, ALL_FAMILIES, count) for sheet in self._sheets)
        return _chosen([term for terms in each for term in terms], count)

    def _refined(self, rest: Rest, terms: Sequence[ScoredProduct]) -> list[Refined]:
        """The best terms with their numbers refined, the best first."""
        found = sorted((refine_numbers(term.expression, rest, FIRST_STEPS) for term in terms), key=_rank)
        return sorted((refine_numbers(each.expression, rest, MORE_STEPS) for each in found[:NUM_FITS]), key=_rank)

    def _fitted(self, laws: Iterable[Expression]) -> list[FittedCurve]:
        return sorted((self._fit(self._full, law) for law in laws), key=_error)

    def _fit(self, fitter: QuickFitter, law: Expression) -> FittedCurve:
        fit = fitter.fit(law, 0.5)
        errors = Errors(fit.loss, fit.relative_loss)
        # The root makes errors of both kinds comparable with those of plain squares.
        return FittedCurve(float(np.sqrt(badness(errors))) if self._is_wide else nmse(errors), fit.expression)


def _chosen(terms: Iterable[ScoredProduct], count: int) -> list[ScoredProduct]:
    """The best of each kind: those with more curves or numbers come nearer on a grid without being nearer."""
    kinds: dict[tuple[bool, bool], list[ScoredProduct]] = {}
    for term in sorted(terms, key=lambda term: -term.share):
        kinds.setdefault((len(term.curves) > 1, term.num_numbers > 1), []).append(term)
    return [term for kind in kinds.values() for term in kind[:count]]


def _rank(found: Refined) -> float:
    """What is left, where a longer term has to leave less."""
    return found.left * PER_NODE ** len(found.expression)


def _error(found: FittedCurve) -> float:
    return found.error


def _plus(law: Expression, term: Expression, factor: float = 1.0) -> Expression:
    return apply("add", law, apply("mul", constant(factor), term))


def _sum(found: Refined) -> Expression:
    """The term with a number before it and one beside it."""
    return _plus(constant(0.0), found.expression, found.factor)
