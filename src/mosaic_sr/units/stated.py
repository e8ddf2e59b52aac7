"""`StatedUnits`: the units of a table's columns and target as a user states them, checked."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

import numpy as np

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.units.parsing import parse_unit
from mosaic_sr.units.pint_names import exponents_of_pint
from mosaic_sr.units.table_of_units import BASES
from mosaic_sr.units.unit import NO_EXPONENTS, Exponents, Unit, base_symbols, written

# Exponents that are no simple fractions, as 0.333, are taken for the nearest one.
LARGEST_DENOMINATOR = 100
EXPECTED = 'text such as "m/s^2", a unit of pint or astropy, or a list of exponents of ' + ", ".join(BASES)


@dataclass(frozen=True)
class StatedUnits:
    """One unit per column of the user, and that of the target; None where it is not known."""

    columns: tuple[Unit | None, ...]
    target: Unit | None

    @property
    def are_known(self) -> bool:
        """Whether any is stated."""
        return self.target is not None or any(unit is not None for unit in self.columns)


def state_units(X_units: Any, y_units: Any, names: Sequence[str], target: str) -> StatedUnits | None:
    """The units that a user states; None where he states none.

    X_units: by name, or one per column in their order; None for a unit that is not known.
    """
    if X_units is None and y_units is None:
        return None
    columns = (None,) * len(names) if X_units is None else _of_columns(X_units, names, target)
    return StatedUnits(columns, None if y_units is None else read_unit(y_units, f"the target {target!r}"))


def _of_columns(given: Any, names: Sequence[str], target: str) -> tuple[Unit | None, ...]:
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise InvalidSettings(f"X_units has a unit for {name!r}, {_no_column(str(name), names, target)}")
        own = [given.get(name) for name in names]
    elif isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        raise InvalidSettings(
            f'X_units must be a dictionary such as {{"{names[0]}": "m"}} or a list of one unit per column, '
            f"got {type(given).__name__}"
        )
    else:
        own = list(given)
        if len(own) != len(names):
            raise InvalidSettings(f"X_units has {len(own)} units, but X has {len(names)} columns; give one per column")
    return tuple(
        None if unit is None else read_unit(unit, f"column {name!r}") for name, unit in zip(names, own, strict=True)
    )


def _no_column(name: str, names: Sequence[str], target: str) -> str:
    if name == target:
        return "which is the target; give it as y_units"
    close = get_close_matches(name, list(names), n=1)
    meant = f"did you mean {close[0]!r}?" if close else f"the columns are {', '.join(map(repr, names[:8]))}"
    return f"but X has no such column; {meant}"


def read_unit(given: Any, label: str) -> Unit:
    """A unit as text, as an object of pint or astropy, or as exponents; label: whose it is, for messages."""
    try:
        if isinstance(given, str):
            return parse_unit(given)
        if isinstance(given, Sequence | np.ndarray):
            return _of_exponents(list(given))
        if hasattr(given, "dimensionality"):
            return _of_pint(given)
        if hasattr(given, "decompose") and hasattr(given, "physical_type"):
            return _of_astropy(given)
    except InvalidSettings as error:
        raise InvalidSettings(f"{label}: {error}") from error
    raise InvalidSettings(f"{label}: the unit must be {EXPECTED}; got {type(given).__name__}")


def _of_exponents(given: list[Any]) -> Unit:
    if not all(isinstance(one, numbers.Real) and np.isfinite(float(one)) for one in given):
        raise InvalidSettings(f"a list of exponents must have numbers only, got {given!r:.60}")
    if len(given) > len(BASES):
        raise InvalidSettings(f"{len(given)} exponents, but there are {len(BASES)} base units: {', '.join(BASES)}")
    own = [Fraction(float(one)).limit_denominator(LARGEST_DENOMINATOR) for one in given]
    return _of_bases((*own, *NO_EXPONENTS[len(own) :]))


def _of_bases(exponents: Exponents, scale: float = 1.0, text: str = "") -> Unit:
    symbols = base_symbols(exponents) if scale == 1.0 else ((f"({text})", Fraction(1)),)
    return Unit(text or written(base_symbols(exponents)), exponents, scale, symbols)


def _of_pint(given: Any) -> Unit:
    """A unit or quantity of pint, which keeps its symbols where the table of units has them."""
    units = getattr(given, "units", given)
    magnitude = float(getattr(given, "magnitude", 1.0))
    text = (f"{units:~C}" or "dimensionless").replace("Δ°", "delta_deg")
    if magnitude != 1.0:
        text = f"{magnitude:g} {text}"
    else:
        try:
            return parse_unit(text)
        except InvalidSettings:
            if "°" in text:
                raise
    exponents = exponents_of_pint(given.dimensionality)
    if exponents is None:
        raise InvalidSettings(f"the unit {text!r} has no exponents of {', '.join(BASES)}; state another one")
    return _of_bases(exponents, float((1.0 * given).to_base_units().magnitude), text)


def _of_astropy(given: Any) -> Unit:
    plain = getattr(given, "unit", given).decompose()
    own = dict.fromkeys(BASES, Fraction(0))
    for base, power in zip(plain.bases, plain.powers, strict=True):
        name = base.to_string()
        if name != "rad" and name not in own:
            raise InvalidSettings(f"the unit {str(given)!r} has no exponents of {', '.join(BASES)}; state another one")
        if name in own:
            own[name] = Fraction(power).limit_denominator(LARGEST_DENOMINATOR)
    return _of_bases(tuple(own.values()), float(plain.scale), str(getattr(given, "unit", given)))
