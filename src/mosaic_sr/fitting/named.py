"""Formulas whose constants have names: every identifier that is no column is one constant, wherever it occurs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.expressions.grammar import CONSTANT_HOLE, FUNCTIONS, NUMBERS
from mosaic_sr.expressions.lexer import tokenize
from mosaic_sr.expressions.parser import parse
from mosaic_sr.operators import CONSTANT, VARIABLE

# The numbers that have a name here. E is none of them: people call a modulus or an energy so.
NUMBER_NAMES = frozenset(NUMBERS) - {"E"}
# A charge or an eccentricity is called e, too.
READ_E = f"e was read as the number {math.e:.6g}; give a constant another name"
# Two letters swapped in a word of six, or one left out of a word of three; theta and beta are 0.67.
LIKENESS = 0.8
# Names among which a near one is looked for: of a million it would take a minute.
MOST_COMPARED = 10_000
DIGITS = "0123456789_"


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


def parse_named(text: str, columns: Sequence[str], functions: Mapping[str, str] = FUNCTIONS) -> NamedFormula:
    """The formula over the named columns; misuse raises `InvalidFormula`. Each `_` is a constant `_1`, `_2`, ..

    functions: as in `parse`.
    """
    words = _words(text, columns)
    names = [word for word in words if word not in NUMBER_NAMES]
    parsed = parse(text, [*columns, *names], functions)
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


def notes_on_names(formula: NamedFormula, columns: Sequence[str]) -> list[str]:
    """How names were read that may have been meant otherwise, one sentence each.

    columns: all of the table, the target too. A constant that is called almost like one of them is a slip of the pen
    and is refused; beta0 beside a column beta1 may be meant.
    """
    notes = [READ_E] * ("e" in formula.numbers)
    for name in formula.names:
        if name in columns:
            raise InvalidFormula(f"{name!r} is the target or its error; a formula can use only the other columns")
        nearest = _nearest(name, columns)
        if nearest is None:
            continue
        if len(name) > 2 and _stem(name) != _stem(nearest):
            raise InvalidFormula(f"no column {name!r}; did you mean {nearest!r}? Or rename the constant")
        notes.append(f"{name!r} is not a column and was fitted as a constant; the nearest column is {nearest!r}")
    return notes


def _nearest(name: str, columns: Sequence[str]) -> str | None:
    """The column that is called almost so, whatever the case of its letters, or so with another number behind."""
    lower = {column.lower(): column for column in reversed(columns[:MOST_COMPARED])}
    near = get_close_matches(name.lower(), lower, n=1, cutoff=LIKENESS)
    alike = [column for column in lower if _stem(column) and _stem(column) == _stem(name.lower())]
    return next((lower[column] for column in (*near, *alike)), None)


def _stem(name: str) -> str:
    """A name without the number behind it."""
    return name.rstrip(DIGITS)


def _words(text: str, columns: Sequence[str]) -> list[str]:
    """Names in reading order that are neither columns, functions nor holes."""
    known = {*columns, CONSTANT_HOLE}
    words = [
        token.text
        for token, following in pairwise(tokenize(text))
        if token.kind == "name" and token.text not in known and not following.is_symbol("(")
    ]
    return list(dict.fromkeys(words))
