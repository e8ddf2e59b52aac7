"""The commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mosaic_sr.cli.constants import constants
from mosaic_sr.cli.pretrain import app as pretrain
from mosaic_sr.cli.words import MISSING_HELP, TABLE_HELP, names_in, operators_in

app = typer.Typer(
    name="mosaic",
    help="Recover the closed-form law behind a table of numbers.",
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
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Recover the closed-form law behind a table of numbers."""


FileArgument = Annotated[Path, typer.Argument(help=TABLE_HELP)]
# Written out, because help is shown without importing the search.
PRESETS = "default, paper, paper-srsd, paper-budget, paper-mcts, paper-decoder, paper-grammar"
MODEL_SELECTIONS = "best, accuracy, score or paper"
SEVERAL = "NAME[,NAME], may be repeated"
QUOTED = f"{SEVERAL}, in double quotes where it holds a comma"
CANDIDATES = "Candidates to try at most; else the preset's number, or any with --time-limit."
LawArgument = Annotated[Path, typer.Argument(help="Law file, written by mosaic fit --json.")]


# Every machine has two cores; the other defaults are the estimator's, but for the time limit.
@app.command()
def fit(
    file: FileArgument,
    target: Annotated[str, typer.Option(help="The column to explain.")],
    time_limit: Annotated[
        float | None,
        typer.Option(help="Seconds after which the best law so far is printed, inf for no limit; else 60."),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same law.")] = 0,
    n_jobs: Annotated[int, typer.Option(help="Threads; the law does not depend on it.")] = 2,
    preset: Annotated[str, typer.Option(help=f"Settings by name: {PRESETS}.")] = "default",
    columns: Annotated[list[str] | None, typer.Option(help=f"Columns to read, all others left out; {QUOTED}.")] = None,
    ignore: Annotated[list[str] | None, typer.Option(help=f"Columns to leave out; {QUOTED}.")] = None,
    weights: Annotated[str | None, typer.Option(help="The column with the weight of each row, 0 or more.")] = None,
    validation: Annotated[
        Path | None, typer.Option(help="Table of the same columns to choose the law on; else rows are held out.")
    ] = None,
    missing: Annotated[str, typer.Option(help=MISSING_HELP)] = "drop",
    binary_operators: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Operators of two operands that a law may use, as +,* or your own, as 'f(x, y) = x*x + y*y';"
            f" {SEVERAL}."
        ),
    ] = None,
    unary_operators: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Functions of one operand that a law may use, as sin,log or your own, as 'sech(x) = 1/cosh(x)';"
            f' "" for none; {SEVERAL}.'
        ),
    ] = None,
    maxsize: Annotated[int | None, typer.Option(help="Largest number of nodes of a law; else any.")] = None,
    max_evaluations: Annotated[int | None, typer.Option(help=CANDIDATES)] = None,
    model_selection: Annotated[str | None, typer.Option(help=f"{MODEL_SELECTIONS}; else the preset's.")] = None,
    guess: Annotated[list[str] | None, typer.Option(help="A formula to start from; may be repeated.")] = None,
    without: Annotated[
        list[str] | None, typer.Option(help=f"Proposers to switch off, or finders for most of them; {SEVERAL}.")
    ] = None,
    prior: Annotated[
        Path | None, typer.Option(help="Folder written by mosaic pretrain export, read in place of the shipped prior.")
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Folder that keeps front, law and state of the search.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the search kept in this folder.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write the law and the front to this file.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the law alone.")] = False,
) -> None:
    """Find the law of a table."""
    from mosaic_sr.cli.fit import FitRequest, run_fit
    from mosaic_sr.cli.source import Source
    from mosaic_sr.settings import Wishes

    source = Source(file, target, names_in(columns), names_in(ignore) or (), weights, validation, missing)
    wishes = Wishes(
        preset=preset,
        binary_operators=operators_in(binary_operators),
        unary_operators=operators_in(unary_operators),
        maxsize=maxsize,
        model_selection=model_selection,
        max_evaluations=max_evaluations,
        time_limit=time_limit,
        without=names_in(without) or (),
        prior=prior,
    )
    run_fit(FitRequest(source, wishes, seed, n_jobs, tuple(guess or ()), output, resume, json, is_quiet=quiet))


@app.command()
def predict(
    law: LawArgument,
    file: FileArgument,
    output: Annotated[Path | None, typer.Option(help="CSV file to write; without it they are printed.")] = None,
    missing: Annotated[
        str, typer.Option(help="Rows with empty cells: keep gives them no value, drop leaves them out, error refuses.")
    ] = "keep",
) -> None:
    """Values of a law for the rows of a table, which needs only the columns that the law reads."""
    from mosaic_sr.cli.use_law import run_predict

    run_predict(law, file, output, missing)


@app.command()
def show(
    law: LawArgument,
    latex: Annotated[bool, typer.Option("--latex", help="Print it in LaTeX.")] = False,
    python: Annotated[bool, typer.Option("--python", help="Print it as a Python function of numpy arrays.")] = False,
) -> None:
    """Print the law of a law file."""
    from mosaic_sr.cli.use_law import run_show

    run_show(law, latex, python)


@app.command()
def example(force: Annotated[bool, typer.Option("--force", help="Replace a file of that name.")] = False) -> None:
    """Write the table pendulum.csv into this folder, to try `mosaic fit` on."""
    from mosaic_sr.cli.use_law import run_example

    run_example(Path(), force)


app.command()(constants)
app.add_typer(pretrain, name="pretrain")
