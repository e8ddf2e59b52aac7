"""`mosaic compare`: laws that the user gives, weighed against each other on the same table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mosaic_sr.cli.words import MISSING_HELP, UNITS_HELP, names_in


def compare(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="LAW LAW [LAW ...] FILE",
            help='Two or more laws, then the table. A law is a formula such as "a*x/(b + x)", in which names that are '
            "not columns are fitted, or a law file (.json).",
            show_default=False,
        ),
    ],
    target: Annotated[str, typer.Option(help="Target column.")],
    sigma: Annotated[str | None, typer.Option(help="Column with the standard error of the target in each row.")] = None,
    weights: Annotated[str | None, typer.Option(help="Column with the weight of each row, 0 or larger.")] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(help="Columns to leave out, so that constants can have their names; NAME[,NAME]."),
    ] = None,
    keep_numbers: Annotated[
        bool,
        typer.Option(
            "--keep-numbers", help="Keep all numbers as they are; else numbers such as 8.03 are fitted again."
        ),
    ] = False,
    missing: Annotated[str, typer.Option(help=MISSING_HELP)] = "drop",
    units: Annotated[list[str] | None, typer.Option(help=UNITS_HELP)] = None,
    json: Annotated[Path | None, typer.Option(help="Write the comparison to this file.")] = None,
) -> None:
    """Compare laws on a table: how probable each is, where they differ, where to measure next."""
    from mosaic_sr.cli.compared import CompareRequest, run_compare

    *laws, file = words
    left_out = names_in(ignore) or ()
    run_compare(
        CompareRequest(
            tuple(laws), Path(file), target, sigma, weights, left_out, missing, json, keep_numbers, names_in(units)
        )
    )
