"""Excel and LibreOffice Calc: a formula of named cells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.exports.functions import ARCS, COMMON, SHORT
from mosaic_sr.exports.identifiers import Words
from mosaic_sr.exports.language import Argument, Language, called, exponent_text, literal
from mosaic_sr.exports.source import infix_power
from mosaic_sr.expressions.grammar import ATOM_PRECEDENCE
from mosaic_sr.expressions.printing import Piece

# What Excel reads of a number that is typed, and the numbers that it holds (its specification and limits).
MOST_DIGITS = 15
SMALLEST, LARGEST = 2.2250738585072e-308, 9.99999999999999e307
# The longest formula, without its equals sign.
MOST_LETTERS = 8191
# The longest name is 255 letters.
MOST_LETTERS_OF_NAME = 240
# A1 and x1 are cells, and so are R1C1, r and c in the other way to name them.
CELLS = re.compile(r"[A-Za-z]{1,3}[0-9]+|[Rr][0-9]*([Cc][0-9]*)?|[Cc][0-9]*")


def _number(value: float) -> Piece:
    text = f"{value:.{MOST_DIGITS}g}".upper()
    if value and not SMALLEST <= abs(value) <= LARGEST:
        raise InvalidFormula(
            f"Excel has no number {value!r}: it holds numbers from {SMALLEST!r} to {LARGEST!r}; "
            "export the law in another language, such as python"
        )
    return literal(text, value)


def _power(base: Piece, exponent: Piece) -> Piece:
    return infix_power("^", base, exponent_text(exponent))


def _formula(name: str, arguments: Sequence[Argument], body: str) -> str:
    return f"={body}"


EXCEL = Language(
    name="excel",
    number=_number,
    power=_power,
    functions={
        **{name: word.upper() for name, word in called("", (*COMMON, *ARCS), SHORT).items()},
        **{"log": "LN", "floor": "INT", "ceil": "(-INT(-({})))", "trunc": "TRUNC", "abs": "ABS", "sign": "SIGN"},
        **{"maximum": "MAX", "minimum": "MIN", "log10": "LOG10", "log2": "LOG({}, 2)", "exp2": "(2^({}))"},
        **{"erf": "ERF", "erfc": "ERFC", "arctan2": "ATAN2({1}, {0})"},
    },
    choice="IF({}, {}, {})",
    words=Words(frozenset(("true", "false")), refused=CELLS, most_letters=MOST_LETTERS_OF_NAME, ignores_case=True),
    law=_formula,
    symbols={symbol: symbol for symbol in "+-*/"},
    comment="",
    sign_operand=ATOM_PRECEDENCE,  # -x^2 is the square of -x
    most_letters=MOST_LETTERS,
)
