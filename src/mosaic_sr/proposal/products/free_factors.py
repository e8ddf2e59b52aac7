"""Products with one factor that holds a free number: x + 0.7, x - 2.5 y, tanh(0.3 x)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.expressions.text import parse
from mosaic_sr.proposal.products.free_terms import FreeTerm, Scaled, Shift, choose_scales, choose_shifts, refine_factor
from mosaic_sr.proposal.products.functions import FUNCTIONS, Function
from mosaic_sr.proposal.products.log_regression import LEAST_APART
from mosaic_sr.proposal.products.product_search import Extra, Product, ProductSearch
from mosaic_sr.proposal.regression.best_subsets import Support, measure_gains
from mosaic_sr.proposal.regression.projection import remove_span
from mosaic_sr.proposal.terms.factors import Factor, FactorForm, evaluate_form

Floats = NDArray[np.float64]
ColumnChoice = tuple[int, ...]

# Starts that are looked at closely: those of a true factor are among the first, and each takes a millisecond.
MOST_CLOSE = 16
# Columns that enter, the most relevant ones: alone or in pairs, and in threes.
MOST_COLUMNS, MOST_COLUMNS_OF_THREE = 6, 4
# Wholes and parts of sums, by the number of their columns; 1 means a plain number.
SUMS = (
    (("a", "1"), ("a^2", "1"), ("1/a", "1"), ("sqrt(a)", "1"), ("sin(a)", "1"), ("cos(a)", "1"), ("exp(a)", "1"),
     ("log(a)", "1"), ("a^3", "1"), ("a", "sqrt(a)")),
    (("a", "b"), ("a*b", "1"), ("a/b", "1"), ("a^2", "b"), ("b^2", "a"), ("a^2", "b^2"), ("a", "1/b"), ("b", "1/a")),
)  # fmt: skip
# What stands under a function with a scale.
OPERANDS = (
    ("a", "a^2", "1/a"),
    ("a*b", "a/b", "b/a"),
    ("a*b*c", "a*b/c", "a*c/b", "b*c/a", "a/(b*c)", "b/(a*c)", "c/(a*b)"),
)
# A scale before an exponential or a logarithm is another factor; 1 - exp(-z) is exp(z) - 1 with a negative one.
SCALED = tuple(
    each for each in FUNCTIONS if not (each.is_exponential or each.is_logarithm or each.text == "1 - exp(-z)")
)
# Slopes of logarithms of smaller numbers overflow.
SMALLEST = 1e-300
# Squares of a logarithm beyond the columns' below which a factor is a power of a column up to rounding.
LEAST_BEND = 1e-12


@dataclass(frozen=True, eq=False)
class FactorStart:
    """A factor to begin with.  beside: the factors that it stands beside.  gain: squares that it explains there."""

    beside: Support
    gain: float
    factor: FreeTerm
    write: Callable[[float], Expression]  # the factor with another amount


def find_products_with_a_number(search: ProductSearch, operators: tuple[str, ...]) -> Iterator[list[Product]]:
    """Products with one factor that holds a free number, and at most one other beside the columns."""
    rest = search.remainder.of(np.log(np.abs(search.rows.target))[None])[0]
    supports = _supports(search, rest)
    scan = _Scan(search, rest, supports)
    starts = [*_shifted(scan, frozenset(operators)), *_scaled(scan, frozenset(operators))]
    for support in supports:
        own = [start for start in starts if start.beside == support]
        for start in sorted(own, key=lambda start: -start.gain)[:MOST_CLOSE]:
            yield _with_factor(search, start, rest)


def _supports(search: ProductSearch, rest: Floats) -> list[Support]:
    """No factor, and the one that explains most of the remainder where it drowns what a free number could add."""
    gains = np.square(search.remainder.directions @ rest)
    if search.most_factors(2) < 2 or len(gains) == 0 or gains.max() < 0.5 * (rest @ rest):
        return [()]
    return [(), (int(np.argmax(gains)),)]


def _with_factor(search: ProductSearch, start: FactorStart, rest: Floats) -> list[Product]:
    """Products with the factor alone, and beside the other that helps it most."""
    logs = np.log(np.abs(search.rows.target))
    beside: list[Support] = [()]
    if search.most_factors(2) >= 2:
        # The slope beside the term makes the choice of the other factor blind to a small error of the amount.
        taken = search.remainder.of(np.array([start.factor.term, start.factor.slope]))
        gains = measure_gains(search.remainder.directions, rest, taken, LEAST_APART)[1]
        beside.append((int(np.argmax(gains)),))
    found: list[Product] = []
    for support in beside:
        factor = refine_factor(start.factor, search.terms(support), logs)
        if factor is not None:
            extra = Extra(start.write(factor.amount), factor.term)
            found += search.made([support], search.rows.target, extra=extra)
    return found


@cache
def _form(text: str, arity: int) -> FactorForm:
    return FactorForm(parse(text, "abc"), arity)


@dataclass(frozen=True, eq=False)
class _Scan:
    """rest: (rows,), the target's remainder.  supports: the factors already in use."""

    search: ProductSearch
    rest: Floats
    supports: list[Support]

    def usable(self, *forms: FactorForm) -> tuple[list[ColumnChoice], list[Floats]]:
        """Choices of columns for which the forms are finite and not 0, and their values: (choices, rows) each."""
        most = MOST_COLUMNS if forms[0].arity < 3 else MOST_COLUMNS_OF_THREE
        relevant = sorted(np.argsort(-self.search.relevance, kind="stable")[:most].tolist())
        choices = list(combinations(relevant, forms[0].arity))
        values = [evaluate_form(form, self.search.columns, choices) for form in forms]
        with np.errstate(invalid="ignore"):
            usable = np.all([np.all(np.isfinite(own) & (np.abs(own) > SMALLEST), axis=1) for own in values], axis=0)
            usable &= np.ptp(values[0], axis=1) > 0
        return [choices[index] for index in np.flatnonzero(usable)], [own[usable] for own in values]

    def best(self, values: Floats, amounts: Floats) -> Iterator[tuple[Support, int, float, float]]:
        """For each support and choice of columns: both, the best amount, and the squares that it explains.

        values: (choices, amounts, rows).  amounts: (choices, amounts).
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(np.abs(values))
        logs[~np.all(np.isfinite(logs), axis=2)] = 0.0
        terms = self.search.remainder.of(logs.reshape(-1, logs.shape[2]))
        for support in self.supports:
            gains = self._gains(terms, support).reshape(amounts.shape)
            for choice, place in enumerate(np.argmax(gains, axis=1).tolist() if gains.size else []):
                if gains[choice, place] > 0:
                    yield support, choice, float(amounts[choice, place]), float(gains[choice, place])

    def _gains(self, terms: Floats, support: Support) -> Floats:
        """The squares of the rest that each term explains beside a support."""
        taken = self.search.remainder.directions[list(support)]
        terms = remove_span(terms, taken.T, num_passes=1)
        sizes = np.sum(np.square(terms), axis=1)
        return np.where(sizes > LEAST_BEND, np.square(terms @ self.rest) / np.maximum(sizes, LEAST_BEND), 0.0)


def _shifted(scan: _Scan, operators: frozenset[str]) -> Iterator[FactorStart]:
    """Sums with a free number."""
    for arity, texts in enumerate(SUMS, start=1):
        for whole, part in ((_form(whole, arity), _form(part, arity)) for whole, part in texts):
            if whole.operators | part.operators <= operators:
                choices, (wholes, parts) = scan.usable(whole, part)
                with np.errstate(over="ignore", invalid="ignore"):
                    amounts = choose_shifts(wholes, parts)
                    values = wholes[:, None, :] + amounts[:, :, None] * parts[:, None, :]
                for support, choice, amount, gain in scan.best(values, amounts):
                    columns = choices[choice]
                    write = _sum_of(Factor(whole, columns), Factor(part, columns), scan.search.exponents)
                    yield FactorStart(support, gain, Shift(wholes[choice], parts[choice], amount), write)


def _scaled(scan: _Scan, operators: frozenset[str]) -> Iterator[FactorStart]:
    """Functions with a free scale."""
    functions = [each for each in SCALED if each.operators <= operators | {"add", "sub"}]
    for arity, texts in enumerate(OPERANDS, start=1):
        for form in (_form(text, arity) for text in texts):
            choices, (operands,) = scan.usable(form)
            for function in functions:
                amounts = choose_scales(function, operands)
                with np.errstate(all="ignore"):
                    values = function.value(amounts[:, :, None] * operands[:, None, :])
                for support, choice, amount, gain in scan.best(values, amounts):
                    write = _function_of(function, Factor(form, choices[choice]), scan.search.exponents)
                    yield FactorStart(support, gain, Scaled(function, operands[choice], amount), write)


def _sum_of(whole: Factor, part: Factor, exponents: tuple[int, ...]) -> Callable[[float], Expression]:
    def write(amount: float) -> Expression:
        number = constant(amount)
        added = apply("mul", number, part.expression(exponents)) if part.form.expression.columns else number
        return apply("add", whole.expression(exponents), added)

    return write


def _function_of(function: Function, operand: Factor, exponents: tuple[int, ...]) -> Callable[[float], Expression]:
    return lambda amount: function.write(apply("mul", constant(amount), operand.expression(exponents)))
