"""`Sum`: a formula as nested sums of terms, each a number times powers; order and division are left to who writes it.

A product is a sum of one term, a number a sum of one term without factors. What stands in a power is a column, a call
of a function, or a sum that is not multiplied out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.rows import POWERS
from mosaic_sr.operators import Operator
from mosaic_sr.writing.numbers import Unwritable, clean

# What is added up from parts vanishes below this share of them: rounding is all that is left.
VANISHED = 1e-13


class Column:
    """A leaf that reads a column."""

    __slots__ = ("_hash", "index", "key")

    def __init__(self, index: int) -> None:
        self.index, self.key = index, f"x{index:03d}"
        self._hash = hash(self.key)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Column) and self.key == other.key)

    def __hash__(self) -> int:
        return self._hash


class Call:
    """A function of sums, such as sin(x + 1), or a power whose exponent is no number."""

    __slots__ = ("_hash", "arguments", "key", "name")

    def __init__(self, name: str, *arguments: Sum) -> None:
        self.name, self.arguments = name, arguments
        self.key = f"{name}({','.join(argument.key for argument in arguments)})"
        self._hash = hash(self.key)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Call) and self.key == other.key)

    def __hash__(self) -> int:
        return self._hash


class Sum:
    """Terms in a fixed order; equal sums have equal keys."""

    __slots__ = ("_hash", "key", "terms")

    def __init__(self, terms: tuple[Term, ...]) -> None:
        self.terms = terms
        self.key = "(" + "+".join(f"{number!r}{_key_of(factors)}" for number, factors in terms) + ")"
        self._hash = hash(self.key)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Sum) and self.key == other.key)

    def __hash__(self) -> int:
        return self._hash

    @property
    def is_number(self) -> bool:
        return not self.terms or (len(self.terms) == 1 and not self.terms[0][1])

    @property
    def number(self) -> float:
        """The value of a sum that is a number."""
        return self.terms[0][0] if self.terms else 0.0


Base: TypeAlias = Column | Call | Sum
Factor: TypeAlias = tuple[Base, float]
Factors: TypeAlias = tuple[Factor, ...]
Term: TypeAlias = tuple[float, Factors]


@lru_cache(maxsize=100_000)
def _key_of(factors: Factors) -> str:
    return "".join(f"*{base.key}" if exponent == 1.0 else f"*{base.key}^{exponent!r}" for base, exponent in factors)


def number(value: float) -> Sum:
    """The sum that is a number."""
    return Sum(((clean(value), ()),))


def column(index: int) -> Sum:
    """The sum that is a column."""
    return Sum(((1.0, ((Column(index), 1.0),)),))


def call(name: str, *arguments: Sum) -> Sum:
    """The sum that is a call."""
    return Sum(((1.0, ((Call(name, *arguments), 1.0),)),))


ONE, MINUS_ONE = number(1.0), number(-1.0)


def from_terms(terms: Iterable[Term]) -> Sum:
    """The sum of some terms, like ones merged; a whole sum that is a term by itself is opened."""
    shares: dict[Factors, list[float]] = {}
    for value, factors in terms:
        if len(factors) == 1 and isinstance(factors[0][0], Sum) and factors[0][1] == 1.0 and abs(value) == 1.0:
            for inner, deeper in factors[0][0].terms:
                shares.setdefault(deeper, []).append(value * inner)
        else:
            shares.setdefault(factors, []).append(value)
    merged = [(_added(values), factors) for factors, values in shares.items()]
    kept = [(value, factors) for value, factors in merged if value != 0.0]
    if not kept:
        return Sum(((0.0, ()),))
    return Sum(tuple(sorted(kept, key=lambda term: _key_of(term[1]))))


def _added(values: Sequence[float]) -> float:
    if len(values) == 1:
        return values[0]
    added = clean(sum(values))
    return 0.0 if abs(added) <= VANISHED * max(map(abs, values)) else added


def added(*sums: Sum) -> Sum:
    """The sum of sums."""
    return from_terms(term for one in sums for term in one.terms)


def scaled(one: Sum, value: float) -> Sum:
    """Each term times a number."""
    if value == 1.0:
        return one
    return from_terms((_times(share, value), factors) for share, factors in one.terms)


def _times(one: float, other: float) -> float:
    result = clean(one * other)
    if result == 0.0 and one != 0.0 and other != 0.0:
        raise Unwritable
    return result


def product(*sums: Sum) -> Sum:
    """The product of sums; those of several terms stay whole."""
    value, factors = 1.0, list[Factor]()
    for one in sums:
        if len(one.terms) == 1:
            value = _times(value, one.terms[0][0])
            factors += one.terms[0][1]
        else:
            factors.append((one, 1.0))
    return from_factors(value, factors)


def from_factors(value: float, factors: Iterable[Factor]) -> Sum:
    """A number times powers, those of equal bases merged."""
    exponents: dict[Base, float] = {}
    for base, exponent in factors:
        exponents[base] = clean(exponents.get(base, 0.0) + exponent)
    kept, opened = list[Factor](), list[Sum]()
    for base, exponent in exponents.items():
        if exponent == 0.0:
            continue
        if isinstance(base, Sum) and (len(base.terms) == 1 or exponent == 1.0) and exponent == int(exponent):
            # A product under a root that has met its equal, or a whole sum.
            opened.append(power(base, exponent))
        else:
            kept.append((base, exponent))
    if value == 0.0:
        return number(0.0)
    own = Sum(((value, tuple(sorted(kept, key=lambda factor: factor[0].key))),))
    if not opened:
        return own
    return _joined(own, opened)


def _joined(own: Sum, others: Sequence[Sum]) -> Sum:
    """A product with some more sums: single terms merge into it, those of several terms are factors of it."""
    value, factors = own.terms[0]
    for other in others:
        if len(other.terms) == 1:
            merged = from_factors(_times(value, other.terms[0][0]), (*factors, *other.terms[0][1]))
            value, factors = merged.terms[0] if len(merged.terms) == 1 else (1.0, ((merged, 1.0),))
        else:
            factors = tuple(sorted((*factors, (other, 1.0)), key=lambda factor: factor[0].key))
    if len(factors) == 1 and isinstance(factors[0][0], Sum) and factors[0][1] == 1.0 and abs(value) == 1.0:
        return from_terms(((value, factors),))
    return Sum(((value, factors),))


def power(base: Sum, exponent: float) -> Sum:
    """A sum to a power that is a number; roots of products stay whole, since both factors may be negative."""
    if exponent == 1.0:
        return base
    if exponent == 0.0:
        return ONE
    if len(base.terms) > 1:
        return Sum(((1.0, ((base, exponent),)),))
    value, factors = base.terms[0]
    if exponent == int(exponent):
        raised = ((inner, clean(deeper * exponent)) for inner, deeper in factors)
        return from_factors(power_of(value, exponent), raised)
    if not factors:
        return number(power_of(value, exponent))
    if value == 1.0 and len(factors) == 1 and not _is_even(factors[0][1]):
        return from_factors(1.0, [(factors[0][0], clean(factors[0][1] * exponent))])
    return Sum(((1.0, ((base, exponent),)),))


def _is_even(exponent: float) -> bool:
    return exponent % 2.0 == 0.0


def power_of(value: float, exponent: float) -> float:
    """A power of numbers that stays a real number within float64."""
    try:
        result = value**exponent
    except (ZeroDivisionError, OverflowError) as error:
        raise Unwritable from error
    if isinstance(result, complex) or (result == 0.0 and value != 0.0):
        raise Unwritable
    return clean(result)


def _power_by(base: Sum, exponent: Sum) -> Sum:
    return power(base, exponent.number) if exponent.is_number else call("pow", base, exponent)


ARITHMETIC: dict[str, Callable[..., Sum]] = {
    "add": added,
    "sub": lambda left, right: added(left, scaled(right, -1.0)),
    "mul": product,
    "div": lambda left, right: product(left, power(right, -1.0)),
    "neg": lambda operand: product(MINUS_ONE, operand),
    "pow": _power_by,
}


def from_expression(expression: Expression) -> Sum:
    """A formula as it is, its numbers folded and like terms merged; Unwritable where that leaves float64."""
    return expression.fold(_node, column, number)


def _node(operator: Operator, operands: list[Sum]) -> Sum:
    if operator.name in ARITHMETIC:
        return ARITHMETIC[operator.name](*operands)
    if operator.name in POWERS:
        return power(operands[0], POWERS[operator.name])
    return call(operator.name, *operands)
