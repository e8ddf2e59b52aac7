"""Physical constants by their value in SI units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

# Names in CODATA; only those that stand in textbook laws, because each further one is a chance of a false match.
NAMES = (
    "speed of light in vacuum",
    "Newtonian constant of gravitation",
    "Planck constant",
    "reduced Planck constant",
    "elementary charge",
    "Boltzmann constant",
    "Avogadro constant",
    "molar gas constant",
    "vacuum electric permittivity",
    "vacuum mag. permeability",
    "electron mass",
    "proton mass",
    "neutron mass",
    "atomic mass constant",
    "Stefan-Boltzmann constant",
    "Wien wavelength displacement law constant",
    "Faraday constant",
    "fine-structure constant",
    "Rydberg constant",
    "Bohr radius",
    "Bohr magneton",
    "standard acceleration of gravity",
    "standard atmosphere",
)
# One of two dozen, as it is or its inverse.
BITS = 6.0
# No constant has fewer, so that laws of simple numbers need not load them.
FEWEST_DIGITS = 5


@dataclass(frozen=True)
class PhysicalConstant:
    """A value with its name and its own uncertainty, 0 for those that define the units."""

    name: str
    value: float
    uncertainty: float


@cache
def physical_constants() -> tuple[PhysicalConstant, ...]:
    """The constants and their inverses."""
    from scipy.constants import physical_constants as codata  # only laws with constants need it

    found = []
    for name in NAMES:
        value, _, uncertainty = codata[name]
        found.append(PhysicalConstant(name, float(value), float(uncertainty)))
        found.append(PhysicalConstant(f"1 / {name}", 1.0 / float(value), float(uncertainty) / float(value) ** 2))
    return tuple(found)


def name_of(value: float) -> str:
    """The name of the constant of exactly this magnitude, or nothing."""
    if float(f"{value:.{FEWEST_DIGITS - 1}g}") == value:
        return ""
    return _names().get(abs(value), "")


@cache
def _names() -> dict[float, str]:
    """Names of the constants by their values."""
    return {known.value: known.name for known in reversed(physical_constants())}
