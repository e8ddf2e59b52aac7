"""The number in a cell of text, or what stands there in place of one and what to do about it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

MISSING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "-", "?"})
LOGICAL = {"true": 1.0, "false": 0.0}

NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
MONTH = "(?:[Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Mm]ay|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ep|[Oo]ct|[Nn]ov|[Dd]ec)[a-z]*"
# What people write in place of a number: its form, its name, and the remedy, in which {} stands for the number inside.
MISTAKES = tuple(
    (re.compile(form), name, remedy)
    for form, name, remedy in (
        (
            r"([+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?)",
            "a number with thousands separators",
            "remove the thousands separators, e.g. {}; write a decimal comma as a point",
        ),
        (r"([+-]?[0-9]*,[0-9]*(?:[eE][+-]?[0-9]+)?)", "a number with a comma", "write it with a decimal point"),
        (
            rf"[<>≤≥~≈]=?\s*({NUMBER})(?:\s.*)?",
            "a bound, not a value",
            "empty the cell to leave its row out, or write a number instead; only the target of a fit may have limits",
        ),
        (rf"({NUMBER})\s*[%‰]", "a percentage", "write {} and put the % into the column's name"),
        (
            rf"({NUMBER})\s*(?:±|\+/-|\+-)\s*{NUMBER}.*|({NUMBER})\([0-9]+\)",
            "a number with its error",
            "write {} and put the error into a separate column",
        ),
        (rf"[$€£¥]\s*({NUMBER})|({NUMBER})\s*[$€£¥]", "an amount of money", "write only {}"),
        (
            r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}(?:[ T].*)?|[0-9]{1,2}:[0-9]{2}(?::.*)?"
            rf"|[0-9]{{1,2}}[. -]*{MONTH}.*|{MONTH}[. -]*[0-9]{{1,2}}.*",
            "a date or a time",
            "convert it to a number, e.g. seconds since the first row",
        ),
        (
            rf"({NUMBER})\s*[A-Za-z°µμΩÅ℃℉'\"/][^,;]{{0,20}}",
            "a number with its unit",
            "write {} and put the unit into the column's name",
        ),
        (r"#[A-Z0-9/]+[!?]", "a spreadsheet error", "correct it, or empty the cell"),
    )
)


# Longer texts are none of these, and would take long to match.
LONGEST_MISTAKE = 60


def is_number(text: str) -> bool:
    """Whether a cell holds a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def to_number(text: str) -> float | None:
    """The number of a cell, NaN for an empty one; None where something else stands there."""
    word = text.strip().lower()
    if word in MISSING:
        return math.nan
    if word in LOGICAL:
        return LOGICAL[word]
    try:
        return float(text)
    except ValueError:
        return None


def described_mistake(text: str) -> tuple[str, str] | None:
    """What stands in a cell in place of a number, and the remedy; None for any other text."""
    for form, name, remedy in MISTAKES if len(text) <= LONGEST_MISTAKE else ():
        if found := form.fullmatch(text.strip()):
            inside = next(filter(None, found.groups()), "")
            return name, remedy.format(inside.replace(",", ""))
    return None


def are_units(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether the first row below the names holds units: texts over numbers, and no number but the 1 of a ratio."""
    words = [text.strip() for text in first]
    is_text = [to_number(word) is None for word in words]
    others = [word for word, is_own in zip(words, is_text, strict=True) if not is_own]
    below = [text for text, is_own in zip(second, is_text, strict=True) if is_own]
    if not below or any(described_mistake(word) for word in words):
        return False
    return all(map(is_number, below)) and all(word == "1" or word.lower() in MISSING for word in others)
