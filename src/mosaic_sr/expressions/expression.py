"""`Expression`: an immutable formula as flat postfix arrays, and the questions asked of it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.operators import ARITY, CODES, CONSTANT, HOLE, NUM_CODES, VARIABLE, Operator, operator_of, register

T = TypeVar("T")
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
_ARITIES: tuple[int, ...] = tuple(ARITY.tolist())


@dataclass(frozen=True, eq=False)
class Expression:
    """A formula in postfix order.

    codes: (nodes,) leaf code or operator code of each node.
    slots: (nodes,) column of a variable leaf, index into `constants` of a constant leaf, else 0.
    constants: (constants,) in reading order, one per constant leaf; NaN is a constant hole, a number yet to be fitted.
    """

    codes: Codes
    slots: Codes
    constants: Floats

    def __post_init__(self) -> None:
        """Refuse what is no formula: compiled code trusts an expression and would read outside its memory."""
        for array in (self.codes, self.slots, self.constants):
            array.flags.writeable = False
        problem = _array_problem(self) or _postfix_problem(self)
        if problem:
            raise InvalidFormula(f"not a formula: {problem}")

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def key(self) -> bytes:
        """Bytes that are equal exactly for equal expressions."""
        return self.structure_key + self.constants.tobytes()

    @cached_property
    def structure_key(self) -> bytes:
        """Bytes that are equal for expressions which differ in the values of their constants only."""
        return self.codes.tobytes() + self.slots.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[object, ...]:
        """Codes of defined operators differ from process to process, so that their names go along."""
        arrays = self.codes, self.slots, self.constants
        if not self.has_defined:
            return (make_expression, arrays)
        rows = [operator_of(code) for code in np.unique(self.codes[self.codes >= NUM_CODES]).tolist()]
        return (_recoded, (*arrays, [(CODES[row.name], row.name, row.arity) for row in rows]))

    def fold(
        self,
        node: Callable[[Operator, list[T]], T],
        variable: Callable[[int], T],
        constant: Callable[[float], T],
        hole: Callable[[], T] | None = None,
    ) -> T:
        """The value of the root when leaves and operators are replaced by the given functions."""
        stack: list[T] = []
        for code, slot in zip(self.codes.tolist(), self.slots.tolist(), strict=True):
            if code == VARIABLE:
                stack.append(variable(slot))
            elif code == CONSTANT:
                stack.append(constant(float(self.constants[slot])))
            elif code == HOLE:
                if hole is None:
                    raise ValueError("the expression still has variable holes")
                stack.append(hole())
            else:
                operator = operator_of(code)
                operands = stack[len(stack) - operator.arity :]
                del stack[len(stack) - operator.arity :]
                stack.append(node(operator, operands))
        return stack[0]

    @cached_property
    def starts(self) -> Codes:
        """Start of the slice of each node's subtree, which ends at the node itself: (nodes,)."""
        starts = np.empty(len(self), dtype=np.int32)
        stack: list[int] = []
        for index, code in enumerate(self.codes.tolist()):
            start = index
            for _ in range(int(ARITY[code])):
                start = stack.pop()
            stack.append(start)
            starts[index] = start
        return starts

    def subtree(self, index: int) -> Expression:
        """The subtree whose root is node `index`."""
        start, stop = int(self.starts[index]), index + 1
        return make_expression(self.codes[start:stop], *self._leaves(start, stop))

    def replaced(self, index: int, other: Expression) -> Expression:
        """This expression with the subtree at node `index` replaced by `other`."""
        start, stop = int(self.starts[index]), index + 1
        (head_slots, head), (tail_slots, tail) = self._leaves(0, start), self._leaves(stop, len(self))
        codes = np.concatenate([self.codes[:start], other.codes, self.codes[stop:]])
        slots = np.concatenate([head_slots, other.slots, tail_slots])
        return make_expression(codes, slots, np.concatenate([head, other.constants, tail]))

    def _leaves(self, start: int, stop: int) -> tuple[Codes, Floats]:
        """Slots and constants of a slice of nodes; constants stand in reading order."""
        slots = self.slots[start:stop]
        return slots, self.constants[slots[self.codes[start:stop] == CONSTANT]]

    def with_constants(self, constants: Sequence[float] | Floats) -> Expression:
        """The same structure with other values of its constants."""
        return Expression(self.codes, self.slots, np.array(constants, dtype=np.float64))

    def renamed(self, columns: Sequence[int]) -> Expression:
        """The same structure with column i replaced by `columns[i]`."""
        slots = self.slots.copy()
        is_variable = self.codes == VARIABLE
        slots[is_variable] = np.asarray(columns, dtype=np.int32)[slots[is_variable]]
        return make_expression(self.codes, slots, self.constants)

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The columns that occur, ascending."""
        return tuple(np.unique(self.slots[self.codes == VARIABLE]).tolist())

    @cached_property
    def has_defined(self) -> bool:
        """Whether an operator occurs that a user has defined."""
        return bool(self.codes.max(initial=0) >= NUM_CODES)

    @property
    def num_constants(self) -> int:
        return len(self.constants)

    @property
    def num_holes(self) -> int:
        return int(np.count_nonzero(self.codes == HOLE))


def _array_problem(expression: Expression) -> str:
    """What is wrong with the kinds and lengths of the arrays, or nothing."""
    codes, slots, constants = expression.codes, expression.slots, expression.constants
    if codes.dtype != np.int32 or slots.dtype != np.int32 or constants.dtype != np.float64:
        return f"expected int32, int32 and float64 arrays, got {codes.dtype}, {slots.dtype} and {constants.dtype}"
    if not codes.ndim == slots.ndim == constants.ndim == 1:
        return f"expected arrays of one dimension, got shapes {codes.shape}, {slots.shape} and {constants.shape}"
    if not (codes.flags.c_contiguous and slots.flags.c_contiguous and constants.flags.c_contiguous):
        return "expected contiguous arrays"
    if not 0 < len(codes) == len(slots):
        return f"expected at least one node and a slot for each, got {len(slots)} slots for {len(codes)} nodes"
    return ""


def _postfix_problem(expression: Expression) -> str:
    """What is wrong with the nodes, or nothing; a plain loop, because most formulas are short."""
    depth = num_constants = 0
    for node, (code, slot) in enumerate(zip(expression.codes.tolist(), expression.slots.tolist(), strict=True)):
        if not 0 <= code < len(_ARITIES) or (code >= NUM_CODES and code not in CODES.values()):
            return f"node {node} has the unknown code {code}"
        if code == CONSTANT:
            if slot != num_constants:
                return f"node {node} uses constant {slot}, expected the next one, {num_constants}"
            num_constants += 1
        elif slot < 0 or (slot > 0 and code != VARIABLE):
            return f"node {node} of code {code} has the slot {slot}"
        if depth < _ARITIES[code]:
            return f"node {node} needs {_ARITIES[code]} operands, got {depth}"
        depth += 1 - _ARITIES[code]
    if depth != 1:
        return f"{depth} values are left at the end, expected 1"
    if num_constants != len(expression.constants):
        return f"expected {num_constants} constants, got {len(expression.constants)}"
    return ""


def make_expression(codes: Iterable[int], slots: Iterable[int], constants: Iterable[float]) -> Expression:
    """An expression of its own arrays; constant slots are renumbered in reading order."""
    own_codes = np.array(codes, dtype=np.int32)
    own_slots = np.array(slots, dtype=np.int32)
    is_constant = own_codes == CONSTANT
    own_slots[is_constant] = np.arange(np.count_nonzero(is_constant), dtype=np.int32)
    own_slots[(own_codes != VARIABLE) & ~is_constant] = 0
    return Expression(own_codes, own_slots, np.array(constants, dtype=np.float64))


def _recoded(codes: Codes, slots: Codes, constants: Floats, rows: Sequence[tuple[int, str, int]]) -> Expression:
    """An expression of another process: the codes there, names and arities of its defined operators."""
    own = codes.copy()
    for code, name, arity in rows:
        own[codes == code] = CODES[register(name, arity).name]
    return make_expression(own, slots, constants)


def variable(column: int) -> Expression:
    """The leaf that reads a column."""
    return make_expression([VARIABLE], [column], [])


def constant(value: float) -> Expression:
    """The leaf that holds a number; NaN makes a constant hole."""
    return make_expression([CONSTANT], [0], [value])


def hole() -> Expression:
    """The leaf that waits for a variable."""
    return make_expression([HOLE], [0], [])


@cache
def order_of(code: int) -> int:
    """A number to order nodes by; that of a defined operator does not depend on what was defined before it."""
    return code if code < NUM_CODES else NUM_CODES + zlib.crc32(operator_of(code).name.encode())


@cache
def _root(name: str) -> Codes:
    return np.array([CODES[name]], dtype=np.int32)


_NO_SLOT = np.zeros(1, dtype=np.int32)


def apply(name: str, *operands: Expression) -> Expression:
    """The operator called `name` over its operands."""
    codes = np.concatenate([*(operand.codes for operand in operands), _root(name)])
    slots = np.concatenate([*(operand.slots for operand in operands), _NO_SLOT])
    with_constants = [operand.constants for operand in operands if len(operand.constants)]
    if len(with_constants) > 1:
        return make_expression(codes, slots, np.concatenate(with_constants))
    # The constants of a single operand are in reading order already.
    return Expression(codes, slots, with_constants[0] if with_constants else operands[0].constants)


def join(name: str, operands: Iterable[Expression]) -> Expression:
    """One operand or more, joined by a binary operator from left to right."""
    return reduce(lambda left, right: apply(name, left, right), operands)


def scaled(expression: Expression, factor: float) -> Expression:
    """The expression times a number, unless that is 1."""
    return expression if factor == 1.0 else apply("mul", constant(factor), expression)


def substituted(expression: Expression, columns: Sequence[Expression] | Mapping[int, Expression]) -> Expression:
    """The expression with column i replaced by `columns[i]`."""
    return expression.fold(
        lambda operator, operands: apply(operator.name, *operands), lambda column: columns[column], constant
    )


def num_operators(expression: Expression) -> int:
    """Inner nodes of the tree."""
    return int(np.count_nonzero(ARITY[expression.codes] > 0))


def operator_names(expression: Expression) -> frozenset[str]:
    """The names of the operators that a formula uses."""
    return frozenset(operator_of(int(code)).name for code in expression.codes if ARITY[code] > 0)
