"""Laws of groups on the command line: the law of one group, and values in rows of several."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from mosaic_sr.cli.output import tell
from mosaic_sr.errors import InvalidFile, InvalidSettings
from mosaic_sr.group_labels import unseen_words
from mosaic_sr.inputs import find_input
from mosaic_sr.outcome import Outcome
from mosaic_sr.sampled import is_outside, outside_words
from mosaic_sr.table import FileColumns
from mosaic_sr.table.label_columns import read_labels, read_needed
from mosaic_sr.table.labels import found_groups


def law_of_group(outcome: Outcome, group: str | None, index: int | None) -> Outcome:
    """The outcome with the law of one group; without a group as it is."""
    if group is None:
        return outcome
    if outcome.groups is None:
        raise InvalidSettings("--group needs a law that was fitted with --groups; leave it out")
    if index is not None:
        raise InvalidSettings("groups have constants of the law only; leave out --index or --group")
    law = outcome.groups.law_of(outcome.law, outcome.groups.place(group))
    return replace(outcome, law=law, front=(law,), groups=None)


def predicted_groups(outcome: Outcome, file: Path, missing: str, factor: float | None, marks_outside: bool) -> str:
    """Values of a law of groups as CSV; the column of groups is read by its name."""
    from mosaic_sr.cli.use_law import PREDICT_RULES, as_csv

    groups = outcome.groups
    assert groups is not None
    if not groups.column:
        raise InvalidSettings("the law was fitted to labels without a column; predict in Python with groups=")
    found, law = find_input(file), outcome.law
    codes, labels = read_labels(found, groups.column)
    needed = [outcome.names[column] for column in law.expression.columns]
    if needed:
        read = read_needed(found, needed, outcome.indicators)
    else:
        read = FileColumns(found.label, {})
    read = PREDICT_RULES[missing](replace(read, columns={**read.columns, groups.column: codes}))
    for note in read.notes:
        tell(note)
    own = read.columns[groups.column]
    has_gap = np.isnan(own) | read.has_gap
    known = [labels[int(code)] for code in own[~has_gap]]
    places = np.full(len(own), -1, dtype=np.intp)
    places[~has_gap] = found_groups(known, groups.labels)
    if note := unseen_words(known, places[~has_gap]):
        tell(note)
    columns = np.full((len(outcome.names), len(own)), np.nan)
    for column, name in zip(law.expression.columns, needed, strict=True):
        columns[column] = read.columns[name]
    values = [groups.predict(law, columns, places)]
    names = [outcome.target]
    if factor is not None:
        half = factor * groups.standard_deviations(law, outcome.scatter, columns, places)
        values += [values[0] - half, values[0] + half]
        names += [f"{outcome.target}_low", f"{outcome.target}_high"]
    if note := outside_words(outcome.sampled, columns, law.expression.columns, outcome.names):
        tell(note)
    if marks_outside:
        if not outcome.sampled:
            raise InvalidFile("the law file has no sampled ranges; write it again with `mosaic fit --json`")
        marks = is_outside(outcome.sampled, columns, law.expression.columns).astype(np.int64)
        return as_csv([*names, f"{outcome.target}_outside"], [*values, marks], has_gap)
    return as_csv(names, values, has_gap)
