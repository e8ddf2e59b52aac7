"""Cells that state a limit in place of a value, as `<0.05` below what an instrument can see."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mosaic_sr.table.cells import NUMBER

# The true value is below or above the limit.
BELOW, ABOVE = -1.0, 1.0
LIMIT = re.compile(rf"\s*([<>≤≥])=?\s*({NUMBER})\s*")
SIDES = {"<": BELOW, "≤": BELOW, ">": ABOVE, "≥": ABOVE}


def limit_in(text: str) -> tuple[float, float] | None:
    """The limit in a cell and its side; None for any other text."""
    found = LIMIT.fullmatch(text)
    return None if found is None else (float(found[2]), SIDES[found[1]])


def without_limits(texts: Sequence[str]) -> tuple[tuple[str, ...], list[float]]:
    """The cells with limits as plain numbers, and the side of each, 0 for other cells."""
    cells, sides = list(texts), [0.0] * len(texts)
    for row, text in enumerate(texts):
        if text.lstrip()[:1] in SIDES and (found := LIMIT.fullmatch(text)):
            cells[row], sides[row] = found[2], SIDES[found[1]]
    return tuple(cells), sides
