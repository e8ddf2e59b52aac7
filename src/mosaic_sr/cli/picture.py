"""The picture of a law of one column on the terminal, after `mosaic fit`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mosaic_sr.outcome import Outcome

if TYPE_CHECKING:
    from rich.console import Console

    from mosaic_sr.pictures import Observed

# Of the picture and its labels; a narrower terminal would break its lines.
LEAST_WIDTH = 76


def can_show(outcome: Outcome, console: Console) -> bool:
    """Whether there is a law of one column, and a person at a terminal that is wide enough and has the characters."""
    is_seen = console.file.isatty() and not console.is_dumb_terminal  # rich can take a pipe for a terminal
    has_letters = console.encoding.lower().replace("-", "").startswith("utf")
    return is_seen and has_letters and console.width >= LEAST_WIDTH and len(outcome.law.expression.columns) == 1


def print_picture(outcome: Outcome, rows: Observed, console: Console) -> None:
    """Print rows and law; nothing where the law has no value there."""
    from rich.text import Text

    from mosaic_sr.pictures import examine
    from mosaic_sr.pictures.numbers import response_pictures
    from mosaic_sr.pictures.terminal import CURVE, draw_text

    for picture in response_pictures(examine(outcome, rows, outcome.law)):
        console.print()
        for pieces in draw_text(picture):
            line = Text.assemble(*((piece, "bold green" if mark == CURVE else "") for piece, mark in pieces))
            console.print(line, soft_wrap=True)
