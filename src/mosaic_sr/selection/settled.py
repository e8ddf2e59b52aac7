"""When an exact law is the last word: the numbers inside it are simple ones, so that it stands in for no other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain

from mosaic_sr.equation import Equation, in_column_units
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.operators import Operator
from mosaic_sr.selection.description import simple_bits
from mosaic_sr.selection.settings import SelectionConfig
from mosaic_sr.selection.snapping import simple_values
from mosaic_sr.selection.tidying import FEW_ROWS
from mosaic_sr.selection.validation import refitted
from mosaic_sr.table import Table, thinned, unscaled

# Five digits and their point; longer numbers only a fit could have found.
MOST_BITS = 24.0
# Operators that pass a factor on.
PROPORTIONAL = frozenset({"mul", "div", "neg", "inv"})


def is_settled(law: Equation, table: Table, config: SelectionConfig) -> bool:
    """Whether the numbers of an exact law are simple in the user's units, but for a factor of the whole.

    Where a law hardly bends within the rows, one free number inside lets many another curve follow it.
    """
    if not _inner_numbers(law.expression):
        return True
    few = unscaled(thinned(table, FEW_ROWS))
    written = in_column_units(law, table)
    fitted = refitted(written, written.expression, few, config)
    errors = dict(zip(fitted.expression.constants.tolist(), fitted.standard_errors, strict=True))
    return not any(_is_odd(value, errors[value]) for value in _inner_numbers(fitted.expression))


@dataclass(frozen=True)
class _Numbers:
    """Constants of an expression: factors of the whole, and all others."""

    factors: tuple[float, ...] = ()
    inside: tuple[float, ...] = ()


def _inner_numbers(expression: Expression) -> tuple[float, ...]:
    """The constants that are no factors of the whole."""
    numbers: _Numbers = expression.fold(_joined, lambda _: _Numbers(), lambda value: _Numbers((value,)))
    return numbers.inside


def _joined(operator: Operator, operands: list[_Numbers]) -> _Numbers:
    factors = tuple(chain.from_iterable(numbers.factors for numbers in operands))
    inside = tuple(chain.from_iterable(numbers.inside for numbers in operands))
    return _Numbers(factors, inside) if operator.name in PROPORTIONAL else _Numbers((), factors + inside)


def _is_odd(value: float, standard_error: float) -> bool:
    """Whether no simple number is where a fitted one is."""
    near = (value, *simple_values(value, standard_error, is_exact=False, margin=0.0))
    return not any((simple_bits(simple) or math.inf) <= MOST_BITS for simple in near)
