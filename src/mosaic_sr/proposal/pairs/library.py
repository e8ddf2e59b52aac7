"""The library: small expressions of the columns without free constants, as values on a few rows, none twice."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.proposal.context import Event, Signal
from mosaic_sr.proposal.pairs.moves import Move
from mosaic_sr.proposal.pairs.sieve import claim, mark_balanced

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]
# The place of a move among the rules, and its operands, left and right.
Candidates = tuple[int, Ints, Ints]

# Candidates that are evaluated at once: their rows fit into the second cache.
BATCH = 16384
# Candidates between two signs of life: about a tenth of a second.
QUIET_TRIES = 50_000
# Magnitudes beyond these over- or underflow in the products to come.
LEAST, MOST = 1e-75, 1e75
# A smaller variation around the mean is rounding rather than a column.
LEAST_VARIATION = 1e-8
# Values that agree to this are one: unit rounding grows by the variation above, and chance needs three such meetings.
GRAIN = 1e-9
# A function of a function, and a curved one of a curved one, are rarer than either alone.
CHAIN, NESTED = 1, 2
# Few columns and few operators make few entries: a library ends at this size, or when most candidates are repeats.
LARGEST, TRIES_PER_ENTRY = 24, 40
# Three curved functions inside each other are nobody's law.
MOST_CURVED = 2


@dataclass(frozen=True, eq=False)
class Library:
    """Entries in order of size.

    values: (entries, rows).  costs: (entries,) sizes.  moves: (entries,) -1 for a leaf.  lefts, rights: operands.
    is_first: (entries,) whether no smaller entry is an affine copy.
    """

    leaves: tuple[Expression, ...]
    rules: tuple[Move, ...]
    values: Floats
    costs: Ints
    moves: Ints
    lefts: Ints
    rights: Ints
    is_first: Bools

    def __len__(self) -> int:
        return len(self.values)

    def expression(self, entry: int) -> Expression:
        """The formula of an entry over the table's columns."""
        if self.moves[entry] < 0:
            return self.leaves[int(self.lefts[entry])]
        rule = self.rules[int(self.moves[entry])]
        operands = (int(self.lefts[entry]), int(self.rights[entry]))[: rule.arity]
        return rule.expression(*(self.expression(operand) for operand in operands))


def build_library(
    leaves: Sequence[Expression],
    columns: Floats,
    leaf_costs: Sequence[int],
    rules: tuple[Move, ...],
    capacity: int,
    rng: np.random.Generator,
) -> Generator[Event, None, Library]:
    """The library of that capacity; an empty list is yielded now and then, as proposers do while they work.

    columns: (leaves, rows), the values of the leaves.  leaf_costs: what each leaf counts.
    """
    growing, num_shown = _GrowingLibrary(capacity, columns, rng), 0
    for size in range(1, LARGEST + 1):
        if len(growing) >= capacity or growing.num_tried >= TRIES_PER_ENTRY * capacity:
            break
        growing.add_leaves(columns, [i for i, cost in enumerate(leaf_costs) if cost == size], size)
        for candidates in _candidates(growing, rules, size):
            heed_stop()
            growing.add(rules, candidates, size)
            if growing.num_tried // QUIET_TRIES > num_shown:
                num_shown = growing.num_tried // QUIET_TRIES
                yield Signal.HEARTBEAT
            if len(growing) >= capacity:
                break
    return growing.library(tuple(leaves), rules)


def _candidates(growing: _GrowingLibrary, rules: tuple[Move, ...], size: int) -> Iterator[Candidates]:
    """All ways to make an entry of that size, in batches; two operands first, because laws mostly combine."""
    count = len(growing)
    for move, rule in sorted(enumerate(rules), key=lambda pair: -pair[1].arity):
        if rule.arity == 2:
            yield from _binary(growing, move, rule, size - rule.cost, count)
            continue
        operands = growing.operands(rule, size, count)
        for first in range(0, len(operands), BATCH):
            part = operands[first : first + BATCH]
            yield move, part, part


