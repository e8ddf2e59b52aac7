"""The nodes from which a canonical form is built: numbers, leaves, functions, powers, sums and products.

A sum is an offset plus weighted terms, a product a list of bases with exponents. Every node carries its postfix
tokens, by which nodes are ordered: shorter first, then token by token.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum, auto

from mosaic_sr.operators import CODES, CONSTANT, HOLE

# (code, slot, is a constant hole, number)
Token = tuple[int, int, bool, float]
Tokens = tuple[Token, ...]


class Unfoldable(ArithmeticError):
    """Numbers fold to a value that is not finite, so the expression has no canonical form."""


class Kind(Enum):
    """What a node is."""

    NUMBER = auto()
    LEAF = auto()
    FUNCTION = auto()
    POWER = auto()
    SUM = auto()
    PRODUCT = auto()


class Node:
    """An immutable node; `parts` are children with weights (terms of a sum) or exponents (bases of a product)."""

    __slots__ = ("code", "key", "kind", "negated", "number", "parts", "tokens")

    def __init__(
        self,
        kind: Kind,
        tokens: Tokens,
        *,
        code: int = 0,
        number: float = 0.0,
        parts: tuple[Part, ...] = (),
        negated: Tokens = (),
    ) -> None:
        self.kind = kind
        self.tokens = tokens
        self.code = code
        self.number = number
        self.parts = parts
        # Tokens of -node, for a sum and for a product that has a sum which can take the minus.
        self.negated = negated
        self.key = (len(tokens), tokens)

    @property
    def child(self) -> Node:
        """The first child, which is the only one of a function of one operand."""
        return self.parts[0][0]

    @property
    def is_scaled(self) -> bool:
        """Whether the node is one term times a number."""
        return self.kind is Kind.SUM and len(self.parts) == 1 and self.number == 0.0


Part = tuple[Node, float]


def operator_token(name: str) -> Token:
    """The token of an operator."""
    return (CODES[name], 0, False, 0.0)


def number_token(value: float) -> Token:
    """The token of a number; all constant holes are alike."""
    return (CONSTANT, 0, True, 0.0) if math.isnan(value) else (CONSTANT, 0, False, value)


def number(value: float) -> Node:
    """The node of a number."""
    return Node(Kind.NUMBER, (number_token(value),), number=value)


def leaf(code: int, slot: int) -> Node:
    """The node of a variable or of a variable hole."""
    return Node(Kind.LEAF, ((code, slot, False, 0.0),), code=code)


def function(code: int, *arguments: Node) -> Node:
    """The node of a function."""
    tokens = tuple(token for argument in arguments for token in argument.tokens)
    parts = tuple((argument, 1.0) for argument in arguments)
    return Node(Kind.FUNCTION, (*tokens, (code, 0, False, 0.0)), code=code, parts=parts)


def merge_alike(parts: Iterable[Part]) -> list[Part]:
    """Sorted parts; weights of equal nodes are added, weight zero is dropped. Two holes are two unknowns."""
    merged: list[Part] = []
    for node, weight in sorted(parts, key=_order):
        if merged and merged[-1][0].key == node.key and all(token[0] != HOLE for token in node.tokens):
            merged[-1] = (node, merged[-1][1] + weight)
        else:
            merged.append((node, weight))
    return [part for part in merged if part[1] != 0.0]


def _order(part: Part) -> tuple[object, ...]:
    """Nodes in their order; holes look alike, so their weights decide."""
    node, weight = part
    return (node.key, True, 0.0) if math.isnan(weight) else (node.key, False, weight)


def is_integer(value: float) -> bool:
    """Whether the number is a finite integer."""
    return math.isfinite(value) and value == math.floor(value)


def is_even(value: float) -> bool:
    """Whether the number is a finite even integer."""
    return is_integer(value) and value % 2.0 == 0.0


def power_of(value: float, exponent: float) -> float:
    """value^exponent; a constant hole stays one, other values must stay finite and not vanish by rounding."""
    try:
        result = value**exponent
    except (ZeroDivisionError, OverflowError) as error:
        raise Unfoldable from error
    if isinstance(result, complex):
        raise Unfoldable
    return checked(result, value, exponent)


def checked(result: float, *operands: float) -> float:
    """The result of folding numbers, refused when it overflowed, underflowed or left the real numbers."""
    if any(math.isnan(operand) for operand in operands):
        return result
    if not math.isfinite(result) or (result == 0.0 and all(operand != 0.0 for operand in operands)):
        raise Unfoldable
    return result
