"""When an exact law is the last word: the numbers inside it are simple ones, so that it stands in for no other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from mosaic_sr.equation import Equation
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.operators import Operator
from mosaic_sr.selection.description import simple_bits
from mosaic_sr.selection.settings import SelectionConfig
from mosaic_sr.selection.tidying import tidy
from mosaic_sr.table import Table

# Five digits and their point; longer numbers only a fit could have found.
MOST_BITS = 24.0
# Operators that pass a factor on.
PROPORTIONAL = frozenset({"mul", "div", "neg", "inv"})


def is_settled(law: Equation, table: Table, config: SelectionConfig) -> bool:
    """Whether the numbers of an exact law are simple once it is tidied, but for a factor of the whole.

    Where a law hardly bends within the rows, one free number inside lets many another curve follow it.
    """
    if not _odd_numbers(law.expression):
        return True
    return not _odd_numbers(tidy(law, table, config, table.names).expression)


@dataclass(frozen=True)
class _Numbers:
    """Constants of an expression: factors of the whole, and all others."""

    factors: tuple[float, ...] = ()
    inside: tuple[float, ...] = ()


def _odd_numbers(expression: Expression) -> list[float]:
    """The numbers inside that nobody would have written."""
    numbers: _Numbers = expression.fold(_joined, lambda _: _Numbers(), lambda value: _Numbers((value,)))
    return [value for value in numbers.inside if _is_odd(value)]


def _joined(operator: Operator, operands: list[_Numbers]) -> _Numbers:
    factors = tuple(chain.from_iterable(numbers.factors for numbers in operands))
    inside = tuple(chain.from_iterable(numbers.inside for numbers in operands))
    return _Numbers(factors, inside) if operator.name in PROPORTIONAL else _Numbers((), factors + inside)


def _is_odd(value: float) -> bool:
    bits = simple_bits(value)
    return bits is None or bits > MOST_BITS
