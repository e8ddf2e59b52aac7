"""The settings of selection."""

from __future__ import annotations

from dataclasses import dataclass, field

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.limits import Limits

MODEL_SELECTIONS = ("best", "accuracy", "score", "paper")


@dataclass(frozen=True)
class SelectionConfig:
    """How the law is chosen from the front.

    model_selection: "best" takes the simplest law that is exact to the rounding of the data, else the one by which the
    targets are told in the fewest bits.  "accuracy": the least validation error.  "score": the largest fall of the log
    error per node, as in PySR.  "paper": the published rule, fewest operators among those with a validation error
    below 1e-15, else the least validation error; on targets that span decades it hears only the largest rows.
    limits: those that no law may leave, in whatever words.
    loss: the user's own loss, by which the law of rows that no law agrees with is chosen; see `losses`.
    """

    model_selection: str = "best"
    limits: Limits = field(default_factory=Limits)
    loss: str = "squared"

    def __post_init__(self) -> None:
        if self.model_selection not in MODEL_SELECTIONS:
            known = ", ".join(MODEL_SELECTIONS)
            raise InvalidSettings(f"model_selection must be one of {known}, got {self.model_selection!r}")
