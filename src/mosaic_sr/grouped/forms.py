"""`Form`: a structure with numbered constants to fit, which may have other values in each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.judge import is_number, structure_bits
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.reading_order import in_reading_order
from mosaic_sr.expressions.varying import Varying, make_varying
from mosaic_sr.grouped.rows import GroupedRows
from mosaic_sr.selection.snapping import exponents_of

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

# Stands for a fitted number where the bits of a structure are counted: nobody writes it.
ODD = 1.2345678


@dataclass(frozen=True, eq=False)
class Form:
    """A formula over the user's columns, some of whose constants are fitted.

    parameter_of_constant: (constants,) numbers 0, 1, .. of the fitted constants, -1 for numbers that stay.
    names: what the user calls the fitted constants, () where they have no names.
    found_by: the proposer.  is_written: whether it stands in the words of a scientist.
    """

    expression: Expression
    parameter_of_constant: Codes
    names: tuple[str, ...] = ()
    found_by: str = ""
    is_written: bool = False

    @cached_property
    def num_parameters(self) -> int:
        return int(self.parameter_of_constant.max(initial=-1)) + 1

    @cached_property
    def key(self) -> bytes:
        """Equal for forms that differ only in the values of fitted constants."""
        fixed = np.where(self.parameter_of_constant < 0, self.expression.constants, 0.0)
        return self.expression.structure_key + fixed.tobytes() + self.parameter_of_constant.tobytes()

    @cached_property
    def values(self) -> Floats:
        """Of the fitted constants as they stand in the expression: (parameters,)."""
        first = [int(np.argmax(self.parameter_of_constant == k)) for k in range(self.num_parameters)]
        return self.expression.constants[first]

    def with_values(self, values: Floats | Sequence[float]) -> Expression:
        """The expression with values for the fitted constants: (parameters,)."""
        own = np.append(np.asarray(values, dtype=np.float64), np.nan)[self.parameter_of_constant]
        return self.expression.with_constants(np.where(self.parameter_of_constant < 0, self.expression.constants, own))

    def read(self, values: Floats) -> tuple[Expression, Codes]:
        """The expression in the order in which it is read, and the parameter of each of its constants."""
        if self.is_written:
            return self.with_values(values), self.parameter_of_constant
        expression, places = in_reading_order(self.with_values(values))
        return expression, self.parameter_of_constant[np.array(places, dtype=np.intp)]

    def bits(self, values: Floats, num_columns: int) -> float:
        """Bits of the structure, and of the numbers that stay; the signs of fitted constants count."""
        return structure_bits(self.with_values(np.copysign(ODD, values)), num_columns)

    def evaluate(self, rows: GroupedRows, theta: Floats) -> tuple[Floats, Floats]:
        """Values (rows,) and derivatives by the fitted constants (parameters, rows); theta: (groups, parameters)."""
        own = theta.T[:, rows.group_of_row]
        num_columns = len(rows.columns)
        if num_columns not in self._varying:
            self._varying[num_columns] = make_varying(self.expression, self.parameter_of_constant, num_columns)
        return self._varying[num_columns].evaluate(rows.columns, own)

    @cached_property
    def _varying(self) -> dict[int, Varying]:
        """Prepared for tables of so many columns; a fit evaluates it hundreds of times."""
        return {}


def forms_of(expression: Expression, found_by: str) -> list[Form]:
    """An expression in canonical words as forms: numbers that a person wrote stay, or only exponents and ones."""
    exponents = exponents_of(expression)
    values = expression.constants.tolist()
    written = [is_number(value) for value in values]
    needed = [own and (place in exponents or abs(values[place]) == 1.0) for place, own in enumerate(written)]
    masks = [written] if written == needed else [written, needed]
    return [form_with(expression, np.array(mask, dtype=np.bool_), found_by) for mask in masks]


def form_with(expression: Expression, stays: NDArray[np.bool_], found_by: str) -> Form:
    """The form in which some constants stay as they are: (constants,)."""
    parameters = np.where(stays, -1, np.cumsum(~stays) - 1).astype(np.int32)
    return Form(expression, parameters, (), found_by)
