"""Families of laws for the corpus: formulas with named constants, and where columns and constants lie.

A file has one family per line, `formula | columns | constants`, for example

    vmax*s/(km + s) | s = 0.1..10 log | vmax = 1..5, km = 0.5..2

Columns and constants are drawn evenly between the two numbers, or by decades where `log` follows. A column without
numbers is drawn as those of random laws are, and a constant without numbers near 1. Lines with `#` are comments.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidFile, InvalidFormula
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting.named import NamedFormula, parse_named
from mosaic_sr.inputs import find_input
from mosaic_sr.proposal.prior.vocabulary import MAX_VARIABLES

Floats = NDArray[np.float64]
SHIPPED_FAMILIES = "families.txt"
# Ten times the families that ship with the package.
MOST_BYTES = 10_000_000
_RANGE = re.compile(r"^(?P<name>[^\s=]+)\s*(?:=\s*(?P<low>\S+?)\.\.(?P<high>\S+)(?P<log>\s+log)?)?$")


@dataclass(frozen=True)
class Span:
    """Where a column or a constant lies; by decades where `is_log`."""

    low: float
    high: float
    is_log: bool = False

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Values between the ends: (count,)."""
        if self.is_log:
            return np.exp(rng.uniform(math.log(self.low), math.log(self.high), count))
        return rng.uniform(self.low, self.high, count)

    def scaled(self, shares: Floats) -> Floats:
        """The values at these shares of the way from low to high."""
        if self.is_log:
            return np.asarray(self.low * (self.high / self.low) ** shares)
        return np.asarray(self.low + (self.high - self.low) * shares)


# Free constants of formulas without numbers: most are of the size of what they stand beside.
NEAR_ONE = Span(0.2, 5.0, is_log=True)


@dataclass(frozen=True, eq=False)
class Family:
    """A formula; columns: where each lies, None where that is open; constants: where each named constant lies."""

    formula: NamedFormula
    columns: tuple[Span | None, ...]
    constants: tuple[Span, ...]

    def draw(self, rng: np.random.Generator) -> Expression:
        """The law with constants drawn; one that is named twice has one value."""
        values = np.array([float(span.draw(rng, 1)[0]) for span in self.constants])
        owners = self.formula.parameter_of_constant
        own = self.formula.expression.constants
        drawn = [values[owner] if owner >= 0 else number for owner, number in zip(owners, own, strict=True)]
        return self.formula.expression.with_constants(drawn)


@cache
def shipped_families() -> tuple[Family, ...]:
    """The families of the package: `python -m benchmarks families` writes them."""
    text = files("mosaic_sr.pretraining").joinpath(SHIPPED_FAMILIES).read_text(encoding="utf-8")
    return parse_families(text, SHIPPED_FAMILIES)


@cache
def read_families(path: Path) -> tuple[Family, ...]:
    """The families of a user's file; InvalidFile names the line that cannot be read."""
    return parse_families(find_input(path).read_at_most(MOST_BYTES).decode("utf-8", errors="replace"), str(path))


def parse_families(text: str, source: str) -> tuple[Family, ...]:
    """One family per line."""
    found: list[Family] = []
    for number, line in enumerate(text.splitlines(), 1):
        content = line.split("#")[0].strip()
        if not content:
            continue
        try:
            found.append(_family(content))
        except (InvalidFormula, ValueError) as error:
            raise InvalidFile(f"{source}, line {number}: {error}") from error
    if not found:
        raise InvalidFile(f"{source} has no family; expected lines such as `a*x/(b + x) | x = 0.1..10`")
    return tuple(found)


def _family(line: str) -> Family:
    parts = [part.strip() for part in line.split("|")]
    if len(parts) not in (2, 3):
        raise ValueError(f"expected `formula | columns | constants`, found {len(parts)} parts")
    columns = _spans(parts[1])
    if not 1 <= len(columns) <= MAX_VARIABLES:
        raise ValueError(f"expected 1 to {MAX_VARIABLES} columns, found {len(columns)}")
    constants = _spans(parts[2]) if len(parts) == 3 else {}
    formula = parse_named(parts[0], list(columns))
    if unknown := [name for name in constants if name not in formula.names]:
        raise ValueError(f"the formula has no constant {unknown[0]!r}; it has {', '.join(formula.names) or 'none'}")
    if not formula.expression.columns:
        raise ValueError("the formula has none of the columns")
    spans = tuple(constants.get(name) or NEAR_ONE for name in formula.names)
    return Family(formula, tuple(columns.values()), spans)


def _spans(text: str) -> dict[str, Span | None]:
    """Names with where they lie, None where no numbers are given."""
    spans: dict[str, Span | None] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = _RANGE.match(part)
        if match is None:
            raise ValueError(f"expected `name = low..high` or `name = low..high log`, found {part!r:.60}")
        spans[match["name"]] = None if match["low"] is None else _span(match["low"], match["high"], bool(match["log"]))
    return spans


def _span(low: str, high: str, is_log: bool) -> Span:
    span = Span(float(low), float(high), is_log)
    if not (math.isfinite(span.low) and math.isfinite(span.high) and span.low <= span.high):
        raise ValueError(f"expected low..high with low <= high, found {low}..{high}")
    if is_log and span.low <= 0.0:
        raise ValueError(f"a range by decades needs positive numbers, found {low}..{high}")
    return span
