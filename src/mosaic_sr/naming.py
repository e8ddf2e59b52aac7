"""`NamedLaw`: what a law is called, with the constants under which people know it."""

from __future__ import annotations

import math
from dataclasses import dataclass

# Other names of a form that a person reads; a power law has ten.
MOST_LISTED = 4
# Numbers between these sizes, with fewer places behind the point than that, are written without an exponent.
SMALLEST_PLAIN, LARGEST_PLAIN, MOST_PLACES = 1e-3, 1e7, 8


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
        return f"{self.meaning} {_with_error(self.value, self.standard_error)}"


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


def _with_error(value: float, error: float) -> str:
    """Value ± error, both to the second digit of the error; six digits where no error is known."""
    if not math.isfinite(error) or not math.isfinite(value) or error <= 0.0:
        return f"{value:.6g}"
    # Rounding is no uncertainty: nobody wants to read 9.81 ± 1e-15.
    if error <= 1e-9 * abs(value):
        return f"{value:.10g}"
    places = 1 - math.floor(math.log10(error))
    if SMALLEST_PLAIN <= max(abs(value), error) < LARGEST_PLAIN and places < MOST_PLACES:
        return f"{round(value, places):.{max(places, 0)}f} ± {round(error, places):.{max(places, 0)}f}"
    digits = 2 if not value else max(1, math.floor(math.log10(abs(value))) + places + 1)
    return f"{value:.{min(digits, 16)}g} ± {error:.2g}"
