"""The one table of operators. Everything that depends on an operator is derived from its row."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

import numpy as np

# Leaf codes come first; operators follow in table order. Codes stay inside the process, files store names.
VARIABLE = 0
CONSTANT = 1
HOLE = 2
NUM_LEAF_CODES = 3

# Bits of an operator in a law: arithmetic, a function that scientists write often, any other function.
PLAIN_BITS, COMMON_BITS, RARE_BITS = 4.0, 6.0, 9.0


@dataclass(frozen=True)
class Inverse:
    """How one operand is found from the value `v` and the other operand.

    branches: texts, the principal one first; every operand that leads to `v` is one of them, or periods away from one.
    low, high: no operand leads to a value outside them.
    """

    branches: tuple[str, ...]
    low: float = -math.inf
    high: float = math.inf
    period: float = 0.0


@dataclass(frozen=True)
class Operator:
    """One operator, in the order in which a row gives it.

    value: text in the operands `a` and `b`, of numbers, + - * / **, `x if a > b else y`, and numpy's functions, or
        those that Python's math and scipy.special share, as `erf`.
    partials: its derivative by each operand; these texts may also use the value `v`.
    weight: how often random expressions and search paths use it, roughly as often as scientists write it.
    inverses: how each operand is found from the value; empty where it cannot be.
    argument: what constants below it have to lead to: any number, or an argument of a "wave", of "growth", of a
        "sigmoid", one in the "unit" interval, a "positive" one or one other than 0 ("nonzero").
    bits: what it costs in the description of a law.
    parity: +1 when f(-a) = f(a), -1 when f(-a) = -f(a), else 0.

    The name of an operator that a user defines is its definition, `sech(x) = 1/cosh(x)`; it has no texts of its own.
    """

    name: str
    arity: int
    value: str
    partials: tuple[str, ...]
    weight: float
    inverses: tuple[Inverse, ...] = ()
    argument: str = "any"
    bits: float = RARE_BITS
    commutes: bool = False
    parity: int = 0

    @property
    def label(self) -> str:
        """The word that formulas write for it."""
        return self.name.partition("(")[0]


def _undone(*branches: str, low: float = -math.inf, high: float = math.inf, period: float = 0.0) -> tuple[Inverse]:
    """The inverse of a unary operator."""
    return (Inverse(branches, low, high, period),)


def _undone_by(left: str, right: str) -> tuple[Inverse, Inverse]:
    """The inverses of a binary operator, one branch each."""
    return Inverse((left,)), Inverse((right,))


_TURN, _QUARTER = 2.0 * math.pi, 0.5 * math.pi

OPERATORS: tuple[Operator, ...] = (
    Operator("add", 2, "a + b", ("1.0", "1.0"), 8.0, _undone_by("v - b", "v - a"), bits=PLAIN_BITS, commutes=True),
    Operator("sub", 2, "a - b", ("1.0", "-1.0"), 5.0, _undone_by("v + b", "a - v"), bits=PLAIN_BITS),
    Operator("mul", 2, "a * b", ("b", "a"), 12.0, _undone_by("v / b", "v / a"), bits=PLAIN_BITS, commutes=True),
    Operator("div", 2, "a / b", ("1.0 / b", "-v / b"), 7.0, _undone_by("v * b", "a / v"), "nonzero", PLAIN_BITS),
    # The floor under log keeps 0^b differentiable in b: 0 * log(0) would be NaN where the limit is 0.
    Operator("pow", 2, "a ** b", ("b * a ** (b - 1.0)", "v * log(maximum(abs(a), 5e-324))"), 0.3,
             _undone_by("v ** (1.0 / b)", "log(v) / log(a)"), "positive", PLAIN_BITS),
    Operator("neg", 1, "-a", ("-1.0",), 0.3, _undone("-v"), bits=PLAIN_BITS),
    Operator("inv", 1, "1.0 / a", ("-v * v",), 0.6, _undone("1.0 / v"), "nonzero", PLAIN_BITS),
    Operator("sq", 1, "a * a", ("2.0 * a",), 3.0, _undone("sqrt(v)", "-sqrt(v)", low=0.0), bits=PLAIN_BITS),
    Operator("cube", 1, "a * a * a", ("3.0 * a * a",), 1.0, _undone("cbrt(v)"), bits=PLAIN_BITS),
    Operator("sqrt", 1, "sqrt(a)", ("0.5 / v",), 1.6, _undone("v * v", low=0.0), "positive", PLAIN_BITS),
    Operator("exp", 1, "exp(a)", ("v",), 1.6, _undone("log(v)", low=0.0), "growth", COMMON_BITS),
    Operator("log", 1, "log(a)", ("1.0 / a",), 1.2, _undone("exp(v)"), "positive", COMMON_BITS),
    Operator("sin", 1, "sin(a)", ("cos(a)",), 1.4,
             _undone("arcsin(v)", "pi - arcsin(v)", low=-1.0, high=1.0, period=_TURN), "wave", COMMON_BITS, parity=-1),
    Operator("cos", 1, "cos(a)", ("-sin(a)",), 1.4,
             _undone("arccos(v)", "-arccos(v)", low=-1.0, high=1.0, period=_TURN), "wave", COMMON_BITS, parity=1),
    Operator("tan", 1, "tan(a)", ("1.0 + v * v",), 0.4, _undone("arctan(v)", period=math.pi), "wave", parity=-1),
    Operator("tanh", 1, "tanh(a)", ("1.0 - v * v",), 0.5, _undone("arctanh(v)", low=-1.0, high=1.0), "sigmoid",
             parity=-1),
    Operator("atan", 1, "arctan(a)", ("1.0 / (1.0 + a * a)",), 0.4, _undone("tan(v)", low=-_QUARTER, high=_QUARTER),
             "sigmoid", parity=-1),
    Operator("abs", 1, "abs(a)", ("copysign(1.0, a)",), 0.2, _undone("v", "-v", low=0.0), parity=1),
    Operator("asin", 1, "arcsin(a)", ("1.0 / sqrt(1.0 - a * a)",), 0.1, _undone("sin(v)", low=-_QUARTER, high=_QUARTER),
             "unit", parity=-1),
    Operator("acos", 1, "arccos(a)", ("-1.0 / sqrt(1.0 - a * a)",), 0.1, _undone("cos(v)", low=0.0, high=math.pi),
             "unit"),
    Operator("sinh", 1, "sinh(a)", ("cosh(a)",), 0.15, _undone("arcsinh(v)"), "growth", parity=-1),
    Operator("cosh", 1, "cosh(a)", ("sinh(a)",), 0.15, _undone("arccosh(v)", "-arccosh(v)", low=1.0), "growth",
             parity=1),
)  # fmt: skip

NAMES: tuple[str, ...] = tuple(operator.name for operator in OPERATORS)
# name -> code; definitions of users join when they are first met.
CODES: dict[str, int] = {name: NUM_LEAF_CODES + index for index, name in enumerate(NAMES)}
NUM_CODES = NUM_LEAF_CODES + len(OPERATORS)

# Codes above the table's are kept for operators that users define, those of one operand first. Compiled code knows
# their arity; what they compute is written out in the table's operators before anything is evaluated.
MOST_DEFINED = 256

# arity by code, leaves and reserved codes included
ARITY = np.array(
    [0] * NUM_LEAF_CODES + [operator.arity for operator in OPERATORS] + [1] * MOST_DEFINED + [2] * MOST_DEFINED,
    dtype=np.int64,
)
COMMUTES = np.zeros(len(ARITY), dtype=np.bool_)
COMMUTES[NUM_LEAF_CODES:NUM_CODES] = [operator.commutes for operator in OPERATORS]
PARITY = np.zeros(len(ARITY), dtype=np.int64)
PARITY[NUM_LEAF_CODES:NUM_CODES] = [operator.parity for operator in OPERATORS]

# Who defines an operator expects it in the law: such operators are used as often as squares and cost what sines do.
DEFINED_WEIGHT, DEFINED_BITS = 3.0, COMMON_BITS
_DEFINED: dict[int, Operator] = {}
_defining = threading.Lock()


def operator_of(code: int) -> Operator:
    """The operator that stands behind a code of an expression."""
    return OPERATORS[code - NUM_LEAF_CODES] if code < NUM_CODES else _DEFINED[code]


def operator_named(name: str) -> Operator:
    """The row of an operator, or what stands for one that a user has defined."""
    return operator_of(CODES[name])


def register(definition: str, arity: int, parity: int = 0) -> Operator:
    """The operator that a definition means; the same text has the same code for the life of the process.

    parity: as in `Operator`.  OverflowError when all codes of that arity are taken.
    """
    with _defining:
        if definition not in CODES:
            first = NUM_CODES + (arity - 1) * MOST_DEFINED
            used = sum(operator.arity == arity for operator in _DEFINED.values())
            if used == MOST_DEFINED:
                raise OverflowError(f"one process can define {MOST_DEFINED} operators of {arity} operand(s), no more")
            code = first + used
            _DEFINED[code] = Operator(definition, arity, "", (), DEFINED_WEIGHT, bits=DEFINED_BITS, parity=parity)
            PARITY[code] = parity
            CODES[definition] = code
    return operator_named(definition)
