"""`Written`: a formula as symbols from the root down, which the structure prior counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.operators import ARITY, CODES, NAMES, Operator

# Leaves: a column, a constant, a negative one, the 1 of 1 + x. Signs tell decays from growth; whether a person wrote a
# constant or a fit found it is no structure.
COLUMN, FREE, NEGATIVE, ONE = "x", "c", "m", "1"
LEAVES = (COLUMN, FREE, NEGATIVE, ONE)
CONSTANTS = (FREE, NEGATIVE)
SYMBOLS = (*LEAVES, *NAMES)
SUMS, PRODUCTS, POWERS = ("add", "sub"), ("mul", "div"), ("sq", "cube", "sqrt", "inv", "pow")
# An operator that a user has defined is as likely as this one.
LIKE_DEFINED = "sin"
ROOT = "-"


class Context(NamedTuple):
    """Where a symbol stands: below which symbol, which of its operands it is, the symbol above that one, and the symbol
    of the operand before it.
    """

    above: str = ROOT
    place: int = 0
    further: str = ROOT
    before: str = ROOT

    def below(self, symbol: str, place: int, before: str = ROOT) -> Context:
        """Where an operand of a symbol at this place stands; before: the symbol of the operand before it."""
        return Context(symbol, place, self.above, before)

    @property
    def key(self) -> str:
        return f"{self.further} {self.above} {self.place} {self.before}"

    @property
    def operand_key(self) -> str:
        """Which operand of which symbol stands here, whatever is around them."""
        return f"{self.above} {self.place}"


# Of a whole law.
NOWHERE = Context()


def shorter_keys(key: str) -> tuple[str, str]:
    """Of a context's key, what is left without the operand before, and without the symbol two above: least first."""
    _, above, place, before = key.split(" ")
    return f"{above} {place}", f"{above} {place} {before}"


@dataclass(frozen=True, eq=False)
class Written:
    """A part of a formula as symbols: its own, and those of its operands; column: which one, where it is a column."""

    symbol: str
    operands: tuple[Written, ...] = ()
    column: int = -1

    def placed(self, context: Context = NOWHERE) -> Iterator[tuple[Context, Written]]:
        """Every part with the place where it stands."""
        yield context, self
        for operand, own in zip(self.operands, self.contexts(context), strict=True):
            yield from operand.placed(own)

    def contexts(self, context: Context) -> Iterator[Context]:
        """Where the operands stand if this part stands in a context."""
        for place in range(len(self.operands)):
            before = self.operands[0].symbol if place else ROOT
            yield context.below(self.symbol, place, before)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The symbols from the root down, with columns by their numbers."""
        own = f"{COLUMN}{self.column}" if self.symbol == COLUMN else self.symbol
        return (own, *(word for operand in self.operands for word in operand.words))

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The columns in the order in which they first occur."""
        found = [self.column] if self.symbol == COLUMN else []
        return tuple(dict.fromkeys([*found, *(column for operand in self.operands for column in operand.columns)]))

    @cached_property
    def operators(self) -> frozenset[str]:
        """The operators among its symbols."""
        return frozenset(self.words) & CODES.keys()

    @cached_property
    def fragment(self) -> str:
        """The part as text in which columns are numbered as they occur, so that any column may stand for each."""
        names = {f"{COLUMN}{column}": f"{COLUMN}{place}" for place, column in enumerate(self.columns)}
        return " ".join(names.get(word, word) for word in self.words)


def read_fragment(text: str) -> Written:
    """The part that a fragment is the text of."""
    part, rest = _read(text.split(" "))
    if rest:
        raise ValueError(f"symbols are left over: {' '.join(rest)}")
    return part


def _read(words: Sequence[str]) -> tuple[Written, Sequence[str]]:
    word, rest = words[0], words[1:]
    if word in (FREE, NEGATIVE, ONE):
        return Written(word), rest
    if word not in CODES:
        return Written(COLUMN, column=int(word.removeprefix(COLUMN))), rest
    operands = []
    for _ in range(int(ARITY[CODES[word]])):
        operand, rest = _read(rest)
        operands.append(operand)
    return Written(word, tuple(operands)), rest


def written(expression: Expression) -> Written:
    """The symbols of an expression as it stands, but for its own sign."""

    def node(operator: Operator, operands: list[Written]) -> Written:
        if operator.name == "neg":
            return _negated(operands[0])
        symbol = operator.name if operator.name in NAMES else LIKE_DEFINED
        if symbol in SUMS:
            return _sum(symbol, *operands)
        if symbol in PRODUCTS and _has_free_factor(operands[0]):
            operands[1] = _with_ones(operands[1])
        return Written(symbol, tuple(operands))

    whole: Written = expression.fold(
        node,
        lambda column: Written(COLUMN, column=column),
        lambda value: Written(symbol_of(value)),
        lambda: Written(COLUMN, column=0),
    )
    ordered = in_order(whole)
    return in_order(_with_other_sign(ordered)) if _sign(next(_terms(ordered))) < 0 else ordered


