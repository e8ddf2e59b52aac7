"""Names in the words of an option: several may share a word, as they share a line of CSV."""

from __future__ import annotations

import csv


def names_in(words: list[str] | None) -> tuple[str, ...] | None:
    """The names in the words of an option, as in `a,b` or `"Mass, kg",b`; None where it was not given."""
    if words is None:
        return None
    cells = [cell.strip() for word in words for row in csv.reader([word], skipinitialspace=True) for cell in row]
    return tuple(filter(None, cells))
