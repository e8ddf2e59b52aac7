"""Reads the text of a formula into an expression, by operator precedence over an explicit stack.

    sum     := product (("+" | "-") product)*
    product := signed (("*" | "/") signed)*
    signed  := ("-" | "+") signed | power
    power   := atom (("^" | "**") signed)?
    atom    := number | column | `quoted column` | function "(" sum ("," sum)* ")" | "(" sum ")" | "?" | "_"

`-3` is a number while `-(3)` negates one; a power by a fixed number is the operator of that power where there is one
(`a^2` is `sq(a)`); a name before a parenthesis is a function and otherwise a column. Nothing is ever evaluated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.expressions.grammar import (
    CONSTANT_HOLE,
    FUNCTIONS,
    INFINITY,
    NEGATION,
    NUMBERS,
    OPERATOR_OF_POWER,
    OPERATOR_OF_SYMBOL,
    POWER,
    PRECEDENCE,
    SIGN_PRECEDENCE,
    VARIABLE_HOLE,
)
from mosaic_sr.expressions.lexer import Token, describe, error_at, shorten, tokenize
from mosaic_sr.expressions.suggest import foreign_character, unknown_column, unknown_function
from mosaic_sr.operators import CODES, CONSTANT, HOLE, VARIABLE, operator_named

MAX_NESTING = 500
MAX_NODES = 10_000


@dataclass
class _Pending:
    """Something that waits for operands to its right: an infix operator, a sign, an open group or an open call."""

    kind: str
    name: str
    token: Token
    precedence: int = 0
    num_arguments: int = 1


def parse(text: str, names: Sequence[str], functions: Mapping[str, str] = FUNCTIONS) -> Expression:
    """The expression of a formula over the columns `names`; raises `InvalidFormula` if the text is not one.

    functions: every function name, and its operator.
    """
    if not isinstance(text, str):
        raise InvalidFormula(f"expected the text of a formula, got {type(text).__name__}")
    if not text.strip():
        raise InvalidFormula("the formula is empty; write something like 2*x + 1")
    return _Parser(text, names, functions).run()


class _Parser:
    """Emits the postfix arrays from left to right; what still waits for operands is on `pending`."""

    def __init__(self, text: str, names: Sequence[str], functions: Mapping[str, str]) -> None:
        self.text = text
        self.functions = functions
        self.tokens = tokenize(text)
        self.names = names
        self.column_of = {name: column for column, name in reversed(list(enumerate(names)))}
        self.codes: list[int] = []
        self.slots: list[int] = []
        self.constants: list[float] = []
        self.pending: list[_Pending] = []
        self.nesting = 0
        self.at = 0

    def run(self) -> Expression:
        expects_operand = True
        while expects_operand or self.tokens[self.at].kind != "end":
            step = self.read_operand if expects_operand else self.read_operator
            expects_operand = step(self.tokens[self.at])
            self.at += 1
        self.reduce(0)
        if self.pending:
            raise self.error("this parenthesis is never closed", self.pending[-1].token)
        return make_expression(self.codes, self.slots, self.constants)

    # Each reader consumes one token and answers whether an operand must follow.

    def read_operand(self, token: Token) -> bool:
        if token.kind == "number":
            return self.read_number(token)
        if token.kind == "quoted":
            return self.read_column(token, token.text[1:-1].replace("``", "`"))
        if token.kind == "name":
            return self.read_name(token)
        if token.is_symbol(VARIABLE_HOLE):
            return self.emit(HOLE)
        if token.is_symbol("("):
            return self.push(_Pending("group", "", token))
        if token.is_symbol("-"):
            return self.push(_Pending("sign", NEGATION, token, SIGN_PRECEDENCE))
        if token.is_symbol("+"):
            return True
        found = "the formula ends" if token.kind == "end" else f"found '{token.text}'"
        raise self.error(f"{found} where a number, a column or a function is expected", token)

    def read_operator(self, token: Token) -> bool:
        symbol = "^" if token.text == "**" else token.text
        if token.kind == "symbol" and symbol in PRECEDENCE:
            precedence = PRECEDENCE[symbol]
            # Powers associate to the right: an equal one on the stack keeps waiting.
            self.reduce(precedence + 1 if symbol == "^" else precedence)
            return self.push(_Pending("infix", OPERATOR_OF_SYMBOL[symbol], token, precedence))
        if token.is_symbol(")"):
            return self.close(token)
        if token.is_symbol(","):
            return self.next_argument(token)
        raise self.error(self.missing_operator(token), token)

    def read_number(self, token: Token) -> bool:
        value = self.value_of(token)
        if self.is_signed_number():
            self.pop()
            value = -value
        return self.emit_constant(value)

    def is_signed_number(self) -> bool:
        """Whether the number at hand is what a minus stands directly before; the minus of -2^x belongs to the power."""
        if not self.pending or self.pending[-1].kind != "sign" or self.tokens[self.at + 1].is_symbol("^", "**"):
            return False
        return self.pending[-1].token is self.tokens[self.at - 1]

    def read_name(self, token: Token) -> bool:
        following = self.tokens[self.at + 1]
        if following.is_symbol("("):
            return self.open_call(token, following)
        if token.text == CONSTANT_HOLE:
            return self.emit_constant(math.nan)
        if token.text in NUMBERS and token.text not in self.column_of:
            return self.emit_constant(NUMBERS[token.text])
        return self.read_column(token, token.text)

    def open_call(self, token: Token, parenthesis: Token) -> bool:
        if token.text not in self.functions:
            raise self.error(unknown_function(token.text, self.names, self.functions), token)
        self.at += 1
        return self.push(_Pending("call", self.functions[token.text], parenthesis))

    def read_column(self, token: Token, name: str) -> bool:
        if name not in self.column_of:
            raise error_at(
                self.text, token.start + (foreign_character(name, self.names) or 0), unknown_column(name, self.names)
            )
        return self.emit(VARIABLE, self.column_of[name])

    def next_argument(self, token: Token) -> bool:
        self.reduce(0)
        if not self.pending or self.pending[-1].kind != "call":
            raise self.error("a comma is allowed only between the arguments of a function", token)
        self.pending[-1].num_arguments += 1
        return True

    def close(self, token: Token) -> bool:
        self.reduce(0)
        if not self.pending:
            raise self.error("this closing parenthesis has no opening one", token)
        opened = self.pop()
        if opened.kind == "group":
            return False
        operator = operator_named(opened.name)
        arity = operator.arity
        if opened.num_arguments != arity:
            raise self.error(f"'{operator.label}' takes {arity} argument(s), got {opened.num_arguments}", opened.token)
        return self.emit(CODES[opened.name])

    def reduce(self, precedence: int) -> None:
        """Emit the waiting operators that bind at least as tightly, up to the innermost open parenthesis."""
        floor = max(precedence, 1)
        while self.pending and self.pending[-1].precedence >= floor:
            name = self.pop().name
            if name == POWER and self.codes[-1] == CONSTANT and self.constants[-1] in OPERATOR_OF_POWER:
                name = OPERATOR_OF_POWER[self.drop_constant()]
            self.emit(CODES[name])

    def drop_constant(self) -> float:
        self.codes.pop()
        self.slots.pop()
        return self.constants.pop()

    def push(self, pending: _Pending) -> bool:
        self.pending.append(pending)
        self.nesting += pending.precedence not in (1, 2)
        if self.nesting > MAX_NESTING:
            raise self.error(f"the formula is nested more than {MAX_NESTING} levels deep", pending.token)
        return True

    def pop(self) -> _Pending:
        self.nesting -= self.pending[-1].precedence not in (1, 2)
        return self.pending.pop()

    def emit(self, code: int, slot: int = 0) -> bool:
        self.codes.append(code)
        self.slots.append(slot)
        if len(self.codes) > MAX_NODES:
            raise InvalidFormula(f"the formula has more than {MAX_NODES} numbers, columns and operators")
        return False

    def emit_constant(self, value: float) -> bool:
        self.constants.append(value)
        return self.emit(CONSTANT)

    def value_of(self, token: Token) -> float:
        value = float(token.text)
        if math.isinf(value) and token.text != INFINITY:
            raise self.error(f"{shorten(token.text)} is too large for a 64-bit number", token)
        if value == 0.0 and any(digit in "123456789" for digit in token.text.lower().partition("e")[0]):
            raise self.error(f"{shorten(token.text)} is too small for a 64-bit number", token)
        return value

    def missing_operator(self, token: Token) -> str:
        before, shown = shorten(self.tokens[self.at - 1].text), shorten(token.text)
        if token.kind == "name" and token.text[0] == "_" and self.tokens[self.at - 1].kind == "number":
            return "write numbers without underscores, e.g. 1000"
        if not token.text.isascii():
            foreign = next(character for character in token.text if not character.isascii())
            return f"an operator is missing between '{before}' and '{shown}', which contains {describe(foreign)}"
        return f"an operator is missing between '{before}' and '{shown}'; to multiply write {before}*{shown}"

    def error(self, message: str, token: Token) -> InvalidFormula:
        return error_at(self.text, token.start, message)
