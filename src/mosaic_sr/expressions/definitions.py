"""Operators that users define, such as `sech(x) = 1/cosh(x)`: read and checked here, and written out for the kernel.

A defined operator is one node wherever formulas are counted, edited and printed. Its name is its definition, so that
whatever stores names stores all of it. Only the kernel never sees it: what is evaluated has its formula in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.expression import Expression, make_expression, operator_names
from mosaic_sr.expressions.grammar import CONSTANT_HOLE, FUNCTIONS, NUMBERS, VARIABLE_HOLE
from mosaic_sr.expressions.lexer import NAME, shorten, tokenize
from mosaic_sr.expressions.parser import MAX_NODES, parse
from mosaic_sr.expressions.printing import to_text
from mosaic_sr.operators import (
    ARITY,
    CONSTANT,
    NAMES,
    NUM_CODES,
    VARIABLE,
    Operator,
    operator_named,
    operator_of,
    register,
)

EXAMPLES = {1: "sech(x) = 1/cosh(x)", 2: "hypot2(x, y) = x*x + y*y"}
KINDS = {1: "unary", 2: "binary"}
MOST_NODES = 64
_HEAD = re.compile(rf"\s*({NAME.pattern})\s*\(([^()]*)\)\s*")


def has_defined(names: Iterable[str]) -> bool:
    """Whether one of these operators is not built in; the codes of such differ from process to process."""
    return not set(names) <= set(NAMES)


def is_definition(text: str) -> bool:
    """Whether a word of the user's is a definition rather than an operator's name."""
    return "=" in text or "(" in text


@lru_cache(maxsize=512)
def define(text: str, arity: int | None = None) -> Operator:
    """The operator that a definition means; `InvalidFormula` says what is wrong with it.

    arity: operands that it must have; None for one or two.
    """
    label, arguments, formula = _parts(text)
    if len(arguments) not in KINDS or (arity is not None and len(arguments) != arity):
        expected = "one or two arguments" if arity is None else f"{arity} argument(s) as a {KINDS[arity]} operator"
        raise _error(text, f"it has {len(arguments)} argument(s) and needs {expected}")
    _check_words(text, label, arguments)
    _check_formula(text, label, arguments, formula)
    try:
        body = parse(formula, arguments)
    except InvalidFormula as error:
        raise _error(text, str(error)) from None
    unused = [name for index, name in enumerate(arguments) if index not in body.columns]
    if unused:
        raise _error(text, f"its formula does not use the argument {unused[0]!r}")
    if len(body) > MOST_NODES:
        raise _error(text, f"its formula has {len(body)} numbers, arguments and operators; {MOST_NODES} are allowed")
    try:
        name = f"{label}({', '.join(arguments)}) = {to_text(body, arguments)}"
        return register(name, len(arguments), _parity(body) if len(arguments) == 1 else 0)
    except OverflowError as error:
        raise _error(text, f"{error}; start another process") from None


def _parts(text: str) -> tuple[str, tuple[str, ...], str]:
    """Name, arguments and formula."""
    head, equals, formula = text.partition("=")
    match = _HEAD.fullmatch(head)
    if match is None or not equals:
        raise _error(text, f"define an operator as in {EXAMPLES[1]!r}")
    if not formula.strip():
        raise _error(text, f"the formula after the equals sign is missing; write something like {EXAMPLES[1]!r}")
    if "=" in formula:
        raise _error(text, "it has two equals signs; write one")
    arguments = tuple(word.strip() for word in match[2].split(",")) if match[2].strip() else ()
    return match[1], arguments, formula


def _check_words(text: str, label: str, arguments: Sequence[str]) -> None:
    """Whether the name and the arguments are free."""
    if label in FUNCTIONS:
        raise _error(text, f"{label!r} is a built-in operator; choose another name")
    for word in (label, *arguments):
        if word in NUMBERS or word == CONSTANT_HOLE:
            what = "a constant to fit" if word == CONSTANT_HOLE else "the name of a number"
            raise _error(text, f"{word!r} is {what}; choose another name")
        if not NAME.fullmatch(word):
            raise _error(text, f"{shorten(word)!r} is not a name for an argument; use letters, digits and underscores")
    if len(set(arguments)) < len(arguments):
        raise _error(text, "its arguments have the same name")


def _check_formula(text: str, label: str, arguments: Sequence[str], formula: str) -> None:
    """Whether the formula speaks of its arguments, of numbers and of built-in operators alone."""
    try:
        tokens = tokenize(formula)
    except InvalidFormula as error:
        raise _error(text, str(error)) from None
    for token, following in pairwise(tokens):
        is_call = following.is_symbol("(")
        if token.is_symbol(VARIABLE_HOLE) or (token.kind == "name" and token.text == CONSTANT_HOLE):
            raise _error(text, "an operator has no constants to fit; write a number, or make it an argument")
        if token.kind == "name" and is_call and token.text == label:
            raise _error(text, f"its formula uses {label!r} itself; it may use only built-in operators")
        if token.kind == "name" and not is_call and token.text not in (*arguments, *NUMBERS):
            raise _error(text, f"{shorten(token.text)!r} is not an argument; the arguments are: {', '.join(arguments)}")


def _error(text: str, reason: str) -> InvalidFormula:
    return InvalidFormula(f"the operator {shorten(text.strip())!r} cannot be used: {reason}")


def _parity(body: Expression) -> int:
    """+1 where the formula of one argument is even by its form, -1 where it is odd, else 0; x^4 counts as neither."""

    def node(operator: Operator, operands: list[int]) -> int:
        if operator.name in ("add", "sub"):
            return operands[0] if operands[0] == operands[1] else 0
        if operator.name in ("mul", "div"):
            return operands[0] * operands[1]
        if operator.name in ("neg", "inv", "cube"):
            return operands[0]
        if operator.name == "sq":
            return abs(operands[0])
        # A function of what is even is even; of what is odd it has its own parity.
        return 1 if all(own == 1 for own in operands) else operator.parity * (operands[0] == -1)

    return body.fold(node, lambda _: -1, lambda _: 1, lambda: 0)


def defined_in(expressions: Iterable[Expression]) -> list[str]:
    """The definitions that some expressions use, in alphabetical order."""
    return sorted({name for each in expressions if each.has_defined for name in operator_names(each) if "=" in name})


def parse_with(text: str, names: Sequence[str], definitions: Iterable[str]) -> Expression:
    """As `parse`, for texts that may also use defined operators, given by their names."""
    return refuse_too_long(parse(text, names, functions_with(definitions)))


def parse_law(text: str, names: Sequence[str], definitions: Iterable[str]) -> Expression:
    """A law of a file with the definitions that it uses, refused where a column or a number in it is left open."""
    expression = parse_with(text, names, [define(definition).name for definition in definitions])
    if expression.num_holes or np.isnan(expression.constants).any():
        raise InvalidFormula(f"{VARIABLE_HOLE} and {CONSTANT_HOLE} are holes; a law has only columns and numbers")
    return expression


def functions_with(definitions: Iterable[str]) -> dict[str, str]:
    """Every word that a formula may call, and the operator that it means: the usual ones and defined ones."""
    return FUNCTIONS | {operator_named(name).label: name for name in definitions}


def refuse_too_long(expression: Expression) -> Expression:
    """The expression, refused where nested operators are too long when written out."""
    if expression.has_defined and written_size(expression) > MAX_NODES:
        raise InvalidFormula(f"the formula has more than {MAX_NODES} nodes once its operators are written out")
    return expression


@cache
def parameters_of(definition: str) -> tuple[str, ...]:
    """The names of a defined operator's arguments."""
    return _parts(definition)[1]


