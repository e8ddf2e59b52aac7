"""Units that only pint knows, where it is installed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mosaic_sr.units.table_of_units import BASES
from mosaic_sr.units.unit import Exponents

# How pint calls what the base units measure; a mass is measured in kilograms there, too.
MEASURES = {
    "[length]": "m", "[mass]": "kg", "[time]": "s", "[current]": "A", "[temperature]": "K", "[substance]": "mol",
    "[luminosity]": "cd",
}  # fmt: skip


def unit_of_pint(name: str) -> tuple[Exponents, float] | None:
    """Exponents of the base units and size of a unit that pint knows; None without pint, and for other names."""
    try:
        import pint
    except ImportError:
        return None
    registry: Any = pint.get_application_registry()
    try:
        quantity = registry.Quantity(1.0, name).to_base_units()
    except (pint.errors.PintError, ValueError, TypeError, AttributeError):
        # Undefined, of temperatures and of logarithms; pint's parser has errors of Python's own, too.
        return None
    exponents = exponents_of_pint(quantity.dimensionality)
    return None if exponents is None else (exponents, float(quantity.magnitude))


def exponents_of_pint(measures: Any) -> Exponents | None:
    """Exponents of the base units; None where something else is measured, as bits or money."""
    own = dict.fromkeys(BASES, Fraction(0))
    for measure, exponent in dict(measures).items():
        if measure not in MEASURES:
            return None
        own[MEASURES[measure]] = Fraction(exponent).limit_denominator(1000)
    return tuple(own.values())
