"""`mosaic constants`: a formula of known form, its unknown constants from a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mosaic_sr.cli.words import MISSING_HELP, TABLE_HELP, names_in


def constants(
    formula: Annotated[
        str, typer.Argument(help='Right-hand side, e.g. "a*sin(b*x0)+c"; names that are not columns are fitted.')
    ],
    file: Annotated[Path, typer.Argument(help=TABLE_HELP)],
    target: Annotated[str, typer.Option(help="Target column.")],
    sigma: Annotated[str | None, typer.Option(help="Column with the standard error of the target in each row.")] = None,
    weights: Annotated[
        str, typer.Option(help="Weights of the rows: uniform, or relative for a target that spans decades.")
    ] = "uniform",
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            help="Columns to leave out, so that constants can have their names; NAME[,NAME], may be repeated."
        ),
    ] = None,
    missing: Annotated[str, typer.Option(help=MISSING_HELP)] = "drop",
    json: Annotated[Path | None, typer.Option(help="Write the constants and their errors to this file.")] = None,
) -> None:
    """Fit the constants of a known formula, with standard errors."""
    from mosaic_sr.cli.known_form import KnownForm, run_known_form

    run_known_form(KnownForm(formula, file, target, sigma, weights, json, names_in(ignore) or (), missing))
