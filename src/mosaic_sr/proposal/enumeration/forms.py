"""All forms of laws in the order of their bits under the structure prior, each in one of its equivalent spellings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import permutations

from mosaic_sr.budget import heed_stop
from mosaic_sr.evidence.structure import StructurePrior, fragment_key, shipped_prior
from mosaic_sr.evidence.written import (
    COLUMN,
    CONSTANTS,
    FREE,
    LIKE_DEFINED,
    NOWHERE,
    ONE,
    ROOT,
    Context,
    Written,
    read_fragment,
    symbol_of,
)
from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.expressions.simple_numbers import bits_of_whole
from mosaic_sr.operators import ARITY, CODES, CONSTANT, NAMES, VARIABLE
from mosaic_sr.proposal.enumeration.form import Form, leaf, node
from mosaic_sr.proposal.enumeration.prices import Prices
from mosaic_sr.units.costs import IMPOSSIBLE

# Bits are counted in steps of this size.
STEP = 0.5
# With few operators the forms run out; with many nobody waits for those of 40 bits.
MOST_STEPS = 80
# Numbers other than 1 that stand in forms.
NUMBERS = (2.0, 3.0)
# What it costs that a person wrote a number: one constant in sixteen, between textbooks and measurements.
WRITTEN_BITS = 4.0
# Forms that are made between two looks at the clock.
FORMS_PER_LOOK = 2000
# Forms that are made before the enumeration ends: some five seconds, and half a gigabyte. Most lack a needed column.
MOST_MADE = 300_000


# By steps of bits: fragments as text, each with the columns that stand in it.
Fragments = dict[int, list[tuple[str, tuple[int, ...]]]]


class TooManyFormsError(Exception):
    """So many forms were made that going on takes more time and memory than it is worth."""


def until_too_many(forms: Iterator[tuple[float, Expression]]) -> Iterator[tuple[float, Expression]]:
    """The forms as they come, as far as it is worth while."""
    with suppress(TooManyFormsError):
        yield from forms


@dataclass
class Making:
    """How many forms were made, of all streams together."""

    num_made: int = 0

    def count(self) -> None:
        """Count one more form."""
        self.num_made += 1
        if self.num_made % FORMS_PER_LOOK == 0:
            self.look()

    def look(self) -> None:
        """Raise TooManyFormsError when there are too many forms, and the search's own error when its time is up."""
        heed_stop()
        if self.num_made > MOST_MADE:
            raise TooManyFormsError


