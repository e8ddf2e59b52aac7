"""The commands and their options."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mosaic_sr.cli.check import check
from mosaic_sr.cli.compare import compare
from mosaic_sr.cli.constants import constants
from mosaic_sr.cli.draw import own_command, plot, report_of_law
from mosaic_sr.cli.pretrain import app as pretrain
from mosaic_sr.cli.requirement_words import constraints_in, costs_in, nested_in
from mosaic_sr.cli.words import (
    MISSING_HELP,
    TABLE_HELP,
    UNITS_HELP,
    errors_in,
    names_in,
    operators_in,
    unknowns_in_words,
)

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


FileArgument = Annotated[Path, typer.Argument(help=TABLE_HELP)]
# Written out, because help is shown without importing the search.
PRESETS = "default, paper, paper-srsd, paper-budget, paper-mcts, paper-decoder, paper-grammar"
MODEL_SELECTIONS = "best, accuracy, score or paper"
SEVERAL = "NAME[,NAME], may be repeated"
QUOTED = f"{SEVERAL}; put a name with a comma in double quotes"
CANDIDATES = "Largest number of candidates. Default: the preset's number, or no limit with --time-limit."
LANGUAGES = "python, c, excel, matlab, julia, javascript, torch, jax, sympy, latex"
IndexOption = Annotated[
    int | None, typer.Option(help="Number of the equation in the front to take instead of the law; see mosaic show.")
]
LawArgument = Annotated[Path, typer.Argument(help="Law file from mosaic fit --json.")]


# Every machine has two cores; the other defaults are the estimator's, but for the time limit.
@app.command()
def fit(
    file: FileArgument,
    target: Annotated[
        list[str],
        typer.Option(help=f"Target column; several have one law each: {QUOTED}, then law.json is law.NAME.json."),
    ],
    time_limit: Annotated[
        float | None,
        typer.Option(
            help="Seconds after which the search ends with the best law so far; inf for no limit. Default: 60."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same law.")] = 0,
    n_jobs: Annotated[int, typer.Option(help="Number of threads; it does not change the law.")] = 2,
    cluster: Annotated[
        str | None,
        typer.Option(help="Address of a ray cluster to search on, or auto; it does not change the law."),
    ] = None,
    preset: Annotated[str, typer.Option(help=f"Named settings: {PRESETS}.")] = "default",
    columns: Annotated[list[str] | None, typer.Option(help=f"Read only these columns; {QUOTED}.")] = None,
    ignore: Annotated[list[str] | None, typer.Option(help=f"Columns to leave out; {QUOTED}.")] = None,
    weights: Annotated[str | None, typer.Option(help="Column with the weight of each row, 0 or larger.")] = None,
    sigma: Annotated[
        str | None, typer.Option(help="Column with the standard error of the target in each row, larger than 0.")
    ] = None,
    x_sigma: Annotated[
        list[str] | None,
        typer.Option(
            help="Standard errors of a feature: NAME=COLUMN or NAME=NUMBER, e.g. x=x_err or x=0.05; may be repeated."
        ),
    ] = None,
    units: Annotated[list[str] | None, typer.Option(help=UNITS_HELP)] = None,
    dimensionless_constants_only: Annotated[
        bool, typer.Option("--dimensionless-constants-only", help="Constants have no unit; needs units of all columns.")
    ] = False,
    groups: Annotated[
        str | None,
        typer.Option(help="Column that names the group of each row: one law, with constants shared or per group."),
    ] = None,
    indicators: Annotated[
        list[str] | None,
        typer.Option(help=f"Columns of labels, each read as columns of 0 and 1, COLUMN_label; {QUOTED}."),
    ] = None,
    per_group: Annotated[
        list[str] | None,
        typer.Option(help=f"Constants that differ from group to group: names of a --guess, or c1, c2, ...; {SEVERAL}."),
    ] = None,
    validation: Annotated[
        Path | None,
        typer.Option(help="Table with the same columns on which the law is chosen. Default: held-out rows."),
    ] = None,
    missing: Annotated[str, typer.Option(help=MISSING_HELP)] = "drop",
    binary_operators: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Binary operators that a law may use, e.g. +,* or your own: 'f(x, y) = x*x + y*y'; {SEVERAL}."
        ),
    ] = None,
    unary_operators: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Functions that a law may use, e.g. sin,log or your own: 'sech(x) = 1/cosh(x)';"
            f' "" for none; {SEVERAL}.'
        ),
    ] = None,
    maxsize: Annotated[int | None, typer.Option(help="Largest number of nodes of a law. Default: no limit.")] = None,
    max_evaluations: Annotated[int | None, typer.Option(help=CANDIDATES)] = None,
    model_selection: Annotated[
        str | None, typer.Option(help=f"How the law is chosen: {MODEL_SELECTIONS}. Default: the preset's.")
    ] = None,
    guess: Annotated[list[str] | None, typer.Option(help="A formula to start from; may be repeated.")] = None,
    try_named: Annotated[
        bool, typer.Option("--try-named", help="Also try the forms of named laws, such as logistic growth.")
    ] = False,
    template: Annotated[
        str | None,
        typer.Option(help="Form of the law with unknown functions and constants, e.g. 'f(S)/(1 + g(I))*T^a'."),
    ] = None,
    unknown: Annotated[
        list[str] | None,
        typer.Option(
            help="What is known of an unknown function, e.g. 'f: maxsize=9, sign=positive, unary_operators=sin exp'; "
            "may be repeated."
        ),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(help=f"Proposers to switch off; finders stands for most of them; {SEVERAL}.")
    ] = None,
    prior: Annotated[
        Path | None, typer.Option(help="Prior from mosaic pretrain export, to use instead of the one in the package.")
    ] = None,
    stability: Annotated[
        int,
        typer.Option(
            help="Number of bootstrap samples of the rows to search after the table, each as long as the table: "
            "how often is the same structure found?"
        ),
    ] = 0,
    intervals: Annotated[
        str | None,
        typer.Option(help="68 and 95 % intervals of the constants of the law: profile, delta or bootstrap."),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            help="What the law must keep, e.g. 'y > 0', 'increasing in t', 'y = 0 at x = 0', 'y -> 0 for t -> inf', "
            "'even in x'; may be repeated."
        ),
    ] = None,
    must_use: Annotated[list[str] | None, typer.Option(help=f"Columns that must occur in the law; {QUOTED}.")] = None,
    complexity_of_operators: Annotated[
        list[str] | None, typer.Option(help="Complexity of operators, 1 by default, e.g. sin=3,exp=2; may be repeated.")
    ] = None,
    complexity_of_constants: Annotated[float | None, typer.Option(help="Complexity of a constant. Default: 1.")] = None,
    complexity_of_variables: Annotated[float | None, typer.Option(help="Complexity of a column. Default: 1.")] = None,
    nested: Annotated[
        list[str] | None,
        typer.Option(help="How often an operator may stand inside another, e.g. 'sin(sin)=0'; may be repeated."),
    ] = None,
    argument_size: Annotated[
        list[str] | None,
        typer.Option(
            help="Largest complexity of each operand, -1 for any, e.g. '^(-1,1)' or 'sin(5)'; may be repeated."
        ),
    ] = None,
    maxdepth: Annotated[
        int | None, typer.Option(help="Largest number of nodes from the whole law to a column or number.")
    ] = None,
    loss: Annotated[
        str,
        typer.Option(
            help="What the law should make small: squared, absolute, relative, huber, poisson, or a formula in y (the "
            "target) and f (the law), e.g. 'abs(y - f)/(1 + abs(y))'."
        ),
    ] = "squared",
    output: Annotated[
        Path | None, typer.Option(help="Folder for the front, the law and the state of the search.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Resume the search in this folder.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write the law and the front to this file.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a report with pictures to this HTML file, which needs no other.")
    ] = None,
    no_picture: Annotated[
        bool, typer.Option("--no-picture", help="Print no picture of a law of one column on the terminal.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the law.")] = False,
) -> None:
    """Find the law of a table."""
    from mosaic_sr.cli.fit import FitRequest
    from mosaic_sr.cli.several import run_fits
    from mosaic_sr.cli.source import Source
    from mosaic_sr.settings import SearchOptions

    source = Source(file, target[0], names_in(columns), names_in(ignore) or (), weights, validation, missing, sigma)
    source = replace(source, x_sigma=errors_in(x_sigma), units=names_in(units))
    source = replace(source, groups=groups, indicators=names_in(indicators) or ())
    search_options = SearchOptions(
        preset=preset,
        binary_operators=operators_in(binary_operators),
        unary_operators=operators_in(unary_operators),
        maxsize=maxsize,
        model_selection=model_selection,
        max_evaluations=max_evaluations,
        time_limit=time_limit,
        without=names_in(without) or (),
        prior=prior,
        stability=stability,
        intervals=intervals,
        constraints=constraints_in(constraint, argument_size),
        must_use=names_in(must_use),
        complexity_of_operators=costs_in(complexity_of_operators),
        complexity_of_constants=complexity_of_constants,
        complexity_of_variables=complexity_of_variables,
        nested_constraints=nested_in(nested),
        maxdepth=maxdepth,
        loss=loss,
        dimensionless_constants_only=dimensionless_constants_only,
        template=template,
        unknowns=unknowns_in_words(unknown),
    )
    guesses = (*(guess or ()), *(["named"] if try_named else []))
    places = (output, resume, json)
    drawn = (not no_picture, own_command(), names_in(per_group))
    request = FitRequest(source, search_options, seed, n_jobs, guesses, *places, quiet, report, *drawn)
    with nullcontext() if cluster is None else _on_cluster(cluster):
        run_fits(request, target)


def _on_cluster(address: str) -> AbstractContextManager[None]:
    from mosaic_sr.workers.ray_cluster import on_cluster

    return on_cluster(address)


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
