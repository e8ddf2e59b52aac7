"""The search for products on one set of rows: dictionary, what the plain columns leave, products of supports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import measure
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.front import badness
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.powers import Power, write_product
from mosaic_sr.proposal.products.log_regression import (
    LeastSquares,
    Remainder,
    find_supports,
    fit_least_squares,
    fit_without_strays,
)
from mosaic_sr.proposal.regression.best_subsets import Support
from mosaic_sr.proposal.simple_exponents import find_simple_number
from mosaic_sr.proposal.terms.factors import FactorTable, make_factors
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
# Makes a law of the target of a law of the product.
Write = Callable[[Expression], Expression]

# No law raises a factor to a higher power; a fit that does makes up for a factor it lacks.
LARGEST_EXPONENT = 12.0
# Half of the rows of an exact product in single precision agree better than this, however much it cancels.
MOST_MIDDLE = 1e-4


@dataclass(frozen=True)
class Product:
    """A law with a product in it, and how bad it is on the rows."""

    expression: Expression
    badness: float


@dataclass(frozen=True, eq=False)
class Extra:
    """A factor that is not in the dictionary; term: (rows,), its logarithm."""

    expression: Expression
    term: Floats


class ProductSearch:
    """Rows, dictionary and remainder.

    rows: none with target 0.  columns: (columns, rows) in the user's units.  basis: the plain columns among the factors
    of the dictionary, which every support contains; others: the other factors, which supports choose from.
    """

    def __init__(self, context: ProposalContext, rows: Rows) -> None:
        self.rows = rows
        self.exponents = context.table.column_exponents
        self.columns = np.ldexp(rows.columns, np.array(self.exponents)[:, None])
        scores = _relevance(self.columns, np.log(np.abs(rows.target)), context.scores)
        self.relevance = scores
        self.dictionary = make_factors(self.columns, scores, context.operators)
        self.others = np.flatnonzero(~self.dictionary.is_monomial)
        monomials = np.flatnonzero(self.dictionary.is_monomial)
        # Half of the rows have to remain as proof.
        monomials = _most_relevant(monomials, self.dictionary, scores, rows.num_rows // 2 - 1)
        self.remainder = Remainder(self.dictionary.terms[monomials], self.dictionary.terms[self.others])
        self.basis = monomials[self.remainder.kept]

    def most_factors(self, wanted: int) -> int:
        """How many factors beside the plain columns the rows can prove."""
        return max(0, min(wanted, self.rows.num_rows // 2 - 1 - len(self.basis)))

    def levels(self, target: Floats, most: int, beam: int) -> Iterator[list[Product]]:
        """The best products of the columns alone, then with one further factor, then with two, and so on."""
        logs = np.log(np.abs(target))
        yield self.made([()], target)
        for found in find_supports(self.remainder, self.remainder.of(logs[None])[0], self.most_factors(most), beam):
            yield self.made(found, target)

    def terms(self, support: Support) -> Floats:
        """The terms of a support and of the basis: (terms, rows)."""
        return self.dictionary.terms[self._chosen(support)]

    def made(
        self,
        found: Sequence[Support],
        values: Floats,
        outer: Write | None = None,
        extra: Extra | None = None,
        num_rough: int = 1,
    ) -> list[Product]:
        """The products of supports, and of an extra factor, that explain the signs of values: (rows,).

        Beside the first num_rough, which may serve as approximations, only those that may be exact are looked at.
        outer: makes a law of the target of a law of the values, where these differ.
        """
        if extra is not None and not np.all(np.isfinite(extra.term)):
            return []  # a factor that is 0 in some row
        logs = np.log(np.abs(values))
        laws = []
        for rank, support in enumerate(found):
            terms = np.concatenate([self.terms(support), self._own_terms(extra)])
            fit = fit_least_squares(terms, logs)
            if rank < num_rough or fit.middle <= MOST_MIDDLE:
                law = self._product(support, values, extra, simplify_coefficients(fit, terms, logs))
                laws += [] if law is None else [law if outer is None else outer(law)]
        return self.measured(laws)

    def measured(self, laws: Iterable[Expression]) -> list[Product]:
        """The laws with how bad they are on the rows."""
        return [Product(law, badness(measure(law, self.rows))) for law in laws]

    def _own_terms(self, extra: Extra | None) -> Floats:
        return np.empty((0, self.rows.num_rows)) if extra is None else extra.term[None]

    def _chosen(self, support: Support) -> Indices:
        return np.concatenate([self.basis, self.others[list(support)]]).astype(np.intp)

    def _product(
        self, support: Support, values: Floats, extra: Extra | None, coefficients: Floats
    ) -> Expression | None:
        """The product of a support, and of an extra factor, with the coefficients of their logarithms."""
        factors = [self.dictionary.factors[index] for index in self._chosen(support)]
        is_power = np.array([*(not factor.is_exponent for factor in factors), extra is not None])[: len(coefficients)]
        if np.any(np.abs(coefficients[is_power]) > LARGEST_EXPONENT):
            return None
        bases = [(factor.expression(self.exponents), factor.is_exponent) for factor in factors]
        if extra is not None:
            bases.append((extra.expression, False))
        pairs = zip(bases, coefficients.tolist(), strict=True)
        powers = [Power(base, value, is_exponential) for (base, is_exponential), value in pairs if value != 0]
        return write_product(powers, self.rows.columns, values)


def simplify_coefficients(fit: LeastSquares, terms: Floats, logs: Floats) -> Floats:
    """The coefficients of a fit of logs, made simple where that is within their errors, the others fitted again."""
    fit = fit_without_strays(fit, terms, logs)
    pairs = zip(fit.coefficients.tolist(), fit.errors.tolist(), strict=True)
    simple = [find_simple_number(value, error) for value, error in pairs]
    is_open = np.array([number is None for number in simple], dtype=bool)
    if is_open.all():
        return fit.coefficients
    coefficients = np.array([0.0 if number is None else number for number in simple])
    if is_open.any():
        left = logs - coefficients @ terms
        own = terms[is_open]
        coefficients[is_open] = fit_without_strays(fit_least_squares(own, left), own, left).coefficients
    return coefficients


def _relevance(columns: Floats, logs: Floats, scores: Floats) -> Floats:
    """Scores of the columns as factors: what log|y| loses without the logarithm of the column."""
    with np.errstate(divide="ignore"):
        terms = np.log(np.abs(columns))
    usable = np.flatnonzero(np.all(np.isfinite(terms), axis=1))
    if len(usable) == 0 or 2 * len(usable) >= columns.shape[1]:
        return scores
    fit = fit_least_squares(terms[usable], logs)
    lost = np.square(np.minimum(np.abs(fit.coefficients), 1.0) / np.maximum(fit.errors, 1e-15)) / columns.shape[1]
    relevance = scores.copy()
    relevance[usable] = np.maximum(scores[usable], lost / (1.0 + lost))
    return relevance


def _most_relevant(monomials: Indices, dictionary: FactorTable, scores: Floats, most: int) -> Indices:
    own = np.array([scores[dictionary.factors[index].columns[0]] for index in monomials])
    return np.sort(monomials[np.argsort(-own, kind="stable")[: max(most, 0)]])
