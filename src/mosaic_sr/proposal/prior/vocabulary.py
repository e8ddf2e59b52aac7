"""The tokens of the symbolic encoder and the sketch decoder, and the prefix grammar over them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.operators import NAMES, OPERATORS

Tokens = tuple[str, ...]

PAD, BEGIN, END, UNKNOWN = "<pad>", "<begin>", "<end>", "<unknown>"
SPECIAL = (PAD, BEGIN, END, UNKNOWN)
HOLE_TOKEN = "?"
CONSTANT_TOKEN = "C"
# Numbers that formulas hold as such; every other number is the free constant `C`.
FIXED_NUMBERS = {"-1": -1.0, "1": 1.0, "2": 2.0, "3": 3.0, "4": 4.0, "5": 5.0, "pi": float(np.pi)}
MAX_VARIABLES = 10
VARIABLE_TOKENS = tuple(f"x{index}" for index in range(MAX_VARIABLES))

# A stored model carries its own list of tokens, so that operators may be added here without touching it.
TOKENS: Tokens = (*SPECIAL, *NAMES, *FIXED_NUMBERS, CONSTANT_TOKEN, HOLE_TOKEN, *VARIABLE_TOKENS)
IDS: dict[str, int] = {token: index for index, token in enumerate(TOKENS)}
OPERATOR_ARITY: dict[str, int] = {operator.name: operator.arity for operator in OPERATORS}

PAD_ID, BEGIN_ID, END_ID = IDS[PAD], IDS[BEGIN], IDS[END]


def token_ids(tokens: Sequence[str], length: int) -> NDArray[np.int64]:
    """Ids of the tokens between begin and end, padded to (length,)."""
    ids = np.full(length, PAD_ID, dtype=np.int64)
    ids[0] = BEGIN_ID
    ids[1 : len(tokens) + 1] = [IDS[token] for token in tokens]
    ids[len(tokens) + 1] = END_ID
    return ids


def number_token(value: float) -> str:
    """The token of a number: a fixed one where the value is exactly that, else the free constant."""
    return next((token for token, number in FIXED_NUMBERS.items() if number == value), CONSTANT_TOKEN)


def num_operands(token: str) -> int:
    """Operands that follow a token in prefix notation; 0 for leaves."""
    return OPERATOR_ARITY.get(token, 0)


class PrefixState:
    """Where an unfinished prefix expression stands: its open operators, innermost last."""

    __slots__ = ("length", "open_slots", "operators", "stack")

    def __init__(self) -> None:
        self.stack: list[tuple[str, int]] = [("", 1)]  # (operator, operands still missing)
        self.open_slots = 1
        self.length = 0
        self.operators = 0

    @property
    def is_complete(self) -> bool:
        return self.open_slots == 0

    @property
    def parent(self) -> tuple[str, int]:
        """The operator that receives the next token and how many operands it still misses; ("", 1) at the root."""
        return self.stack[-1]

    def push(self, token: str) -> None:
        """Append a token that the grammar allows here."""
        operator, missing = self.stack.pop()
        if missing > 1:
            self.stack.append((operator, missing - 1))
        arity = num_operands(token)
        if arity:
            self.stack.append((token, arity))
            self.operators += 1
        self.open_slots += arity - 1
        self.length += 1


def _may_be_constant(state: PrefixState) -> bool:
    """Whether `C` may follow: as the offset that opens a sum, or as an exponent. Elsewhere it folds or is implied."""
    operator, missing = state.parent
    return (operator == "add" and missing == 2) or (operator == "pow" and missing == 1)


class Grammar:
    """Which tokens of a model may follow an unfinished sketch.

    `scale_free` sketches hold `C` only as offset and exponent; literal ones hold it wherever a leaf may stand.
    operators: those that may occur. A difference is a sum in a scale-free sketch, so `sub` allows `add` there.
    """

    def __init__(
        self, tokens: Sequence[str], max_length: int, scale_free: bool, operators: Sequence[str] = NAMES
    ) -> None:
        self.tokens = tuple(tokens)
        self.max_length = max_length
        self.scale_free = scale_free
        self.arity = np.array([num_operands(token) for token in self.tokens])
        self._only_end = self._ids((END,))
        self._hole = self._ids((HOLE_TOKEN,))
        self._constant = self._ids((CONSTANT_TOKEN,))
        self._operators = self._ids(operators)
        if scale_free:
            self._operators |= self._ids(("add",) if "sub" in operators else ())
            self._operators &= ~self._ids(("sub", "neg"))

    def _ids(self, tokens: Sequence[str]) -> NDArray[np.bool_]:
        return np.array([token in tokens for token in self.tokens])

    def allowed(self, state: PrefixState) -> NDArray[np.bool_]:
        """True for each token that keeps the sketch completable within `max_length` tokens: (tokens,)."""
        if state.is_complete:
            return self._only_end
        room = self.max_length - state.length - state.open_slots
        allowed: NDArray[np.bool_] = self._hole | (self._operators & (self.arity <= room))
        if not self.scale_free:
            return allowed | self._constant
        return allowed | self._constant if _may_be_constant(state) else allowed
