"""Products of many factors around a centre: c + k f(x0) g(x1)/h(x2), where the product takes both signs and decades.

Near its zeros the product leaves the target at c, which shows as a pile of rows; log|y - c| of the other rows is
linear in the logarithms of the factors, and y itself in the product that they make. One factor may be a sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.powers import Power, write_plain_shapes, write_shape
from mosaic_sr.proposal.products.log_regression import Remainder, exchange_terms, find_supports, fit_least_squares
from mosaic_sr.proposal.products.sum_factor import MOST_LEFT, SumFactor, fit_numbers
from mosaic_sr.proposal.regression.best_subsets import Support
from mosaic_sr.proposal.regression.levenberg_marquardt import Evaluated, minimise_squares
from mosaic_sr.proposal.regression.projection import make_offset_background
from mosaic_sr.proposal.simple_exponents import round_to_half, simplify_number
from mosaic_sr.proposal.terms.factors import SIMPLE_FORMS, FactorTable, make_factors
from mosaic_sr.table import Resolution, Rows

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# A pile stands out of so many rows, and of more a regression of five factors learns nothing.
LEAST_ROWS, MOST_ROWS = 50, 600
# Rows closer to the centre than so many doubts about it tell nothing of the product.
CLEAR = 5.0
# Factors beside the number k, the beam that finds them, and supports of each size that are looked at closely.
MOST_FACTORS, BEAM, MOST_CLOSE = 5, 12, 3
# Share of log|y - c| that factors explain where there is a product at all.
LEAST_EXPLAINED = 0.15
# Steps that sharpen a centre: quadratic convergence needs some six, a damped start a few more.
MOST_STEPS = 16
# Exponents of a product with a factor missing, or around a centre with few digits, are this far from the simple ones.
MOST_ASTRAY = 0.2
# Of a product found so many factors may belong to the sum instead; so many partial products are looked at.
MOST_LEFT_OUT, MOST_PARTIAL = 2, 80
# The shortest window with this share of the rows is as wide as the doubt about the mode.
PILE = 0.03
# Without a pile rows are about as close at the mode as over the middle half; then both signs are as frequent.
FLAT = 0.3
# Roundings of the target in a doubt: what stands above five of these has six digits.
DIGITS = 1e6


@dataclass(frozen=True)
class Centre:
    """A number that may have been added to a product.  doubt: how far it may be off."""

    value: float
    doubt: float


@dataclass(frozen=True, eq=False)
class FittedFactors:
    """Factors with their exponents, and the share of log|y - c| that they leave."""

    support: Support
    powers: tuple[Power, ...]
    left: float


class CentredSearch:
    """Rows, their factors and the rows in which the product around a centre shows.

    values: (rows,), y - c.  clear: the rows that are clear of the centre.
    """

    def __init__(self, rows: Rows, dictionary: FactorTable, exponents: tuple[int, ...], centre: Centre) -> None:
        self.centre, self.values = centre, rows.target - centre.value
        self.clear = np.flatnonzero(np.abs(self.values) > CLEAR * centre.doubt)
        self.rows, self._dictionary, self._exponents = rows, dictionary, exponents

    def around(self, centre: Centre) -> CentredSearch:
        """The same rows around another centre."""
        return CentredSearch(self.rows, self._dictionary, self._exponents, centre)

    def levels(self) -> Iterator[list[FittedFactors]]:
        """The best products of one factor, of two, and so on; the last ones with factors exchanged for better ones."""
        logs = self._logs(self.clear)
        if len(self.clear) < LEAST_ROWS or np.ptp(logs) == 0 or len(self._dictionary.terms) == 0:
            return
        terms = self._dictionary.terms[:, self.clear]
        remainder = Remainder(terms[:0], terms)
        rest = remainder.of(logs[None])[0]
        # A column seldom enters two factors, and many factors of one column make any curve.
        for found in find_supports(remainder, rest, min(MOST_FACTORS, 1 + len(self.rows.columns)), BEAM):
            if found:
                last = found
                yield [self.fitted(support, terms, logs) for support in found[:MOST_CLOSE]]
        yield [self.fitted(exchange_terms(remainder, rest, last[0]), terms, logs)]

    def fitted(self, support: Support, terms: Floats, logs: Floats) -> FittedFactors:
        """The factors of a support with the exponents that fit logs best, made simple; terms: (factors, rows)."""
        own = terms[list(support)]
        fit = fit_least_squares(own, logs)
        left = logs - fit.intercept - fit.coefficients @ own
        factors = [self._dictionary.factors[place] for place in support]
        powers = tuple(
            Power(factor.expression(self._exponents), _simple(value, error, factor.is_exponent), factor.is_exponent)
            for factor, value, error in zip(factors, fit.coefficients.tolist(), fit.errors.tolist(), strict=True)
        )
        return FittedFactors(support, powers, float(np.var(left) / np.var(logs)))

    def law(self, powers: Sequence[Power]) -> Expression | None:
        """The law c + k P of the powers P, both numbers fitted to all rows, where that holds in half of them."""
        usable = [power for power in powers if power.exponent]
        columns, values = self.rows.columns[:, self.clear], self.values[self.clear]
        shape = write_shape(usable, columns, values) if usable else None
        if shape is None:
            return None
        product = evaluate_expression(shape, self.rows.columns)
        for others in ([], [np.ones(len(product))]):
            numbers = fit_numbers([product, *others], self.rows.target, self.centre.value)
            if numbers is not None:
                scaled = apply("mul", constant(float(numbers[0])), shape)
                return apply("add", scaled, constant(float(numbers[1]))) if others else scaled
        return None

    def sharpened(self, support: Support) -> Centre:
        """The centre for which the factors explain log|y - c| best near where it is."""
        beside = make_offset_background(self._dictionary.terms[list(support)][:, self.clear])
        values = self.values[self.clear]
        reach = 0.5 * float(np.min(np.abs(values)))  # half of the way to the next row

        def evaluate(steps: Floats) -> Evaluated:
            moved = values - reach * steps[0, 0]
            return beside.without(np.log(np.abs(moved)))[None], lambda: beside.without(reach / moved)[None, :, None]

        steps, _ = minimise_squares(evaluate, np.zeros((1, 1)), MOST_STEPS)
        return replace(self.centre, value=self.centre.value + reach * float(steps[0, 0]))

    def _logs(self, rows: Indices) -> Floats:
        return np.asarray(np.log(np.abs(self.values[rows])))


def find_centred_products(context: ProposalContext) -> Iterator[list[Expression]]:
    """Laws c + k P of many factors around each centre of the target, and those with one factor that is a sum."""
    table = context.table
    if table.training.num_rows < LEAST_ROWS or not {"add", "mul", "div"} <= set(context.operators):
        return
    rows = table.some_training(MOST_ROWS)
    columns = np.ldexp(rows.columns, np.array(table.column_exponents)[:, None])
    dictionary = make_factors(columns, context.scores, context.operators, SIMPLE_FORMS)
    sums = SumFactor(rows, table.column_exponents, context.operators)
    for centre in find_centres(table.training.target, table.target_resolution):
        yield from _around(CentredSearch(rows, dictionary, table.column_exponents, centre), sums)


@np.errstate(over="ignore", invalid="ignore")
def find_centres(target: Floats, resolution: Resolution) -> Iterator[Centre]:
    """The mode of a target (rows,), or its median where it has no pile, and 0."""
    ordered = np.sort(target)
    size = max(4, int(PILE * len(ordered)))
    if len(ordered) < 2 * size or not np.isfinite(ordered[-1] - ordered[0]):
        return
    mode, width = find_mode(ordered), float(np.min(ordered[size - 1 :] - ordered[: len(ordered) - size + 1]))
    low, middle, high = np.quantile(ordered, [0.25, 0.5, 0.75]).tolist()
    has_pile = 0.5 * width < FLAT * PILE * (high - low)
    value = mode if has_pile else middle
    doubt = max(width, DIGITS * float(resolution.quantum(np.array([value]))[0]))
    yield Centre(value, doubt)
    if abs(value) > doubt:
        yield Centre(0.0, 0.0)


def find_mode(ordered: Floats) -> float:
    """The mode of numbers in order: the shortest half of them, the shortest half of that, and so on."""
    while len(ordered) > 3:
        half = (len(ordered) + 1) // 2
        start = int(np.argmin(ordered[half - 1 :] - ordered[: len(ordered) - half + 1]))
        ordered = ordered[start : start + half]
    return float(np.median(ordered))


def _around(search: CentredSearch, sums: SumFactor) -> Iterator[list[Expression]]:
    """Products around a centre, then around the centre that the best of them asks for, then with a sum as a factor."""
    found: list[FittedFactors] = []
    for is_last in (False, True):
        levels = []
        for level in search.levels():
            yield _some(search.law(fitted.powers) for fitted in level)
            levels.append(level)
        if not levels or levels[-1][0].left > 1.0 - LEAST_EXPLAINED:
            break
        found = [fitted for level in levels for fitted in level[: MOST_CLOSE - 1]] + found[::2]
        if not is_last:
            search = search.around(search.sharpened(levels[-1][0].support))
    yield from _with_a_sum(search, sums, found)


def _with_a_sum(search: CentredSearch, sums: SumFactor, found: Sequence[FittedFactors]) -> Iterator[list[Expression]]:
    """Laws of partial products, with signs as they may be, and the sum that fits beside each."""
    for powers in _partial_products(found):
        shapes = write_plain_shapes([power for power in powers if power.exponent], search.rows.columns)
        products = [evaluate_expression(shape, search.rows.columns) for shape in shapes]
        fits = [sums.fit(product, search.values, search.clear) for product in products]
        yield _some(
            sums.law(shape, fit, search.centre.value)
            for shape, fit in zip(shapes, fits, strict=True)
            if fit is not None and fit.error <= MOST_LEFT
        )


def _partial_products(found: Sequence[FittedFactors]) -> list[tuple[Power, ...]]:
    """The products without none, one or two of their factors."""
    partial: dict[Support, tuple[Power, ...]] = {}
    for num_left_out in range(MOST_LEFT_OUT + 1):
        for fitted in found:
            pairs = list(zip(fitted.support, fitted.powers, strict=True))
            for kept in combinations(pairs, max(len(pairs) - num_left_out, 1)):
                partial.setdefault(tuple(place for place, _ in kept), tuple(power for _, power in kept))
    return list(partial.values())[:MOST_PARTIAL]


def _some(laws: Iterable[Expression | None]) -> list[Expression]:
    return [law for law in laws if law is not None]


def _simple(value: float, error: float, is_exponent: bool) -> float:
    """The exponent that a fit near the truth stands for."""
    nearest = float(round_to_half(value))
    if not is_exponent and abs(value - nearest) <= MOST_ASTRAY:
        return nearest
    return simplify_number(value, error)
