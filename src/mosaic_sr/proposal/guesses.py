"""The user's own formulas as a proposer, and the forms of named laws where the user asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.proposal.context import Event, ProposalContext
from mosaic_sr.sketch import Sketch

GUESSES, NAMED_FORMS = "guesses", "named_forms"
# Fits of so many forms take some tenths of a second, after which the progress is shown and the clock is read.
FORMS_AT_ONCE = 20


def propose_guesses(
    guesses: Sequence[Expression], named_forms: Sequence[Expression], context: ProposalContext, rng: np.random.Generator
) -> Iterator[Event]:
    """The formulas as they are; their numbers are a start. A law that began as a named form says so."""
    if guesses:
        yield [Sketch(guess, 0.0, GUESSES) for guess in guesses]
    for start in range(0, len(named_forms), FORMS_AT_ONCE):
        yield [Sketch(form, 0.0, NAMED_FORMS) for form in named_forms[start : start + FORMS_AT_ONCE]]
