"""A found law by its name: which form of the catalogue it is, and the constants of that form."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.text import to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.named_laws.catalogue import CATALOGUE
from mosaic_sr.named_laws.errors_of_constants import standard_errors
from mosaic_sr.named_laws.index import Entry, entries_of, has_laws, kinds_of
from mosaic_sr.named_laws.law import Law
from mosaic_sr.named_laws.matching import pairings
from mosaic_sr.named_laws.normal_form import law_in_normal_form
from mosaic_sr.named_laws.scalars import LARGEST_LOG, Unwritable
from mosaic_sr.named_laws.solving import solutions
from mosaic_sr.named_laws.terms import Quotient
from mosaic_sr.naming import NamedConstant, NamedLaw

ORDER = {law.name: place for place, law in enumerate(CATALOGUE)}
MOST_COLUMNS = max(len(law.variables) for law in CATALOGUE)
# The longest form of the catalogue has 30 nodes, and laws say it in twice as many at most.
MOST_NODES = 80
# Rows on which form and law are compared: enough of either sign for each column.
NUM_POINTS = 48
# Two ways to write a law differ by rounding, and by more where digits cancel: on few rows, if it is the same law.
SAME_VALUE, LEAST_SHARE = 1e-6, 0.8


@dataclass(frozen=True)
class Match:
    """A form with the constants under which it is the law.

    columns: those that the law reads.  places: for each of them the number of the form's variable that it is.
    """

    entry: Entry
    constants: dict[str, float]
    columns: tuple[int, ...]
    places: tuple[int, ...]

    @property
    def law(self) -> Law:
        return self.entry.law

    @property
    def num_constants(self) -> int:
        """Constants of the form without shifts that are 0."""
        return len(self.entry.unknowns)

    @property
    def title(self) -> str:
        return f"{self.law.name}{' plus a constant' if self.entry.has_offset else ''}"


def recognised(equation: Equation) -> NamedLaw | None:
    """What the equation is called, with its constants and their errors; None where the catalogue has no such form."""
    columns = [equation.names[column] for column in canonical(equation.expression).columns]
    found = [match for match in matches(equation.expression) if _may_be_named(match.law, columns)]
    if not found:
        return None
    fewest = min(match.num_constants for match in found)
    alike = [match for match in found if match.num_constants == fewest]
    alike.sort(key=lambda match: -match.law.resembles(columns))
    return _named(alike[0], [match.title for match in alike[1:]], equation)


def with_name(equation: Equation) -> Equation:
    """The equation with its name, where it has none yet, and its rivals with theirs."""
    ties = tuple(map(with_name, equation.ties))
    return replace(equation, named=equation.named or recognised(equation), ties=ties)


def _may_be_named(law: Law, columns: Sequence[str]) -> bool:
    return not law.needs_hint or 2 * law.resembles(columns) > len(columns)


def matches(expression: Expression) -> list[Match]:
    """The forms that a law is, one match for each name, in the order of the catalogue."""
    expression = canonical(expression)
    columns = expression.columns
    if not 0 < len(columns) <= MOST_COLUMNS or len(expression) > MOST_NODES:
        return []
    orders = list(permutations(range(len(columns))))
    try:
        # Other orders of the columns have the same kinds of functions.
        if not has_laws(len(columns), kinds_of(_normal(expression, orders[0]).shape)):
            return []
        normal = {places: _normal(expression, places) for places in orders}
    except (Unwritable, OverflowError, RecursionError):
        return []
    found: dict[str, Match] = {}
    for places, law in normal.items():
        for entry in entries_of(len(columns), kinds_of(law.shape)).get(law.shape, ()):
            if entry.law.name not in found and (match := _matched(entry, law, expression, places)) is not None:
                found[entry.law.name] = match
    return sorted(found.values(), key=lambda match: ORDER[match.law.name])


def _normal(expression: Expression, places: Sequence[int]) -> Quotient:
    """The normal form with the law's columns in these places."""
    whole = np.zeros(expression.columns[-1] + 1, dtype=np.int64)
    whole[list(expression.columns)] = places
    return law_in_normal_form(expression, whole.tolist())


def _matched(entry: Entry, law: Quotient, expression: Expression, places: tuple[int, ...]) -> Match | None:
    for constants in map(entry.law.wrapped, solved(entry, law)):
        if entry.law.allows(constants) and _has_same_values(entry, constants, expression, places):
            return Match(entry, constants, expression.columns, places)
    return None


