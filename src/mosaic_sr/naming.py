"""`NamedLaw`: what a law is called, with the constants under which people know it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mosaic_sr.expressions.digits import with_error

# Other names of a form that a person reads; a power law has ten.
MOST_LISTED = 4


@dataclass(frozen=True)
class NamedConstant:
    """A constant of a named law: its symbol in the form, what it means, its value and its standard error.

    standard_error: 0 for a number that the law fixes, NaN where it is not known.
    """

    symbol: str
    meaning: str
    value: float
    standard_error: float = math.nan

    def __str__(self) -> str:
        return f"{self.meaning} {with_error(self.value, self.standard_error)}"


@dataclass(frozen=True)
class NamedLaw:
    """The name of a law, its field, other names of the same form, and its constants.

    form: with the columns of the law as its variables.  has_offset: whether a constant is added to the named form.
    derived: what people state instead of a constant, such as a half-life.
    """

    name: str
    field: str
    form: str
    also: tuple[str, ...] = ()
    constants: tuple[NamedConstant, ...] = ()
    derived: tuple[NamedConstant, ...] = ()
    has_offset: bool = False

    @property
    def title(self) -> str:
        """The name with other names of the same form in brackets."""
        others = f" (also {_listed(self.also)})" if self.also else ""
        return f"{self.name}{' plus a constant' if self.has_offset else ''}{others}"

    def sentence(self) -> str:
        """The name and the constants on one line: logistic growth, capacity 96.1 ± 1.2, rate 0.412 ± 0.011."""
        return ", ".join([self.title, *map(str, (*self.constants, *self.derived))])


def _listed(names: tuple[str, ...]) -> str:
    """The first names, and how many there are besides."""
    if len(names) <= MOST_LISTED:
        return ", ".join(names)
    return f"{', '.join(names[: MOST_LISTED - 1])} and {len(names) - MOST_LISTED + 1} others"
