"""Units from text as pint reads it: `m/s^2`, `kg*m**2`, `N m`, `1/s`; also `m s-2` and `m²`."""

from __future__ import annotations

import re
from difflib import get_close_matches
from fractions import Fraction
from functools import cache

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.units.pint_names import unit_of_pint
from mosaic_sr.units.table_of_units import BASES, LONG_PREFIXES, REFUSED, ROWS, SHORT_PREFIXES
from mosaic_sr.units.unit import NO_EXPONENTS, Exponents, Unit

# Longer texts are no units, and would take long to read.
LONGEST = 80
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
NAME = re.compile(r"[^\W\d]\w*?(?=-?\d|\W|$)|[°%‰Ω℃℉][A-Z]?")
NUMBER = re.compile(r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+")
EXPONENT = re.compile(r"\s*(?:\^|\*\*)?\s*(\(\s*[+-]?\d+\s*/\s*\d+\s*\)|\(\s*[+-]?[\d.]+\s*\)|[+-]?\d+(?:\.\d+)?)")
EXAMPLES = "m/s^2, kg*m**2, N m, 1/s, percent, deg, dimensionless"
# What a unit is made of while it is read: base units, size, symbols.
Parts = tuple[Exponents, float, dict[str, Fraction]]


def parse_unit(text: str) -> Unit:
    """The unit that a text means; InvalidSettings with the reason and the remedy where it means none."""
    if len(text) > LONGEST:
        raise InvalidSettings(f"{text[:LONGEST]!r}... is too long for a unit; write it as in {EXAMPLES}")
    if text.strip() in ("", "-"):
        return Unit("dimensionless", NO_EXPONENTS)
    reader = _Reader(text)
    exponents, scale, symbols = reader.unit()
    # Of a unit such as 10^3 kg the symbols do not tell the size, so that it is a symbol as a whole.
    own = {f"({text.strip()})": Fraction(1)} if reader.has_number else symbols
    kept = tuple((name, exponent) for name, exponent in own.items() if exponent)
    return Unit(text.strip(), exponents, scale, kept)


def _spelled(text: str) -> str:
    """The text with superscripts as powers and other signs of multiplication as stars."""
    with_powers = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda found: "^" + found.group().translate(SUPERSCRIPTS), text)
    return re.sub(r"[·×⋅]", "*", re.sub(r"\bper\b", "/", with_powers)).strip()


class _Reader:
    """Reads one text from left to right; products and quotients bind alike, as in pint."""

    def __init__(self, text: str) -> None:
        self._text, self._rest = text, _spelled(text)
        self.has_number = False

    def unit(self) -> Parts:
        parts = self._product()
        if self._rest:
            raise self._error(f"{self._rest!r} was not expected")
        return parts

    def _product(self) -> Parts:
        parts = self._factor()
        while self._rest and not self._rest.startswith(")"):
            sign = 1
            if self._takes("/"):
                sign = -1
            elif not self._rest.startswith("**"):
                self._takes("*")
            parts = _times(parts, _raised(self._factor(), Fraction(sign)))
        return parts

    def _factor(self) -> Parts:
        parts = self._atom()
        found = EXPONENT.match(self._rest)
        if found is None:
            return parts
        self._rest = self._rest[found.end() :].lstrip()
        return _raised(parts, _fraction(found.group(1)))

    def _atom(self) -> Parts:
        if self._takes("("):
            parts = self._product()
            if not self._takes(")"):
                raise self._error("a bracket is not closed")
            return parts
        if number := NUMBER.match(self._rest):
            self._rest = self._rest[number.end() :].lstrip()
            self.has_number = self.has_number or float(number.group()) != 1.0
            return NO_EXPONENTS, float(number.group()), {}
        if name := NAME.match(self._rest):
            self._rest = self._rest[name.end() :].lstrip()
            return self._named(name.group())
        raise self._error(f"a unit was expected before {self._rest!r}" if self._rest else "a unit is missing")

    def _named(self, name: str) -> Parts:
        if name in REFUSED:
            raise InvalidSettings(f"the unit {name!r} cannot be used: {REFUSED[name]}")
        known = find_unit(name) or unit_of_pint(name)
        if known is None:
            raise InvalidSettings(f"unknown unit {name!r}{_in_text(name, self._text)}; {_hint(name)}")
        exponents, scale = known
        # A dimensionless unit of size 1 leaves no trace in products.
        is_plain = exponents == NO_EXPONENTS and scale == 1.0
        return exponents, scale, {} if is_plain else {name: Fraction(1)}

    def _takes(self, mark: str) -> bool:
        is_there = self._rest.startswith(mark) and not (mark == "*" and self._rest.startswith("**"))
        if is_there:
            self._rest = self._rest[len(mark) :].lstrip()
        return is_there

    def _error(self, reason: str) -> InvalidSettings:
        return InvalidSettings(f"{self._text!r} is not a unit: {reason}; write it as in {EXAMPLES}")


