"""`mosaic predict` and `mosaic show`: what people do with a law file."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.bands import interval_factor, standard_deviations, weighted_laws
from mosaic_sr.cli.group_laws import law_of_group, predicted_groups
from mosaic_sr.cli.output import tell
from mosaic_sr.cli.words import check_missing
from mosaic_sr.errors import InvalidFile, InvalidSettings
from mosaic_sr.exports import notes_on, refuse_unknown
from mosaic_sr.files import refuse_overwriting, refuse_unwritable, write_atomically
from mosaic_sr.inputs import find_input
from mosaic_sr.law_file import read_law
from mosaic_sr.named_laws import with_name
from mosaic_sr.outcome import Outcome
from mosaic_sr.sampled import is_outside, outside_words
from mosaic_sr.table import GAP_RULES, FileColumns
from mosaic_sr.table.gaps import counted
from mosaic_sr.table.indicators import Indicators
from mosaic_sr.table.label_columns import read_needed
from mosaic_sr.visible import visible_lines

Floats = NDArray[np.float64]


def run_predict(
    law_file: Path,
    file: Path,
    output: Path | None,
    missing: str = "keep",
    interval: float | None = None,
    index: int | None = None,
    marks_outside: bool = False,
) -> None:
    """Write a CSV column with the values of the law, and two with the bounds of an interval of this probability.

    index: the equation of the front to take instead of the law.
    marks_outside: whether one more column says which rows are outside the sampled ranges, as 1 and 0.
    """
    check_missing(missing, PREDICT_RULES)
    if interval is not None and index is not None:
        raise InvalidSettings("--interval is for the law only; leave out --index, or leave out --interval")
    factor = None if interval is None else interval_factor(interval)
    outcome = chosen(read_law(law_file)[0], index)
    refuse_unwritable(output)
    refuse_overwriting(output, law_file, file)
    if outcome.groups is not None and index is None:
        text = predicted_groups(outcome, file, missing, factor, marks_outside)
        sys.stdout.write(visible_lines(text)) if output is None else write_atomically(output, text)
        return
    columns, has_gap = _columns(outcome, file, missing, factor is not None)
    values: list[NDArray[Any]] = [outcome.law.predict(columns)]
    if factor is not None:
        half = factor * standard_deviations(outcome, columns)
        values += [values[0] - half, values[0] + half]
    names = [f"{outcome.target}{end}" for end in ("", "_low", "_high")][: len(values)]
    mark = _mark_outside(outcome, columns, marks_outside, law_file)
    if marks_outside:
        names, values = [*names, f"{outcome.target}_outside"], [*values, mark]
    text = as_csv(names, values, has_gap)
    if output is None:
        sys.stdout.write(visible_lines(text))
    else:
        write_atomically(output, text)


def _columns(outcome: Outcome, file: Path, missing: str, reads_rivals: bool) -> tuple[Floats, NDArray[np.bool_]]:
    """The user's columns, (columns, rows), and which rows have empty cells in those that the law needs: (rows,)."""
    laws = [law for law, _ in weighted_laws(outcome)] if reads_rivals else [outcome.law]
    own = outcome.law.expression.columns
    read = sorted({column for law in laws for column in law.expression.columns})
    needed = [outcome.names[column] for column in read]
    found = _read(file, needed, missing, outcome.indicators)
    columns = np.full((len(outcome.names), len(next(iter(found.columns.values())))), np.nan)
    for column, name in zip(read, needed, strict=True):
        columns[column] = found.columns[name]
    return columns, found.has_gap if own else np.zeros(columns.shape[1], dtype=np.bool_)


def _mark_outside(outcome: Outcome, columns: Floats, is_needed: bool, law_file: Path) -> NDArray[np.int64]:
    """1 for each row outside the sampled ranges of the columns that the law reads, else 0; a note counts them."""
    read = outcome.law.expression.columns
    if is_needed and not outcome.sampled and read:
        raise InvalidFile(f"{law_file}: the law file has no sampled ranges; write it again with `mosaic fit --json`")
    if note := outside_words(outcome.sampled, columns, read, outcome.names):
        tell(note)
    return is_outside(outcome.sampled, columns, read).astype(np.int64)


