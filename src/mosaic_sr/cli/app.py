"""The commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mosaic_sr.cli.constants import constants
from mosaic_sr.cli.pretrain import app as pretrain

app = typer.Typer(
    name="mosaic",
    help="Recover the closed-form law behind a table of numbers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(value: bool) -> None:
    if value:
        from mosaic_sr import __version__

        typer.echo(f"mosaic-sr {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True)] = False,
) -> None:
    """Recover the closed-form law behind a table of numbers."""


@app.command()
def fit(
    file: Annotated[Path, typer.Argument(help="Table with a header: CSV, TSV or Parquet.")],
    target: Annotated[str, typer.Option(help="The column to explain.")],
    time_limit: Annotated[float, typer.Option(help="Seconds after which the best law so far is printed.")] = 60.0,
    seed: Annotated[int, typer.Option(help="The same seed gives the same law.")] = 0,
    n_jobs: Annotated[int, typer.Option(help="Threads; the law does not depend on it.")] = 2,
    preset: Annotated[str, typer.Option(help="default or paper.")] = "default",
    maxsize: Annotated[int, typer.Option(help="Largest number of nodes of a law.")] = 32,
    guess: Annotated[list[str] | None, typer.Option(help="A formula to start from; may be repeated.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write the law and the front to this file.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the law alone.")] = False,
) -> None:
    """Find the law of a table."""
    from mosaic_sr.cli.fit import FitRequest, run_fit

    run_fit(
        FitRequest(file, target, time_limit, seed, n_jobs, preset, maxsize, tuple(guess or ()), json, is_quiet=quiet)
    )


app.command()(constants)
app.add_typer(pretrain, name="pretrain")
