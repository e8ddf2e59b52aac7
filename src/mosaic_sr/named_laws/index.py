"""The catalogue by shape: for the shape of a law's normal form, the named forms that have it."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice, product

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.named_laws.catalogue import CATALOGUE
from mosaic_sr.named_laws.law import Law, with_offset
from mosaic_sr.named_laws.normal_form import in_normal_form
from mosaic_sr.named_laws.scalars import ZERO, Scalar, Unwritable, scalar, unknown
from mosaic_sr.named_laws.terms import Quotient
from mosaic_sr.operators import NUM_LEAF_CODES, operator_of

# How an operator shows in a shape; others do not show there.
KINDS = {
    **dict.fromkeys(("exp", "sinh", "cosh", "tanh"), "exp"),
    **dict.fromkeys(("sin", "cos", "tan"), "sin"),
    **dict.fromkeys(("asin", "acos"), "asin"),
    **{name: name for name in ("log", "atan", "abs")},
}
SHOWN = frozenset(KINDS.values())
Kinds = frozenset[str]
# Sizes that constants of a form are tried at: the order of a rate and an exponent may change the normal form.
TRIALS = ((0.83, 0.37, 0.59, 0.71, 0.47, 0.29, 0.53), (1.31, 2.3, 1.7, 2.9, 3.7, 1.1, 4.3))


@dataclass(frozen=True)
class Entry:
    """A form with the signs of its constants and sizes at which it has this shape; a sign of 0 leaves out a shift."""

    law: Law
    has_offset: bool
    values: tuple[float, ...]

    @cached_property
    def form(self) -> Quotient:
        """The normal form with its constants as unknowns."""
        return self._normal([unknown(i, value) if value else ZERO for i, value in enumerate(self.values)])

    @property
    def unknowns(self) -> list[int]:
        return [number for number, value in enumerate(self.values) if value]

    def shape(self) -> str:
        """The shape of the normal form; Unwritable where it has none."""
        return self._normal([scalar(value) for value in self.values]).shape

    def _normal(self, parameters: Sequence[Scalar]) -> Quotient:
        formula = self.law.formula
        own = zip(formula.parameter_of_constant.tolist(), formula.expression.constants.tolist(), strict=True)
        constants = [parameters[number] if number >= 0 else scalar(value) for number, value in own]
        return in_normal_form(formula.expression, constants, range(len(self.law.variables)))


def kinds_of(shape: str) -> Kinds:
    """The kinds of functions in a shape."""
    return frozenset(word for word in re.findall(r"[a-z]+(?=\()", shape) if word in SHOWN)


@cache
def entries_of(num_columns: int, kinds: Kinds) -> dict[str, list[Entry]]:
    """For each shape the forms of so many variables with these kinds of functions; those with an offset come last."""
    found: dict[str, list[Entry]] = {}
    laws = _laws().get((num_columns, kinds), [])
    for has_offset in (False, True):
        for law in laws:
            if law.takes_offset or not has_offset:
                for shape, entry in shapes_of(with_offset(law) if has_offset else law, has_offset):
                    found.setdefault(shape, []).append(entry)
    return found


def has_laws(num_columns: int, kinds: Kinds) -> bool:
    """Whether the catalogue has a law of so many variables with these kinds of functions."""
    return (num_columns, kinds) in _laws()


@cache
def _laws() -> dict[tuple[int, Kinds], list[Law]]:
    """The rows of the catalogue by their number of variables and their kinds of functions."""
    found: dict[tuple[int, Kinds], list[Law]] = {}
    for law in CATALOGUE:
        found.setdefault((len(law.variables), kinds_in(law.formula.expression)), []).append(law)
    return found


def kinds_in(form: Expression) -> Kinds:
    """The kinds of functions of columns in a form; a power with a column above is an exponential."""
    found: set[str] = set()
    for place, code in enumerate(form.codes.tolist()):
        if code < NUM_LEAF_CODES or not form.subtree(place).columns:
            continue
        name = operator_of(code).name
        if name in KINDS:
            found.add(KINDS[name])
        elif name == "pow" and form.subtree(place - 1).columns:
            start = int(form.starts[place - 1])
            found |= {"exp", "log"} if form.subtree(start - 1).columns else {"exp"}
    return frozenset(found)


def shapes_of(law: Law, has_offset: bool) -> Iterator[tuple[str, Entry]]:
    """The shapes that a form can have, one entry for each shape and choice of signs."""
    for signs in product(*(_signs(law, name) for name in law.parameters)):
        seen: set[str] = set()
        for values in _trials(law, signs):
            entry = Entry(law, has_offset, values)
            try:
                shape = entry.shape()
            except Unwritable:
                continue
            if shape not in seen:
                seen.add(shape)
                yield shape, entry


def _signs(law: Law, name: str) -> tuple[float, ...]:
    if name in law.shifts:
        return (1.0, -1.0, 0.0)
    return (1.0, -1.0) if name in law.signed else (1.0,)


def _trials(law: Law, signs: Sequence[float]) -> list[tuple[float, ...]]:
    """Values of constants with these signs that the law allows: small and rising, large and falling, or others."""
    count = len(law.parameters)
    small, large = (sizes[:count] for sizes in TRIALS)
    tried = [tuple(map(operator.mul, signs, sizes)) for sizes in (small, large[::-1], small[::-1], large)]
    allowed = (values for values in tried if law.allows(dict(zip(law.parameters, values, strict=True))))
    return list(islice(allowed, 2))
