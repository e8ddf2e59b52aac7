"""`Writer`: a `Sum` as an expression in the order in which a person writes it, and what that costs in print."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import reduce

from mosaic_sr.expressions.digits import ALL_DIGITS
from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.expressions.grammar import OPERATOR_OF_POWER
from mosaic_sr.operators import CODES, CONSTANT, VARIABLE
from mosaic_sr.writing.numbers import as_fraction, clean, printed_digits, significant_digits
from mosaic_sr.writing.phrases import Phrase, column_phrase, number_phrase, phrase
from mosaic_sr.writing.sums import Base, Call, Column, Factor, Sum, Term, scaled
from mosaic_sr.writing.taste import distaste_for_call, distaste_for_factor, distaste_for_sum

# Digits of a number that is written inside a power, as a width is; with more of them chance would find one.
LONGEST_ROOT = 7


class Writer:
    """Writes sums; equal ones once.

    most_digits: digits that errors leave to the fitted constants, all where none are known.
    """

    def __init__(self, most_digits: int = ALL_DIGITS) -> None:
        self._most_digits = most_digits
        self._known: dict[str, Phrase] = {}

    def cost(self, one: Sum) -> float:
        """Nodes, printed digits of constants, and what nobody likes to read."""
        return self.phrase(one).cost

    def expression(self, one: Sum) -> Expression:
        """The sum as it is written."""
        codes, slots, constants = list[int](), list[int](), list[float]()
        for leaf in self.phrase(one).postfix():
            if isinstance(leaf, float):
                codes.append(CONSTANT)
                slots.append(len(constants))
                constants.append(leaf)
            elif isinstance(leaf, int):
                codes.append(VARIABLE)
                slots.append(leaf)
            else:
                codes.append(CODES[leaf])
                slots.append(0)
        return make_expression(codes, slots, constants)

    def phrase(self, one: Sum) -> Phrase:
        """The words of a sum."""
        found = self._known.get(one.key)
        if found is None:
            found = self._known[one.key] = self._sum(one)
        return found

    def _sum(self, one: Sum) -> Phrase:
        if one.is_number:
            return self._fraction(one.number)
        first, *others = self._in_order(one.terms)
        written = self._term(*first)
        for value, factors in others:
            written = phrase("sub" if value < 0.0 else "add", written, self._term(abs(value), factors))
        written.cost += distaste_for_sum((first, *others))
        return written

    def _in_order(self, terms: Sequence[Term]) -> list[Term]:
        """Powers fall, other terms stand in the order of their size and columns; a positive term comes first."""
        if len(terms) == 1:
            return list(terms)
        is_polynomial = _is_polynomial(terms)
        in_order = sorted(terms, key=lambda term: self._order(term, is_polynomial))
        # Without a positive term a number comes first: its minus needs no operator.
        first = next((place for place, (value, _) in enumerate(in_order) if value > 0.0), None)
        if first is None:
            first = next((place for place, (_, factors) in enumerate(in_order) if not factors), 0)
        return [in_order[first], *in_order[:first], *in_order[first + 1 :]]

    def _order(self, term: Term, is_polynomial: bool) -> tuple[object, ...]:
        value, factors = term
        if not factors:
            return (1 if is_polynomial or value < 0.0 else -1,)
        bare = [self._base(base) for base, _ in factors]
        degree = sum(exponent for _, exponent in factors)
        return 0, sum(part.size for part in bare), min(part.order for part in bare), -degree, [p.order for p in bare]

    def _term(self, value: float, factors: Sequence[Factor]) -> Phrase:
        """A term in the cheapest of its forms: its powers one by one, or together, with its number inside or not."""
        if not factors:
            return self._fraction(value)
        forms = [self._fraction_of(value, factors, None)]
        for size in dict.fromkeys(abs(exponent) for _, exponent in factors if abs(exponent) > 1.0):
            alike = [(base, math.copysign(1.0, exponent)) for base, exponent in factors if abs(exponent) == size]
            rest = [factor for factor in factors if abs(factor[1]) != size]
            if len(alike) > 2 or (len(alike) == 2 and not all(isinstance(base, Column) for base, _ in alike)):
                forms.append(self._fraction_of(value, rest, self._power(self._fraction_of(1.0, alike, None), size)))
            root = self._root(abs(value), size)
            if root is not None:
                inside = self._fraction_of(root, alike, None)
                forms.append(self._fraction_of(math.copysign(1.0, value), rest, self._power(inside, size)))
        return min(forms, key=lambda form: form.cost)

    def _root(self, value: float, order: float) -> float | None:
        """The number whose power a long number is, if that is a short one: ((x - a)/b)^2 has one such."""
        if significant_digits(value) <= LONGEST_ROOT or self._most_digits < ALL_DIGITS:
            return None
        root = clean(value ** (1.0 / order))
        is_short = min(significant_digits(root), significant_digits(clean(1.0 / root))) <= LONGEST_ROOT
        return root if is_short else None

    def _fraction_of(self, value: float, factors: Sequence[Factor], power: Phrase | None) -> Phrase:
        """A term: its number and its positive powers above the line, the others below; power: a further factor."""
        above, below = as_fraction(abs(value), self._most_digits)
        top = self._ordered([factor for factor in factors if factor[1] > 0.0])
        bottom = self._ordered([factor for factor in factors if factor[1] < 0.0])
        if power is not None:
            top.append(power)
        if above != 1.0 or (not top and not bottom) or (value < 0.0 and not top):
            top.insert(0, self._number(math.copysign(above, value)))
        elif value < 0.0:
            top[0] = phrase("neg", top[0])
        if below != 1.0:
            bottom.insert(0, self._number(below))
        if not bottom:
            return _chain(top)
        return phrase("div", _chain(top), _chain(bottom)) if top else phrase("inv", _chain(bottom))

    def _ordered(self, factors: Iterable[Factor]) -> list[Phrase]:
        written = [(self._base(base, exponent), abs(exponent)) for base, exponent in factors]
        written.sort(key=lambda part: (part[0].size, part[0].order))
        return [self._power(base, exponent) for base, exponent in written]

    def _power(self, base: Phrase, exponent: float) -> Phrase:
        if exponent == 1.0:
            return base
        name = OPERATOR_OF_POWER.get(exponent)
        return phrase("pow", base, self._fraction(exponent)) if name is None else phrase(name, base)

    def _base(self, base: Base, exponent: float = 1.0) -> Phrase:
        if isinstance(base, Column):
            return column_phrase(base.index)
        if isinstance(base, Call):
            written = phrase(base.name, *(self._bell(base) or map(self.phrase, base.arguments)))
            written.cost += distaste_for_call(base, is_exact=self._most_digits >= ALL_DIGITS)
            return written
        written = self.phrase(base).copied()
        written.cost += distaste_for_factor(base, exponent)
        return written

    def _bell(self, call: Call) -> list[Phrase]:
        """The argument -((u - c)/w)^2 of a fitted bell, with its width: nobody would know a fitted w^2 for a square."""
        argument = call.arguments[0]
        if call.name != "exp" or self._most_digits >= ALL_DIGITS or len(argument.terms) != 1:
            return []
        value, factors = argument.terms[0]
        base = factors[0][0] if len(factors) == 1 and factors[0][1] == 2.0 else None
        if value >= 0.0 or not isinstance(base, Sum) or not any(not own for _, own in base.terms):
            return []
        if next(share for share, own in base.terms if own) < 0.0:
            base = scaled(base, -1.0)
        share = phrase("div", self._base(base, 2.0), self._number(clean((-value) ** -0.5)))
        return [phrase("neg", phrase("sq", share))]

    def _fraction(self, value: float) -> Phrase:
        """A number by itself, as a fraction where that is shorter."""
        above, below = as_fraction(abs(value), self._most_digits)
        whole = self._number(value)
        if below == 1.0:
            return whole
        parts = phrase("div", self._number(math.copysign(above, value)), self._number(below))
        return min(whole, parts, key=lambda each: each.cost)

    def _number(self, value: float) -> Phrase:
        return number_phrase(value, printed_digits(value, self._most_digits))


def _chain(factors: Sequence[Phrase]) -> Phrase:
    return reduce(lambda left, right: phrase("mul", left, right), factors)


def _is_polynomial(terms: Sequence[Term]) -> bool:
    """Whether a base occurs in several powers, so that its powers fall and the number comes last."""
    powers: dict[Base, set[float]] = {}
    for _, factors in terms:
        for base, exponent in factors:
            if exponent >= 1.0:
                powers.setdefault(base, set()).add(exponent)
    return any(len(exponents) > 1 for exponents in powers.values())
