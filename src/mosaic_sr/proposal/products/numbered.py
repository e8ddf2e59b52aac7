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
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.products.factors import Factor, FactorForm, form_values
from mosaic_sr.proposal.products.free_terms import (
    SCALED_FUNCTIONS,
    FreeTerm,
    Scaled,
    Shift,
    refined_factor,
    scale_amounts,
    shift_amounts,
)
from mosaic_sr.proposal.products.log_regression import Support, gains_beside
from mosaic_sr.proposal.products.product_search import Extra, Product, ProductSearch

Floats = NDArray[np.float64]
Choice = tuple[int, ...]

# Candidates of a scan that are looked at closely.
MOST_CLOSE = 16
# Columns that enter, the most relevant ones: alone or in pairs, and in threes.
MOST_COLUMNS, MOST_COLUMNS_OF_THREE = 6, 4
# Wholes and parts of shifted factors; 1 means a plain number.
SHIFTED_OF_ONE = (
    ("a", "1"), ("a^2", "1"), ("1/a", "1"), ("sqrt(a)", "1"), ("sin(a)", "1"), ("cos(a)", "1"), ("exp(a)", "1"),
    ("log(a)", "1"), ("a^3", "1"), ("a", "sqrt(a)"),
)  # fmt: skip
SHIFTED_OF_TWO = (
    ("a", "b"), ("a*b", "1"), ("a/b", "1"), ("a^2", "b"), ("b^2", "a"), ("a^2", "b^2"), ("a", "1/b"), ("b", "1/a"),
)  # fmt: skip
# What stands under a function with a scale.
OPERANDS = (
    ("a", "a^2", "1/a"),
    ("a*b", "a/b", "b/a"),
    ("a*b*c", "a*b/c", "a*c/b", "b*c/a", "a/(b*c)", "b/(a*c)", "c/(a*b)"),
)


@dataclass(frozen=True, eq=False)
class Start:
    """A factor to begin with.  context: beside which it stands.  gain: squares of the remainder that it explains."""

    context: int
    gain: float
    factor: FreeTerm
    written: Callable[[float], Expression]  # the factor with another amount


def products_with_a_number(search: ProductSearch, proposing: ProposalContext) -> Iterator[list[Product]]:
    """Products with one factor that holds a free number, and at most one other beside the columns."""
    logs = np.log(np.abs(search.rows.target))
    rest = search.remainder.of(logs[None])[0]
    contexts = _contexts(search, rest)
    scan = _Scan(search, rest, [search.remainder.directions[list(beside)] for beside in contexts])
    starts = [*_shift_starts(scan, proposing), *_scale_starts(scan, proposing)]
    for context in range(len(contexts)):
        own = [start for start in starts if start.context == context]
        for start in sorted(own, key=lambda start: -start.gain)[:MOST_CLOSE]:
            yield _with_factor(search, start, rest)


def _contexts(search: ProductSearch, rest: Floats) -> list[Support]:
    """No factor, and the one that explains most of the remainder where it drowns what a free number could add."""
    gains = np.square(search.remainder.directions @ rest)
    if search.most_factors(2) < 2 or len(gains) == 0 or gains.max() < 0.5 * (rest @ rest):
        return [()]
    return [(), (int(np.argmax(gains)),)]


def _with_factor(search: ProductSearch, start: Start, rest: Floats) -> list[Product]:
    """Products with the factor alone, and beside the other that helps it most."""
    logs = np.log(np.abs(search.rows.target))
    beside: list[Support] = [()]
    if search.most_factors(2) >= 2:
        # The slope beside the term makes the choice of the other factor blind to a small error of the amount.
        taken = search.remainder.of(np.array([start.factor.term, start.factor.slope]))
        gains = gains_beside(search.remainder.directions, rest, taken)[1]
        beside.append((int(np.argmax(gains)),))
    found: list[Product] = []
    for support in beside:
        factor = refined_factor(start.factor, search.terms(support), logs)
        if factor is not None:
            extra = Extra(start.written(factor.amount), factor.term)
            found += search.made([support], search.rows.target, extra=extra)
    return found


def _shift_starts(scan: _Scan, proposing: ProposalContext) -> Iterator[Start]:
    for arity, texts in ((1, SHIFTED_OF_ONE), (2, SHIFTED_OF_TWO)):
        for whole_text, part_text in texts:
            whole, part = _form(whole_text, arity), _form(part_text, arity)
            if not whole.operators | part.operators <= frozenset(proposing.operators):
                continue
            choices, (wholes, parts) = _usable(scan.search, (whole, part), arity)
            with np.errstate(over="ignore", invalid="ignore"):
                some = shift_amounts(wholes, parts)
                values = wholes[:, None, :] + some[:, :, None] * parts[:, None, :]
            for best in scan.best_amounts([values], [some]):
                columns = choices[best.choice]
                written = _sum_of(Factor(whole, columns), Factor(part, columns), scan.search.exponents)
                factor = Shift(wholes[best.choice], parts[best.choice], best.amount)
                yield Start(best.context, best.gain, factor, written)