@dataclass
class Forms:
    """The forms over some columns and operators.

    column_bits: one per column, what it costs to name it.
    max_constants: forms with more free constants are left out.
    needed: columns without which no form is wanted.  making: shared by forms over other quantities of the same table.
    start: where the forms stand; whole laws stand nowhere.
    prices: of forms by the units of their constants; None where units are not known.
    """

    column_bits: tuple[float, ...]
    operators: tuple[str, ...]
    max_constants: int
    needed: frozenset[int] = frozenset()
    prior: StructurePrior = field(default_factory=shipped_prior)
    making: Making = field(default_factory=Making)
    start: Context = NOWHERE
    prices: Prices | None = None

    def __post_init__(self) -> None:
        self._lists: dict[Context, list[list[Form]]] = {}
        self._seen: dict[Context, set[int]] = {}
        self._choices: dict[Context, list[tuple[Form | str, int]]] = {}
        self._fragments: dict[str, Fragments] = {}
        self._fragments_at: dict[Context, Fragments] = {}
        self._made_of: dict[tuple[str, tuple[int, ...]], tuple[Form, ...]] = {}

    def in_order(self) -> Iterator[tuple[float, Form | None]]:
        """Forms with their bits, those of fewest bits first; of equivalent ones the first.

        Those whose constants need units have more bits for it. Where units are known, None comes after each step of
        bits: few forms or none may fit, and other streams wait for this one.
        """
        late: dict[int, list[Form]] = {}
        for steps in range(1, MOST_STEPS):
            for form in self._trees(self.start, steps):
                if self.needed <= form.columns and form.columns:
                    more = 0.0 if self.prices is None else self.prices.more_bits(form)
                    if not more:
                        yield steps * STEP, form
                    elif math.isfinite(more):
                        late.setdefault(steps + round(more / STEP), []).append(form)
            yield from ((steps * STEP, form) for form in late.pop(steps, ()))
            if self.prices is not None:
                yield steps * STEP, None

    def _trees(self, context: Context, steps: int) -> list[Form]:
        """The forms at a place with exactly so many steps of bits that are equivalent to none of fewer steps."""
        lists, seen = self._lists.setdefault(context, [[]]), self._seen.setdefault(context, set())
        while len(lists) <= steps:
            self.making.look()
            own: list[Form] = []
            # Forms refer to shorter ones only, so that the list may be filled while it stands there.
            for form in self._made(context, len(lists)):
                if form.key not in seen:
                    seen.add(form.key)
                    own.append(form)
            lists.append(own)
        return lists[steps]

    def _made(self, context: Context, steps: int) -> Iterator[Form]:
        for fragment, columns in self._all_fragments(context).get(steps, ()):
            if context != self.start or self.needed.issubset(columns):
                self.making.count()
                yield from self._forms_of(fragment, columns)
        for symbol, cost in self._symbols(context):
            left = steps - cost
            if isinstance(symbol, Form):
                if left == 0:
                    yield symbol
            elif ARITY[CODES[symbol]] == 1:
                operands = self._trees(context.below(prior_name(symbol), 0), left) if left > 0 else []
                yield from self._nodes(symbol, ((operand,) for operand in operands))
            elif left > 1:
                yield from self._nodes(symbol, self._pairs(symbol, context, left))

    def _pairs(self, symbol: str, context: Context, left: int) -> Iterator[tuple[Form, Form]]:
        name = prior_name(symbol)
        first = context.below(name, 0)
        for share in range(1, left):
            for one in self._trees(first, share):
                second = context.below(name, 1, symbol_of_form(one))
                yield from ((one, other) for other in self._trees(second, left - share))

    def _nodes(self, symbol: str, operands: Iterator[tuple[Form, ...]]) -> Iterator[Form]:
        for own in operands:
            self.making.count()
            if self.prices is not None and self.prices.of_node(symbol, own) is IMPOSSIBLE:
                continue
            form = node(symbol, own)
            if form is not None and form.num_constants <= self.max_constants:
                yield form

    def _fits(self, form: Form) -> bool:
        """Whether the units of a form can fit."""
        return self.prices is None or self.prices.of(form) is not IMPOSSIBLE

    def _symbols(self, context: Context) -> list[tuple[Form | str, int]]:
        """Leaves and operators at a place with their steps of bits, at least one."""
        if context not in self._choices:
            self._choices[context] = list(self._priced(context))
        return self._choices[context]

    def _all_fragments(self, context: Context) -> Fragments:
        """The fragments that may stand at a place, by their steps of bits there."""
        if context not in self._fragments_at:
            found: Fragments = {}
            for name in self._roots:
                root = _steps(self.prior.bits(context, name))
                for steps, fragments in self._fragments_with(fragment_key(context, name)).items():
                    found.setdefault(root + steps, []).extend(fragments)
            self._fragments_at[context] = found
        return self._fragments_at[context]

    def _fragments_with(self, key: str) -> Fragments:
        """Fragments of a key by their steps of bits beyond those of their root, with the columns that stand in them."""
        if key not in self._fragments:
            found: Fragments = {}
            for text, bits in self.prior.fragments(key):
                operators, num_columns = contents_of(text)
                if not operators <= self._built_in and not (self._defined and LIKE_DEFINED in operators):
                    continue
                for columns in permutations(range(len(self.column_bits)), num_columns):
                    own = bits + sum(self.column_bits[column] for column in columns)
                    found.setdefault(_steps(own), []).append((text, columns))
            self._fragments[key] = found
        return self._fragments[key]

    def _forms_of(self, text: str, columns: tuple[int, ...]) -> tuple[Form, ...]:
        """The forms of a fragment in which these columns stand, as it is and with defined operators in it."""
        key = text, columns
        if key not in self._made_of:
            forms = (to_form(part, columns) for part in self._variants(text))
            self._made_of[key] = tuple(
                form
                for form in forms
                if form is not None and form.num_constants <= self.max_constants and self._fits(form)
            )
        return self._made_of[key]

    def _variants(self, text: str) -> Iterator[Written]:
        part, (operators, _) = read_fragment(text), contents_of(text)
        if operators <= self._built_in:
            yield part
        if LIKE_DEFINED in operators and operators - {LIKE_DEFINED} <= self._built_in:
            yield from (replaced(part, LIKE_DEFINED, name) for name in self._defined)

    @cached_property
    def _defined(self) -> tuple[str, ...]:
        """Operators of one operand that a user has defined."""
        return tuple(name for name in self.operators if name not in NAMES and ARITY[CODES[name]] == 1)

    @cached_property
    def _roots(self) -> tuple[str, ...]:
        """Operators that stand at the root of fragments."""
        return tuple(sorted({*self._built_in, *([LIKE_DEFINED] if self._defined else [])}))

    @cached_property
    def _built_in(self) -> frozenset[str]:
        return frozenset(self.operators) & frozenset(NAMES)

    def _priced(self, context: Context) -> Iterator[tuple[Form | str, int]]:
        prior = self.prior
        column = prior.bits(context, COLUMN)
        yield from ((leaf(place), _steps(column + bits)) for place, bits in enumerate(self.column_bits))
        if context.above != ROOT:
            free = -math.log2(sum(2.0 ** -prior.bits(context, symbol) for symbol in CONSTANTS))
            yield leaf(None), _steps(free)
            yield leaf(1.0), _steps(prior.bits(context, ONE))
            number = free + WRITTEN_BITS
            yield from ((leaf(value), _steps(number + bits_of_whole(int(value)))) for value in NUMBERS)
        for name in self.operators:
            own = prior_name(name)
            yield name, _steps(prior.bits(context, own) + prior.fresh_bits(context, own))


