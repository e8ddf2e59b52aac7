"""Formulas whose constants have names: every identifier that is no column is one constant, wherever it occurs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.expressions.grammar import CONSTANT_HOLE, NUMBERS
from mosaic_sr.expressions.lexer import tokenize
from mosaic_sr.expressions.parser import parse
from mosaic_sr.operators import CONSTANT, VARIABLE

# The numbers that have a name here. E is none of them: people call a modulus or an energy so.
NUMBER_NAMES = frozenset(NUMBERS) - {"E"}


@dataclass(frozen=True)
class NamedFormula:
    """A formula ready for `fit_parameters`.

    names: of the parameters.  parameter_of_constant: (constants,) index into `names`, -1 for a number of the text.
    numbers: names that were read as numbers, such as pi.
    """

    expression: Expression
    names: tuple[str, ...]
    parameter_of_constant: NDArray[np.int32]
    numbers: tuple[str, ...] = ()

    def values(self, expression: Expression) -> list[float]:
        """The value of each parameter in an expression of the same structure."""
        first = [int(np.flatnonzero(self.parameter_of_constant == index)[0]) for index in range(len(self.names))]
        return [float(expression.constants[constant]) for constant in first]


def parse_named(text: str, columns: Sequence[str]) -> NamedFormula:
    """The formula over the named columns; misuse raises `InvalidFormula`. Each `_` is a constant `_1`, `_2`, .."""
    words = _words(text, columns)
    names = [word for word in words if word not in NUMBER_NAMES]
    parsed = parse(text, [*columns, *names])
    codes, slots = parsed.codes.copy(), parsed.slots.copy()
    constants: list[float] = []
    parameters: list[int] = []
    for node in np.flatnonzero((codes == CONSTANT) | (codes == VARIABLE)):
        parameter, value = -1, np.nan
        if codes[node] == VARIABLE:
            parameter = int(slots[node]) - len(columns)
            if parameter < 0:
                continue
        else:
            value = float(parsed.constants[slots[node]])
            if np.isnan(value):
                parameter = len(names)
                names.append(f"{CONSTANT_HOLE}{1 + sum(name.startswith(CONSTANT_HOLE) for name in names)}")
        codes[node] = CONSTANT
        constants.append(value)
        parameters.append(parameter)
    own = np.array(parameters, dtype=np.int32)
    numbers = tuple(word for word in words if word in NUMBER_NAMES)
    return NamedFormula(make_expression(codes, slots, constants), tuple(names), own, numbers)


def _words(text: str, columns: Sequence[str]) -> list[str]:
    """Names in reading order that are neither columns, functions nor holes."""
    known = {*columns, CONSTANT_HOLE}
    words = [
        token.text
        for token, following in pairwise(tokenize(text))
        if token.kind == "name" and token.text not in known and not following.is_symbol("(")
    ]
    return list(dict.fromkeys(words))
