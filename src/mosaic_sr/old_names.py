"""Names of finders in earlier versions, which `without`, law files and result lines may still have."""

from __future__ import annotations

from collections.abc import Iterable

# The earlier name of a finder -> the finder that does its work now.
OLD_FINDERS = {
    "power_laws": "products",
    "scaling_laws": "products",
    "frequencies": "waves",
    "linear_bases": "sums",
    "rationals": "sums",
    "curves": "sums",
    "lookup": "pairs",
    "groups": "reductions",
    "peeling": "reductions",
}


def present_finder(name: str) -> str:
    """The name that a proposer has now; other names stay as they are."""
    return OLD_FINDERS.get(name, name)


def notes_on_old_finders(names: Iterable[str]) -> list[str]:
    """A sentence for each earlier name among these."""
    old = [name for name in dict.fromkeys(names) if name in OLD_FINDERS]
    return [f"the finder {name!r} of an earlier version is now part of {OLD_FINDERS[name]!r}" for name in old]
