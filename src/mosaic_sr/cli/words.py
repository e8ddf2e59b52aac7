"""The words of options: several names or operators may share a word; others come from a list."""

from __future__ import annotations

import csv
from collections.abc import Iterable

from mosaic_sr.errors import InvalidSettings

TABLE_HELP = "Table with a header: CSV, TSV, Excel or Parquet; - for standard input."
MISSING_HELP = "Rows with empty cells: drop (leave them out, with a note) or error (refuse the table)."


def names_in(words: list[str] | None) -> tuple[str, ...] | None:
    """The names in the words of an option, as in `a,b` or `"Mass, kg",b`; None where it was not given."""
    if words is None:
        return None
    cells = [cell.strip() for word in words for row in csv.reader([word], skipinitialspace=True) for cell in row]
    return tuple(filter(None, cells))


def operators_in(words: list[str] | None) -> tuple[str, ...] | None:
    """The operators in the words of an option, as in `+,hypot2(x, y) = x*x + y*y`; None where it was not given."""
    if words is None:
        return None
    cells, depth = [""], 0
    for character in ",".join(words):
        depth += (character == "(") - (character == ")")
        if character == "," and depth <= 0:
            cells.append("")
        else:
            cells[-1] += character
    return tuple(filter(None, map(str.strip, cells)))


def check_missing(word: str, known: Iterable[str]) -> None:
    """Refuse a word for what to do about empty cells that is none of those known."""
    words = list(known)
    if word not in words:
        raise InvalidSettings(f"--missing must be {' or '.join(words)}, got {word!r}")
