"""`Form`: a law without its constants, which knows the forms that are equivalent to it by a common key.

Equivalent are forms that differ in the order of operands, in signs and scales that free constants take up, or in how
powers are written. Forms with a constant too many have no node: c + c is c, and c*(c + c*x) is c + c*x.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

# An operator's name, a column's number, a number, or None for a free constant.
Symbol = str | int | float | None

FREE_KEY = hash("free")
POWERS = {"inv": -1.0, "sq": 2.0, "cube": 3.0, "sqrt": 0.5}
# Functions that undo each other, or that canonical forms do not write inside each other.
POINTLESS = frozenset(
    (("exp", "log"), ("log", "exp"), ("abs", "abs"), ("abs", "neg"), ("abs", "exp"), ("abs", "sq"), ("neg", "neg"))
)
EVEN = frozenset(("cos", "cosh", "abs"))


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A form with what its keys are made of.

    terms: of a sum, each with its sign, 0 where a free factor takes it.
    factors: of a product, each as (exponent, key, key up to a factor or 0 where there is no such freedom).
    scaled_key: of a sum, its key up to a common factor; 0 where two terms fix the scale.
    is_free: whether a free factor stands before it, or it is a free constant.
    """

    symbol: Symbol
    operands: tuple[Form, ...]
    key: int
    columns: frozenset[int]
    num_constants: int
    terms: tuple[tuple[int, int], ...]
    factors: tuple[tuple[float, int, int], ...]
    scaled_key: int
    is_free: bool


@lru_cache(maxsize=None, typed=True)  # column 1 and the number 1.0 are equal keys otherwise
def leaf(symbol: int | float | None) -> Form:
    """A column, a number or a free constant."""
    if symbol is None:
        return Form(None, (), FREE_KEY, frozenset(), 1, ((0, FREE_KEY),), (), 0, True)
    if isinstance(symbol, int):
        key = hash(("column", symbol))
        return Form(symbol, (), key, frozenset((symbol,)), 0, ((1, key),), ((1.0, key, 0),), 0, False)
    key = hash(("number", symbol))
    factors = () if symbol == 1.0 else ((1.0, key, 0),)  # x*1 is x, 1/x its inverse
    return Form(symbol, (), key, frozenset(), 0, ((1, key),), factors, 0, False)


def node(symbol: str, operands: tuple[Form, ...]) -> Form | None:
    """The form with this operator at its root; None where it is a number or says something in too many words."""
    columns = operands[0].columns.union(*(operand.columns for operand in operands[1:]))
    if not columns:
        return None
    if symbol in ("add", "sub", "neg"):
        return _sum(symbol, operands, columns)
    if symbol in ("mul", "div") or symbol in POWERS:
        return _product(symbol, operands, columns)
    return _function(symbol, operands, columns)


def _count(operands: Iterable[Form]) -> int:
    return sum(operand.num_constants for operand in operands)


def _sum(symbol: str, operands: tuple[Form, ...], columns: frozenset[int]) -> Form | None:
    second = -1 if symbol == "sub" else 1
    if symbol == "neg":
        if operands[0].is_free or operands[0].symbol in ("neg", "sub", "add"):
            return None
        terms = [(-sign, key) for sign, key in operands[0].terms]
    else:
        terms = [*operands[0].terms, *((second * sign, key) for sign, key in operands[1].terms)]
    keys = [FREE_KEY if _is_number(operand) else 0 for operand in operands]
    names = [key for _, key in terms]
    if len(set(names)) < len(names) or sum(key != 0 for key in keys) > 1:
        return None
    has_constant = FREE_KEY in names
    numbers = [operand for operand in operands if isinstance(operand.symbol, float)]
    if has_constant and numbers:
        return None
    key = hash(("sum", tuple(sorted(terms))))
    num_fixed = sum(sign != 0 for sign, _ in terms)
    scaled_key = 0
    if num_fixed <= 1:
        number_keys = {operand.key for operand in numbers}
        scaled_key = hash(("scaled", tuple(sorted(FREE_KEY if name in number_keys else name for name in names))))
    # Where every term has a free factor of its own, one before all of them is too many.
    is_free = num_fixed == 0
    return Form(
        symbol, operands, key, columns, _count(operands), tuple(terms), ((1.0, key, scaled_key),), scaled_key, is_free
    )


