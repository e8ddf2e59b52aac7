"""`Constraint`: one statement about the law, such as `increasing in t`, as plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass

# Kinds of statements about one column, by the word that a user writes.
SHAPES = ("increasing", "decreasing", "convex", "concave", "even", "odd")


@dataclass(frozen=True)
class Constraint:
    """What the user wants of the law.

    text: the user's words.
    kind: "bounds", "value", "limit", "symmetric" or one of `SHAPES`.
    subject: the word that stands for the target; empty where there is none.
    columns: those that a shape speaks of, or the one that goes to its end in a limit.
    low, high: bounds of the law.  is_low_open, is_high_open: whether the bound itself is out.
    value: of the law at a point, or what it goes to.  end: where the column of a limit goes.
    point: the columns that are set and their values.
    region: columns with their own range, low and high; for all others the sampled range counts.
    """

    text: str
    kind: str
    subject: str = ""
    columns: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    is_low_open: bool = False
    is_high_open: bool = False
    value: float = 0.0
    end: float = math.inf
    point: tuple[tuple[str, float], ...] = ()
    region: tuple[tuple[str, float, float], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that it mentions."""
        placed = (*(name for name, _ in self.point), *(name for name, _, _ in self.region))
        return tuple(dict.fromkeys((*self.columns, *placed)))
