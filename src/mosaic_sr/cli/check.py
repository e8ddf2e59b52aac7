"""`mosaic check`: what is wrong with a table, and what its rows can and cannot show, before any search."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mosaic_sr.cli.words import TABLE_HELP, names_in


def check(
    file: Annotated[Path, typer.Argument(help=TABLE_HELP)],
    target: Annotated[str | None, typer.Option(help="Target column. Without it only the columns are checked.")] = None,
    columns: Annotated[list[str] | None, typer.Option(help="Read only these columns; NAME[,NAME].")] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Columns to leave out; NAME[,NAME].")] = None,
    sigma: Annotated[
        str | None, typer.Option(help="Column with the standard error of the target in each row; it is left out.")
    ] = None,
    units: Annotated[
        list[str] | None, typer.Option(help="Units of columns and target, NAME=UNIT[,NAME=UNIT]; see mosaic fit.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write the findings to this file.")] = None,
) -> None:
    """Check a table before any search: precision, gaps, duplicates, derived columns, what the rows can show."""
    from mosaic_sr.cli.checked import CheckRequest, run_check

    run_check(CheckRequest(file, target, names_in(columns), names_in(ignore) or (), sigma, json, names_in(units)))
