"""The names of laws in law files; files of releases that knew none are read too."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mosaic_sr.equation import Equation
from mosaic_sr.law_values import expect, finite, items, known_number, number, texts
from mosaic_sr.naming import NamedConstant, NamedLaw


def describe_name(equation: Equation) -> dict[str, Any]:
    """The name of a law as plain values; nothing where it has none."""
    named = equation.named
    if named is None:
        return {}
    return {
        "named": {
            "name": named.name,
            "field": named.field,
            "also": list(named.also),
            "form": named.form,
            "plus_constant": named.has_offset,
            "constants": _described(named.constants),
            "derived": _described(named.derived),
            "sentence": named.sentence(),
        }
    }


def _described(constants: Sequence[NamedConstant]) -> list[dict[str, Any]]:
    return [
        {"symbol": one.symbol, "meaning": one.meaning, "value": one.value, "stderr": finite(one.standard_error)}
        for one in constants
    ]


def name_in(entry: Mapping[str, Any]) -> NamedLaw | None:
    """The name that `describe_name` wrote."""
    if entry.get("named") is None:
        return None
    named = expect(entry["named"], dict, "named")
    return NamedLaw(
        name=expect(named["name"], str, "name"),
        field=expect(named["field"], str, "field"),
        form=expect(named["form"], str, "form"),
        also=texts(named, "also"),
        constants=_constants_in(named, "constants"),
        derived=_constants_in(named, "derived"),
        has_offset=expect(named["plus_constant"], bool, "plus_constant"),
    )


def _constants_in(named: Mapping[str, Any], label: str) -> tuple[NamedConstant, ...]:
    return tuple(
        NamedConstant(
            symbol=expect(one["symbol"], str, "symbol"),
            meaning=expect(one["meaning"], str, "meaning"),
            value=number(one["value"], "value"),
            standard_error=known_number(one["stderr"], "stderr", math.nan),
        )
        for one in items(named, label, dict)
    )
