"""Reads constraints: one statement per text, such as `0 <= y <= 1 for t in 0..inf`; nothing is evaluated."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mosaic_sr.constraints.statement import SHAPES, Constraint
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.expressions.lexer import NAME, Token, shorten

# Longer than any statement about a handful of columns.
MOST_CHARACTERS = 1000
_TOKEN = re.compile(
    r"\s*(?:"
    # A point that begins `..` is no decimal point.
    r"(?P<number>(?:[0-9]+(?:\.(?!\.)[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    rf"|(?P<name>{NAME.pattern})"
    r"|(?P<quoted>`(?:[^`]|``)*+`)"
    r"|(?P<symbol>->|→|\.\.|<=|>=|≤|≥|==|[-+<>=,\[\]])"
    r"|(?P<end>\Z))"
)
SPELLINGS = {"≤": "<=", "≥": ">=", "→": "->", "==": "="}
SIGNS: dict[str, dict[str, Any]] = {
    "positive": {"low": 0.0, "is_low_open": True},
    "negative": {"high": 0.0, "is_high_open": True},
    "nonnegative": {"low": 0.0},
    "nonpositive": {"high": 0.0},
}
INFINITIES = ("inf", "infinity", "oo")
EXAMPLES = (
    "y > 0, 0 <= y <= 1 for t in 0..inf, increasing in t, decreasing in x for x in 0..10, y = 0 at x = 0, "
    "y -> 0 for t -> inf, even in x, odd in x, symmetric in a, b, convex in x"
)
EXPECTED_START = f"a statement such as one of: {EXAMPLES}"


def read_constraint(text: str) -> Constraint:
    """The constraint that a text states; InvalidSettings says where it cannot be read."""
    if not isinstance(text, str):
        raise InvalidSettings(f"a constraint must be a text such as 'y > 0', got {text!r:.80}")
    if len(text) > MOST_CHARACTERS:
        raise InvalidSettings(f"a constraint has at most {MOST_CHARACTERS} characters, got {len(text)}")
    return _Reader(text).constraint()


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    position = 0
    while not tokens or tokens[-1].kind != "end":
        match = _TOKEN.match(text, position)
        if match is None:
            start = position + len(text[position:]) - len(text[position:].lstrip())
            raise _error(text, start, f"unexpected character {text[start]!r}; put unusual names in `backticks`")
        kind = str(match.lastgroup)
        tokens.append(Token(kind, SPELLINGS.get(match[kind], match[kind]), match.start(kind)))
        position = match.end()
    return tokens


def _error(text: str, start: int, message: str) -> InvalidSettings:
    return InvalidSettings(f"the constraint {shorten(text.strip())!r}: {message} (position {start + 1})")


class _Reader:
    """A text and the place up to which it is read."""

    def __init__(self, text: str) -> None:
        self._text, self._tokens, self._place = text, _tokens(text), 0

    def constraint(self) -> Constraint:
        """The whole statement."""
        stated = self._statement()
        if self._takes_word("for", "where", "if"):
            stated = replace(stated, region=self._region())
        if self._next.kind != "end":
            raise self._unexpected("the end, or `for` and a range such as x in 0..10")
        return replace(stated, text=" ".join(self._text.split()))

    @property
    def _next(self) -> Token:
        return self._tokens[self._place]

    def _unexpected(self, expected: str) -> InvalidSettings:
        found = "the end" if self._next.kind == "end" else repr(shorten(self._next.text))
        return _error(self._text, self._next.start, f"expected {expected}, found {found}")

    def _takes_word(self, *words: str) -> str:
        """The next word where it is one of those; it is read then."""
        token = self._next
        if token.kind != "name" or token.text not in words:
            return ""
        self._place += 1
        return token.text

    def _takes_symbol(self, *symbols: str) -> str:
        if not self._next.is_symbol(*symbols):
            return ""
        self._place += 1
        return self._tokens[self._place - 1].text

    def _symbol(self, *symbols: str) -> str:
        taken = self._takes_symbol(*symbols)
        if not taken:
            raise self._unexpected(" or ".join(map(repr, symbols)))
        return taken

    def _statement(self) -> Constraint:
        if self._starts_number():
            return self._bounds_after_number()
        if self._is_shape():
            return self._shape("")
        if self._next.kind not in ("name", "quoted"):
            raise self._unexpected(EXPECTED_START)
        subject = self._name("the target")
        if self._takes_word("is"):
            return self._shape(subject)
        sign = self._symbol("<", "<=", ">", ">=", "=", "->")
        if sign == "->":
            return self._limit(subject)
        if sign == "=":
            return self._value(subject)
        return Constraint(self._text, "bounds", subject, **_bound(sign, self._number()))

    def _is_shape(self) -> bool:
        """Whether a shape or a sign stands here; a column of that name would be followed by a comparison."""
        following = self._tokens[min(self._place + 1, len(self._tokens) - 1)]
        is_compared = following.is_symbol("<", "<=", ">", ">=", "=", "->")
        is_word = self._next.kind == "name" and self._next.text in (*SHAPES, "symmetric", *SIGNS)
        return is_word and not is_compared

    def _shape(self, subject: str) -> Constraint:
        word = self._takes_word(*SHAPES, "symmetric", *SIGNS)
        if not word:
            raise self._unexpected(f"one of {', '.join((*SHAPES, 'symmetric', *SIGNS))}")
        if word in SIGNS:
            return Constraint(self._text, "bounds", subject, **SIGNS[word])
        if not self._takes_word("in"):
            raise self._unexpected("`in` and a column")
        columns = [self._name("a column")]
        while word == "symmetric" and (self._takes_symbol(",") or self._takes_word("and")):
            columns.append(self._name("a column"))
        if word == "symmetric" and len(columns) > 2:
            raise _error(self._text, 0, "symmetric takes one column, or two that may be exchanged")
        if len(columns) == 2 and columns[0] == columns[1]:
            raise _error(self._text, 0, "the two columns are the same; name two different ones")
        kind = "even" if word == "symmetric" and len(columns) == 1 else word
        return Constraint(self._text, kind, subject, tuple(columns))

    def _bounds_after_number(self) -> Constraint:
        first = self._number()
        sign = self._symbol("<", "<=", ">", ">=")
        subject = self._name("the target")
        bounds = _bound({"<": ">", "<=": ">=", ">": "<", ">=": "<="}[sign], first)
        second = self._takes_symbol("<", "<=", ">", ">=")
        if second:
            if second[0] != sign[0]:
                raise self._unexpected(f"a second comparison in the same direction as {sign!r}")
            bounds |= _bound(second, self._number())
        return Constraint(self._text, "bounds", subject, **bounds)

    def _value(self, subject: str) -> Constraint:
        value = self._finite("the value")
        if not self._takes_word("at", "for", "where"):
            raise self._unexpected("`at` and a point such as x = 0")
        point = [self._coordinate()]
        while self._takes_symbol(",") or self._takes_word("and"):
            point.append(self._coordinate())
        if len({name for name, _ in point}) < len(point):
            raise _error(self._text, 0, "a column is set twice")
        return Constraint(self._text, "value", subject, value=value, point=tuple(point))

    def _coordinate(self) -> tuple[str, float]:
        name = self._name("a column")
        self._symbol("=")
        return name, self._finite("a number")

    def _limit(self, subject: str) -> Constraint:
        value = self._number()
        if not self._takes_word("for", "as", "when", "if"):
            raise self._unexpected("`for` and where a column goes, such as t -> inf")
        name = self._name("a column")
        self._symbol("->")
        return Constraint(self._text, "limit", subject, (name,), value=value, end=self._number())

    def _region(self) -> tuple[tuple[str, float, float], ...]:
        ranges = [self._range()]
        while self._takes_symbol(",") or self._takes_word("and"):
            ranges.append(self._range())
        if len({name for name, _, _ in ranges}) < len(ranges):
            raise _error(self._text, 0, "a column has two ranges")
        return tuple(ranges)

    def _range(self) -> tuple[str, float, float]:
        name, low, high = self._name("a column"), -math.inf, math.inf
        sign = self._takes_symbol("<", "<=", ">", ">=")
        if sign:
            edge = self._number()
            low, high = (edge, high) if sign[0] == ">" else (low, edge)
        else:
            if not self._takes_word("in"):
                raise self._unexpected("`in` and a range such as 0..10, or a comparison such as > 0")
            bracket = self._takes_symbol("[")
            low = self._number()
            self._symbol(*((",", "..") if bracket else ("..",)))
            high = self._number()
            if bracket:
                self._symbol("]")
        if not low < high:
            raise _error(self._text, 0, f"the range {low:g}..{high:g} of {shorten(name)!r} is empty")
        return name, low, high

    def _name(self, what: str) -> str:
        token = self._next
        if token.kind not in ("name", "quoted"):
            raise self._unexpected(what)
        self._place += 1
        return token.text[1:-1].replace("``", "`") if token.kind == "quoted" else token.text

    def _starts_number(self) -> bool:
        is_infinite = self._next.kind == "name" and self._next.text in INFINITIES
        return is_infinite or self._next.kind == "number" or self._next.is_symbol("-", "+")

    def _number(self) -> float:
        sign = -1.0 if self._takes_symbol("-", "+") == "-" else 1.0
        if self._takes_word(*INFINITIES):
            return sign * math.inf
        if self._next.kind != "number":
            raise self._unexpected("a number")
        self._place += 1
        return sign * float(self._tokens[self._place - 1].text)

    def _finite(self, what: str) -> float:
        value = self._number()
        if not math.isfinite(value):
            self._place -= 1
            raise self._unexpected(f"{what}, a finite number; for infinity write y -> 0 for t -> inf")
        return value


def _bound(sign: str, value: float) -> dict[str, Any]:  # the fields of a `Constraint` that a comparison sets
    if sign[0] == ">":
        return {"low": value, "is_low_open": sign == ">"}
    return {"high": value, "is_high_open": sign == "<"}


def read_constraints(texts: Sequence[str]) -> tuple[Constraint, ...]:
    """The constraints of some texts, each once."""
    return tuple(dict.fromkeys(read_constraint(text) for text in texts))
