"""Units of laws: those of the constants of an outcome, and all of them as law files keep them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mosaic_sr.equation import Equation
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.law_values import expect
from mosaic_sr.outcome import Outcome
from mosaic_sr.units.constants import constant_units
from mosaic_sr.units.parsing import parse_unit
from mosaic_sr.units.stated import StatedUnits
from mosaic_sr.units.unit import Unit


def with_constant_units(outcome: Outcome, are_constants_pure: bool) -> Outcome:
    """The outcome with the units that the constants of its laws need; unchanged where none is stated."""
    units = outcome.units
    if units is None or not units.are_known or are_constants_pure:
        return outcome

    def told(equation: Equation) -> Equation:
        own = constant_units(equation.expression, units, are_constants_pure)
        return replace(equation, constant_units=own, ties=tuple(map(told, equation.ties)))

    law = told(outcome.law)
    return replace(outcome, law=law, front=tuple(law if one is outcome.law else told(one) for one in outcome.front))


def describe_units(outcome: Outcome) -> dict[str, Any]:
    """The units of columns and target as plain values; nothing where none is stated."""
    units = outcome.units
    if units is None or not units.are_known:
        return {}
    known = {name: unit.text for name, unit in zip(outcome.names, units.columns, strict=True) if unit is not None}
    return {"units": {"columns": known, "target": None if units.target is None else units.target.text}}


def units_in(content: Mapping[str, Any], names: Sequence[str]) -> StatedUnits | None:
    """The units of a law file; ValueError where they are damaged."""
    if "units" not in content:
        return None
    entry = expect(content["units"], dict, "units")
    texts = expect(entry["columns"], dict, "units")
    if unknown := [name for name in texts if name not in names]:
        raise ValueError(f"a unit is stated for {unknown[0]!r:.40}, which is not a column")
    columns = tuple(_unit(texts[name]) if name in texts else None for name in names)
    return StatedUnits(columns, None if entry["target"] is None else _unit(entry["target"]))


def _unit(text: Any) -> Unit:
    try:
        return parse_unit(expect(text, str, "units"))
    except InvalidSettings as error:
        raise ValueError(str(error)) from error


def units_of_constants(constants: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The units of the constants of an equation in a law file; () where none has one."""
    units = tuple(expect(constant.get("unit", ""), str, "unit") for constant in constants)
    return units if any(units) else ()
