"""`Law`: one row of the catalogue."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as made
from functools import cache, cached_property

import numpy as np

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.parser import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting.named import NamedFormula, parse_named

TURN = math.tau
# Names of columns that mean nothing.
ANY_COLUMN = frozenset("xyz")
RELATIONS: dict[str, Callable[[float, float], bool]] = {"<": operator.lt, ">": operator.gt}


@dataclass(frozen=True)
class Law:
    """A named law: `form` is text in the grammar of formulas over its variables and constants.

    variables, constants: name in the form -> what it means.
    signed: constants that may be negative; all others are positive.  shifts: constants that may be negative or 0.
    where: further conditions, such as "a > b": what distinguishes this law from others of the same form.
    derived: what people state instead of a constant, such as {"half-life": "log(2)/k"}.
    angles: constants that repeat -> their period; the value nearest to 0 is taken.
    takes_offset: whether the law is also recognised with a constant added to it.
    hints: words of column names that make this name come before others of the same form.
    needs_hint: whether the form is so common that the name is only given where most columns have such a name.
    """

    name: str
    field: str
    form: str
    variables: Mapping[str, str]
    constants: Mapping[str, str] = made(default_factory=dict)
    signed: tuple[str, ...] = ()
    shifts: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    derived: Mapping[str, str] = made(default_factory=dict)
    angles: Mapping[str, float] = made(default_factory=dict)
    takes_offset: bool = False
    hints: tuple[str, ...] = ()
    needs_hint: bool = False

    @cached_property
    def formula(self) -> NamedFormula:
        """The form with columns in the order of `variables`."""
        return parse_named(self.form, list(self.variables))

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the constants in the order of their first occurrence in the form."""
        return self.formula.names

    def value(self, text: str, constants: Mapping[str, float]) -> float:
        """The value of a formula over the constants."""
        expression = _parsed(text, tuple(constants))
        return float(evaluate_expression(expression, np.array([[value] for value in constants.values()]))[0])

    def allows(self, constants: Mapping[str, float]) -> bool:
        """Whether constants have the signs of this law and meet its conditions."""
        if any(value <= 0.0 for name, value in constants.items() if name not in (*self.signed, *self.shifts)):
            return False
        return all(self._meets(condition, constants) for condition in self.where)

    def _meets(self, condition: str, constants: Mapping[str, float]) -> bool:
        left, relation, right = condition.rpartition("<") if "<" in condition else condition.rpartition(">")
        return RELATIONS[relation](self.value(left, constants), self.value(right, constants))

    def wrapped(self, constants: Mapping[str, float]) -> dict[str, float]:
        """The constants with angles within half a period of 0."""
        return {
            name: math.remainder(value, self.angles[name]) if name in self.angles else value
            for name, value in constants.items()
        }

    def resembles(self, columns: Sequence[str]) -> int:
        """How many of the columns are called by a word of this law."""
        words = {*self.hints, *(name.lower() for name in self.variables)} - ANY_COLUMN
        return sum(any(word in words for word in _words(column)) for column in columns)


@cache
def _parsed(text: str, names: tuple[str, ...]) -> Expression:
    return parse(text, names)


def _words(column: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in column.lower()).split()


def with_offset(law: Law) -> Law:
    """The law with a constant added to it."""
    return Law(
        law.name, law.field, f"{law.form} + offset", law.variables, {**law.constants, "offset": "added constant"},
        (*law.signed, "offset"), law.shifts, law.where, law.derived,
        angles=law.angles, hints=law.hints, needs_hint=law.needs_hint,
    )  # fmt: skip
