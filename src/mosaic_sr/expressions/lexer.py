"""Cuts the text of a formula into tokens, and says where in the text something is wrong."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.visible import is_visible, visible

MAX_CHARACTERS = 100_000
EXCERPT = 30  # characters shown on each side of an error

NAME = re.compile(r"[^\W\d]\w*")
_TOKEN = re.compile(
    r"\s*(?:"
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    rf"|(?P<name>{NAME.pattern})"
    r"|(?P<quoted>`(?:[^`]|``)*+`)"
    r"|(?P<symbol>\*\*|[-+*/^(),?])"
    r"|(?P<end>\Z))"
)

REMEDIES = {
    "−": "write -",
    "–": "write -",
    "×": "write *",
    "⋅": "write *",
    "÷": "write /",
    "√": "write sqrt(...)",
    "=": "give only the right-hand side",
    "[": "write (",
    "]": "write )",
    "{": "write (",
    "}": "write )",
    "|": "write abs(...)",
    "%": "put column names with special characters in `backticks`",
    ".": "put column names with dots in `backticks`",
    '"': "put column names in `backticks`",
    "'": "put column names in `backticks`",
    "`": "this backtick is never closed",
}


@dataclass(frozen=True)
class Token:
    """A piece of the text; `kind` is number, name, quoted, symbol or end, and `start` counts from 0."""

    kind: str
    text: str
    start: int

    def is_symbol(self, *symbols: str) -> bool:
        return self.kind == "symbol" and self.text in symbols


def tokenize(text: str) -> list[Token]:
    """The tokens of the text; the last one is of kind `end`."""
    if len(text) > MAX_CHARACTERS:
        raise InvalidFormula(f"the formula has {len(text)} characters; at most {MAX_CHARACTERS} are allowed")
    tokens: list[Token] = []
    position = 0
    while not tokens or tokens[-1].kind != "end":
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unexpected_character(text, position)
        kind = str(match.lastgroup)
        tokens.append(Token(kind, match[kind], match.start(kind)))
        position = match.end()
    return tokens


def error_at(text: str, start: int, message: str) -> InvalidFormula:
    """The error, with its position (from 1) in the first line and the place marked by a caret below."""
    first = max(0, start - EXCERPT)
    excerpt = "".join(c if is_visible(c) else " " for c in text[first : start + EXCERPT])  # as wide as the text
    return InvalidFormula(f"{message} (position {start + 1})\n    {excerpt}\n    {' ' * (start - first)}^")


def describe(character: str) -> str:
    """The character with its code point and Unicode name, because look-alikes look alike."""
    return f"'{visible(character)}' (U+{ord(character):04X} {unicodedata.name(character, 'unnamed')})"


def shorten(name: str) -> str:
    """A name fit for a one-line message."""
    shown = visible(name)
    return shown if len(shown) <= 40 else shown[:37] + "..."


def _unexpected_character(text: str, position: int) -> InvalidFormula:
    start = position + len(text[position:]) - len(text[position:].lstrip())
    character = text[start]
    remedy = f"; {REMEDIES[character]}" if character in REMEDIES else ""
    return error_at(text, start, f"unexpected character {describe(character)}{remedy}")
