"""Values and derivatives of a formula some of whose constants have another value in each row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.definitions import write_out
from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.kernel.moments import fit_work_size, write_derivatives
from mosaic_sr.operators import CODES, CONSTANT, VARIABLE

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Varying:
    """A formula whose parameters are read from columns behind the others, and whose derivative each slope is."""

    program: Expression
    owners: Codes

    def evaluate(self, columns: Floats, own: Floats) -> tuple[Floats, Floats]:
        """Values (rows,) and derivatives by the parameters (parameters, rows).

        columns: (columns, rows).  own: (parameters, rows), the values of the parameters in each row.
        """
        program, num_rows = self.program, columns.shape[1]
        whole = np.ascontiguousarray(np.concatenate([columns, own]))
        values, slopes = np.empty(num_rows), np.empty((program.num_constants, num_rows))
        work = np.empty(fit_work_size(len(program), program.num_constants))
        write_derivatives(
            program.codes, program.slots, program.constants, whole, 0, num_rows, values, slopes, work
        )  # fmt: skip
        jacobian = np.zeros((len(own), num_rows))
        for owner, slope in zip(self.owners.tolist(), slopes, strict=True):
            if owner >= 0:
                jacobian[owner] += slope
        return values, jacobian


def make_varying(expression: Expression, parameter_of_constant: Codes, num_columns: int) -> Varying:
    """The formula over so many columns, prepared for any number of evaluations.

    parameter_of_constant: (constants,) which parameter each constant is, -1 for a number that stays.

    Behind the column of a parameter stands + 0, because derivatives are taken by numbers.
    """
    codes: list[int] = []
    slots: list[int] = []
    constants: list[float] = []
    owners: list[int] = []
    for code, slot in zip(expression.codes.tolist(), expression.slots.tolist(), strict=True):
        parameter = int(parameter_of_constant[slot]) if code == CONSTANT else -1
        if parameter >= 0:
            codes += [VARIABLE, CONSTANT, CODES["add"]]
            slots += [num_columns + parameter, 0, 0]
            constants.append(0.0)
            owners.append(parameter)
            continue
        codes.append(code)
        slots.append(slot)
        if code == CONSTANT:
            constants.append(float(expression.constants[slot]))
            owners.append(-1)
    written = write_out(make_expression(codes, slots, constants))
    return Varying(written.expression, written.parameters(np.array(owners, dtype=np.int32)))
