"""The one table of operators. Everything that depends on an operator is derived from the text of its row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Leaf codes come first; operators follow in table order. Codes stay inside the process, files store names.
VARIABLE = 0
CONSTANT = 1
HOLE = 2
NUM_LEAF_CODES = 3


@dataclass(frozen=True)
class Operator:
    """One operator: `value` is text in the operands `a` and `b`; `partials` may also use the value `v`.

    parity: +1 when f(-a) = f(a), -1 when f(-a) = -f(a), else 0.
    """

    name: str
    arity: int
    value: str
    partials: tuple[str, ...]
    commutes: bool = False
    parity: int = 0


OPERATORS: tuple[Operator, ...] = (
    Operator("add", 2, "a + b", ("1.0", "1.0"), commutes=True),
    Operator("sub", 2, "a - b", ("1.0", "-1.0")),
    Operator("mul", 2, "a * b", ("b", "a"), commutes=True),
    Operator("div", 2, "a / b", ("1.0 / b", "-v / b")),
    # The floor under log keeps 0^b differentiable in b: 0 * log(0) would be NaN where the limit is 0.
    Operator("pow", 2, "a ** b", ("b * a ** (b - 1.0)", "v * log(maximum(abs(a), 5e-324))")),
    Operator("neg", 1, "-a", ("-1.0",)),
    Operator("inv", 1, "1.0 / a", ("-v * v",)),
    Operator("sq", 1, "a * a", ("2.0 * a",)),
    Operator("cube", 1, "a * a * a", ("3.0 * a * a",)),
    Operator("sqrt", 1, "sqrt(a)", ("0.5 / v",)),
    Operator("exp", 1, "exp(a)", ("v",)),
    Operator("log", 1, "log(a)", ("1.0 / a",)),
    Operator("sin", 1, "sin(a)", ("cos(a)",), parity=-1),
    Operator("cos", 1, "cos(a)", ("-sin(a)",), parity=1),
    Operator("tan", 1, "tan(a)", ("1.0 + v * v",), parity=-1),
    Operator("tanh", 1, "tanh(a)", ("1.0 - v * v",), parity=-1),
    Operator("atan", 1, "arctan(a)", ("1.0 / (1.0 + a * a)",), parity=-1),
    Operator("abs", 1, "abs(a)", ("copysign(1.0, a)",), parity=1),
    Operator("asin", 1, "arcsin(a)", ("1.0 / sqrt(1.0 - a * a)",), parity=-1),
    Operator("acos", 1, "arccos(a)", ("-1.0 / sqrt(1.0 - a * a)",)),
    Operator("sinh", 1, "sinh(a)", ("cosh(a)",), parity=-1),
    Operator("cosh", 1, "cosh(a)", ("sinh(a)",), parity=1),
)

NAMES: tuple[str, ...] = tuple(operator.name for operator in OPERATORS)
CODES: dict[str, int] = {name: NUM_LEAF_CODES + index for index, name in enumerate(NAMES)}
NUM_CODES = NUM_LEAF_CODES + len(OPERATORS)

# arity by code, leaves included: (NUM_CODES,)
ARITY = np.array([0] * NUM_LEAF_CODES + [operator.arity for operator in OPERATORS], dtype=np.int64)
COMMUTES = np.array([False] * NUM_LEAF_CODES + [operator.commutes for operator in OPERATORS])
PARITY = np.array([0] * NUM_LEAF_CODES + [operator.parity for operator in OPERATORS], dtype=np.int64)


def operator_of(code: int) -> Operator:
    """The operator that stands behind a code of an expression."""
    return OPERATORS[code - NUM_LEAF_CODES]
