"""The structure prior: bits of a formula's structure, counted over formulas as scientists write them.

A formula in canonical form is written from the root down. Each part is either a fragment that was seen before, such as
c*x/(c + x), or a symbol whose bits depend on the two symbols above it, on its place among their operands and on the
operand before it, followed by parts of its own. `python -m benchmarks structure-prior` counts symbols and fragments.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from mosaic_sr.evidence.written import (
    CONSTANTS,
    FREE,
    NEGATIVE,
    NOWHERE,
    SYMBOLS,
    Context,
    Written,
    shorter_keys,
    written,
)
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression

# So often a symbol stands where none of its kind was seen: formulas that were not counted have 3 bits less with it than
# without, laws of a random grammar 19, and drawn laws 0.15 more; from 0.05 to 0.2 it makes little difference.
UNUSUAL = 0.1
# Before anything is counted every symbol has been seen so often.
UNSEEN = 0.5
# This share of the weight of each fragment, when it is seen for the first time, goes to parts that were never seen
# (Pitman and Yor). Laws that were not counted had the fewest bits with shares of 0.6 to 0.9.
DISCOUNT = 0.8
# Weight of parts that were never seen where few were counted; between 10 and 100 it makes no difference.
UNCOUNTED = 30.0
# This share of the weight of fragments that differ in signs alone goes to all choices of signs: formulas that were
# not counted had the fewest bits with 0.1 to 0.2, 0.3 bits fewer than without, and drawn laws 0.1 bits more.
OTHER_SIGNS = 0.1
# The text that stands for them among the fragments.
FRESH = ""
FILE = "structure_prior.json"
Counts = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Counted:
    """What was counted over formulas: symbols by the key of their context, fragments by `fragment_key`."""

    symbols: Counts
    fragments: Counts

    def to_json(self, least: float) -> dict[str, Any]:
        """As plain values; fragments that weigh less than `least` count as never seen."""
        return {
            "counts": {key: _rounded(own, 0.0) for key, own in sorted(self.symbols.items())},
            "fragments": {key: _rounded(own, least) for key, own in sorted(self.fragments.items())},
        }


def _rounded(counts: Mapping[str, float], least: float) -> dict[str, float]:
    kept = {name: round(count, 2) for name, count in sorted(counts.items()) if count >= least or name == FRESH}
    lost = sum(counts.values()) - sum(kept.values())
    return {**kept, FRESH: round(kept[FRESH] + lost, 2)} if FRESH in kept else kept


def fragment_key(context: Context, symbol: str) -> str:
    """Among which fragments one with this symbol at its root is counted."""
    return f"{context.operand_key} {symbol}"


class StructurePrior:
    """Bits of formulas; contexts of symbols that were seen seldom fall back on shorter ones (Witten and Bell)."""

    def __init__(self, counted: Counted) -> None:
        self._counts: dict[str, Counter[str]] = {}
        self._overall: Counter[str] = Counter(dict.fromkeys(SYMBOLS, UNSEEN))
        for key, own in counted.symbols.items():
            for known in (*shorter_keys(key), key):
                self._counts.setdefault(known, Counter()).update(own)
            self._overall.update(own)
        self._known: dict[tuple[Context, str], float] = {}
        self._fragments = counted.fragments
        self._totals = {key: sum(own.values()) for key, own in counted.fragments.items()}
        self._unsigned = {key: _unsigned(own) for key, own in counted.fragments.items()}

    def bits(self, context: Context, symbol: str) -> float:
        """Bits of a symbol at a place where no fragment stands."""
        key = context, symbol
        if key not in self._known:
            self._known[key] = -math.log2(self._share(context, symbol))
        return self._known[key]

    def fresh_bits(self, context: Context, symbol: str) -> float:
        """Bits of a part being no fragment, at a place and with a symbol at its root."""
        key = fragment_key(context, symbol)
        return math.log2(self._totals[key] / self._fragments[key][FRESH]) if key in self._totals else 0.0

    def fragments(self, key: str) -> list[tuple[str, float]]:
        """The fragments of a key with their bits beyond those of the symbol at their root, columns not counted."""
        seen = self._fragments.get(key, {})
        return [(text, math.log2(self._totals[key] / count)) for text, count in seen.items() if text != FRESH]

    def bits_of(self, formula: Written, column_bits: Sequence[float]) -> float:
        """Bits of a formula, those of its columns included; its constants are not counted.

        column_bits: one per column, what it costs to name it.
        """
        return self._bits_of(formula, NOWHERE, column_bits)

    def _bits_of(self, part: Written, context: Context, column_bits: Sequence[float]) -> float:
        bits = self.bits(context, part.symbol)
        if not part.operands:
            return bits + column_bits[part.column] if part.column >= 0 else bits
        fresh = self.fresh_bits(context, part.symbol)
        for operand, own in zip(part.operands, part.contexts(context), strict=True):
            fresh += self._bits_of(operand, own, column_bits)
        share = self._seen(part, context)
        if not share:
            return bits + fresh
        seen = sum(column_bits[column] for column in part.columns) - math.log2(share)
        return bits + min(fresh, seen) - math.log2(1.0 + 2.0 ** -abs(fresh - seen))

    def _seen(self, part: Written, context: Context) -> float:
        """The share of a part among fragments, also of those that differ from it in signs."""
        key = fragment_key(context, part.symbol)
        if key not in self._totals:
            return 0.0
        num_signs = sum(word in CONSTANTS for word in part.words)
        alike = self._unsigned[key].get(_without_signs(part.fragment), 0.0) * 0.5**num_signs
        own = self._fragments[key].get(part.fragment, 0.0)
        return ((1.0 - OTHER_SIGNS) * own + OTHER_SIGNS * alike) / self._totals[key]

    def _share(self, context: Context, symbol: str) -> float:
        share = overall = self._overall[symbol] / self._total
        for key in (*shorter_keys(context.key), context.key):
            own = self._counts.get(key)
            if own:
                total, kinds = sum(own.values()), len(own)
                share = (own.get(symbol, 0.0) + kinds * share) / (total + kinds)
        return (1.0 - UNUSUAL) * share + UNUSUAL * overall

    @cached_property
    def _total(self) -> float:
        return float(sum(self._overall.values()))


def _unsigned(fragments: Mapping[str, float]) -> dict[str, float]:
    """The weights of fragments without their signs."""
    found: dict[str, float] = {}
    for text, weight in fragments.items():
        if text != FRESH:
            _add(found, _without_signs(text), weight)
    return found


def _without_signs(fragment: str) -> str:
    """The fragment with all its constants positive and its differences as sums."""
    return " ".join({NEGATIVE: FREE, "sub": "add"}.get(word, word) for word in fragment.split(" "))


def count_symbols(formulas: Iterable[tuple[Expression, float]]) -> Counted:
    """Symbols and fragments of formulas, each with its weight; formulas are brought to canonical form first."""
    symbols: dict[str, dict[str, float]] = {}
    fragments: dict[str, dict[str, float]] = {}
    heaviest: dict[tuple[str, str], float] = {}
    for expression, weight in formulas:
        for context, part in written(canonical(expression)).placed():
            _add(symbols.setdefault(context.key, {}), part.symbol, weight)
            if part.operands:
                key = fragment_key(context, part.symbol)
                _add(fragments.setdefault(key, {FRESH: UNCOUNTED}), part.fragment, weight)
                heaviest[key, part.fragment] = max(heaviest.get((key, part.fragment), 0.0), weight)
    for (key, text), weight in heaviest.items():
        fragments[key][text] -= DISCOUNT * weight
        fragments[key][FRESH] += DISCOUNT * weight
    return Counted(symbols, fragments)


def _add(counts: dict[str, float], name: str, weight: float) -> None:
    counts[name] = counts.get(name, 0.0) + weight


@cache
def shipped_prior() -> StructurePrior:
    """The prior that comes with the package."""
    content = json.loads(files("mosaic_sr.evidence").joinpath(FILE).read_text(encoding="utf-8"))
    return StructurePrior(Counted(content["counts"], content["fragments"]))
