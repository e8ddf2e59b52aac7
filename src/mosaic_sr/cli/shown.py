"""An outcome on the terminal: the front, the law with its constants, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mosaic_sr.group_words import group_lines
from mosaic_sr.losses import SQUARED
from mosaic_sr.outcome import Outcome
from mosaic_sr.report import described_constants, front_lines, r_squared
from mosaic_sr.verdict import (
    chi2_words,
    column_words,
    coverage_words,
    noise_words,
    own_loss_words,
    parting_words,
    rival_lines,
    stability_words,
    summary,
    verdict,
)
from mosaic_sr.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

# Of the numbers of a law that is printed; the law file has all of them.
SHOWN_DIGITS = 8


def print_outcome(outcome: Outcome, console: Console) -> None:
    """Notes, the front, the law with its constants, and how good it is, for a person."""
    from rich.text import Text

    def show(line: str, style: str = "") -> None:
        # A law in two lines could not be copied, nor read by a program behind a pipe.
        console.print(Text(visible(line), style=style), soft_wrap=True)

    for note in outcome.notes:
        show(f"note: {note}", "yellow")
    for number, line in enumerate(front_lines(outcome.front, outcome.law)):
        show(line, "bold" if number == 0 or line.startswith(">>>>") else "")
    show("")
    show(f"{outcome.target} = {outcome.law.text(precision=SHOWN_DIGITS)}", "bold green")
    for line in described_constants(outcome.law):
        show(f"  {line}")
    for line in group_lines(outcome):
        show(line)
    for label, part in outcome.parts:
        show(f"{label} = {part.text(precision=SHOWN_DIGITS)}")
    if outcome.law.named is not None:
        show(f"this is: {outcome.law.named.sentence()}")
    for one in outcome.constraints:
        show(f"constraint {one.constraint}: {one.how}", "" if one.holds else "bold red")
    for line in _sentences(outcome):
        show(line)


def print_equation(outcome: Outcome, index: int, console: Console) -> None:
    """An equation of the front, which stands as the law of the outcome, with its constants and its errors."""
    from rich.text import Text

    law = outcome.law
    facts = (
        f"equation {index} of the front, 0 to {len(outcome.front) - 1}: complexity {law.complexity}, "
        f"validation loss {law.validation.loss:.2e}, R² {r_squared(law.validation.nmse)}, found by {law.found_by}"
    )
    console.print(Text(visible(f"{outcome.target} = {law.text(precision=SHOWN_DIGITS)}"), "bold green"), soft_wrap=True)
    for line in (*(f"  {constant}" for constant in described_constants(law)), facts):
        console.print(Text(visible(line)), soft_wrap=True)


def _sentences(outcome: Outcome) -> Iterator[str]:
    """How sure the law is and what competes with it; the last line states what was found and how."""
    if outcome.loss != SQUARED:
        yield own_loss_words(outcome)
    elif outcome.scatter is None:
        for tie in outcome.law.ties:
            yield f"fits equally well: {outcome.target} = {tie.text(precision=SHOWN_DIGITS)}"
    else:
        yield verdict(outcome)
        yield from rival_lines(outcome)
        noise, columns = noise_words(outcome), column_words(outcome)
        labelled = (f"noise: {noise}", f"columns: {columns}" if columns else "")
        yield from filter(None, (parting_words(outcome), *labelled, coverage_words(outcome)))
    if outcome.chi2 is not None:
        yield chi2_words(outcome)
    if outcome.stability is not None:
        yield stability_words(outcome)
    if outcome.confirmation is not None:
        yield outcome.confirmation.sentence()
    law = outcome.law
    digits = 9 if outcome.scatter is None else 5
    yield (
        f"{summary(outcome)}; validation R² {1.0 - law.validation.nmse:.{digits}g}, "
        f"{outcome.evaluations:,} candidates in {outcome.seconds:.1f} s, found by {law.found_by}"
    )