def _times(one: Parts, other: Parts) -> Parts:
    exponents = tuple(a + b for a, b in zip(one[0], other[0], strict=True))
    names = {name: one[2].get(name, Fraction(0)) + other[2].get(name, Fraction(0)) for name in (*one[2], *other[2])}
    return exponents, one[1] * other[1], names


def _raised(parts: Parts, exponent: Fraction) -> Parts:
    names = {name: own * exponent for name, own in parts[2].items()}
    return tuple(own * exponent for own in parts[0]), parts[1] ** float(exponent), names


def _fraction(text: str) -> Fraction:
    plain = text.strip("() ").replace(" ", "")
    try:
        return Fraction(plain)
    except (ValueError, ZeroDivisionError):
        raise InvalidSettings(f"{text!r} is not an exponent of a unit; write it as in m^2 or m^(1/2)") from None


def _in_text(name: str, text: str) -> str:
    return "" if name == text.strip() else f" in {text!r}"


def _hint(name: str) -> str:
    close = get_close_matches(name, list(known_units()), n=1, cutoff=0.7)
    meant = f"did you mean {close[0]!r}? Else " if close else ""
    return f"{meant}write units as in {EXAMPLES}, or install pint for more: pip install mosaic-sr[units]"


@cache
def known_units() -> dict[str, tuple[Exponents, float, bool]]:
    """Units by all their names: exponents, size, and whether prefixes may stand before the name."""
    known: dict[str, tuple[Exponents, float, bool]] = {}
    for row in ROWS.strip().splitlines():
        names, size, terms = map(str.strip, row.split("|"))
        exponents = _base_exponents(terms)
        for name in names.removeprefix("+").split():
            known[name] = exponents, float(size), names.startswith("+")
    return known


def _base_exponents(terms: str) -> Exponents:
    own = dict.fromkeys(BASES, Fraction(0))
    for term in terms.split():
        name, _, exponent = term.partition("^")
        own[name] = Fraction(exponent or 1)
    return tuple(own.values())


def find_unit(name: str) -> tuple[Exponents, float] | None:
    """The unit of that name, also with a prefix or as a plural; None where it is not in the table."""
    for spelled in (name, name.removesuffix("s") if len(name) > 3 else name):
        found = _with_prefix(spelled)
        if found is not None:
            return found
    return None


def _with_prefix(name: str) -> tuple[Exponents, float] | None:
    known = known_units()
    if name in known:
        return known[name][:2]
    # Long prefixes go with long names and short ones with symbols, which are the shorter names.
    for prefixes in (LONG_PREFIXES, SHORT_PREFIXES):
        for prefix, power in prefixes.items():
            rest = name.removeprefix(prefix)
            if rest != name and rest in known and known[rest][2] and (len(rest) > 3) == (prefixes is LONG_PREFIXES):
                return known[rest][0], known[rest][1] * 10.0**power
    return None