def as_csv(names: Sequence[str], values: Sequence[NDArray[Any]], has_gap: NDArray[np.bool_]) -> str:
    """Lines of CSV; values: one (rows,) for each name. A row with a gap has empty cells."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    # A row without values still takes a line: an empty cell in quotes, because readers skip blank lines.
    gap = [""] * len(values)
    rows = zip(zip(*(own.tolist() for own in values), strict=True), has_gap, strict=True)
    writer.writerows(gap if is_gap else [repr(value) for value in row] for row, is_gap in rows)
    return text.getvalue()


def _read(file: Path, needed: Sequence[str], missing: str, indicators: Indicators) -> FileColumns:
    """The columns that a law reads; one without columns still needs to know how many rows there are."""
    read = read_needed(find_input(file), needed, indicators)
    if not needed:
        return read
    read = PREDICT_RULES[missing](read)
    for note in read.notes:
        tell(note)
    return read


def _with_gaps(read: FileColumns) -> FileColumns:
    """The rows as they are, and a note on those with empty cells."""
    gaps = read.gaps()
    if not gaps:
        return read
    count = np.count_nonzero(read.has_gap)
    return replace(read, notes=(*read.notes, f"{count} rows have no value because of empty cells: {counted(gaps)}"))


# What may be done about empty cells; the values of a law should stand beside the rows that they belong to.
PREDICT_RULES: dict[str, Callable[[FileColumns], FileColumns]] = {"keep": _with_gaps, **GAP_RULES}


def run_show(
    law_file: Path,
    is_latex: bool,
    is_python: bool,
    language: str | None = None,
    index: int | None = None,
    group: str | None = None,
) -> None:
    """Print the law, an equation of the front or the law of one group, for a person, for a paper or for a program."""
    language = _language(is_latex, is_python, language)
    outcome = law_of_group(chosen(read_law(law_file)[0], index), group, index)
    if language is None:
        _show(outcome, index)
        return
    law = outcome.law
    if outcome.groups is not None and index is None:
        tell("these are the mean constants of all groups; --group NAME prints the law of one group")
        law = outcome.groups.form(law) if language == "latex" else law
    source = law.export(language, outcome.target)
    for note in notes_on(law.expression, law.names, language):
        tell(note)
    print(visible_lines(source))


def _language(is_latex: bool, is_python: bool, language: str | None) -> str | None:
    """The language that is asked for, None for words for a person."""
    asked = {"--latex": "latex" if is_latex else None, "--python": "python" if is_python else None, "--as": language}
    given = [option for option, value in asked.items() if value is not None]
    if len(given) > 1:
        raise InvalidSettings(f"{' and '.join(given)} exclude each other; choose one")
    if language is not None:
        refuse_unknown(language)
    return asked[given[0]] if given else None


def _show(outcome: Outcome, index: int | None) -> None:
    from rich.console import Console

    from mosaic_sr.cli.shown import print_equation, print_outcome

    console = Console(highlight=False)
    # Files of earlier releases have no names.
    outcome = replace(outcome, law=with_name(outcome.law))
    if index is None:
        print_outcome(outcome, console)
    else:
        print_equation(outcome, index, console)


def chosen(outcome: Outcome, index: int | None) -> Outcome:
    """The outcome with equation number `index` of the front as its law; None leaves the law."""
    if index is None:
        return outcome
    count = len(outcome.front)
    if not 0 <= index < count:
        held = f"{count} equations, numbers 0 to {count - 1}" if count > 1 else f"{count or 'no'} equation, number 0"
        raise InvalidSettings(f"--index {index} is not in the front, which has {held}")
    return replace(outcome, law=outcome.front[index])