def solved(entry: Entry, law: Quotient) -> Iterator[dict[str, float]]:
    """Constants for which the numbers of a form are those of a law of the same shape."""
    try:
        ways = pairings(entry.form, law)
        for pairs in ways:
            for sizes in solutions(pairs, entry.unknowns):
                if max(sizes.values(), default=0.0) < LARGEST_LOG:
                    yield {
                        name: math.copysign(_rounded(math.exp(sizes[number])), value) if value else 0.0
                        for number, (name, value) in enumerate(zip(entry.law.parameters, entry.values, strict=True))
                    }
    except (Unwritable, OverflowError):
        return


def _rounded(value: float) -> float:
    """Without the last digit, which the logarithm has spoilt: 5 rather than 4.999999999999999."""
    return float(f"{value:.14g}")


def _has_same_values(
    entry: Entry, constants: Mapping[str, float], expression: Expression, places: Sequence[int]
) -> bool:
    """Whether the form has the law's values, also for negative columns; rows where the law has none do not count."""
    points = _points(len(places))
    columns = np.ones((expression.columns[-1] + 1, NUM_POINTS))
    columns[list(expression.columns)] = points[list(places)]
    expected = evaluate_expression(expression, columns)
    values = evaluate_expression(with_constants(entry.law, constants), points)
    with np.errstate(all="ignore"):
        counts = np.isfinite(expected)
        is_same = np.abs(values - expected) <= SAME_VALUE * np.maximum(np.abs(values), np.abs(expected))
    return bool(np.count_nonzero(is_same & counts) >= LEAST_SHARE * np.count_nonzero(counts))


def _points(count: int) -> NDArray[np.float64]:
    """Columns of many sizes, a quarter of them negative: (columns, rows); the same at each call."""
    rng = np.random.default_rng(0)
    sizes = 10.0 ** rng.uniform(-3.0, 4.0, (count, NUM_POINTS))
    return np.where(rng.random((count, NUM_POINTS)) < 0.25, -sizes, sizes)


def with_constants(law: Law, constants: Mapping[str, float]) -> Expression:
    """The form of a law with values for its constants, over columns in the order of its variables."""
    formula = law.formula
    own = zip(formula.parameter_of_constant.tolist(), formula.expression.constants.tolist(), strict=True)
    values = [constants[law.parameters[number]] if number >= 0 else value for number, value in own]
    return formula.expression.with_constants(values)


def _named(match: Match, also: Sequence[str], equation: Equation) -> NamedLaw:
    law = match.law
    derived = {label: law.value(text, match.constants) for label, text in law.derived.items()}

    def values(expression: Expression) -> list[float] | None:
        """Constants and derived numbers of a law that differs a little from the one that was recognised."""
        near = _nearest(match, expression)
        return None if near is None else [*near.values(), *(law.value(text, near) for text in law.derived.values())]

    errors = standard_errors(equation, values, [*match.constants.values(), *derived.values()])
    own = dict(zip([*match.constants, *derived], errors, strict=True))
    return NamedLaw(
        name=law.name,
        field=law.field,
        form=to_text(_over_columns(match), equation.names, 6),
        also=tuple(also),
        constants=tuple(
            NamedConstant(name, meaning, match.constants[name], own[name]) for name, meaning in law.constants.items()
        ),
        derived=tuple(NamedConstant("", label, value, own[label]) for label, value in derived.items()),
        has_offset=match.entry.has_offset,
    )


def _over_columns(match: Match) -> Expression:
    """The form with its constants over the columns of the law."""
    columns = [match.columns[match.places.index(place)] for place in range(len(match.places))]
    return with_constants(match.law, match.constants).renamed(columns)


def _nearest(match: Match, expression: Expression) -> dict[str, float] | None:
    """The solution for another law that is nearest to the match."""
    try:
        law = _normal(canonical(expression), match.places)
    except (Unwritable, OverflowError):
        return None
    if law.shape != match.entry.form.shape:
        return None
    distances = [
        (sum(abs(value - match.constants[name]) for name, value in constants.items()), number, constants)
        for number, constants in enumerate(map(match.law.wrapped, solved(match.entry, law)))
    ]
    return min(distances)[2] if distances else None
