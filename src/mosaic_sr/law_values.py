"""Values of law files: checked one by one when a file is read, so that a damaged one is refused by name."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

# The largest number that is finite, and more candidates than any search tries.
MOST_SIZE, MOST_COUNTED = sys.float_info.max, 2**62


def finite(value: Any) -> Any:
    """The value as JSON holds it: null for numbers that are not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def known_number(value: Any, label: str, unknown: float) -> float:
    """A number, or `unknown` for null."""
    return unknown if value is None else number(value, label)


def number(value: Any, label: str) -> float:
    """A finite number."""
    # Whole numbers of JSON have any number of digits, and 1e999 is infinite.
    if type(value) not in (int, float) or not -MOST_SIZE <= value <= MOST_SIZE:
        raise unfit(value, label)
    return float(value)


def size(value: Any, label: str) -> float:
    """A finite number that is not negative."""
    if not (found := number(value, label)) >= 0.0:
        raise unfit(value, label)
    return found


def probability(value: Any, label: str) -> float:
    """A number from 0 to 1."""
    if not (found := size(value, label)) <= 1.0:
        raise unfit(value, label)
    return found


def count(value: Any, label: str) -> int:
    """A whole number that is not negative."""
    if type(value) is not int or not 0 <= value <= MOST_COUNTED:
        raise unfit(value, label)
    return value


def texts(content: Mapping[str, Any], label: str) -> tuple[str, ...]:
    """A list of texts."""
    return tuple(items(content, label, str))


def items(content: Mapping[str, Any], label: str, kind: type) -> list[Any]:
    """A list of values of one kind."""
    return [expect(item, kind, label) for item in expect(content[label], list, label)]


def expect(value: Any, kind: type, label: str) -> Any:
    """A value of this kind."""
    if not isinstance(value, kind):
        raise unfit(value, label)
    return value


def unfit(value: Any, label: str) -> ValueError:
    """The error of a value that a law file may not hold."""
    return ValueError(f"{label!r} holds {value!r:.40}")
