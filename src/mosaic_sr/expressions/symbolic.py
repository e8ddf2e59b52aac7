"""The bridge to sympy, both ways; the only importer of sympy, and only once a function here is called.

sympy's own work may take for ever, so it is done by `SymbolicWorker` in a child process. What happens here in this
process is building trees, with a bound on the size of the exact numbers that building computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.definitions import body_of, parameters_of
from mosaic_sr.expressions.expression import Expression, apply, constant
from mosaic_sr.expressions.grammar import POWER
from mosaic_sr.expressions.parser import parse
from mosaic_sr.expressions.rows import CALLS, CHOICE, INFIX, POWERS, SYMBOLIC, TREES, compute, numpy_value
from mosaic_sr.expressions.simple_numbers import closed_form
from mosaic_sr.expressions.symbolic_client import SymbolicWorker, shared_worker
from mosaic_sr.expressions.symbolic_reader import read, sympy_name
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import Operator, operator_named

__all__ = [
    "SymbolicWorker",
    "closed_number",
    "from_sympy",
    "plain_number",
    "real_symbol",
    "seed_sympy",
    "shared_worker",
    "to_sympy",
]

# (2*x)^n makes sympy compute 2^n exactly; this many bits take milliseconds.
MAX_BITS = 1_000_000.0
FUNCTION_BITS = 64.0


@dataclass(frozen=True)
class _Term:
    """A subtree in sympy, a bound on the bits of its exact numbers, and its IEEE value when it reads no column."""

    tree: Any
    bits: float
    value: float | None = None


def to_sympy(
    expression: Expression,
    names: Sequence[str],
    symbol: Callable[[str], Any] | None = None,
    number: Callable[[float], Any] | None = None,
) -> Any:
    """The sympy tree over symbols called exactly `names`, whatever these mean to sympy's own parser.

    symbol: makes the symbol of a name, by default without assumptions.
    number: makes the number of a constant, by default `plain_number`.
    """
    import sympy

    make_symbol, make_number = symbol or sympy.Symbol, number or plain_number

    def node(operator: Operator, operands: list[_Term]) -> _Term:
        return _node(operator, operands, make_number)

    def constant(value: float) -> _Term:
        if math.isnan(value):
            raise InvalidFormula("the formula has unfitted constants; fit them before conversion to sympy")
        return _Term(make_number(value), _bits_of(value), value)

    def hole() -> _Term:
        raise InvalidFormula("the formula has variable holes; bind them before conversion to sympy")

    try:
        return expression.fold(node, lambda column: _Term(make_symbol(names[column]), 1.0), constant, hole).tree
    except RecursionError:
        raise InvalidFormula("the formula is nested too deeply for sympy") from None


def plain_number(value: float) -> Any:
    """The number as sympy shows it best: exact integers as Integer, the rest as Float of the same bits."""
    import sympy

    if not math.isfinite(value):
        return sympy.nan if math.isnan(value) else sympy.oo * int(math.copysign(1, value))
    return sympy.Integer(int(value)) if value.is_integer() and abs(value) < 2**53 else sympy.Float(value)


def closed_number(value: float) -> Any:
    """The number in closed form where it has one, such as 1/3 and 2*pi, else as `plain_number`."""
    import sympy

    form = closed_form(value)
    if form is None:
        return plain_number(value)
    special = {math.pi: sympy.pi, math.e: sympy.E}
    tree = to_sympy(parse(form.text, ()), (), number=lambda part: special.get(part, plain_number(part)))
    return -tree if value < 0 else tree


def real_symbol(name: str) -> Any:
    """A symbol for the values that columns have."""
    import sympy

    return sympy.Symbol(name, real=True)


def seed_sympy() -> None:
    """Make what sympy draws at random repeatable."""
    from sympy.core.random import seed

    seed(0)


def from_sympy(tree: Any, names: Sequence[str]) -> Expression:
    """The expression that a sympy tree over symbols called `names` means; `InvalidFormula` when there is none."""
    import sympy

    if not isinstance(tree, sympy.Basic):
        raise InvalidFormula(f"expected a sympy expression, got {type(tree).__name__}")
    try:
        return read(tree, {name: column for column, name in enumerate(names)})
    except RecursionError:
        raise InvalidFormula("the sympy expression is nested too deeply") from None


def _node(operator: Operator, operands: list[_Term], number: Callable[[float], Any]) -> _Term:
    bits, value = _bits(operator, operands), _value(operator, operands)
    if value is not None and (bits > MAX_BITS or value == 0.0 or not math.isfinite(value)):
        return _Term(number(value), _bits_of(value), value)
    if bits > MAX_BITS:
        raise InvalidFormula("the formula has powers too large for exact arithmetic")
    trees = dict(zip("ab", (operand.tree for operand in operands), strict=False))
    if operator.name not in TREES:
        return _Term(defined_function(operator.name)(*trees.values()), bits, value)
    return _Term(compute(TREES[operator.name], trees, plain_number, _sympy_function), bits, value)


@cache
def defined_function(definition: str) -> Any:
    """A function of sympy's for a defined operator: printed by its name, with the values and slopes of its formula.

    sympy's `expand_func` puts the formula in its place.
    """
    import sympy

    names = parameters_of(definition)
    symbols = [sympy.Dummy(name) for name in names]
    formula = to_sympy(body_of(definition), names, dict(zip(names, symbols, strict=True)).__getitem__, closed_number)

    def put_in(operands: Sequence[Any], tree: Any) -> Any:
        return tree.subs(dict(zip(symbols, operands, strict=True)), simultaneous=True)

    members = {
        "nargs": len(names),
        "definition": definition,
        "_imp_": staticmethod(sympy.lambdify(symbols, formula)),
        "_eval_expand_func": lambda call, **hints: put_in(call.args, formula),
        "fdiff": lambda call, argindex=1: put_in(call.args, formula.diff(symbols[argindex - 1])),
        "_eval_evalf": lambda call, prec: put_in(call.args, formula)._eval_evalf(prec),
    }
    return type(operator_named(definition).label, (sympy.Function,), members)


def _sympy_function(called: str) -> Callable[..., Any]:
    """What sympy has for a function of a row."""
    import sympy

    if called == CHOICE:
        return lambda test, first, second: sympy.Piecewise((first, test), (second, True))
    return getattr(sympy, sympy_name(called))  # type: ignore[no-any-return]


def _value(operator: Operator, operands: list[_Term]) -> float | None:
    """What the kernel would compute, where no column is involved."""
    if any(operand.value is None for operand in operands):
        return None
    numbers = [operand.value for operand in operands if operand.value is not None]
    if operator.name not in TREES:
        return float(evaluate_expression(apply(operator.name, *map(constant, numbers)), np.empty((0, 1)))[0])
    with np.errstate(all="ignore"):
        return float(numpy_value(TREES[operator.name], dict(zip("ab", map(np.float64, numbers), strict=False))))


def _bits(operator: Operator, operands: list[_Term]) -> float:
    """A bound on the bits of the exact numbers in the result."""
    if operator.name == POWER and operands[1].value is not None:
        return operands[0].bits * max(1.0, abs(operands[1].value))
    if operator.name not in SYMBOLIC or operator.name == POWER or operator.name in CALLS:
        return FUNCTION_BITS + sum(operand.bits for operand in operands)
    if INFIX.get(operator.name) in ("+", "-"):
        return 1.0 + max(operand.bits for operand in operands)
    return max(1.0, abs(POWERS.get(operator.name, 1.0))) * sum(operand.bits for operand in operands)


def _bits_of(value: float) -> float:
    return FUNCTION_BITS + (abs(math.log2(abs(value))) if value and math.isfinite(value) else 0.0)