def prior_name(operator: str) -> str:
    """The operator whose bits an operator has in the structure prior: its own, or what stands for defined ones."""
    return operator if operator in NAMES else LIKE_DEFINED


def _steps(bits: float) -> int:
    return max(1, round(bits / STEP))


@cache
def contents_of(text: str) -> tuple[frozenset[str], int]:
    """The operators of a fragment, and how many columns stand in it."""
    words = set(text.split(" "))
    operators = frozenset(words & CODES.keys())
    return operators, sum(word.startswith(COLUMN) for word in words - operators)


def replaced(part: Written, operator: str, by: str) -> Written:
    """A fragment with another operator in the place of one."""
    operands = tuple(replaced(operand, operator, by) for operand in part.operands)
    return Written(by if part.symbol == operator else part.symbol, operands, part.column)


def to_form(part: Written, columns: Sequence[int]) -> Form | None:
    """The form of a fragment in which these columns stand; None where it says something in too many words."""
    if part.symbol == COLUMN:
        return leaf(columns[part.column])
    if not part.operands:
        return leaf(None if part.symbol in CONSTANTS else 1.0)
    operands = [to_form(operand, columns) for operand in part.operands]
    known = tuple(operand for operand in operands if operand is not None)
    return node(part.symbol, known) if len(known) == len(operands) else None


def symbol_of_form(form: Form) -> str:
    """The symbol of the root of a form in the structure prior."""
    symbol = form.symbol
    if isinstance(symbol, str):
        return prior_name(symbol)
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
