"""`Confirmation`: what all rows of a long table say of the law that was found on some of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mosaic_sr.law_values import count, expect, finite, known_number


@dataclass(frozen=True)
class Confirmation:
    """A pass of the law over the rows of a file.

    num_rows: rows that were compared.  is_whole: whether these are all rows of the file that have no gaps.
    worst_place: where the row stands that is farthest from the law, as `line 17`; worst_target, worst_value: there.
    num_undefined, first_undefined: rows in which the law has no value, and where the first of them stands.
    """

    num_rows: int
    is_whole: bool
    worst_place: str
    worst_target: float
    worst_value: float
    num_undefined: int = 0
    first_undefined: str = ""

    @property
    def holds(self) -> bool:
        """Whether the law has a value in every row."""
        return self.num_undefined == 0

    def sentence(self) -> str:
        """The statement for a reader."""
        rows = f"all {self.num_rows:,} rows" if self.is_whole else f"the first {self.num_rows:,} rows"
        if not self.holds:
            return (
                f"not confirmed: of {rows} the law has no value in {self.num_undefined:,}, first {self.first_undefined}"
            )
        off = abs(self.worst_target - self.worst_value)
        return (
            f"confirmed on {rows}; the worst is {self.worst_place}: {self.worst_target:.6g} instead of "
            f"{self.worst_value:.6g}, off by {off:.2g}"
        )


def describe_confirmation(confirmation: Confirmation | None) -> dict[str, Any]:
    """What law files keep; nothing where the table was read whole."""
    if confirmation is None:
        return {}
    return {"confirmation": {name: finite(value) for name, value in vars(confirmation).items()}}


def confirmation_in(content: Mapping[str, Any]) -> Confirmation | None:
    """What `describe_confirmation` wrote."""
    if "confirmation" not in content:
        return None
    entry = expect(content["confirmation"], dict, "confirmation")
    places = [expect(entry[name], str, name) for name in ("worst_place", "first_undefined")]
    target, value = (known_number(entry[name], name, float("nan")) for name in ("worst_target", "worst_value"))
    return Confirmation(
        count(entry["num_rows"], "num_rows"), expect(entry["is_whole"], bool, "is_whole"), places[0], target, value,
        count(entry["num_undefined"], "num_undefined"), places[1],
    )  # fmt: skip
