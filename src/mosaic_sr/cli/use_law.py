"""`mosaic predict`, `mosaic show` and `mosaic example`: what people do with a law file, and a table to begin with."""

from __future__ import annotations

import csv
import io
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np

from mosaic_sr.equation import Equation
from mosaic_sr.errors import InvalidFile, InvalidSettings
from mosaic_sr.expressions.latex import latex_name
from mosaic_sr.expressions.python_source import python_names, python_preamble, python_words, to_python
from mosaic_sr.files import refuse_overwriting, refuse_unwritable, write_atomically
from mosaic_sr.law_file import read_law
from mosaic_sr.table import read_columns

EXAMPLE = "pendulum.csv"


def run_predict(law_file: Path, file: Path, output: Path | None) -> None:
    """Write a CSV column with the values of the law."""
    outcome, _ = read_law(law_file)
    refuse_unwritable(output)
    refuse_overwriting(output, law_file, file)
    needed = [outcome.names[column] for column in outcome.law.expression.columns]
    # A law without columns still needs to know how many rows there are.
    read = read_columns(file, None, needed or None)
    columns = np.full((len(outcome.names), len(next(iter(read.values())))), np.nan)
    for column, name in zip(outcome.law.expression.columns, needed, strict=True):
        columns[column] = read[name]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([outcome.target])
    writer.writerows([repr(value)] for value in outcome.law.predict(columns).tolist())
    if output is None:
        sys.stdout.write(text.getvalue())
    else:
        write_atomically(output, text.getvalue())


def run_show(law_file: Path, is_latex: bool, is_python: bool) -> None:
    """Print the law for a person, for a paper or for a program."""
    if is_latex and is_python:
        raise InvalidSettings("--latex and --python are two ways to print the law; choose one")
    outcome, _ = read_law(law_file)
    if is_latex:
        print(f"{latex_name(outcome.target)} = {outcome.law.latex(precision=6)}")
    elif is_python:
        print(as_python(outcome.law, outcome.target))
    else:
        from rich.console import Console

        from mosaic_sr.cli.fit import print_outcome

        print_outcome(outcome, Console(highlight=False))


def as_python(law: Equation, target: str) -> str:
    """The source of a function of the columns that the law reads."""
    identifiers = python_names([*law.names, target], python_words(law.expression))
    arguments = ", ".join(identifiers[column] for column in law.expression.columns)
    return f"""{python_preamble(law.expression)}


def {identifiers[-1]}({arguments}):
    return {to_python(law.expression, law.names)}"""


def run_example(folder: Path, is_forced: bool) -> None:
    """Write the example table; a file of that name and other content stays unless forced."""
    content = files("mosaic_sr.cli").joinpath(EXAMPLE).read_bytes()
    path = folder / EXAMPLE
    if path.exists() and not is_forced and path.read_bytes() != content:
        raise InvalidFile(f"{path} exists and is another file; go to an empty folder, or pass --force to replace it")
    write_atomically(path, content)
    print(f"wrote {path}; now run: mosaic fit {path} --target period")
