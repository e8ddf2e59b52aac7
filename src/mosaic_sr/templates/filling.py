"""`Filled`: a template with an expression for each unknown, and the one law that it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.operators import Operator
from mosaic_sr.template_form import Template

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
# An expression, and the parameter of each of its constants in reading order, -1 for a number that is not fitted.
Piece = tuple[Expression, tuple[int, ...]]


@dataclass(frozen=True)
class Filled:
    """What stands in a template.

    parts: one expression for each unknown, in which column i is its argument i.  constants: values of the template's
    named constants.  NaN is a number yet to be fitted.
    """

    parts: tuple[Expression, ...]
    constants: tuple[float, ...]
    found_by: str = "template"

    @property
    def values(self) -> Floats:
        """All numbers that may be fitted: the named constants, then those of the parts."""
        return np.concatenate([np.array(self.constants, dtype=np.float64), *(part.constants for part in self.parts)])

    @property
    def structure(self) -> tuple[bytes, ...]:
        """Equal for those that differ in the values of constants only."""
        return tuple(part.structure_key for part in self.parts)

    def with_values(self, values: Floats) -> Filled:
        """The same with other numbers; values: as `values`."""
        place, parts = len(self.constants), list[Expression]()
        for part in self.parts:
            parts.append(part.with_constants(values[place : place + part.num_constants]))
            place += part.num_constants
        return replace(self, parts=tuple(parts), constants=tuple(values[: len(self.constants)].tolist()))

    def with_part(self, unknown: int, part: Expression, found_by: str = "") -> Filled:
        """The same with another expression for an unknown."""
        parts = (*self.parts[:unknown], part, *self.parts[unknown + 1 :])
        return replace(self, parts=parts, found_by=found_by or self.found_by)


@dataclass(frozen=True, eq=False)
class Composed:
    """A law made of a template.

    parameters: (constants of the law,) the number of each constant among `Filled.values`, -1 for numbers of the
    template and of arguments.
    """

    expression: Expression
    parameters: Codes

    def tied(self, is_free: NDArray[np.bool_]) -> Codes:
        """(constants,) numbers 0, 1, .. of the constants that are free, -1 for the others; is_free: (values,)."""
        own = np.where(is_free, np.cumsum(is_free) - 1, -1).astype(np.int32)
        return np.append(own, np.int32(-1)).astype(np.int32)[self.parameters]

    def values_in(self, constants: Floats, before: Floats) -> Floats:
        """The numbers of a `Filled`, given the constants of the law; those that it does not read stay as they were."""
        values = before.copy()
        is_read = self.parameters >= 0
        values[self.parameters[is_read]] = constants[is_read]
        return values


def compose(template: Template, filled: Filled) -> Composed:
    """The law over the columns of the template, in the words of the template and of the parts."""
    values, num_columns = filled.values, len(template.names)
    slots = [_in_slot(template, filled, slot) for slot in range(len(template.slots))]

    def leaf(column: int) -> Piece:
        return (variable(column), ()) if column < num_columns else slots[column - num_columns]

    numbers = _numbered(template.outer, template.parameters.tolist())

    def number(value: float) -> Piece:
        parameter = next(numbers)
        return constant(value if parameter < 0 else float(values[parameter])), (parameter,)

    expression, parameters = template.outer.fold(_join, leaf, number)
    return Composed(expression, np.array(parameters, dtype=np.int32))


def _in_slot(template: Template, filled: Filled, slot: int) -> Piece:
    """The part of a slot with its arguments in their places."""
    unknown, arguments = template.slots[slot].unknown, template.slots[slot].arguments
    first = len(filled.constants) + sum(part.num_constants for part in filled.parts[:unknown])
    part = filled.parts[unknown]
    numbers = _numbered(part, range(first, first + part.num_constants))
    pieces = [(argument, (-1,) * argument.num_constants) for argument in arguments]
    return part.fold(_join, lambda column: pieces[column], lambda value: (constant(value), (next(numbers),)))


def _numbered(expression: Expression, parameters: Sequence[int]) -> Iterator[int]:
    """The parameters of the constants as a fold meets them, which is in reading order."""
    assert len(parameters) == expression.num_constants
    return iter(parameters)


def _join(operator: Operator, operands: list[Piece]) -> Piece:
    expression = apply(operator.name, *(operand for operand, _ in operands))
    return expression, tuple(parameter for _, own in operands for parameter in own)


def arguments_of(template: Template, slot: int, evaluate: Callable[[Expression], Floats]) -> Floats:
    """The arguments of a slot: (arguments, rows)."""
    return np.array([evaluate(argument) for argument in template.slots[slot].arguments])
