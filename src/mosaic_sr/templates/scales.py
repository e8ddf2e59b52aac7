"""Two scales on which filled templates are compared: evidence on noisy rows, bits where the law agrees with them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mosaic_sr.equation import Equation
from mosaic_sr.evidence import Judged, Noise
from mosaic_sr.evidence.judge import is_number
from mosaic_sr.exactness import Closeness
from mosaic_sr.selection.simplifying import textbook_values
from mosaic_sr.selection.snapping import simple_values
from mosaic_sr.templates.filling import Filled
from mosaic_sr.templates.workshop import Workshop

# Bits of a fitted constant of a law that agrees: more than any simple number of a law that a person would write.
FITTED_BITS = 30.0
# Simple numbers tried for each constant.
MOST_TRIES = 4


@dataclass(frozen=True, eq=False)
class Weighed:
    """A filled template on a scale; the highest score is the best.

    judged: its evidence on noisy rows.  law: its equation where it agrees.
    """

    filled: Filled
    score: float
    judged: Judged | None = None
    law: Equation | None = None


class Scale(Protocol):
    """Weighs filled templates."""

    def weigh(self, filled: Filled) -> Weighed | None:
        """The template with its score; None where it is no law."""

    def simple_numbers(self, weighed: Weighed) -> Iterator[tuple[int, list[float]]]:
        """Places among `Filled.values` of fitted numbers, with simple numbers near them."""


@dataclass(frozen=True)
class NoisyScale:
    """Evidence times structure prior, given the template."""

    workshop: Workshop
    noise: Noise

    def weigh(self, filled: Filled) -> Weighed | None:
        """The template with its log probability."""
        found = self.workshop.judged(filled, self.noise)
        if found is None or not self.workshop.may_admit(found[0]):
            return None
        return Weighed(found[0], found[1].score, judged=found[1])

    def simple_numbers(self, weighed: Weighed) -> Iterator[tuple[int, list[float]]]:
        """Numbers that a textbook could have, within the errors."""
        assert weighed.judged is not None
        values, num_named = weighed.filled.values, len(weighed.filled.constants)
        free = np.flatnonzero(self.workshop.is_fitted(weighed.filled)).tolist()
        with np.errstate(invalid="ignore"):
            errors = np.sqrt(np.diag(weighed.judged.evidence.covariance))
        # A fit may end at a number that a person could have written.
        if len(errors) != len(free):
            return
        for place, error in list(zip(free, errors.tolist(), strict=True))[num_named:]:
            yield place, textbook_values(float(values[place]), error)[:MOST_TRIES]


@dataclass(frozen=True)
class ExactScale:
    """Bits of the parts and of the numbers that had to be fitted; only laws that agree with the rows are weighed."""

    workshop: Workshop
    least: Closeness = Closeness.AGREES

    def weigh(self, filled: Filled) -> Weighed | None:
        """The template with its bits, taken from 0."""
        fitted, law = self.workshop.equation(filled, fixes_simple=True)
        if law.closeness < self.least:
            # Without a part that went, other numbers may be simple, such as the opposite of one.
            fitted, law = self.workshop.equation(filled)
        if law.closeness < self.least or not self.workshop.may_admit(fitted):
            return None
        num_fitted = sum(not is_number(value) for value in fitted.values.tolist())
        return Weighed(fitted, -self.workshop.bits(fitted) - FITTED_BITS * num_fitted, law=law)

    def simple_numbers(self, weighed: Weighed) -> Iterator[tuple[int, list[float]]]:
        """Simple numbers near the fitted ones, which agree to many digits where they are true."""
        for place, value in enumerate(weighed.filled.values.tolist()):
            if not is_number(value) and math.isfinite(value):
                yield place, simple_values(value, abs(value) * 1e-7, True, 0.0)[:MOST_TRIES]
