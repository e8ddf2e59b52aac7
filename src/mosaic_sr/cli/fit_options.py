"""The options of `mosaic fit`, by what they are about."""

from pathlib import Path
from typing import Annotated

import typer

from mosaic_sr.cli.words import MISSING_HELP, TABLE_HELP, UNITS_HELP

# Written out, because help is shown without importing the search.
PRESETS = "default, paper, paper-srsd, paper-budget, paper-mcts, paper-decoder, paper-grammar"
MODEL_SELECTIONS = "best, accuracy, score or paper"
SEVERAL = "NAME[,NAME], may be repeated"
QUOTED = f"{SEVERAL}; put a name with a comma in double quotes"
CANDIDATES = "Largest number of candidates. Default: the preset's number, or no limit with --time-limit."

FileArgument = Annotated[Path, typer.Argument(help=TABLE_HELP)]

# Tables: which file, which columns, what rows say about themselves.
TargetOption = Annotated[
    list[str],
    typer.Option(help=f"Target column; several have one law each: {QUOTED}, then law.json is law.NAME.json."),
]
ColumnsOption = Annotated[list[str] | None, typer.Option(help=f"Read only these columns; {QUOTED}.")]
IgnoreOption = Annotated[list[str] | None, typer.Option(help=f"Columns to leave out; {QUOTED}.")]
WeightsOption = Annotated[str | None, typer.Option(help="Column with the weight of each row, 0 or larger.")]
SigmaOption = Annotated[
    str | None, typer.Option(help="Column with the standard error of the target in each row, larger than 0.")
]
XSigmaOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Standard errors of a feature: NAME=COLUMN or NAME=NUMBER, e.g. x=x_err or x=0.05; may be repeated."
    ),
]
UnitsOption = Annotated[list[str] | None, typer.Option(help=UNITS_HELP)]
GroupsOption = Annotated[
    str | None,
    typer.Option(help="Column that names the group of each row: one law, with constants shared or per group."),
]
IndicatorsOption = Annotated[
    list[str] | None,
    typer.Option(help=f"Columns of labels, each read as columns of 0 and 1, COLUMN_label; {QUOTED}."),
]
ValidationOption = Annotated[
    Path | None,
    typer.Option(help="Table with the same columns on which the law is chosen. Default: held-out rows."),
]
MissingOption = Annotated[str, typer.Option(help=MISSING_HELP)]

# Budgets, chances and where a search runs.
TimeLimitOption = Annotated[
    float | None,
    typer.Option(help="Seconds after which the search ends with the best law so far; inf for no limit. Default: 60."),
]
MaxEvaluationsOption = Annotated[int | None, typer.Option(help=CANDIDATES)]
SeedOption = Annotated[int, typer.Option(help="Random seed; the same seed gives the same law.")]
NJobsOption = Annotated[int, typer.Option(help="Number of threads; it does not change the law.")]
ClusterOption = Annotated[
    str | None,
    typer.Option(help="Address of a ray cluster to search on, or auto; it does not change the law."),
]
PresetOption = Annotated[str, typer.Option(help=f"Named settings: {PRESETS}.")]
PriorOption = Annotated[
    Path | None, typer.Option(help="Prior from mosaic pretrain export, to use instead of the one in the package.")
]
WithoutOption = Annotated[
    list[str] | None, typer.Option(help=f"Proposers to switch off; finders stands for most of them; {SEVERAL}.")
]

