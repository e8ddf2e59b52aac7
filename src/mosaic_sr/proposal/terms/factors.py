"""The factors that products are made of: forms of one to three columns, and their logarithms on some rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, operator_names, scaled, substituted, variable
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.terms.families import ALWAYS

Floats = NDArray[np.float64]

# Of a product's factors; a plain column is a form as well.
FORMS_OF_ONE = (
    "sin(a)", "cos(a)", "tan(a)", "1 + a", "1 - a", "1 + a^2", "1 - a^2", "tanh(a)", "log(a)", "exp(a) - 1",
    "exp(a) + 1", "atan(a)", "asin(a)", "acos(a)", "sinh(a)", "cosh(a)", "sin(a/2)", "cos(a/2)", "sin(2*a)", "cos(2*a)",
    "1 + sin(a)", "1 - sin(a)", "1 + log(a)", "log(1 + a)", "sin(a^2)", "cos(a^2)",
    "log(abs(a))",
)  # fmt: skip
FORMS_OF_TWO = (
    "a + b", "a - b", "a^2 + b^2", "a^2 - b^2", "1 + a*b", "1 - a*b", "a + b^2", "b + a^2", "a - b^2", "b - a^2",
    "sin(a*b)", "cos(a*b)", "tan(a*b)", "tanh(a*b)", "sin(a/b)", "sin(b/a)", "cos(a/b)", "cos(b/a)",
    "sin(a + b)", "sin(a - b)", "cos(a + b)", "cos(a - b)", "log(a/b)", "log(a*b)", "log(a + b)",
    "exp(a*b) - 1", "exp(a/b) - 1", "exp(b/a) - 1", "exp(a/b) + 1", "exp(b/a) + 1",
)  # fmt: skip
FORMS_OF_THREE = (
    "a + b + c", "a + b - c", "a - b + c", "a - b - c", "a^2 + b^2 + c^2",
    "a*b + c", "a*c + b", "b*c + a", "a*b - c", "a*c - b", "b*c - a",
)  # fmt: skip
# Linear terms under an exponential; their coefficients are any number.
EXPONENTS_OF_ONE = ("a", "a^2", "1/a", "sqrt(a)")
EXPONENTS_OF_TWO = ("a*b", "a/b", "b/a", "a^2/b", "b^2/a", "a^2*b", "b^2*a", "a/sqrt(b)", "b/sqrt(a)")
EXPONENTS_OF_THREE = ("a*b*c", "a*b/c", "a*c/b", "b*c/a", "a/(b*c)", "b/(a*c)", "c/(a*b)")

# Forms of three columns grow with the cube of the columns; at 5 they are about as many as all others.
MOST_COLUMNS_FOR_THREE = 5
# Logarithms and exponents that are larger, or vary by less of themselves, lose to rounding what a fit would read.
LARGEST, LEAST_VARIATION = 1e12, 1e-9
# Forms of two columns grow with the square; at 10 columns they are some 1,500.
MOST_COLUMNS_FOR_TWO = 10


@dataclass(frozen=True)
class FactorForm:
    """A function of the columns a, b, c in the user's units.

    is_exponent: whether it stands under an exponential with a coefficient, instead of as a factor with an exponent.
    degree: of a homogeneous sum, whose common scale can be taken out; else 0.
    """

    expression: Expression
    arity: int
    is_exponent: bool = False
    degree: int = 0

    @cached_property
    def operators(self) -> frozenset[str]:
        """Names of the curved functions it needs; sums, products and squares are always at hand."""
        return operator_names(self.expression) - ALWAYS


def _forms() -> tuple[FactorForm, ...]:
    """All forms, those of few columns first, beginning with the plain column."""
    forms = [FactorForm(variable(0), 1, degree=1)]
    factors = (FORMS_OF_ONE, FORMS_OF_TWO, FORMS_OF_THREE)
    exponents = (EXPONENTS_OF_ONE, EXPONENTS_OF_TWO, EXPONENTS_OF_THREE)
    for index in range(3):
        forms += [FactorForm(parse(text, "abc"), index + 1, is_exponent=True) for text in exponents[index]]
        forms += [FactorForm(parse(text, "abc"), index + 1, degree=_degree(text)) for text in factors[index]]
    return tuple(forms)


def _degree(text: str) -> int:
    terms = text.replace("-", "+").split(" + ")
    if len(terms) < 2 or not all(term[0] in "abc" and term[1:] == terms[0][1:] for term in terms):
        return 0
    return {"": 1, "^2": 2}.get(terms[0][1:], 0)


FORMS = _forms()
# Forms of one column, and sums and differences of two: products of many of them can be searched.
SIMPLE_FORMS = tuple(form for form in FORMS if form.arity == 1 or (form.arity == 2 and form.degree == 1))


@dataclass(frozen=True)
class Factor:
    """A form of certain columns."""

    form: FactorForm
    columns: tuple[int, ...]

    def expression(self, exponents: Sequence[int]) -> Expression:
        """Over the table's columns, a user's column being 2**exponent times the table's; sums lose a common scale."""
        own = [exponents[column] for column in self.columns]
        if self.form.degree:
            own = [exponent - own[0] for exponent in own]
        leaves = [scaled(variable(column), 2.0**exponent) for column, exponent in zip(self.columns, own, strict=True)]
        return substituted(self.form.expression, leaves)

    @property
    def is_exponent(self) -> bool:
        return self.form.is_exponent


