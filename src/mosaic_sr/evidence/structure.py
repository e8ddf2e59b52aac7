"""The structure prior: bits of a formula's structure, counted over formulas as scientists write them.

A formula in canonical form is written from the root down. Every node is one symbol, and its bits depend on the two
symbols above it, on its place among their operands and on the operand before it. `python -m benchmarks structure-prior`
counts the symbols.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.operators import NAMES, Operator

# Leaves: a column, a constant that a fit determines, the 1 of 1 + x, any other number that a person wrote.
COLUMN, FREE, ONE, NUMBER = "x", "c", "1", "n"
# An operator that a user has defined is as likely as this one.
LIKE_DEFINED = "sin"
SYMBOLS = (COLUMN, FREE, ONE, NUMBER, *NAMES)
# Before anything is counted every symbol has been seen so often.
UNSEEN = 0.5
# Wherever a constant stands, at least one in sixteen is a number that a person wrote: drawn laws have free constants
# almost only, physics does not.
WRITTEN_BITS = 4.0
ROOT = "-"
FILE = "structure_prior.json"


@dataclass(frozen=True)
class Context:
    """Where a symbol stands: below which symbol, which of its operands it is, the symbol above that one, and the symbol
    of the operand before it.
    """

    above: str = ROOT
    place: int = 0
    further: str = ROOT
    before: str = ROOT

    def below(self, symbol: str, place: int, before: str = ROOT) -> Context:
        """Where an operand of a symbol at this place stands; before: the symbol of the operand before it.

        What stands behind a constant does not depend on whether a person wrote it.
        """
        return Context(symbol, place, self.above, FREE if before == NUMBER else before)

    @property
    def key(self) -> str:
        return f"{self.further} {self.above} {self.place} {self.before}"


def shorter_keys(key: str) -> tuple[str, str]:
    """Of a context's key, what is left without the operand before, and without the symbol two above: least first."""
    further, above, place, before = key.split(" ")
    del further
    return f"{above} {place}", f"{above} {place} {before}"


@dataclass(frozen=True)
class Written:
    """A part of a formula as symbols: its own, and those of its operands."""

    symbol: str
    operands: tuple[Written, ...] = ()

    def placed(self, context: Context = Context()) -> Iterator[tuple[Context, str]]:
        """Every symbol with the place where it stands."""
        yield context, self.symbol
        for place, operand in enumerate(self.operands):
            before = self.operands[0].symbol if place else ROOT
            yield from operand.placed(context.below(self.symbol, place, before))


def written(expression: Expression, is_number: Callable[[float], bool]) -> Written:
    """The symbols of an expression as it stands; is_number: whether a person could have written a constant."""

    def node(operator: Operator, operands: list[Written]) -> Written:
        # A minus is a sign and no structure, as before a free constant.
        if operator.name == "neg":
            return operands[0]
        symbol = operator.name if operator.name in NAMES else LIKE_DEFINED
        return Written(symbol, tuple(operands))

    return expression.fold(
        node,
        lambda _: Written(COLUMN),
        lambda value: Written(symbol_of(value) if is_number(value) else FREE),
        lambda: Written(COLUMN),
    )


def symbol_of(number: float) -> str:
    """The symbol of a number that a person wrote."""
    return ONE if abs(number) == 1.0 else NUMBER


class StructurePrior:
    """Bits of symbols by context; contexts that were seen seldom fall back on shorter ones (Witten and Bell)."""

    def __init__(self, counts: Mapping[str, Mapping[str, float]]) -> None:
        self._counts: dict[str, Counter[str]] = {}
        self._overall: Counter[str] = Counter(dict.fromkeys(SYMBOLS, UNSEEN))
        for key, own in counts.items():
            for known in (*shorter_keys(key), key):
                self._counts.setdefault(known, Counter()).update(own)
            self._overall.update(own)
        self._known: dict[tuple[str, str], float] = {}

    def bits(self, context: Context, symbol: str) -> float:
        """Bits of a symbol at a place."""
        key = context.key, symbol
        if key not in self._known:
            bits = -math.log2(self._share(context, symbol))
            self._known[key] = min(bits, self.bits(context, FREE) + WRITTEN_BITS) if symbol == NUMBER else bits
        return self._known[key]

    def bits_of(self, formula: Written) -> float:
        """Bits of all symbols of a formula; those that say which column and which number are not counted."""
        return sum(self.bits(context, symbol) for context, symbol in formula.placed())

    def _share(self, context: Context, symbol: str) -> float:
        share = self._overall[symbol] / self._total
        for key in (*shorter_keys(context.key), context.key):
            own = self._counts.get(key)
            if own:
                total, kinds = sum(own.values()), len(own)
                share = (own.get(symbol, 0.0) + kinds * share) / (total + kinds)
        return share

    @cached_property
    def _total(self) -> float:
        return float(sum(self._overall.values()))


def count_symbols(
    formulas: Iterable[tuple[Expression, float]], is_number: Callable[[float], bool]
) -> dict[str, dict[str, float]]:
    """Counts by context over formulas, each with its weight; formulas are brought to canonical form first."""
    counts: dict[str, dict[str, float]] = {}
    for expression, weight in formulas:
        for context, symbol in written(canonical(expression), is_number).placed():
            own = counts.setdefault(context.key, {})
            own[symbol] = own.get(symbol, 0.0) + weight
    return {key: dict(own) for key, own in sorted(counts.items())}


@cache
def shipped_prior() -> StructurePrior:
    """The prior that comes with the package."""
    text = files("mosaic_sr.evidence").joinpath(FILE).read_text(encoding="utf-8")
    return StructurePrior(json.loads(text)["counts"])