# Laws: what they may be made of, and how one is chosen.
BinaryOperatorsOption = Annotated[
    list[str] | None,
    typer.Option(help=f"Binary operators that a law may use, e.g. +,* or your own: 'f(x, y) = x*x + y*y'; {SEVERAL}."),
]
UnaryOperatorsOption = Annotated[
    list[str] | None,
    typer.Option(
        help=f"Functions that a law may use, e.g. sin,log or your own: 'sech(x) = 1/cosh(x)'; \"\" for none; {SEVERAL}."
    ),
]
MaxsizeOption = Annotated[int | None, typer.Option(help="Largest number of nodes of a law. Default: no limit.")]
MaxdepthOption = Annotated[
    int | None, typer.Option(help="Largest number of nodes from the whole law to a column or number.")
]
ModelSelectionOption = Annotated[
    str | None, typer.Option(help=f"How the law is chosen: {MODEL_SELECTIONS}. Default: the preset's.")
]
LossOption = Annotated[
    str,
    typer.Option(
        help="What the law should make small: squared, absolute, relative, huber, poisson, or a formula in y (the "
        "target) and f (the law), e.g. 'abs(y - f)/(1 + abs(y))'."
    ),
]
ComplexityOfOperatorsOption = Annotated[
    list[str] | None, typer.Option(help="Complexity of operators, 1 by default, e.g. sin=3,exp=2; may be repeated.")
]
ComplexityOfConstantsOption = Annotated[float | None, typer.Option(help="Complexity of a constant. Default: 1.")]
ComplexityOfVariablesOption = Annotated[float | None, typer.Option(help="Complexity of a column. Default: 1.")]
NestedOption = Annotated[
    list[str] | None,
    typer.Option(help="How often an operator may stand inside another, e.g. 'sin(sin)=0'; may be repeated."),
]
ArgumentSizeOption = Annotated[
    list[str] | None,
    typer.Option(help="Largest complexity of each operand, -1 for any, e.g. '^(-1,1)' or 'sin(5)'; may be repeated."),
]

# What the user knows of the law.
GuessOption = Annotated[list[str] | None, typer.Option(help="A formula to start from; may be repeated.")]
TryNamedOption = Annotated[
    bool, typer.Option("--try-named", help="Also try the forms of named laws, such as logistic growth.")
]
TemplateOption = Annotated[
    str | None,
    typer.Option(help="Form of the law with unknown functions and constants, e.g. 'f(S)/(1 + g(I))*T^a'."),
]
UnknownOption = Annotated[
    list[str] | None,
    typer.Option(
        help="What is known of an unknown function, e.g. 'f: maxsize=9, sign=positive, unary_operators=sin exp'; "
        "may be repeated."
    ),
]
ConstraintOption = Annotated[
    list[str] | None,
    typer.Option(
        help="What the law must keep, e.g. 'y > 0', 'increasing in t', 'y = 0 at x = 0', 'y -> 0 for t -> inf', "
        "'even in x'; may be repeated."
    ),
]
MustUseOption = Annotated[list[str] | None, typer.Option(help=f"Columns that must occur in the law; {QUOTED}.")]
PerGroupOption = Annotated[
    list[str] | None,
    typer.Option(help=f"Constants that differ from group to group: names of a --guess, or c1, c2, ...; {SEVERAL}."),
]
DimensionlessConstantsOnlyOption = Annotated[
    bool, typer.Option("--dimensionless-constants-only", help="Constants have no unit; needs units of all columns.")
]

# What is told and written.
StabilityOption = Annotated[
    int,
    typer.Option(
        help="Number of bootstrap samples of the rows to search after the table, each as long as the table: "
        "how often is the same structure found?"
    ),
]
IntervalsOption = Annotated[
    str | None,
    typer.Option(help="68 and 95 % intervals of the constants of the law: profile, delta or bootstrap."),
]
OutputOption = Annotated[Path | None, typer.Option(help="Folder for the front, the law and the state of the search.")]
ResumeOption = Annotated[Path | None, typer.Option(help="Resume the search in this folder.")]
JsonOption = Annotated[Path | None, typer.Option(help="Write the law and the front to this file.")]
ReportOption = Annotated[
    Path | None, typer.Option(help="Write a report with pictures to this HTML file, which needs no other.")
]
NoPictureOption = Annotated[
    bool, typer.Option("--no-picture", help="Print no picture of a law of one column on the terminal.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the law.")]