@dataclass(frozen=True, eq=False)
class FactorTable:
    """Factors and, on some rows, what a logarithm sees of them.

    terms: (factors, rows), log|factor|, or the value of a linear term under the exponential.
    """

    factors: tuple[Factor, ...]
    terms: Floats

    @property
    def is_monomial(self) -> NDArray[np.bool_]:
        """Which factors are plain columns: (factors,)."""
        return np.array([factor.form is FORMS[0] for factor in self.factors], dtype=bool)


def make_factors(
    columns: Floats, scores: Floats, operators: Iterable[str], forms: Sequence[FactorForm] = FORMS
) -> FactorTable:
    """The factors that are finite and not 0 on all rows and vary; columns: (columns, rows) in the user's units.

    Of many columns only the most relevant enter forms of several: a zero of a factor would be one of the target,
    and its rows are left out, so that a factor with zeros is none.
    """
    known = frozenset(operators)
    order = np.argsort(-scores, kind="stable")
    factors: list[Factor] = []
    terms: list[Floats] = [np.empty((0, columns.shape[1]))]
    for form in forms:
        if form.operators <= known:
            chosen = _choices(order, form.arity)
            values = _terms(form, columns, chosen)
            usable = _are_usable(values)
            factors += [Factor(form, chosen[index]) for index in np.flatnonzero(usable)]
            terms.append(values[usable])
    return FactorTable(tuple(factors), np.concatenate(terms))


def _choices(order: NDArray[np.intp], arity: int) -> list[tuple[int, ...]]:
    if arity == 1:
        return [(column,) for column in range(len(order))]
    most = MOST_COLUMNS_FOR_TWO if arity == 2 else MOST_COLUMNS_FOR_THREE
    return list(combinations(sorted(order[:most].tolist()), arity))


def evaluate_form(form: FactorForm, columns: Floats, chosen: list[tuple[int, ...]]) -> Floats:
    """The values of one form for all choices of columns: (choices, rows)."""
    if not chosen:
        return np.empty((0, columns.shape[1]))
    # All choices in one evaluation: operand k of the form is the k-th columns of the choices, one after the other.
    stacked = columns[np.array(chosen).T].reshape(form.arity, -1)
    return evaluate_expression(form.expression, stacked).reshape(len(chosen), -1)


def _terms(form: FactorForm, columns: Floats, chosen: list[tuple[int, ...]]) -> Floats:
    values = evaluate_form(form, columns, chosen)
    if form.is_exponent:
        return values
    with np.errstate(divide="ignore"):
        return np.log(np.abs(values))


def _are_usable(terms: Floats) -> NDArray[np.bool_]:
    """Which rows of terms: (terms, rows) are finite, far from overflow, and not constant up to the last digits."""
    with np.errstate(invalid="ignore"):
        largest = np.max(np.abs(terms), axis=1, initial=0.0)
        spread = np.max(terms, axis=1, initial=-np.inf) - np.min(terms, axis=1, initial=np.inf)
        usable: NDArray[np.bool_] = (largest < LARGEST) & (spread > LEAST_VARIATION * np.maximum(1.0, largest))
    return usable
