"""`mosaic constants`: a formula of known form, its unknown constants from a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mosaic_sr.cli.words import MISSING_HELP, TABLE_HELP, names_in


def constants(
    formula: Annotated[str, typer.Argument(help='Right-hand side, as "a*sin(b*x0)+c"; names of no column are fitted.')],
    file: Annotated[Path, typer.Argument(help=TABLE_HELP)],
    target: Annotated[str, typer.Option(help="The column that the formula explains.")],
    sigma: Annotated[str | None, typer.Option(help="Column with the standard error of the target in each row.")] = None,
    weights: Annotated[str, typer.Option(help="uniform, or relative for a target that spans decades.")] = "uniform",
    ignore: Annotated[
        list[str] | None, typer.Option(help="Columns whose names are free for constants; NAME[,NAME], may be repeated.")
    ] = None,
    missing: Annotated[str, typer.Option(help=MISSING_HELP)] = "drop",
    json: Annotated[Path | None, typer.Option(help="Write the constants and their errors to this file.")] = None,
) -> None:
    """Fit the constants of a known formula: each one with its error, and those that the rows cannot tell."""
    from mosaic_sr.cli.known_form import KnownForm, run_known_form

    run_known_form(KnownForm(formula, file, target, sigma, weights, json, names_in(ignore) or (), missing))
