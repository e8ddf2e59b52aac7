"""`mosaic report` and `mosaic plot`: a law file and a table as a report or as pictures."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from mosaic_sr.cli.words import MISSING_HELP, TABLE_HELP

LAW_HELP = "Law file from mosaic fit --json."
ROWS_HELP = f"{TABLE_HELP} It needs the target and the columns of the law."
# Written out, because help is shown without importing the pictures.
KINDS = "fit, residuals, response or front"


def report_of_law(
    law: Annotated[Path, typer.Argument(help=LAW_HELP)],
    file: Annotated[Path, typer.Argument(help=ROWS_HELP)],
    output: Annotated[Path, typer.Option(help="HTML file to write.")],
    sigma: Annotated[str | None, typer.Option(help="Column with the standard error of the target in each row.")] = None,
    missing: Annotated[str, typer.Option(help=MISSING_HELP)] = "drop",
) -> None:
    """Write a report on a law and the rows of a table: one HTML file with pictures, which needs no other."""
    from mosaic_sr.cli.draw_law import DrawRequest, run_report

    run_report(DrawRequest(law, file, output, sigma, missing))


def plot(
    law: Annotated[Path, typer.Argument(help=LAW_HELP)],
    file: Annotated[Path, typer.Argument(help=ROWS_HELP)],
    output: Annotated[Path, typer.Option(help="Picture to write, by its ending: .png, .svg or .pdf.")],
    kind: Annotated[str, typer.Option(help=f"What to draw: {KINDS}.")] = "fit",
    index: Annotated[
        int | None, typer.Option(help="Equation of the front to draw, from 0 for the simplest. Default: the law.")
    ] = None,
    sigma: Annotated[str | None, typer.Option(help="Column with the standard error of the target in each row.")] = None,
    missing: Annotated[str, typer.Option(help=MISSING_HELP)] = "drop",
) -> None:
    """Draw a law and the rows of a table. Needs matplotlib, the `report` extra of mosaic-sr."""
    from mosaic_sr.cli.draw_law import DrawRequest, run_plot

    run_plot(DrawRequest(law, file, output, sigma, missing), kind, index)


def own_command() -> str:
    """The command that is running, as a shell reads it."""
    return shlex.join(["mosaic", *sys.argv[1:]])
