"""Edits of scale-free laws, as the edit head proposes them: what may be done at a node, and what undoes it.

A law is prefix tokens with the names of its columns. An edit is a node, an action there, and the new operand where the
action brings one: a leaf, alone or inside a function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.operators import OPERATORS
from mosaic_sr.proposal.prior.vocabulary import BEGIN, CONSTANT_TOKEN, VARIABLE_TOKENS, Tokens, num_operands

# What scale-free laws are made of: a difference is a sum there.
UNARY = tuple(operator.name for operator in OPERATORS if operator.arity == 1 and operator.name != "neg")
BINARY = tuple(operator.name for operator in OPERATORS if operator.arity == 2 and operator.name != "sub")
ORDERED = tuple(operator.name for operator in OPERATORS if operator.name in BINARY and not operator.commutes)
LEAVES: Tokens = (CONSTANT_TOKEN, *VARIABLE_TOKENS)
INNER: Tokens = ("", *UNARY)  # the function around a new leaf, or none

KEEP_FIRST, KEEP_SECOND = "keep first", "keep second"
ACTIONS: tuple[str, ...] = (
    KEEP_FIRST,
    KEEP_SECOND,
    *(f"replace {token}" for token in (*LEAVES, *UNARY, *BINARY)),
    *(f"wrap {name}" for name in UNARY),
    *(f"join {name}" for name in BINARY),
    *(f"precede {name}" for name in ORDERED),
)
NEW = -1  # the origin of a token that an edit brings


@dataclass(frozen=True)
class Edit:
    """What to do at a node of a law.

    action: `keep` puts an operand in the place of its operator, `replace` changes a token, `wrap` puts a function
    around the subtree, `join` and `precede` put an operator above it whose other operand, behind or before it, is new.
    leaf, inner: the new operand of a join is `inner(leaf)`, or the leaf alone where `inner` is empty.
    """

    node: int
    action: str
    leaf: str = ""
    inner: str = ""

    @property
    def operand(self) -> Tokens:
        """The new operand."""
        return (self.inner, self.leaf) if self.inner else (self.leaf,) if self.leaf else ()


def end_of(tokens: Sequence[str], start: int) -> int:
    """The place behind the subtree that starts there."""
    missing, place = 1, start
    while missing:
        missing += num_operands(tokens[place]) - 1
        place += 1
    return place


def parents_of(tokens: Sequence[str]) -> list[int]:
    """The place of the operator above each token, NEW for the root."""
    parents: list[int] = []
    waiting: list[int] = []  # operators that miss operands, one entry for each
    for place, token in enumerate(tokens):
        parents.append(waiting.pop() if waiting else NEW)
        waiting.extend([place] * num_operands(token))
    return parents


def law_ids(tokens: Sequence[str], words: Sequence[str]) -> NDArray[np.int64]:
    """A law as the edit head reads it: ids of its tokens and of the operators above them, (2, tokens).

    words: the tokens of the model; nothing is above the root, and `BEGIN` stands for that.
    """
    above = [tokens[parent] if parent != NEW else BEGIN for parent in parents_of(tokens)]
    return np.array([[words.index(token) for token in row] for row in (tokens, above)])


def brings_operand(action: str) -> bool:
    """Whether an action needs a leaf."""
    return action.startswith(("join ", "precede "))


def is_allowed(action: str, token: str) -> bool:
    """Whether an action makes sense at a node with this token."""
    arity = num_operands(token)
    verb, _, name = action.partition(" ")
    if verb == "keep":
        return arity >= (1 if action == KEEP_FIRST else 2)
    return verb != "replace" or (num_operands(name) == arity and name != token)


def allowed_actions(tokens: Sequence[str], actions: Sequence[str] = ACTIONS) -> NDArray[np.bool_]:
    """Which actions make sense at each node: (nodes, actions)."""
    return np.array([[is_allowed(action, token) for action in actions] for token in tokens])


def apply_edit(tokens: Sequence[str], edit: Edit) -> tuple[Tokens, list[int]]:
    """The tokens after an edit, and the place that each came from, NEW for those that are new."""
    start, end = edit.node, end_of(tokens, edit.node)
    verb, _, name = edit.action.partition(" ")
    inside: list[tuple[str, int]] = [(tokens[place], place) for place in range(start, end)]
    fresh = [(token, NEW) for token in edit.operand]
    if edit.action == KEEP_FIRST:
        inside = inside[1 : end_of(tokens, start + 1) - start]
    elif edit.action == KEEP_SECOND:
        inside = inside[end_of(tokens, start + 1) - start :]
    elif verb == "replace":
        inside[0] = (name, start)
    elif verb == "wrap":
        inside = [(name, NEW), *inside]
    elif verb == "join":
        inside = [(name, NEW), *inside, *fresh]
    else:
        inside = [(name, NEW), *fresh, *inside]
    before = [(tokens[place], place) for place in range(start)]
    behind = [(tokens[place], place) for place in range(end, len(tokens))]
    edited = [*before, *inside, *behind]
    return tuple(token for token, _ in edited), [origin for _, origin in edited]


def inverse_of(tokens: Sequence[str], edit: Edit) -> Edit | None:
    """The edit that undoes an edit of these tokens, at its place in the edited ones; None where none does.

    What was dropped comes back only where it is a leaf, alone or inside a function.
    """
    node, token = edit.node, tokens[edit.node]
    verb, _, _ = edit.action.partition(" ")
    if verb == "replace":
        return Edit(node, f"replace {token}")
    if verb in ("wrap", "join"):
        return Edit(node, KEEP_FIRST)
    if verb == "precede":
        return Edit(node, KEEP_SECOND)
    if num_operands(token) == 1:
        return Edit(node, f"wrap {token}")
    second = end_of(tokens, node + 1)
    dropped = tokens[second : end_of(tokens, second)] if edit.action == KEEP_FIRST else tokens[node + 1 : second]
    if len(dropped) > 2 or dropped[-1] not in LEAVES:
        return None
    comes_before = edit.action == KEEP_SECOND and token in ORDERED
    inner = dropped[0] if len(dropped) == 2 else ""
    return Edit(node, f"{'precede' if comes_before else 'join'} {token}", dropped[-1], inner)
