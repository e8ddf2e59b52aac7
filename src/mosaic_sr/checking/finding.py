"""`Finding`: one sentence about a table, how much it matters, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

# Names that a sentence lists; the rest is counted.
MOST_NAMES = 6


class Importance(IntEnum):
    """How much a finding matters: a search is refused or misled, may be misled, or should just know."""

    PROBLEM = 0
    WARNING = 1
    NOTE = 2


@dataclass(frozen=True)
class Finding:
    """What was found.

    topic: one word for programs.  columns: that it is about.  rows: numbers of the rows, from 0, where there are few.
    text: what was found.  remedy: what to do about it, empty where nothing needs to be done.
    """

    importance: Importance
    topic: str
    text: str
    remedy: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()

    @property
    def sentence(self) -> str:
        return f"{self.text}; {self.remedy}" if self.remedy else self.text


def listed(names: Sequence[str], count: int = MOST_NAMES) -> str:
    """Names for a sentence: 'a', 'b' and 3 more."""
    shown = ", ".join(map(repr, names[:count]))
    return f"{shown} and {len(names) - count:,} more" if len(names) > count else shown


def verb(names: Sequence[object], one: str, several: str) -> str:
    """The word for one or for several."""
    return one if len(names) == 1 else several