def in_order(part: Written) -> Written:
    """The same part with its terms and factors in an order that does not depend on which columns stand in them."""
    own = Written(part.symbol, tuple(map(in_order, part.operands)), part.column)
    if own.symbol in SUMS:
        joined = list(_joined(own))
        first, *added = sorted((term for symbol, term in joined if symbol == "add"), key=_place)
        taken = sorted((term for symbol, term in joined if symbol == "sub"), key=_place)
        return reduce(_subtracted, taken, reduce(_added, added, first))
    if own.symbol == "mul":
        first, *others = sorted(_factors(own), key=_place)
        return reduce(lambda left, right: Written("mul", (left, right)), others, first)
    return own


def _place(part: Written) -> tuple[bool, bool, int, str]:
    """Where a term or factor stands among others: constants first, then parts with a constant, short ones first."""
    return part.symbol in (COLUMN, *NAMES), not _has_free_factor(part), len(part.words), part.fragment


def _joined(part: Written) -> Iterator[tuple[str, Written]]:
    """The terms of a sum, each with the symbol that joins it to those before."""
    if part.symbol in SUMS:
        yield from _joined(part.operands[0])
        yield part.symbol, part.operands[1]
    else:
        yield "add", part


def _added(left: Written, right: Written) -> Written:
    return Written("add", (left, right))


def _subtracted(left: Written, right: Written) -> Written:
    return Written("sub", (left, right))


def _factors(part: Written) -> Iterator[Written]:
    if part.symbol == "mul":
        yield from _factors(part.operands[0])
        yield from _factors(part.operands[1])
    else:
        yield part


def _sign(part: Written) -> int:
    """The sign of the constant before a part; 0 where there is none."""
    if part.symbol in PRODUCTS:
        return _sign(part.operands[0])
    return {FREE: 1, NEGATIVE: -1}.get(part.symbol, 0)


def _has_free_factor(part: Written) -> bool:
    return _sign(part) != 0


def _negated(part: Written) -> Written:
    """The part with the other sign, where a constant can take it; else a minus is no structure."""
    if part.symbol in PRODUCTS:
        return Written(part.symbol, (_negated(part.operands[0]), *part.operands[1:]))
    if part.symbol in CONSTANTS:
        return Written(NEGATIVE if part.symbol == FREE else FREE)
    return part


def _sum(symbol: str, left: Written, right: Written) -> Written:
    """A sum; a minus before a constant is the sign of this constant, and a constant alone comes first."""
    if symbol == "sub" and _has_free_factor(right):
        symbol, right = "add", _negated(right)
    return _led_by(right, left) if right.symbol in CONSTANTS else Written(symbol, (left, right))


def _led_by(constant: Written, rest: Written) -> Written:
    if rest.symbol in SUMS:
        return Written(rest.symbol, (_led_by(constant, rest.operands[0]), *rest.operands[1:]))
    return Written("add", (constant, rest))


def _with_ones(part: Written) -> Written:
    """A factor beside a free constant, whose sums are written 1 + c*x and not c + x, which the units decide."""
    if part.symbol in SUMS:
        terms = list(_terms(part))
        fixed = [term for term in terms if not _has_free_factor(term)]
        offset = next((term for term in terms if term.symbol in CONSTANTS), None)
        if len(fixed) == 1 and fixed[0].symbol != ONE and offset is not None:
            return _mapped(part, lambda term: _over_offset(term, offset))
        return part
    if part.symbol in PRODUCTS:
        return Written(part.symbol, tuple(map(_with_ones, part.operands)))
    if part.symbol in POWERS:
        return Written(part.symbol, (_with_ones(part.operands[0]), *part.operands[1:]))
    return part


def _over_offset(term: Written, offset: Written) -> Written:
    """A term of a sum that is divided by its constant."""
    if term is offset:
        return Written(ONE)
    own = term if _has_free_factor(term) else _scaled(term)
    return _negated(own) if offset.symbol == NEGATIVE else own


def _terms(part: Written) -> Iterator[Written]:
    return (term for _, term in _joined(part))


def _mapped(part: Written, change: Callable[[Written], Written]) -> Written:
    """A sum with all its terms changed."""
    if part.symbol not in SUMS:
        return change(part)
    left, right = part.operands
    return _sum(part.symbol, _mapped(left, change), change(right))


