"""`mosaic constants`: a formula of known form, its unknown constants from a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mosaic_sr.cli.words import MISSING_HELP, TABLE_HELP, UNITS_HELP, names_in


def constants(
    formula: Annotated[
        str,
        typer.Argument(
            help='Right-hand side, e.g. "a*sin(b*x0)+c"; names that are not columns are fitted. Or a law file.'
        ),
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
    intervals: Annotated[
        str | None,
        typer.Option(
            help="68 and 95 % intervals of the constants: profile (of the fit, need not be symmetric), "
            "delta (from standard errors) or bootstrap. Default for a law file: profile."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the bootstrap.")] = 0,
    units: Annotated[list[str] | None, typer.Option(help=UNITS_HELP)] = None,
    json: Annotated[Path | None, typer.Option(help="Write the constants and their errors to this file.")] = None,
) -> None:
    """Fit the constants of a known formula or of a law file, with standard errors and, on request, intervals."""
    from mosaic_sr.cli.known_form import KnownForm, run_known_form
    from mosaic_sr.cli.law_constants import run_law_constants
    from mosaic_sr.law_file import is_law_file

    request = KnownForm(
        formula, file, target, sigma, weights, json, names_in(ignore) or (), missing, intervals, seed,
        names_in(units),
    )  # fmt: skip
    if is_law_file(formula):
        run_law_constants(request)
    else:
        run_known_form(request)
