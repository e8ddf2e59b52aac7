"""`Unit`: what a unit measures, as exponents of the base units, its size, and the symbols it was written in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from mosaic_sr.units.table_of_units import BASES

Exponents = tuple[Fraction, ...]
NO_EXPONENTS: Exponents = (Fraction(0),) * len(BASES)
# Exponents of symbols, as (("km", 1), ("h", -1)).
Symbols = tuple[tuple[str, Fraction], ...]
# Digits of an exponent that is no simple fraction, as in kg^0.7312.
SHOWN_DIGITS = 4
# Fractions with larger denominators are written as decimals.
LARGEST_DENOMINATOR = 12


@dataclass(frozen=True)
class Unit:
    """A unit.

    text: as the user wrote it.  exponents: of the base units, in the order of `BASES`.
    scale: how many of these base units it is.  symbols: the units it was made of, with their exponents.
    """

    text: str
    exponents: Exponents
    scale: float = 1.0
    symbols: Symbols = ()

    @property
    def is_dimensionless(self) -> bool:
        return self.exponents == NO_EXPONENTS


def base_symbols(exponents: Exponents) -> Symbols:
    """The exponents as those of the symbols of base units."""
    return tuple((name, exponent) for name, exponent in zip(BASES, exponents, strict=True) if exponent)


def written(symbols: Iterable[tuple[str, Fraction]]) -> str:
    """A unit as people write it: m/s^2, kg*m^2/(s^2*K); a unit of nothing but inverses is 1/s."""
    above = [_power(name, exponent) for name, exponent in symbols if exponent > 0]
    below = [_power(name, -exponent) for name, exponent in symbols if exponent < 0]
    numerator = "*".join(above) or ("1" if below else "dimensionless")
    if not below:
        return numerator
    return f"{numerator}/{below[0]}" if len(below) == 1 else f"{numerator}/({'*'.join(below)})"


def _power(name: str, exponent: Fraction) -> str:
    if exponent == 1:
        return name
    if exponent.denominator == 1:
        return f"{name}^{exponent.numerator}"
    if exponent.denominator <= LARGEST_DENOMINATOR and float(exponent) * 2 % 1:
        return f"{name}^({exponent})"
    return f"{name}^{float(exponent):.{SHOWN_DIGITS}g}"
