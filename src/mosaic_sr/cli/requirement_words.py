"""The words of options about what is required of the law: costs, nesting limits and sizes of operands."""

from __future__ import annotations

import re

from mosaic_sr.errors import InvalidSettings

# An operator is a word or a symbol.
_OPERATOR = r"\s*([^\s()=,]+)\s*"
_COST = re.compile(rf"{_OPERATOR}=\s*(\S+)\s*")
_NESTED = re.compile(rf"{_OPERATOR}\({_OPERATOR}\)\s*=\s*(\S+)\s*")
_SIZES = re.compile(rf"{_OPERATOR}\(([^()]*)\)\s*")


def costs_in(words: list[str] | None) -> dict[str, float] | None:
    """The complexities in words such as `sin=3,exp=2`; None where the option was not given."""
    if words is None:
        return None
    option, costs = "--complexity-of-operators", {}
    for part in ",".join(words).split(","):
        match = _COST.fullmatch(part)
        if match is None:
            raise InvalidSettings(f"{option} must be written as in sin=3, got {part!r:.80}")
        costs[match[1]] = _number(option, match[2])
    return costs


def nested_in(words: list[str] | None) -> dict[str, dict[str, int]] | None:
    """The limits in words such as `sin(exp)=1`; None where the option was not given."""
    if words is None:
        return None
    nested: dict[str, dict[str, int]] = {}
    for word in words:
        match = _NESTED.fullmatch(word)
        if match is None:
            raise InvalidSettings(f"--nested must be written as in 'sin(sin)=0', got {word!r:.80}")
        nested.setdefault(match[1], {})[match[2]] = _number("--nested", match[3])  # type: ignore[assignment]
    return nested


def constraints_in(texts: list[str] | None, sizes: list[str] | None) -> list[object] | None:
    """The constraints, with the sizes of operands as PySR writes them; None where there is neither."""
    if texts is None and sizes is None:
        return None
    limits: dict[str, tuple[float, ...]] = {}
    for word in sizes or ():
        match = _SIZES.fullmatch(word)
        if match is None:
            raise InvalidSettings(f"--argument-size must be written as in '^(-1,1)' or 'sin(5)', got {word!r:.80}")
        limits[match[1]] = tuple(_number("--argument-size", part.strip()) for part in match[2].split(","))
    return [*(texts or ()), *([limits] if limits else [])]


def _number(option: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise InvalidSettings(f"{option}: expected a number, got {text!r:.40}") from None
    return int(value) if value.is_integer() else value
