"""Words of options that hold several names."""

from __future__ import annotations

import csv
from collections.abc import Sequence


def names_in(words: Sequence[str] | None) -> tuple[str, ...] | None:
    """The names in the words of an option, with commas between them; None where it was not given.

    A name that holds a comma is written in double quotes, as in a CSV file; an empty word holds no name.
    """
    if words is None:
        return None
    lines = [line for word in words for line in word.splitlines(keepends=True)]
    return tuple(name.strip() for row in csv.reader(lines, skipinitialspace=True) for name in row)
