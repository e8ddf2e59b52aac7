"""The words of the formula grammar and how tightly its operators bind; parser and printers share them."""

from __future__ import annotations

import math

from mosaic_sr.expressions.rows import CALLS, INFIX, POWERS, PREFIX
from mosaic_sr.operators import NAMES

# every spelling -> operator name: numpy's names, what people also write, and the rows' own names
FUNCTIONS: dict[str, str] = {
    **{called: name for name, called in CALLS.items()},
    **{"Abs": "abs", "ln": "log", "square": "sq"},
    **{name: name for name in NAMES},
}
NUMBERS: dict[str, float] = {"pi": math.pi, "e": math.e, "E": math.e}
CONSTANT_HOLE = "_"
VARIABLE_HOLE = "?"
INFINITY = "1e999"  # the one literal that may overflow

OPERATOR_OF_SYMBOL: dict[str, str] = {symbol: name for name, symbol in INFIX.items()}
OPERATOR_OF_POWER: dict[float, str] = {exponent: name for name, exponent in POWERS.items()}
(NEGATION,) = PREFIX
POWER = OPERATOR_OF_SYMBOL["^"]

PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
SIGN_PRECEDENCE = 3
ATOM_PRECEDENCE = 5