def _with_other_sign(part: Written) -> Written:
    """A law times -1; its first term has a constant."""
    if part.symbol not in SUMS:
        return _negated(part)
    left, right = part.operands
    if _has_free_factor(right):
        return _sum(part.symbol, _with_other_sign(left), _negated(right))
    return Written("sub" if part.symbol == "add" else "add", (_with_other_sign(left), right))


def shape(expression: Expression) -> tuple[str, ...]:
    """What tells one law from another: its operators by name and its columns, without constants and their signs."""

    def node(operator: Operator, operands: list[Written]) -> Written:
        if operator.name == "neg" and _has_free_factor(operands[0]):
            return operands[0]
        if operator.name == "sub" and _has_free_factor(operands[1]):
            return Written("add", tuple(operands))
        return Written(operator.name, tuple(operands))

    parts: Written = expression.fold(
        node,
        lambda column: Written(COLUMN, column=column),
        lambda value: Written(ONE if abs(value) == 1.0 else FREE),
        lambda: Written(COLUMN, column=0),
    )
    return parts.words


def _scaled(part: Written) -> Written:
    """A part with a free constant before it."""
    if part.symbol in PRODUCTS:
        return Written(part.symbol, (_scaled(part.operands[0]), *part.operands[1:]))
    if part.symbol == "inv":
        return Written("div", (Written(FREE), *part.operands))
    return Written("mul", (Written(FREE), part))


def with_tied_factors(part: Written) -> tuple[Written, int]:
    """A law whose terms c*(a + b) are c*a + c*b, and how many of its constants are then equal to another one."""
    terms, count = list[tuple[str, Written]](), 0
    for symbol, term in _joined(part):
        factor, whole = term.operands if term.symbol == "mul" else (term, term)
        if factor.symbol in CONSTANTS and whole.symbol in SUMS and not any(map(_has_free_factor, _terms(whole))):
            inner = [(own, _scaled_alike(factor, one)) for own, one in _joined(whole)]
            terms += [(symbol if own == "add" else _other(symbol), one) for own, one in inner]
            count += len(inner) - 1
        else:
            terms.append((symbol, term))
    if not count or terms[0][0] == "sub":
        return part, 0
    (_, whole), *others = terms
    for symbol, term in others:
        whole = _sum(symbol, whole, term)
    return in_order(whole), count


def _scaled_alike(factor: Written, part: Written) -> Written:
    """A part with a constant of the same sign before it; 1 becomes the constant."""
    own = Written(FREE) if part.symbol == ONE else _scaled(part)
    return _negated(own) if factor.symbol == NEGATIVE else own


def _other(symbol: str) -> str:
    return "sub" if symbol == "add" else "add"


def symbol_of(number: float) -> str:
    """The symbol of a number."""
    if abs(number) == 1.0:
        return ONE
    return NEGATIVE if number < 0.0 else FREE


def with_factors(part: Written) -> tuple[Written, int]:
    """A law with a constant before each of its terms and arguments, and how many of them were left out, being 1."""
    if part.symbol in SUMS:
        left, num_left = with_factors(part.operands[0])
        right, num_right = _with_factor(part.operands[1])
        return in_order(_sum(part.symbol, left, right)), num_left + num_right
    scaled, count = _with_factor(part)
    return in_order(scaled), count


def _with_factor(part: Written) -> tuple[Written, int]:
    inner, count = _with_inner_factors(part)
    if inner.symbol == ONE or _has_free_factor(inner) or inner.symbol in SUMS:
        return inner, count
    return _scaled(inner), count + 1


def _with_inner_factors(part: Written) -> tuple[Written, int]:
    if not part.operands:
        return part, 0
    if part.symbol in SUMS and any(term.symbol == ONE for term in _terms(part)):
        return _with_factors_beside_one(part)
    is_function = len(part.operands) == 1 and part.symbol not in POWERS
    found = [with_factors(own) if is_function else _with_inner_factors(own) for own in part.operands]
    return Written(part.symbol, tuple(own for own, _ in found)), sum(count for _, count in found)


def _with_factors_beside_one(part: Written) -> tuple[Written, int]:
    """A sum 1 + x, which as a part of a law is 1 + c*x in general."""
    whole, total = Written(ONE), 0
    for place, (symbol, term) in enumerate(_joined(part)):
        inner, count = _with_inner_factors(term)
        is_fixed = inner.symbol != ONE and not _has_free_factor(inner)
        inner, total = (_scaled(inner), total + count + 1) if is_fixed else (inner, total + count)
        whole = _sum(symbol, whole, inner) if place else inner
    return whole, total