@cache
def body_of(definition: str) -> Expression:
    """The formula of a defined operator, in which column i is argument i."""
    _, arguments, formula = _parts(definition)
    return parse(formula, arguments)


def written_size(expression: Expression) -> int:
    """Nodes of the expression once its defined operators are written out."""
    sizes: list[int] = []
    for code in expression.codes.tolist():
        arity = int(ARITY[code])
        operands = sizes[len(sizes) - arity :]
        del sizes[len(sizes) - arity :]
        if code < NUM_CODES:
            sizes.append(1 + sum(operands))
        else:
            body = body_of(operator_of(code).name)
            is_argument = body.codes == VARIABLE
            sizes.append(sum(operands[slot] for slot in body.slots[is_argument].tolist()) + int(np.sum(~is_argument)))
    return sizes[0]


@dataclass(frozen=True, eq=False)
class WrittenOut:
    """An expression in the table's operators alone, equal to another one.

    owners: (constants,) the constant of the other expression that each constant is, -1 for a number of a definition.
    """

    expression: Expression
    owners: NDArray[np.int32]

    def parameters(self, parameter_of_constant: NDArray[np.int32]) -> NDArray[np.int32]:
        """The parameter of each constant, given those of the other expression's; numbers of definitions are fixed."""
        return np.append(parameter_of_constant, np.int32(-1)).astype(np.int32)[self.owners]

    def constants_of(self, constants: NDArray[np.float64], count: int) -> NDArray[np.float64]:
        """The other expression's `count` constants, given values for those of this one."""
        found = np.empty(count)
        is_owned = self.owners >= 0
        found[self.owners[is_owned]] = constants[is_owned]
        return found


# Code, column or owner, and number of a node.
_Node = tuple[int, int, float]


def write_out(expression: Expression) -> WrittenOut:
    """The expression with the formula of each defined operator in its place."""
    if not expression.has_defined:
        return WrittenOut(expression, np.arange(expression.num_constants, dtype=np.int32))
    stack: list[list[_Node]] = []
    for code, slot in zip(expression.codes.tolist(), expression.slots.tolist(), strict=True):
        operands = stack[len(stack) - int(ARITY[code]) :]
        del stack[len(stack) - len(operands) :]
        number = float(expression.constants[slot]) if code == CONSTANT else 0.0
        if code >= NUM_CODES:
            stack.append(_filled(body_of(operator_of(code).name), operands))
        else:
            stack.append([*(node for operand in operands for node in operand), (code, slot, number)])
    codes, slots, numbers = zip(*stack[0], strict=True)
    is_constant = np.array(codes) == CONSTANT
    owners = np.array(slots, dtype=np.int32)[is_constant]
    return WrittenOut(make_expression(codes, slots, np.array(numbers)[is_constant]), owners)


def _filled(body: Expression, operands: Sequence[list[_Node]]) -> list[_Node]:
    """The nodes of a definition's formula with operands for its arguments."""
    nodes: list[_Node] = []
    for code, slot in zip(body.codes.tolist(), body.slots.tolist(), strict=True):
        if code == VARIABLE:
            nodes.extend(operands[slot])
        else:
            nodes.append((code, -1, float(body.constants[slot])) if code == CONSTANT else (code, 0, 0.0))
    return nodes
