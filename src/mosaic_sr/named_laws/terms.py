"""Sums of terms and their quotients, the normal form in which laws and named forms are compared.

A term is a number times powers of atoms. Atoms are columns and functions, each of a quotient of its own: exp(a*t) is
the atom exp(t) to the power a, (x² + 3)^0.4 the atom sum(x² + 3) to the power 0.4.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from mosaic_sr.named_laws.scalars import ONE, ZERO, Scalar, Unwritable

# Digits by which numbers inside atoms are told apart; the rest is rounding.
DIGITS = 9
# A longer sum is no named law: the longest in the catalogue has a dozen terms.
MOST_TERMS = 40


class Atom:
    """A column, or a function of a quotient.

    key: equal for equal atoms.  shape: the key without its numbers.
    """

    __slots__ = ("column", "inside", "key", "kind", "shape")

    def __init__(self, kind: str, inside: Quotient | None = None, column: int = -1) -> None:
        self.kind, self.inside, self.column = kind, inside, column
        self.key = f"x{column}" if inside is None else f"{kind}({inside.key})"
        self.shape = f"x{column}" if inside is None else f"{kind}({inside.shape})"


Factor = tuple[Atom, Scalar]
Monomial = tuple[Factor, ...]


class Term:
    """A coefficient times powers of distinct atoms, in the order of their keys.

    key: equal for terms that differ in their coefficient only.
    """

    __slots__ = ("coefficient", "factors", "key")

    def __init__(self, coefficient: Scalar, factors: Monomial = (), key: str | None = None) -> None:
        self.coefficient, self.factors = coefficient, factors
        self.key = _key_of(factors) if key is None else key

    @property
    def shape(self) -> str:
        return "*".join(sorted(atom.shape for atom, _ in self.factors))

    @property
    def order(self) -> tuple[object, ...]:
        """Decides which term leads a sum; it does not depend on coefficients."""
        ordered = sorted((atom.shape, exponent.value) for atom, exponent in self.factors)
        return [shape for shape, _ in ordered], [exponent for _, exponent in ordered]

    def __mul__(self, other: Term) -> Term:
        if not self.factors or not other.factors:
            return Term(self.coefficient * other.coefficient, self.factors or other.factors, self.key or other.key)
        return Term(self.coefficient * other.coefficient, merged((*self.factors, *other.factors)))

    def power(self, exponent: Scalar) -> Term:
        """The term to an exponent; (x²)^0.5 becomes x, which the comparison of values checks where x is negative."""
        factors = tuple((atom, own * exponent) for atom, own in self.factors)
        return Term(self.coefficient.power(exponent), merged(factors))


def _key_of(factors: Monomial) -> str:
    return "*".join([f"{atom.key}^{exponent.value:.{DIGITS}g}" for atom, exponent in factors])


def merged(factors: Iterable[Factor]) -> Monomial:
    """The factors in order, exponents of equal atoms added."""
    found: dict[str, Factor] = {}
    for atom, exponent in factors:
        known = found.get(atom.key)
        found[atom.key] = (atom, exponent if known is None else known[1] + exponent)
    return tuple(found[key] for key in sorted(found) if not found[key][1].is_zero)


@dataclass(frozen=True)
class Sum:
    """Terms with distinct keys, none of them zero."""

    terms: tuple[Term, ...]

    @cached_property
    def key(self) -> str:
        numbers = ((term.coefficient.sign, round(term.coefficient.log, DIGITS) + 0.0) for term in self.terms)
        return "+".join(f"{sign:+g}:{log}*{term.key}" for term, (sign, log) in zip(self.terms, numbers, strict=True))

    @cached_property
    def shape(self) -> str:
        return "+".join(sorted(term.shape for term in self.terms))

    @property
    def is_single(self) -> bool:
        return len(self.terms) == 1

    @property
    def is_constant(self) -> bool:
        return not self.terms or (self.is_single and not self.terms[0].factors)

    @property
    def leading(self) -> Term:
        return max(self.terms, key=lambda term: term.order)

    def __mul__(self, other: Sum) -> Sum:
        return sum_of(left * right for left in self.terms for right in other.terms)

    def times(self, term: Term) -> Sum:
        return Sum(tuple(sorted((own * term for own in self.terms), key=_by_key)))

    def __add__(self, other: Sum) -> Sum:
        return sum_of((*self.terms, *other.terms))


def _by_key(term: Term) -> str:
    return term.key


def sum_of(terms: Iterable[Term]) -> Sum:
    """The sum of terms; coefficients of equal ones are added."""
    found: dict[str, Term] = {}
    for term in terms:
        known = found.get(term.key)
        if known is not None:
            term = Term(known.coefficient + term.coefficient, term.factors, term.key)
        found[term.key] = term
    if len(found) > MOST_TERMS:
        raise Unwritable
    return Sum(tuple(found[key] for key in sorted(found) if not found[key].coefficient.is_zero))


UNIT = Sum((Term(ONE),))


@dataclass(frozen=True)
class Quotient:
    """A sum over a sum; make it with `quotient`."""

    top: Sum
    bottom: Sum = UNIT

    @cached_property
    def key(self) -> str:
        return self.top.key if self.bottom is UNIT else f"[{self.top.key}]/[{self.bottom.key}]"

    @cached_property
    def shape(self) -> str:
        return self.top.shape if self.bottom is UNIT else f"[{self.top.shape}]/[{self.bottom.shape}]"

    @property
    def is_constant(self) -> bool:
        return self.bottom is UNIT and self.top.is_constant

    @property
    def constant(self) -> Scalar | None:
        """Its value where it does not depend on columns."""
        if not self.is_constant:
            return None
        return self.top.terms[0].coefficient if self.top.terms else ZERO


def quotient(top: Sum, bottom: Sum) -> Quotient:
    """The quotient in normal form: no common power of an atom, a denominator that leads with 1."""
    if not bottom.terms:
        raise Unwritable
    if not top.terms:
        return Quotient(top)
    if bottom.is_single:
        return Quotient(top.times(bottom.terms[0].power(-ONE)))
    common = Term(ONE, common_factors(bottom)).power(-ONE)
    top, bottom = top.times(common), bottom.times(common)
    scale = Term(bottom.leading.coefficient.power(-ONE))
    top, bottom = top.times(scale), bottom.times(scale)
    if top.is_single or len(top.terms) != len(bottom.terms):
        return Quotient(top, bottom)
    factor = top.leading.coefficient
    is_multiple = top.times(Term(factor.power(-ONE))).key == bottom.key
    return Quotient(Sum((Term(factor),))) if is_multiple else Quotient(top, bottom)


def common_factors(bottom: Sum) -> Monomial:
    """Powers of atoms that all terms of a sum share, the lowest of each."""
    atoms = {atom.key: atom for term in bottom.terms for atom, _ in term.factors}
    lowest: list[Factor] = []
    for key, atom in atoms.items():
        exponents = [next((e for other, e in term.factors if other.key == key), ZERO) for term in bottom.terms]
        lowest.append((atom, min(exponents, key=lambda exponent: exponent.value)))
    return merged(lowest)
