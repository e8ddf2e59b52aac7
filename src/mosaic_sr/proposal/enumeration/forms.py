"""All forms of laws in the order of their bits under the structure prior, each in one of its equivalent spellings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from mosaic_sr.budget import heed_stop
from mosaic_sr.evidence.structure import (
    COLUMN,
    FREE,
    NUMBER,
    ONE,
    ROOT,
    Context,
    StructurePrior,
    shipped_prior,
    symbol_of,
)
from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.expressions.simple_numbers import bits_of_whole
from mosaic_sr.operators import ARITY, CODES, CONSTANT, VARIABLE
from mosaic_sr.proposal.enumeration.form import Form, leaf, node

# Bits are counted in steps of this size.
STEP = 0.5
# Numbers other than 1 that stand in forms.
NUMBERS = (2.0, 3.0)
# Forms that are made between two looks at the clock.
FORMS_PER_LOOK = 2000
# Forms that are made before the enumeration ends: some five seconds, and half a gigabyte. Most lack a needed column.
MOST_MADE = 300_000


class TooManyFormsError(Exception):
    """So many forms were made that going on takes more time and memory than it is worth."""


@dataclass
class Making:
    """How many forms were made, of all streams together."""

    num_made: int = 0

    def count(self) -> None:
        """Count one more; TooManyFormsError when there are too many, and the search's own when its time is up."""
        self.num_made += 1
        if self.num_made % FORMS_PER_LOOK == 0:
            heed_stop()
            if self.num_made > MOST_MADE:
                raise TooManyFormsError


@dataclass
class Forms:
    """The forms over some columns and operators.

    column_bits: one per column, what it costs to name it.
    max_constants: forms with more free constants are left out.
    needed: columns without which no form is wanted.  making: shared by forms over other quantities of the same table.
    """

    column_bits: tuple[float, ...]
    operators: tuple[str, ...]
    max_constants: int
    needed: frozenset[int] = frozenset()
    prior: StructurePrior = field(default_factory=shipped_prior)
    making: Making = field(default_factory=Making)

    def __post_init__(self) -> None:
        self._lists: dict[Context, list[list[Form]]] = {}
        self._seen: dict[Context, set[int]] = {}
        self._choices: dict[Context, list[tuple[Form | str, int]]] = {}

    def in_order(self) -> Iterator[tuple[float, Form]]:
        """Forms with their bits, those of fewest bits first; of equivalent ones the first."""
        for steps in count(1):
            for form in self._trees(Context(), steps):
                if self.needed <= form.columns and form.columns:
                    yield steps * STEP, form

    def _trees(self, context: Context, steps: int) -> list[Form]:
        """The forms at a place with exactly so many steps of bits that are equivalent to none of fewer steps."""
        lists, seen = self._lists.setdefault(context, [[]]), self._seen.setdefault(context, set())
        while len(lists) <= steps:
            own: list[Form] = []
            # Forms refer to shorter ones only, so that the list may be filled while it stands there.
            for form in self._made(context, len(lists)):
                if form.key not in seen:
                    seen.add(form.key)
                    own.append(form)
            lists.append(own)
        return lists[steps]

    def _made(self, context: Context, steps: int) -> Iterator[Form]:
        for symbol, cost in self._symbols(context):
            left = steps - cost
            if isinstance(symbol, Form):
                if left == 0:
                    yield symbol
            elif ARITY[CODES[symbol]] == 1:
                operands = self._trees(context.below(symbol, 0), left) if left > 0 else []
                yield from self._nodes(symbol, ((operand,) for operand in operands))
            elif left > 1:
                yield from self._nodes(symbol, self._pairs(symbol, context, left))

    def _pairs(self, symbol: str, context: Context, left: int) -> Iterator[tuple[Form, Form]]:
        first = context.below(symbol, 0)
        for share in range(1, left):
            for one in self._trees(first, share):
                second = context.below(symbol, 1, symbol_of_form(one))
                yield from ((one, other) for other in self._trees(second, left - share))

    def _nodes(self, symbol: str, operands: Iterator[tuple[Form, ...]]) -> Iterator[Form]:
        for own in operands:
            self.making.count()
            form = node(symbol, own)
            if form is not None and form.num_constants <= self.max_constants:
                yield form

    def _symbols(self, context: Context) -> list[tuple[Form | str, int]]:
        """Leaves and operators at a place with their steps of bits, at least one."""
        if context not in self._choices:
            self._choices[context] = list(self._priced(context))
        return self._choices[context]

    def _priced(self, context: Context) -> Iterator[tuple[Form | str, int]]:
        def steps(bits: float) -> int:
            return max(1, round(bits / STEP))

        column = self.prior.bits(context, COLUMN)
        yield from ((leaf(place), steps(column + bits)) for place, bits in enumerate(self.column_bits))
        if context.above != ROOT:
            yield leaf(None), steps(self.prior.bits(context, FREE))
            yield leaf(1.0), steps(self.prior.bits(context, ONE))
            number = self.prior.bits(context, NUMBER)
            yield from ((leaf(value), steps(number + bits_of_whole(int(value)))) for value in NUMBERS)
        yield from ((name, steps(self.prior.bits(context, name))) for name in self.operators)


def symbol_of_form(form: Form) -> str:
    """The symbol of the root of a form in the structure prior."""
    symbol = form.symbol
    if isinstance(symbol, str):
        return symbol
    if isinstance(symbol, int):
        return COLUMN
    return FREE if symbol is None else symbol_of(symbol)


def to_expression(form: Form) -> Expression:
    """The form as an expression; free constants are holes."""
    codes: list[int] = []
    slots: list[int] = []
    constants: list[float] = []

    def write(part: Form) -> None:
        for operand in part.operands:
            write(operand)
        symbol = part.symbol
        if isinstance(symbol, str):
            codes.append(CODES[symbol])
            slots.append(0)
        elif isinstance(symbol, int):
            codes.append(VARIABLE)
            slots.append(symbol)
        else:
            codes.append(CONSTANT)
            slots.append(0)
            constants.append(math.nan if symbol is None else symbol)

    write(form)
    return make_expression(codes, slots, constants)