def _binary(growing: _GrowingLibrary, move: int, rule: Move, size: int, count: int) -> Iterator[Candidates]:
    costs = growing.costs[:count]
    for left_size in range(1, size):
        lefts = np.flatnonzero(costs == left_size).astype(np.int32)
        rights = np.flatnonzero(costs == size - left_size).astype(np.int32)
        if not len(lefts) or not len(rights) or (rule.commutes and left_size < size - left_size):
            continue
        rows = max(1, BATCH // len(rights))
        for first in range(0, len(lefts), rows):
            some = lefts[first : first + rows]
            pair_lefts, pair_rights = np.repeat(some, len(rights)), np.tile(rights, len(some))
            keep = pair_lefts > pair_rights if rule.commutes else pair_lefts != pair_rights
            if rule.is_curved:
                # Of powers with changing exponents only those of the smallest parts are worth their places.
                keep = (costs[pair_lefts] + costs[pair_rights] <= 3) | (pair_lefts == pair_rights) & (size <= 2)
            yield move, pair_lefts[keep], pair_rights[keep]


class _GrowingLibrary:
    """The library while it grows."""

    def __init__(self, capacity: int, columns: Floats, rng: np.random.Generator) -> None:
        num_rows = columns.shape[1]
        self._count = 0
        self.num_tried = 0
        self._values = np.empty((capacity, num_rows))
        self.costs, self._moves, self._lefts, self._rights = np.empty((4, capacity), dtype=np.int32)
        self._is_first, self._is_unary, self._is_shift = np.zeros((3, capacity), dtype=np.bool_)
        self._curved = np.zeros(capacity, dtype=np.int32)
        self._directions = rng.standard_normal((num_rows, 3))
        # A whole batch is looked up before it is cut to what has room, and a full table has no end.
        slots = 1 << (4 * capacity + BATCH).bit_length()
        self._seen, self._seen_affine = np.zeros(slots, dtype=np.int64), np.zeros(slots, dtype=np.int64)

    def __len__(self) -> int:
        return self._count

    def operands(self, rule: Move, size: int, count: int) -> Ints:
        """The entries from which the rule of one operand makes an entry of that size."""
        extra = CHAIN * self._is_unary[:count].astype(np.int32)
        if rule.is_curved:
            extra += NESTED * self._curved[:count]
        if rule.is_shift:
            extra = np.where(self._is_shift[:count], LARGEST, 0)
        is_allowed = self._curved[:count] + rule.is_curved <= MOST_CURVED
        return np.flatnonzero((self.costs[:count] + rule.cost + extra == size) & is_allowed).astype(np.int32)

    def add_leaves(self, columns: Floats, which: Sequence[int], size: int) -> None:
        """Take the leaves in."""
        places = np.array(which, dtype=np.int32)
        if len(places):
            flags = np.zeros((2, len(places)), dtype=np.bool_)
            self._take(columns[places], -1, places, places, flags, np.zeros(len(places), dtype=np.int32), size)

    def add(self, rules: tuple[Move, ...], candidates: Candidates, size: int) -> None:
        """Evaluate the candidates and take in those that are new."""
        move, lefts, rights = candidates
        rule = rules[move]
        if not len(lefts):
            return
        self.num_tried += len(lefts)
        operands = (lefts, rights)[: rule.arity]
        values = rule.values(*(self._values[operand] for operand in operands))
        flags = np.empty((2, len(lefts)), dtype=np.bool_)
        flags[0], flags[1] = rule.arity == 1 and not rule.is_shift, rule.is_shift
        curved = np.maximum(self._curved[lefts], self._curved[rights]) + np.int32(rule.is_curved)
        self._take(values, move, lefts, rights, flags, curved, size)

    def _take(
        self, values: Floats, move: int, lefts: Ints, rights: Ints, flags: Bools, curved: Ints, size: int
    ) -> None:
        usable = _usable(values)
        usable = usable[_are_new(self._seen, self._keys(values[usable]))][: len(self._values) - self._count]
        start, stop = self._count, self._count + len(usable)
        self._values[start:stop] = values[usable]
        self._moves[start:stop], self.costs[start:stop] = move, size
        self._lefts[start:stop], self._rights[start:stop] = lefts[usable], rights[usable]
        self._is_unary[start:stop], self._is_shift[start:stop] = flags[:, usable]
        self._curved[start:stop] = curved[usable]
        self._is_first[start:stop] = _are_new(self._seen_affine, self._affine_keys(values[usable]))
        self._count = stop

    def _keys(self, values: Floats) -> NDArray[np.int64]:
        """Equal for values that are equal up to sign and rounding: (entries,)."""
        scale = np.mean(np.abs(values), axis=1)
        return _mixed(values @ self._directions / scale[:, None], np.log(scale))

    def _affine_keys(self, values: Floats) -> NDArray[np.int64]:
        """Equal for values that are affine copies of each other: (entries,)."""
        centred = values - np.mean(values, axis=1, keepdims=True)
        scale = np.sqrt(np.mean(np.square(centred), axis=1))
        return _mixed(centred @ self._directions / scale[:, None], np.zeros(len(values)))

    def library(self, leaves: tuple[Expression, ...], rules: tuple[Move, ...]) -> Library:
        """What has been gathered."""
        n = self._count
        return Library(
            leaves,
            rules,
            self._values[:n],
            self.costs[:n],
            self._moves[:n],
            self._lefts[:n],
            self._rights[:n],
            self._is_first[:n],
        )


def _usable(values: Floats) -> NDArray[np.intp]:
    """Positions of the columns that are finite, vary, and vary in more than two rows."""
    with np.errstate(invalid="ignore", over="ignore"):
        largest = np.max(np.abs(values), axis=1)
        is_tame: Bools = np.isfinite(largest) & (largest < MOST) & (largest > LEAST)
        is_tame &= np.ptp(values, axis=1) > LEAST_VARIATION * largest
    usable = np.flatnonzero(is_tame)
    return usable[are_balanced(values[usable])]


def are_balanced(values: Floats) -> Bools:
    """Which columns vary in more than two rows: (columns,); values: (columns, rows)."""
    balanced = np.empty(len(values), dtype=np.bool_)
    mark_balanced(np.ascontiguousarray(values), balanced)
    return balanced


def _mixed(projections: Floats, scale: Floats) -> NDArray[np.int64]:
    """One number of the rounded projections, whose common sign is free, and of the rounded scale."""
    signs = np.where(projections[:, 0] < 0, -1.0, 1.0)
    steps = np.rint(np.column_stack([projections * signs[:, None], scale]) / GRAIN).astype(np.int64)
    with np.errstate(over="ignore"):
        # Odd 64-bit numbers of a fixed multiplicative hash; products wrap around.
        mixed = steps @ np.array([-7046029254386353131, -4417276706812531889, 1609587929392839161, 4768777513237032717])
        mixed ^= mixed >> 29
    return np.where(mixed == 0, 1, mixed)


def _are_new(seen: NDArray[np.int64], keys: NDArray[np.int64]) -> Bools:
    """Which keys come for the first time; they are marked as seen."""
    is_new = np.empty(len(keys), dtype=np.bool_)
    claim(seen, keys, is_new)
    return is_new
