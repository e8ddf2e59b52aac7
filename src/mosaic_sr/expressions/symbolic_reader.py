"""Reads sympy trees into expressions by the names of sympy's classes; it needs no import of sympy itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.grammar import OPERATOR_OF_POWER
from mosaic_sr.expressions.rows import CALLS
from mosaic_sr.operators import operator_named

Columns = Mapping[str, int]

# sympy's functions that are one of ours inverted, or one of ours of the inverted argument
INVERSES = {"cot": "tan", "sec": "cos", "csc": "sin", "coth": "tanh", "sech": "cosh", "csch": "sinh"}
INVERSE_ARGUMENTS = {"acot": "atan", "asec": "acos", "acsc": "asin"}

# A rational factor with larger parts is a decimal number that sympy made exact, not a fraction somebody wrote.
MAX_FRACTION = 1000

# Functions whose names in sympy are other words than numpy's.
SYMPY_NAMES = {"abs": "Abs", "maximum": "Max", "minimum": "Min"}


def read(tree: Any, columns: Columns) -> Expression:
    """The expression of a sympy tree whose symbols are called as the keys of `columns`."""
    if tree.is_Symbol:
        if tree.name not in columns:
            raise InvalidFormula(f"sympy's symbol '{tree.name}' is not a column")
        return variable(columns[tree.name])
    if tree.is_number and not tree.args:
        return constant(_number(tree))
    definition = getattr(type(tree), "definition", None)
    if definition is not None:
        return apply(definition, *(read(argument, columns) for argument in tree.args))
    name = type(tree).__name__
    if name not in _READERS:
        raise InvalidFormula(f"sympy's {name} has no counterpart among the operators")
    return _READERS[name](tree, columns)


def sympy_name(function: str) -> str:
    """The name that sympy has for a function that a row calls `function`."""
    return SYMPY_NAMES.get(function) or function.replace("arc", "a")


def _number(tree: Any) -> float:
    if not tree.is_extended_real:
        raise InvalidFormula(f"sympy's number {tree} is not real")
    try:
        value = float(tree)
    except OverflowError:
        value = math.inf
    if math.isinf(value) and not tree.is_infinite:
        raise InvalidFormula("a number of the sympy expression is too large for 64 bits")
    return value


def _sum(tree: Any, columns: Columns) -> Expression:
    """Positive terms first, then the negative ones subtracted."""
    negative = [term for term in tree.args if term.as_coeff_Mul()[0].is_negative]
    positive = [term for term in tree.args if term not in negative]
    if not positive:
        positive.append(negative.pop(0))
    total = reduce(_operation("add"), (read(term, columns) for term in positive))
    return reduce(_operation("sub"), (read(-term, columns) for term in negative), total)


def _product(tree: Any, columns: Columns) -> Expression:
    """One fraction: factors with negative numeric exponents stand below."""
    coefficient, rest = tree.as_coeff_Mul()
    factors = rest.args if rest.is_Mul else (rest,)
    below = [1 / factor for factor in factors if _is_inverse(factor)]
    above = [factor for factor in factors if not _is_inverse(factor)]
    top, bottom = _split(coefficient)
    is_negated = top == -1 and bool(above)
    numerator = _times(abs(top) if is_negated else top, (read(factor, columns) for factor in above))
    denominator = _times(bottom, (read(factor, columns) for factor in below))
    fraction = numerator if denominator == constant(1.0) else apply("div", numerator, denominator)
    return apply("neg", fraction) if is_negated else fraction


def _split(coefficient: Any) -> tuple[float, float]:
    """Numerator and denominator of a product's coefficient; decimals stay whole."""
    if coefficient.is_Rational and max(abs(coefficient.p), coefficient.q) <= MAX_FRACTION:
        return float(coefficient.p), float(coefficient.q)
    return _number(coefficient), 1.0


def _is_inverse(factor: Any) -> bool:
    return bool(factor.is_Pow and factor.exp.is_number and factor.exp.is_negative)


def _times(coefficient: float, factors: Iterable[Expression]) -> Expression:
    """The product, in which a coefficient of 1 is not written."""
    written = [*([] if coefficient == 1.0 else [constant(coefficient)]), *factors]
    return reduce(_operation("mul"), written) if written else constant(1.0)


def _power(tree: Any, columns: Columns) -> Expression:
    base = read(tree.base, columns)
    if not tree.exp.is_number or tree.exp.args:
        return apply("pow", base, read(tree.exp, columns))
    exponent = _number(tree.exp)
    if exponent in OPERATOR_OF_POWER:
        return apply(OPERATOR_OF_POWER[exponent], base)
    if -exponent in OPERATOR_OF_POWER:
        return apply("inv", apply(OPERATOR_OF_POWER[-exponent], base))
    return apply("pow", base, constant(exponent))


def _operation(name: str) -> Callable[[Expression, Expression], Expression]:
    return lambda first, second: apply(name, first, second)


def _function(name: str) -> Callable[[Any, Columns], Expression]:
    """A call; sympy's largest and smallest of many are ours of two and two."""
    if operator_named(name).arity == 1:
        return lambda tree, columns: apply(name, read(tree.args[0], columns))
    return lambda tree, columns: reduce(_operation(name), (read(argument, columns) for argument in tree.args))


def _inverse_of(name: str) -> Callable[[Any, Columns], Expression]:
    return lambda tree, columns: apply("inv", apply(name, read(tree.args[0], columns)))


def _at_inverse(name: str) -> Callable[[Any, Columns], Expression]:
    return lambda tree, columns: apply(name, apply("inv", read(tree.args[0], columns)))


def _sign(tree: Any, columns: Columns) -> Expression:
    operand = read(tree.args[0], columns)
    return apply("div", operand, apply("abs", operand))


# name of sympy's class -> reader
_READERS: dict[str, Callable[[Any, Columns], Expression]] = {
    "Add": _sum,
    "Mul": _product,
    "Pow": _power,
    "sign": _sign,
    **{sympy_name(called): _function(name) for name, called in CALLS.items()},
    **{inverse: _inverse_of(name) for inverse, name in INVERSES.items()},
    **{inverse: _at_inverse(name) for inverse, name in INVERSE_ARGUMENTS.items()},
}