def _scale_starts(scan: _Scan, proposing: ProposalContext) -> Iterator[Start]:
    names = [name for name in SCALED_FUNCTIONS if name.split()[0] in proposing.operators]
    for arity, texts in enumerate(OPERANDS, start=1):
        for form in (_form(text, arity) for text in texts):
            choices, (operands,) = _usable(scan.search, (form,), arity)
            some = [scale_amounts(name, operands) for name in names]
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                values = [
                    SCALED_FUNCTIONS[name][0](amounts[:, :, None] * operands[:, None, :])
                    for name, amounts in zip(names, some, strict=True)
                ]
            for best in scan.best_amounts(values, some):
                name = names[best.function]
                written = _function_of(name, Factor(form, choices[best.choice]), scan.search.exponents)
                factor = Scaled(name, operands[best.choice], best.amount)
                yield Start(best.context, best.gain, factor, written)


@cache
def _form(text: str, arity: int) -> FactorForm:
    return FactorForm(parse(text, "abc"), arity)


def _usable(search: ProductSearch, forms: tuple[FactorForm, ...], arity: int) -> tuple[list[Choice], list[Floats]]:
    """Choices of columns for which the forms are finite and not 0, and their values: (choices, rows) each."""
    most = MOST_COLUMNS if arity < 3 else MOST_COLUMNS_OF_THREE
    relevant = sorted(np.argsort(-search.relevance, kind="stable")[:most].tolist())
    choices = list(combinations(relevant, arity))
    values = [form_values(form, search.columns, choices) for form in forms]
    usable = np.all([np.all(np.isfinite(value) & (np.abs(value) > 1e-300), axis=1) for value in values], axis=0)
    with np.errstate(invalid="ignore"):
        usable &= np.ptp(values[0], axis=1) > 0
    return [choices[index] for index in np.flatnonzero(usable)], [value[usable] for value in values]


@dataclass(frozen=True)
class _Best:
    """The best amount of one function of one choice of columns in a context, and the squares that it explains."""

    context: int
    function: int
    choice: int
    amount: float
    gain: float


@dataclass(frozen=True, eq=False)
class _Scan:
    """rest: (rows,), the target's remainder.  contexts: (factors, rows) each, the directions already in use."""

    search: ProductSearch
    rest: Floats
    contexts: list[Floats]

    def best_amounts(self, values: list[Floats], some: list[Floats]) -> Iterator[_Best]:
        """For each context, function and choice of columns the best amount.

        values: of each function, (choices, amounts, rows).  some: of each function, (choices, amounts).
        """
        if not values or len(values[0]) == 0:
            return
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(np.abs(np.concatenate(values, axis=1)))
        logs[~np.all(np.isfinite(logs), axis=2)] = 0.0
        terms = self.search.remainder.of(logs.reshape(-1, logs.shape[2]))
        ends = np.cumsum([amounts.shape[1] for amounts in some])
        for context, taken in enumerate(self.contexts):
            gains = self._gains(terms, taken).reshape(logs.shape[:2])
            for function, part in enumerate(np.split(gains, ends[:-1], axis=1)):
                places = np.argmax(part, axis=1)
                for choice, (place, gain) in enumerate(zip(places, part.max(axis=1).tolist(), strict=True)):
                    if gain > 0:
                        yield _Best(context, function, choice, float(some[function][choice, place]), gain)

    def _gains(self, terms: Floats, taken: Floats) -> Floats:
        """The squares of the rest that each term explains beside those taken."""
        if len(taken):
            terms = terms - (terms @ taken.T) @ taken
        sizes = np.sum(np.square(terms), axis=1)
        # Below this a factor is a power of a column up to the rounding of its logarithm.
        return np.where(sizes > 1e-12, np.square(terms @ self.rest) / np.maximum(sizes, 1e-12), 0.0)


def _sum_of(whole: Factor, part: Factor, exponents: tuple[int, ...]) -> Callable[[float], Expression]:
    def written(amount: float) -> Expression:
        number = constant(amount)
        added = apply("mul", number, part.expression(exponents)) if part.form.expression.columns else number
        return apply("add", whole.expression(exponents), added)

    return written


def _function_of(name: str, operand: Factor, exponents: tuple[int, ...]) -> Callable[[float], Expression]:
    operator, *beside = name.split()

    def written(amount: float) -> Expression:
        scaled = apply("mul", constant(amount), operand.expression(exponents))
        if beside == ["1", "+"]:
            return apply(operator, apply("add", constant(1.0), scaled))
        value = apply(operator, scaled)
        return apply({"-": "sub", "+": "add"}[beside[0]], value, constant(1.0)) if beside else value

    return written