def _is_number(form: Form) -> bool:
    return form.symbol is None or isinstance(form.symbol, float)


def _product(symbol: str, operands: tuple[Form, ...], columns: frozenset[int]) -> Form | None:
    if symbol in POWERS:
        (base,) = operands
        if base.symbol in ("neg", "abs") or (base.symbol in POWERS and symbol == "inv"):
            return None
        factors, num_free = _raised(base, POWERS[symbol]), int(base.is_free and _is_product(base))
    else:
        if symbol == "mul" and isinstance(operands[0].symbol, float) and operands[0].symbol == 1.0:
            return None
        free = [operand.is_free for operand in operands]
        if all(free):
            return None
        second = _raised(operands[1], -1.0) if symbol == "div" else list(operands[1].factors)
        factors, num_free = [*operands[0].factors, *second], sum(free)
        if num_free and any(isinstance(operand.symbol, float) for operand in operands):
            return None
    merged: dict[int, tuple[float, int]] = {}
    for exponent, key, scaled in factors:
        merged[key] = (merged.get(key, (0.0, 0))[0] + exponent, scaled)
    if any(exponent == 0.0 for exponent, _ in merged.values()):
        return None
    if not _is_plain(merged):
        return None
    parts = tuple(sorted((exponent, key, scaled) for key, (exponent, scaled) in merged.items()))
    is_free = num_free > 0
    # Signs stand apart, because Python has the same hash for -1 and -2.
    names = tuple(sorted((abs(own), own > 0.0, scaled if is_free and scaled else key) for own, key, scaled in parts))
    key = hash(("product", is_free, names))
    if len(parts) == 1 and parts[0][0] == 1.0 and not is_free:
        key = parts[0][1]
    term = hash(("term", names))
    sign = 0 if is_free else 1
    return Form(
        symbol, operands, key, columns, _count(operands), ((sign, term if is_free else key),), parts, 0, is_free
    )


def _is_plain(merged: dict[int, tuple[float, int]]) -> bool:
    """Whether no factor takes up another: a product or a power of exponentials is one of them, x*x^c is x^c."""
    exponentials = [exponent for key, (exponent, _) in merged.items() if key in _EXPONENTIALS]
    if len(exponentials) > 1 or any(abs(exponent) != 1.0 for exponent in exponentials):
        return False
    return not any(
        _BASES.get(key) in merged or abs(exponent) != 1.0 for key, (exponent, _) in merged.items() if key in _BASES
    )


def _is_product(form: Form) -> bool:
    return form.symbol in ("mul", "div") or form.symbol in POWERS or form.symbol is None


def _raised(form: Form, exponent: float) -> list[tuple[float, int, int]]:
    return [(own * exponent, key, scaled) for own, key, scaled in form.factors]


# Keys of exponential functions: a product of two of them is one.
_EXPONENTIALS: set[int] = set()
# Keys of powers with a free exponent, with those of their bases.
_BASES: dict[int, int] = {}


def _function(symbol: str, operands: tuple[Form, ...], columns: frozenset[int]) -> Form | None:
    inner = operands[0]
    if (symbol, inner.symbol) in POINTLESS or (symbol in EVEN and inner.symbol == "neg"):
        return None
    if symbol == "pow":
        return _power(operands, columns)
    key = hash((symbol, *(operand.key for operand in operands)))
    if symbol == "exp":
        _EXPONENTIALS.add(key)
    return Form(symbol, operands, key, columns, _count(operands), ((1, key),), ((1.0, key, 0),), 0, False)


def _power(operands: tuple[Form, ...], columns: frozenset[int]) -> Form | None:
    base, exponent = operands
    # Whole exponents have operators of their own, and a free one makes all powers of the base superfluous.
    if not base.columns or isinstance(exponent.symbol, float) or base.symbol in POWERS or base.symbol == "pow":
        return None
    if base.symbol == "exp" or (base.is_free and _is_product(base)):
        return None
    key = hash(("pow", base.scaled_key or base.key, exponent.key))
    if exponent.symbol is None:
        _BASES[key] = base.key
    return Form("pow", operands, key, columns, _count(operands), ((1, key),), ((1.0, key, 0),), 0, False)
