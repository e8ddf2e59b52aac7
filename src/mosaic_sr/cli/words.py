"""The words of options: several names or operators may share a word; others come from a list."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any

from mosaic_sr.errors import InvalidSettings

TABLE_HELP = "Table with a header: CSV, TSV, Excel or Parquet; - for standard input."
UNITS_HELP = "Units of columns and target, NAME=UNIT[,NAME=UNIT], e.g. L=m,g=m/s^2; none ignores those of the file."
MISSING_HELP = "Rows with empty cells: drop (leave them out, with a note) or error (refuse the table)."


def names_in(words: list[str] | None) -> tuple[str, ...] | None:
    """The names in the words of an option, as in `a,b` or `"Mass, kg",b`; None where it was not given."""
    if words is None:
        return None
    cells = [cell.strip() for word in words for row in csv.reader([word], skipinitialspace=True) for cell in row]
    return tuple(filter(None, cells))


def errors_in(words: list[str] | None) -> tuple[tuple[str, str | float], ...]:
    """Standard errors of features, as in `x=x_err` or `x=0.05,z=0.1`: the feature, and a column or a number."""
    found: list[tuple[str, str | float]] = []
    for word in names_in(words) or ():
        name, sign, errors = (part.strip() for part in word.rpartition("="))
        if not (name and sign and errors):
            raise InvalidSettings(f"--x-sigma must be NAME=COLUMN or NAME=NUMBER, such as x=0.05, got {word!r}")
        if name in (known for known, _ in found):
            raise InvalidSettings(f"--x-sigma names {name!r} twice; give its errors once")
        try:
            found.append((name, float(errors)))
        except ValueError:
            found.append((name, errors))
    return tuple(found)


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


def unknowns_in_words(words: list[str] | None) -> dict[str, dict[str, Any]] | None:
    """What is said of unknown functions, as in `f: maxsize=9, sign=positive, unary_operators=sin exp`; None if nothing.

    The words are checked with those of the estimator.
    """
    if words is None:
        return None
    found: dict[str, dict[str, Any]] = {}
    for word in words:
        name, colon, rest = word.partition(":")
        pairs = [cell.partition("=") for cell in rest.split(",")]
        if not colon or not all(equals for _, equals, _ in pairs):
            raise InvalidSettings(f"--unknown must be such as 'f: maxsize=9, sign=positive', got {word!r}")
        for key, _, value in pairs:
            found.setdefault(name.strip(), {})[key.strip()] = _typed(key.strip(), value.strip())
    return found


def _typed(key: str, value: str) -> Any:
    if key.endswith("operators"):
        return value.split()
    return int(value) if value.isdigit() else value


def check_missing(word: str, known: Iterable[str]) -> None:
    """Refuse a word for what to do about empty cells that is none of those known."""
    words = list(known)
    if word not in words:
        raise InvalidSettings(f"--missing must be {' or '.join(words)}, got {word!r}")
