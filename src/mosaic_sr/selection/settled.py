"""When an exact law is the last word: simple numbers and functions that bend, so that it stands in for no other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from mosaic_sr.equation import Equation, in_column_units
from mosaic_sr.exactness import EPSILON, SLACK, noise_floor
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.operators import ARITY, Operator, operator_of
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
# A factor and a number inside make up for what two functions differ in at first; at the fifth order they are told.
DEGREE = 4
# Operators that no polynomial stands in for, or that are one themselves.
STRAIGHT = frozenset({"add", "sub", "mul", "neg", "sq", "cube", "pow"})


def has_only_simple_constants(law: Equation, table: Table, config: SelectionConfig) -> bool:
    """Whether the numbers of an exact law are simple in the user's units, but for a factor of the whole.

    Where a law hardly bends within the rows, one free number inside lets many another curve follow it, and where a
    function in it looks like a polynomial of low degree, many another function would do.
    """
    few = unscaled(thinned(table, FEW_ROWS))
    written = in_column_units(law, table)
    if _hardly_bends(written.expression, few):
        return False
    if not _inner_numbers(law.expression):
        return True
    fitted = refitted(written, written.expression, few, config)
    errors = dict(zip(fitted.expression.constants.tolist(), fitted.standard_errors, strict=True))
    return not any(_is_odd(value, errors[value]) for value in _inner_numbers(fitted.expression))


def _bent(expression: Expression) -> Iterator[tuple[int, Expression, Expression, Expression]]:
    """Each node that is a curved function of one argument, with its argument, the curve and the factor beside it."""
    for node, code in enumerate(expression.codes.tolist()):
        argument = expression.subtree(node - 1) if ARITY[code] > 0 else None
        if argument is None or operator_of(code).name in STRAIGHT:
            continue
        if operator_of(code).name == "div":
            above = expression.subtree(int(expression.starts[node - 1]) - 1)
            yield node, argument, apply("inv", argument), above
        elif ARITY[code] == 1:
            yield node, argument, expression.subtree(node), constant(1.0)


@np.errstate(all="ignore")  # a law may be known in all rows and a part of it, standing alone, not
def _hardly_bends(expression: Expression, table: Table) -> bool:
    """Whether the law stays as it is, to the rounding of the data, with a polynomial for one of its functions."""
    rows = table.validation
    law, floor = evaluate_expression(expression, rows.columns), noise_floor(expression, rows, table)
    for node, argument, curve, factor in _bent(expression):
        places, values = (evaluate_expression(part, rows.columns) for part in (argument, curve))
        powers = np.vander((places - places.mean()) / (np.ptp(places) or 1.0), 1 + DEGREE)
        coefficients = solve_least_squares(powers, values)
        polynomial = powers @ coefficients
        # A sum is rounded at the size of its largest term, in rows where the sum is small too.
        rounding = (1 + DEGREE) * EPSILON * (np.abs(powers) @ np.abs(coefficients))
        trial = expression.replaced(node, apply("mul", factor, variable(len(rows.columns))))
        near, nearby = (
            evaluate_expression(trial, np.vstack([rows.columns, each])) for each in (polynomial, polynomial + rounding)
        )
        if np.all(np.abs(near - law) <= SLACK * floor + np.abs(nearby - near)):
            return True
    return False


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
