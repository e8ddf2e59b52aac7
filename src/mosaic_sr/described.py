"""Dataclasses as plain values for JSON, with all digits of all numbers, and back: checked field by field."""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from mosaic_sr.equation import Equation
from mosaic_sr.expressions.definitions import defined_in, parse_law

T = TypeVar("T")

# More equations and seeds than any search has; counts that compiled code can hold.
MOST_ITEMS, MOST_COUNTED = 10_000, 2**62


def describe(value: Any) -> Any:
    """The value in words of JSON, numbers that are not finite as text."""
    if isinstance(value, Equation):
        expression = [value.text(), *defined_in([value.expression])]
        return {**_described_fields(value), "expression": expression, "names": None}
    if is_dataclass(value):
        return _described_fields(value)
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, float) and not math.isfinite(value):
        return repr(float(value))
    return [describe(item) for item in value] if isinstance(value, tuple) else value


def _described_fields(value: Any) -> dict[str, Any]:
    return {field.name: describe(getattr(value, field.name)) for field in fields(value)}


def rebuilt(kind: type[T], entry: Any, names: tuple[str, ...]) -> T:
    """The value of this class that `describe` wrote; ValueError where a field is missing or not what it should be.

    names: of the columns that equations read.  Whole numbers are counts and seeds, never negative.
    """
    if not isinstance(entry, dict):
        raise _unfit(kind.__name__, entry)
    hints = get_type_hints(kind)
    if set(entry) != set(hints):
        raise ValueError(f"a {kind.__name__} has the fields {', '.join(hints)}, found {', '.join(entry):.200}")
    if kind is Equation:
        return kind(**_equation_fields(hints, entry, names))
    return kind(**{name: _value(hint, entry[name], name, names) for name, hint in hints.items()})


def _equation_fields(hints: dict[str, Any], entry: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    plain = {name: hint for name, hint in hints.items() if name not in ("expression", "names")}
    values = {name: _value(hint, entry[name], name, names) for name, hint in plain.items()}
    text, *definitions = _value(tuple[str, ...], entry["expression"], "expression", names) or ("",)
    return {**values, "expression": parse_law(text, names, definitions), "names": names}


def _value(hint: Any, entry: Any, label: str, names: tuple[str, ...]) -> Any:
    """The value of a declared type."""
    if isinstance(hint, UnionType):
        (kind,) = (option for option in get_args(hint) if option is not NoneType)
        return None if entry is None else _value(kind, entry, label, names)
    if get_origin(hint) is tuple:
        if not isinstance(entry, list) or len(entry) > MOST_ITEMS:
            raise _unfit(label, entry)
        return tuple(_value(get_args(hint)[0], item, label, names) for item in entry)
    if isinstance(hint, type) and is_dataclass(hint):
        return rebuilt(hint, entry, names)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint[_one_of(hint.__members__, entry, label)]
    return _plain(get_origin(hint) or hint, entry, label)


def _plain(kind: Any, entry: Any, label: str) -> Any:
    if kind is float and (type(entry) is float or entry in (0, "inf", "-inf", "nan")):
        return float(entry)
    if type(entry) is not kind or (kind is int and not 0 <= entry <= MOST_COUNTED):
        raise _unfit(label, entry)
    return entry


def _one_of(words: Container[str], entry: Any, label: str) -> str:
    if not isinstance(entry, str) or entry not in words:
        raise _unfit(label, entry)
    return entry


def _unfit(label: str, entry: Any) -> ValueError:
    return ValueError(f"{label!r} holds {entry!r:.40}")
