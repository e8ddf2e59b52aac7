"""Laws with mistakes for the edit head: a true law is changed by a few edits, and what undoes them is the target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mosaic_sr.proposal.prior.edit_language import (
    ACTIONS,
    INNER,
    LEAVES,
    NEW,
    ORDERED,
    UNARY,
    Edit,
    apply_edit,
    brings_operand,
    end_of,
    inverse_of,
    is_allowed,
)
from mosaic_sr.proposal.prior.sketch_language import normal_order_bound
from mosaic_sr.proposal.prior.vocabulary import CONSTANT_TOKEN, VARIABLE_TOKENS, Tokens, num_operands

# Search paths lack terms and factors more often than they have too many: kinds of corruption and their chances.
VERBS = ("keep", "replace", "wrap", "join")
CHANCES = (0.45, 0.3, 0.1, 0.15)
# A new leaf is the constant of an offset or an exponent so often, and stands inside a function so often.
CONSTANT_CHANCE, INNER_CHANCE = 0.25, 0.3
# Draws before a law is given up: some have no operand that can be dropped.
NUM_TRIES = 12
_ACTIONS_OF = {
    verb: [action for action in ACTIONS if action.startswith(verb) or (verb == "join" and brings_operand(action))]
    for verb in VERBS
}


@dataclass(frozen=True)
class Corrupted:
    """A law with mistakes; fixes: the edits that undo them, each at its place in `tokens`; one brings it nearer."""

    tokens: Tokens
    fixes: tuple[Edit, ...]


def corrupt(
    tokens: Tokens, num_edits: int, num_columns: int, longest: int, rng: np.random.Generator
) -> Corrupted | None:
    """The law after so many edits that each can be undone; None where too few could be drawn.

    num_columns: of the table; a wrong leaf may be any of them.  longest: tokens that the result may have.
    """
    tokens = shuffled(tokens, rng)
    ids = list(range(len(tokens)))
    fixes: dict[int, Edit] = {}  # by the id of the node where it applies; nodes are touched once
    for _ in range(NUM_TRIES * num_edits):
        if len(fixes) == num_edits:
            break
        edit = _draw_edit(tokens, num_columns, rng)
        inverse = None if edit is None else inverse_of(tokens, edit)
        if edit is None or inverse is None:
            continue
        after, origins = apply_edit(tokens, edit)
        next_id = 1 + max(ids)
        new_ids = [ids[origin] if origin != NEW else next_id + place for place, origin in enumerate(origins)]
        touched, lost = new_ids[inverse.node], set(ids) - set(new_ids)
        is_clean = ids[edit.node] not in fixes and touched not in fixes and not lost & fixes.keys()
        if is_clean and len(after) <= longest and is_plain(after):
            tokens, ids = after, new_ids
            fixes[touched] = inverse
    if len(fixes) < num_edits:
        return None
    placed = (Edit(ids.index(key), fix.action, fix.leaf, fix.inner) for key, fix in fixes.items())
    return Corrupted(tokens, tuple(placed))


def is_plain(tokens: Tokens) -> bool:
    """Whether a search could hold the law: it has a column, and nothing that its normal form leaves out or rewrites."""
    if not any(token in VARIABLE_TOKENS for token in tokens):
        return False
    for node, token in enumerate(tokens):
        if num_operands(token) == 2:
            middle = end_of(tokens, node + 1)
            if tokens[node + 1 : middle] == tokens[middle : end_of(tokens, middle)]:  # x + x is 2 x
                return False
    return sorted(tokens) == sorted(normal_order_bound(tokens))


def shuffled(tokens: Tokens, rng: np.random.Generator) -> Tokens:
    """The law with the operands of sums and products in random order, so that no order is learned by heart."""
    name = tokens[0]
    arity = num_operands(name)
    if arity == 0:
        return (name,)
    middle = end_of(tokens, 1)
    first = shuffled(tokens[1:middle], rng)
    if arity == 1:
        return (name, *first)
    second = shuffled(tokens[middle:], rng)
    is_swapped = name not in ORDERED and rng.random() < 0.5
    return (name, *second, *first) if is_swapped else (name, *first, *second)


def _draw_edit(tokens: Tokens, num_columns: int, rng: np.random.Generator) -> Edit | None:
    verb = VERBS[int(np.searchsorted(np.cumsum(CHANCES), rng.random()))]
    node = int(rng.integers(len(tokens)))
    usable = [action for action in _ACTIONS_OF[verb] if is_allowed(action, tokens[node])]
    usable = [action for action in usable if _is_known(action, num_columns)]
    if not usable:
        return None
    action = usable[int(rng.integers(len(usable)))]
    if not brings_operand(action):
        return Edit(node, action)
    if rng.random() < CONSTANT_CHANCE:
        return Edit(node, action, CONSTANT_TOKEN)
    inner = UNARY[int(rng.integers(len(UNARY)))] if rng.random() < INNER_CHANCE else ""
    return Edit(node, action, LEAVES[1 + int(rng.integers(num_columns))], inner)


def _is_known(action: str, num_columns: int) -> bool:
    """Whether the table has the column that an action writes."""
    name = action.split(" ")[1]
    return name not in LEAVES or LEAVES.index(name) <= num_columns


def edit_numbers(edit: Edit) -> tuple[int, int, int, int]:
    """Node, action, leaf and inner function as the edit head counts them; 0 stands for leaf and function of none."""
    leaf = LEAVES.index(edit.leaf) if edit.leaf else 0
    return edit.node, ACTIONS.index(edit.action), leaf, INNER.index(edit.inner)
