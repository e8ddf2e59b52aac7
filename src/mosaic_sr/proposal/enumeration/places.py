"""Places: where a law may get a term more, and how much a small one changes its values there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.kernel.moments import fit_work_size, write_derivatives
from mosaic_sr.operators import ARITY, CODES, CONSTANT, Operator
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]

SUMS, PRODUCTS = (CODES["add"], CODES["sub"]), (CODES["mul"], CODES["div"])


@dataclass(frozen=True)
class Place:
    """A node of a law to which a term is added, or to a factor 1 of it."""

    node: int
    is_factor: bool

    def grown(self, law: Expression, term: Expression) -> Expression:
        """The law with the term."""
        part = law.subtree(self.node)
        if self.is_factor:
            return law.replaced(self.node, apply("mul", part, apply("add", constant(1.0), term)))
        return law.replaced(self.node, apply("add", part, term))


@dataclass(frozen=True, eq=False)
class Slopes:
    """Values of a law (rows,), slopes along its constants (constants, rows) and at some places (places, rows)."""

    values: Floats
    by_constant: Floats
    places: list[Place]
    by_place: Floats


def slopes_at_places(law: Expression, rows: Rows) -> Slopes:
    """The slopes of a law at every place that may get a term more: each node gets a number that is 0."""
    marked, is_mark = _marked(law)
    values, slopes = np.empty(rows.num_rows), np.empty((marked.num_constants, rows.num_rows))
    buffer = np.empty(fit_work_size(len(marked), marked.num_constants))
    write_derivatives(
        marked.codes, marked.slots, marked.constants, rows.columns, 0, rows.num_rows, values, slopes, buffer
    )
    by_node = dict(zip(np.flatnonzero(law.codes != CONSTANT).tolist(), slopes[is_mark], strict=True))
    places = list(places_of(law))
    along = [
        by_node[place.node] * (evaluate_expression(law.subtree(place.node), rows.columns) if place.is_factor else 1.0)
        for place in places
    ]
    return Slopes(values, slopes[~is_mark], places, np.array(along))


def _marked(law: Expression) -> tuple[Expression, NDArray[np.bool_]]:
    """The law with 0 added to each node but its constants, and which of its constants are these zeros."""
    Part = tuple[Expression, list[bool]]

    def mark(part: Expression, marks: list[bool]) -> Part:
        return apply("add", part, constant(0.0)), [*marks, True]

    def node(operator: Operator, operands: list[Part]) -> Part:
        return mark(
            apply(operator.name, *(own for own, _ in operands)), [one for _, marks in operands for one in marks]
        )

    marked, marks = law.fold(node, lambda column: mark(variable(column), []), lambda value: (constant(value), [False]))
    return marked, np.array(marks, dtype=np.bool_)


def places_of(law: Expression) -> Iterator[Place]:
    """Where a law may get a term more, each way to write the result once.

    A sum gets terms at its own node and not at its operands, a multiple at its own, and an exponent none. A factor goes
    to whole products.
    """
    is_open = law.codes != CONSTANT
    takes_factor = is_open.copy()
    for node in np.flatnonzero(ARITY[law.codes] == 2).tolist():
        right, code = node - 1, law.codes[node]
        left = int(law.starts[right]) - 1
        if code in SUMS or (code in PRODUCTS and law.codes[right] == CONSTANT):
            is_open[left] = False
        if code in SUMS or (code == CODES["mul"] and law.codes[left] == CONSTANT):
            is_open[right] = False
        if code in PRODUCTS:
            takes_factor[[left, right]] = False
        if code == CODES["pow"]:
            exponent = slice(int(law.starts[right]), right + 1)
            is_open[exponent] = takes_factor[exponent] = False
    yield from (Place(node, is_factor=False) for node in np.flatnonzero(is_open).tolist())
    yield from (Place(node, is_factor=True) for node in np.flatnonzero(takes_factor).tolist())
