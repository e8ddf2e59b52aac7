"""Messages for words that a formula uses and nobody knows, with the nearest known word."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from mosaic_sr.expressions.grammar import FUNCTIONS
from mosaic_sr.expressions.lexer import describe, shorten
from mosaic_sr.expressions.rows import CALLS

SHOWN_WORDS = 12


def unknown_function(name: str, columns: Sequence[str], functions: Mapping[str, str]) -> str:
    """The message for a call of something that is not a function."""
    if name in columns:
        return f"'{shorten(name)}' is a column, not a function; write '{shorten(name)}*(' to multiply"
    defined = [word for word in functions if word not in FUNCTIONS]
    return (
        f"unknown function '{shorten(name)}'{_advice(nearest_word(name, functions), [*defined, *CALLS], 'functions')}"
    )


def unknown_column(name: str, columns: Sequence[str]) -> str:
    """The message for a name that is neither a column nor a named number."""
    if name in FUNCTIONS:
        return f"'{name}' is a function and needs its argument: '{name}(...)'"
    index = foreign_character(name, columns)
    note = "" if index is None else f", which contains {describe(name[index])}"
    return f"unknown column '{shorten(name)}'{note}{_advice(nearest_word(name, columns), columns, 'columns')}"


def foreign_character(name: str, columns: Sequence[str]) -> int | None:
    """Where in the name a character stands that is outside ASCII and in no column's name, a possible look-alike."""
    known = set("".join(columns))
    return next((index for index, c in enumerate(name) if not c.isascii() and c not in known), None)


def nearest_word(name: str, words: Iterable[str]) -> str | None:
    """The known word most like `name`, whatever the case of its letters."""
    by_lower = {word.lower(): word for word in words}
    matches = difflib.get_close_matches(name.lower()[:60], by_lower, n=1)
    return by_lower[matches[0]] if matches else None


def _advice(nearest: str | None, words: Sequence[str], what: str) -> str:
    """The nearest known word, or else the known words."""
    if nearest is not None:
        return f"; did you mean '{shorten(nearest)}'?"
    if not words:
        return f"; there are no {what}"
    more = f" and {len(words) - SHOWN_WORDS} more" if len(words) > SHOWN_WORDS else ""
    return f"; the {what} are {', '.join(shorten(word) for word in words[:SHOWN_WORDS])}{more}"
