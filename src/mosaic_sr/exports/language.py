"""`Language`: what the one writer of programs has to know about a programming language."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mosaic_sr.exports.identifiers import Words
from mosaic_sr.expressions.grammar import ATOM_PRECEDENCE, SIGN_PRECEDENCE
from mosaic_sr.expressions.printing import Piece


class Argument(NamedTuple):
    """A variable of a function, and the column whose values it takes."""

    identifier: str
    column: str


# The source of a function of that name, of those arguments, that returns that expression.
FunctionWriter = Callable[[str, Sequence[Argument], str], str]
PowerWriter = Callable[[Piece, Piece], Piece]


@dataclass(frozen=True)
class Language:
    """One language, as a row of a table.

    number: the literal of a number.
    power: how `a` to the power of `b` is written.
    functions: what it calls the functions of operator rows, which have numpy's names. A text with `{}` is a pattern.
    choice: the pattern of `x if test else y`, given test, x and y.
    words: what may be the name of a variable; the functions that a law calls are reserved besides.
    function_words: words that a variable may have, but a function may not.
    law: the source of the law.
    function: the source of a function that an operator is written as; None where the language has none, so that such
        operators are written out in place.
    helpers: functions that it lacks, by name; they are added where a text calls them.
    preamble: what stands above all, given the text below.
    symbols: what stands between operands, spaces included, where it is not the sign of the formula.
    number_argument: the pattern of a number among the arguments of a function.
    comment: the pattern of a comment; empty where it has none.
    sign_operand: how tightly the operand of a sign must bind to go without parentheses.
    most_letters: the longest text that it takes; 0 for no limit.
    blank: what stands between functions.
    is_law_first: whether the law stands above the functions that it calls.
    """

    name: str
    number: Callable[[float], Piece]
    power: PowerWriter
    functions: Mapping[str, str]
    choice: str
    words: Words
    law: FunctionWriter
    function: FunctionWriter | None = None
    function_words: frozenset[str] = frozenset()
    helpers: Mapping[str, str] = field(default_factory=dict)
    preamble: Callable[[str], str] = lambda text: ""
    symbols: Mapping[str, str] = field(default_factory=dict)
    number_argument: str = "{}"
    comment: str = "# {}"
    sign_operand: int = SIGN_PRECEDENCE
    most_letters: int = 0
    blank: str = "\n\n"
    is_law_first: bool = False


def literal(text: str, value: float) -> Piece:
    """A number by its text."""
    return Piece(text, SIGN_PRECEDENCE if text.startswith("-") else ATOM_PRECEDENCE, value)


def digits(infinity: str, not_a_number: str, has_point: bool = True) -> Callable[[float], Piece]:
    """What writes a number by the fewest digits that give the same 64 bits.

    has_point: whether whole numbers keep `.0`, without which some languages would compute in integers.
    """

    def number(value: float) -> Piece:
        if math.isnan(value):
            return literal(not_a_number, value)
        if math.isinf(value):
            return literal(infinity if value > 0 else f"-{infinity}", value)
        return literal(repr(value) if has_point else repr(value).removesuffix(".0"), value)

    return number


def exponent_text(exponent: Piece) -> str:
    """The right operand of a power: a literal may keep its sign, all that is not one word or call has parentheses."""
    return exponent.within(ATOM_PRECEDENCE if exponent.number is None else SIGN_PRECEDENCE)


def called(prefix: str, names: Iterable[str], renamed: Mapping[str, str] | None = None) -> dict[str, str]:
    """Functions under a prefix such as `np.`, those with another word as `renamed` says."""
    return {name: prefix + (renamed or {}).get(name, name) for name in names}
