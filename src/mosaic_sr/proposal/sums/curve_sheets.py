"""Curves on some rows: those of one column make a sheet, and simple ones of any column stand beside them as factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, join, substituted
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.terms.families import BENT, SIMPLE, Family

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Beyond these, squares leave the range of floats.
SMALLEST, LARGEST = 1e-100, 1e100
# A curve that moves by less than this share of itself is a number.
LEAST_BEND = 1e-6


# Curves over the table's columns; their constants are the free numbers.
CurveProduct = tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Sheet:
    """Products of curves and their values: (products, rows), of largest magnitude 1; those of one kind stand together.

    starts: (kinds,), where each kind begins.  A product without curves is the number 1.
    """

    products: tuple[CurveProduct, ...]
    values: Floats
    starts: Indices

    @property
    def slices(self) -> list[tuple[int, int]]:
        """First product of each kind and the one after its last."""
        return list(zip(self.starts.tolist(), [*self.starts[1:].tolist(), len(self.products)], strict=True))

    @cached_property
    def counts(self) -> tuple[Indices, Indices]:
        """Curves and free numbers of the products of each kind: (kinds,) each."""
        firsts = [self.products[start] for start in self.starts]
        return np.array([len(first) for first in firsts]), np.array([_num_numbers(first) for first in firsts])


@dataclass(frozen=True, eq=False)
class ScoredProduct:
    """A product of curves, and the share of what was left of the target that it explains."""

    share: float
    curves: CurveProduct

    @property
    def num_numbers(self) -> int:
        """Free numbers inside."""
        return _num_numbers(self.curves)

    @property
    def expression(self) -> Expression:
        return join("mul", self.curves)


def _num_numbers(curves: CurveProduct) -> int:
    return sum(curve.num_constants for curve in curves)


def make_full_sheet(argument: Expression, columns: Floats, operators: Sequence[str]) -> Sheet:
    """All curves of an argument; columns: (columns, rows)."""
    return _sheet([(argument, family) for family in (*SIMPLE, *BENT)], columns, operators)


def make_simple_sheet(arguments: Sequence[Expression], columns: Floats, operators: Sequence[str]) -> Sheet:
    """The number 1 and the curves without free numbers of the arguments."""
    simple = _sheet([(argument, family) for argument in arguments for family in SIMPLE], columns, operators)
    values = np.concatenate([np.ones((1, columns.shape[1])), simple.values])
    return Sheet(((), *simple.products), values, np.concatenate([[0], simple.starts + 1]).astype(np.intp))


def _sheet(families: Sequence[tuple[Expression, Family]], columns: Floats, operators: Sequence[str]) -> Sheet:
    products: list[CurveProduct] = []
    sheets, starts = [np.empty((0, columns.shape[1]))], []
    for argument, family in families:
        if not family.operators <= set(operators):
            continue
        numbers, values = _usable(family, evaluate_expression(argument, columns))
        if len(values):
            form = substituted(family.form, [argument])
            starts.append(len(products))
            products += [(form.with_constants(row),) for row in numbers]
            sheets.append(values)
    return Sheet(tuple(products), np.concatenate(sheets), np.array(starts, dtype=np.intp))


def is_bent(values: Floats) -> NDArray[np.bool_]:
    """Whether values along the last axis are more than one number and its rounding."""
    return np.asarray(np.ptp(values, axis=-1) > LEAST_BEND * np.max(np.abs(values), axis=-1))


def _usable(family: Family, column: Floats) -> tuple[Floats, Floats]:
    """Numbers and values of the curves of a family that are finite on all rows and not constant."""
    with np.errstate(all="ignore"):
        numbers = family.starts(column)
        values = family.values(column, numbers)
        sizes = np.max(np.abs(values), axis=1)
        is_usable = (sizes > SMALLEST) & (sizes < LARGEST) & is_bent(values)
    return numbers[is_usable], values[is_usable] / sizes[is_usable, None]
