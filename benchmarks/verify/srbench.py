"""SRBench's published test of symbolic equality, step by step, with its known failures on tiny constants.

Numbers below 1e-4 become 0, others keep three digits; a free factor and a free additive constant are forgiven.
"""

from __future__ import annotations

import atexit
import math
import re
from collections.abc import Sequence

import sympy

from benchmarks.verify.rows import Arithmetic
from benchmarks.worker import Failure, Worker
from mosaic_sr import InvalidFormula, parse

DEFAULT_TIMEOUT = 60.0
START_TIMEOUT = 120.0
LEAST_R2 = 0.5
SMALLEST = 1e-4
DIGITS = 3
OTHER_NAMES = {"abs": "Abs", "maximum": "Max", "minimum": "Min"}
# The protocol replaces the letters `pi` by this number.
PI = "3.1415926535"
FLOAT_LITERAL = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE][+-]?\d))(?:[eE][+-]?\d+)?")


def verify_srbench(
    truth: str, prediction: str, names: Sequence[str], r2: float, timeout: float = DEFAULT_TIMEOUT
) -> bool:
    """Whether SRBench counts the prediction as a symbolic solution; r2 is its score on the test rows."""
    if not r2 > LEAST_R2:
        return False
    try:
        parse(prediction, names)
    except InvalidFormula:
        return False
    try:
        return bool(_WORKER.call(is_solution, truth, prediction, tuple(names), limit=timeout))
    except Failure:
        # An exception anywhere in the protocol counts as failure; here it ends the child process.
        return False


def is_solution(truth: str, prediction: str, names: Sequence[str]) -> bool:
    """The protocol itself. It can hang and raise anything that sympy raises: to be run in a child process."""
    true_model = round_floats(to_tree(truth, names))
    model = sympy.simplify(round_floats(to_tree(prediction, names)), ratio=1)
    difference, fraction = round_floats(true_model - model), round_floats(model / true_model)
    if not difference.is_constant():
        difference = round_floats(sympy.simplify(difference, ratio=1))
    if str(model) in ("0", "nan"):
        return False
    return str(difference) == "0" or bool(difference.is_constant()) or bool(fraction.is_constant())


def round_floats(tree: sympy.Expr) -> sympy.Expr:
    """The tree with its floats, one after the other, set to 0 or rounded to three decimals and three digits."""
    rounded = tree
    for number in sympy.preorder_traversal(tree):
        if isinstance(number, sympy.Float):
            short = sympy.Float(round(number, DIGITS), DIGITS) if abs(number) >= SMALLEST else sympy.Integer(0)
            rounded = rounded.subs(number, short)
    return rounded


def to_tree(text: str, names: Sequence[str]) -> sympy.Expr:
    """The formula for sympy: whole numbers are exact unless spelled as floats, symbols have no assumptions."""
    floats = {float(literal) for literal in FLOAT_LITERAL.findall(text)}
    return parse(text, names).fold(
        node=lambda operator, operands: IN_SYMPY.function(operator.value)(operands[0], operands[-1]),
        variable=lambda column: sympy.Symbol(f"x{column}"),
        constant=lambda value: _number(value, abs(value) in floats),
    )


def _number(value: float, is_float: bool = False) -> sympy.Expr:
    if abs(value) == math.pi:
        return sympy.Float(PI) * (1 if value > 0 else -1)
    return sympy.Integer(int(value)) if value.is_integer() and not is_float else sympy.Float(value)


def _call(name: str, *arguments: sympy.Expr) -> sympy.Expr:
    # Roots and logarithms of negative numbers are protected.
    if name in ("log", "sqrt") and isinstance(arguments[0], sympy.Float) and arguments[0] < 0:
        arguments = (sympy.Abs(arguments[0]),)
    return getattr(sympy, OTHER_NAMES.get(name, name))(*arguments)


IN_SYMPY = Arithmetic(_number, _call, lambda a, b: a / b, lambda a, b: a**b)


def _prepare() -> None:
    """Pay for the first simplification before the clock starts."""
    sympy.simplify(sympy.Symbol("x0") + 1)


_WORKER = Worker(_prepare, limit=START_TIMEOUT)
atexit.register(_WORKER.stop)
