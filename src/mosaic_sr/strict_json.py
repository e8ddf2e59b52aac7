"""JSON that somebody else may have written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn

# Law files, states and model cards nest half as deep.
MOST_NESTED = 16


def parse_json(content: str | bytes) -> Any:
    """The value that the text means; ValueError for what is not JSON and for what nobody writes on purpose.

    That is: a name twice in an object, NaN and Infinity, half of a surrogate pair, and deep nesting.
    """
    try:
        value = json.loads(content, object_pairs_hook=_each_once, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    level = [value]
    for _ in range(MOST_NESTED):
        level = [part for item in level for part in _parts(item)]
        if not level:
            return value
    raise ValueError(f"it is nested more than {MOST_NESTED} levels deep")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise ValueError("an object has the same name twice")
    return entries


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _parts(value: Any) -> Iterable[Any]:
    """What a value consists of; text is checked to be text that can be printed and written."""
    if isinstance(value, str):
        value.encode()  # half of a surrogate pair raises a ValueError
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else ()
