"""Breadth x depth from one run: the law that the first few search paths would have led to after fewer steps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

BREADTHS = (1, 6, 12, 24, 48)
DEPTHS = (100, 300, 500)
# The published rule of choice: below this error the law of fewest operators, else the smallest error.
EXACT_NMSE = 1e-15


def laws_at_budgets(path_trace: Sequence[Mapping[str, Any]]) -> dict[tuple[int, int], str]:
    """By numbers of paths and steps, the equation chosen on validation rows; budgets without any law are left out.

    path_trace: see `Outcome.path_trace`.
    """
    chosen = {}
    for paths in BREADTHS:
        for steps in DEPTHS:
            laws = list(_standing(path_trace, paths, steps))
            if laws:
                chosen[paths, steps] = str(min(laws, key=_preference)["equation"])
    return chosen


def _standing(path_trace: Iterable[Mapping[str, Any]], paths: int, steps: int) -> Iterable[Mapping[str, Any]]:
    """The last law of each of the first paths after so many steps."""
    last: dict[int, Mapping[str, Any]] = {}
    for entry in sorted(path_trace, key=lambda entry: (entry["path"], entry["steps"])):
        if entry["path"] < paths and entry["steps"] <= steps and math.isfinite(entry["validation_nmse"]):
            last[entry["path"]] = entry
    return last.values()


def _preference(entry: Mapping[str, Any]) -> tuple[bool, float, int, int]:
    """Smaller is better; the earlier path at a tie."""
    error = float(entry["validation_nmse"])
    is_exact = error <= EXACT_NMSE
    return not is_exact, 0.0 if is_exact else error, int(entry["operators"]), int(entry["path"])
