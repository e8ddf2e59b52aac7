"""Expressions as prefix tokens, the form in which they are sent between processes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.definitions import define, is_definition
from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.operators import ARITY, CODES, CONSTANT, HOLE, VARIABLE, Operator

CONSTANT_TOKEN = "C"
HOLE_TOKEN = "?"
_VARIABLE_TOKEN = re.compile(r"x(0|[1-9][0-9]{0,8})")


def to_tokens(expression: Expression) -> list[str]:
    """The tokens in prefix order: operator names, `x0`, `x1`, ... for columns, `C` for constants, `?` for holes."""

    def node(operator: Operator, operands: list[list[str]]) -> list[str]:
        # Built back to front, so that the longest list, the last one, grows in place.
        *others, last = operands
        for operand in reversed(others):
            last += operand
        last.append(operator.name)
        return last

    reversed_tokens = expression.fold(
        node, lambda column: [f"x{column}"], lambda _: [CONSTANT_TOKEN], lambda: [HOLE_TOKEN]
    )
    return reversed_tokens[::-1]


def from_tokens(tokens: Sequence[str]) -> Expression:
    """The expression of these prefix tokens; its constants are holes. Misuse raises `InvalidFormula`."""
    codes: list[int] = []
    slots: list[int] = []
    waiting: list[list[int]] = []  # code of an operator, operands it still lacks
    for position, token in enumerate(tokens):
        if position > 0 and not waiting:
            raise InvalidFormula(f"the formula is complete after {position} of {len(tokens)} tokens")
        code, slot = _leaf_or_operator(token, position)
        if ARITY[code] > 0:
            waiting.append([code, int(ARITY[code])])
            continue
        codes.append(code)
        slots.append(slot)
        _close_filled(waiting, codes, slots)
    if waiting or not codes:
        raise InvalidFormula(f"the formula is not complete after {len(tokens)} tokens")
    return make_expression(codes, slots, np.full(codes.count(CONSTANT), np.nan))


def _leaf_or_operator(token: str, position: int) -> tuple[int, int]:
    """Code and slot of a token."""
    if token in CODES:
        return CODES[token], 0
    if isinstance(token, str) and is_definition(token):
        return CODES[define(token).name], 0
    if token == CONSTANT_TOKEN:
        return CONSTANT, 0
    if token == HOLE_TOKEN:
        return HOLE, 0
    match = _VARIABLE_TOKEN.fullmatch(token) if isinstance(token, str) else None
    if match is None:
        raise InvalidFormula(
            f"unknown token {token!r:.40} at position {position + 1}; expected an operator's name, x0, x1, ..., C or ?"
        )
    return VARIABLE, int(match[1])


def _close_filled(waiting: list[list[int]], codes: list[int], slots: list[int]) -> None:
    """Count the operand just emitted, and emit the operators that it completes."""
    while waiting:
        waiting[-1][1] -= 1
        if waiting[-1][1] > 0:
            return
        codes.append(waiting.pop()[0])
        slots.append(0)
