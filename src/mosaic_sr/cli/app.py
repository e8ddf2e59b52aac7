"""The commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mosaic_sr.cli.check import check
from mosaic_sr.cli.compare import compare
from mosaic_sr.cli.constants import constants
from mosaic_sr.cli.draw import plot, report_of_law
from mosaic_sr.cli.fit_command import fit
from mosaic_sr.cli.fit_options import FileArgument
from mosaic_sr.cli.pretrain import app as pretrain

app = typer.Typer(
    name="mosaic",
    help="Recover the closed-form law behind a table of numbers.",
    pretty_exceptions_enable=False,
)


def _show_version(value: bool) -> None:
    if value:
        from mosaic_sr import __version__

        typer.echo(f"mosaic-sr {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Recover the closed-form law behind a table of numbers."""


# Written out, because help is shown without importing the search.
LANGUAGES = "python, c, excel, matlab, julia, javascript, torch, jax, sympy, latex"
IndexOption = Annotated[
    int | None, typer.Option(help="Number of the equation in the front to take instead of the law; see mosaic show.")
]
LawArgument = Annotated[Path, typer.Argument(help="Law file from mosaic fit --json.")]

app.command()(fit)


@app.command()
def predict(
    law: LawArgument,
    file: FileArgument,
    output: Annotated[Path | None, typer.Option(help="CSV file for the values. Default: print them.")] = None,
    missing: Annotated[
        str, typer.Option(help="Rows with empty cells: keep (without a value), drop, or error (refuse the table).")
    ] = "keep",
    interval: Annotated[
        float | None,
        typer.Option(
            help="Probability, such as 0.9: two more columns, NAME_low and NAME_high, that hold a new row so often. "
            "The columns of rival laws are then needed too."
        ),
    ] = None,
    index: IndexOption = None,
    mark_outside: Annotated[
        bool,
        typer.Option("--mark-outside", help="One more column, NAME_outside: 1 for rows outside the sampled ranges."),
    ] = False,
) -> None:
    """Evaluate a law on the rows of a table, which needs only the columns that the law uses."""
    from mosaic_sr.cli.use_law import run_predict

    run_predict(law, file, output, missing, interval, index, mark_outside)


@app.command()
def show(
    law: LawArgument,
    latex: Annotated[bool, typer.Option("--latex", help="Print it in LaTeX.")] = False,
    python: Annotated[bool, typer.Option("--python", help="Print it as a Python function of numpy arrays.")] = False,
    language: Annotated[str | None, typer.Option("--as", help=f"Print it in another language: {LANGUAGES}.")] = None,
    index: IndexOption = None,
    group: Annotated[
        str | None, typer.Option(help="Print the law of this group, where the law was fitted with --groups.")
    ] = None,
) -> None:
    """Print the law of a law file, or another equation of its front."""
    from mosaic_sr.cli.use_law import run_show

    run_show(law, latex, python, language, index, group)


@app.command()
def example(
    name: Annotated[
        str, typer.Argument(help="clean, noisy, few-rows, outliers, units, groups, many-columns or big.")
    ] = "clean",
    lists: Annotated[bool, typer.Option("--list", help="List the tables and the commands to try them.")] = False,
    noisy: Annotated[bool, typer.Option("--noisy", help="The same as the name noisy.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write an example table into the current folder: pendulum.csv, or the one that you name."""
    from mosaic_sr.cli.examples import run_example, run_list

    if lists:
        run_list()
    else:
        run_example(Path(), "noisy" if noisy else name, force)


@app.command()
def doctor() -> None:
    """Check what a search needs on this machine: packages, cache, compiler, prior, and which extras are installed."""
    from mosaic_sr.cli.doctor import run_doctor

    run_doctor()


app.command()(constants)
app.command()(compare)
app.command()(check)
app.command(name="report")(report_of_law)
app.command()(plot)
app.add_typer(pretrain, name="pretrain")
