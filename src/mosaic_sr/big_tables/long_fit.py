"""A long table from its file to a confirmed law: survey, search on the rows drawn, passes over all rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mosaic_sr.big_tables.blocks import BlockFile, open_blocks
from mosaic_sr.big_tables.confirming import RowColumn, confirm
from mosaic_sr.big_tables.progress import pass_progress
from mosaic_sr.big_tables.survey import Survey, survey_file
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.inputs import find_input
from mosaic_sr.outcome import Outcome
from mosaic_sr.table import GAP_RULES, FileColumns, read_file

# Chances of the rows that are drawn from a file, apart from those of the search.
STREAM = 20_261_121
# Of a time limit, the share after which reading ends, and the share that is kept for the passes over all rows at most.
READING_SHARE, CONFIRMING_SHARE = 0.3, 0.5
# Passes that follow the search, most often.
USUAL_PASSES = 2
UNCONFIRMED = "the law was not confirmed on all rows, because the search was interrupted"
# A search gets some time, whatever reading has taken.
LEAST_SECONDS = 1.0


@dataclass
class LongTable:
    """A file that is read in blocks, the rows drawn from it, and the time that is left of the user's.

    time_limit: for all of it, None for no limit.
    """

    file: BlockFile
    missing: str
    row_column: RowColumn | None
    time_limit: float | None
    is_shown: bool
    survey: Survey
    started: float
    reading_seconds: float

    @classmethod
    def read(
        cls,
        file: BlockFile,
        missing: str,
        row_column: RowColumn | None,
        seeds: tuple[int, ...],
        time_limit: float | None,
        is_shown: bool,
    ) -> LongTable:
        """The table after its survey."""
        started = time.monotonic()
        is_up = _clock(started, None if time_limit is None else READING_SHARE * time_limit)
        with pass_progress(is_shown, file.num_rows) as observe:
            rng = np.random.default_rng([*seeds, STREAM])
            survey = survey_file(file, missing, rng, lambda done: observe("reading", done), is_up)
        seconds = time.monotonic() - started
        return cls(file, missing, row_column, time_limit, is_shown, survey, started, seconds)

    @property
    def search_seconds(self) -> float | None:
        """The time limit of the search: what reading has left, without what passes over all rows will need."""
        if self.time_limit is None:
            return None
        left = self.time_limit - self.reading_seconds
        passes = min(USUAL_PASSES * self.reading_seconds, CONFIRMING_SHARE * left)
        return max(left - passes, LEAST_SECONDS)

    def confirmed(self, outcome: Outcome, was_interrupted: bool) -> Outcome:
        """The outcome of the search after passes over all rows; its seconds are those of all steps.

        was_interrupted: whether the user has ended the search; then he waits for no passes.
        """
        if was_interrupted:
            return replace(outcome, notes=(*outcome.notes, UNCONFIRMED))
        with pass_progress(self.is_shown, self.survey.num_rows) as observe:
            is_up = _clock(self.started, self.time_limit)
            found = confirm(outcome, self.survey, self.row_column, observe, is_up)
        return replace(found, seconds=time.monotonic() - self.started)


def read_to_fit(
    path: str | Path,
    target: str,
    options: FileOptions,
    seeds: tuple[int, ...],
    time_limit: float | None,
    is_shown: bool,
) -> tuple[FileColumns, LongTable | None]:
    """The rows of a file for a fit: all of them, or those drawn from a long one, with the table to confirm it on."""
    if options.missing not in GAP_RULES:
        raise InvalidSettings(f"missing must be one of {', '.join(map(repr, GAP_RULES))}, got {options.missing!r}")
    if options.weights is not None and options.sigma is not None:
        raise InvalidSettings("give sigma or weights, not both: sigma already states how much each row counts")
    file, wanted = find_input(path), options.wanted
    blocks = open_blocks(file, target, wanted, options.ignore)
    if blocks is None:
        return GAP_RULES[options.missing](read_file(file, target, wanted, options.ignore)), None
    table = LongTable.read(blocks, options.missing, options.row_column, seeds, time_limit, is_shown)
    return table.survey.rows, table


@dataclass(frozen=True)
class FileOptions:
    """What the columns of a file are, in the user's words; columns: the features, None for all others."""

    columns: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    weights: str | None = None
    sigma: str | None = None
    missing: str = "drop"

    @property
    def row_column(self) -> RowColumn | None:
        """The column that says how much each row counts."""
        name = self.weights if self.sigma is None else self.sigma
        return None if name is None else RowColumn(name, self.sigma is not None)

    @property
    def wanted(self) -> list[str] | None:
        """The columns to read beside the target; None for all."""
        own = () if self.row_column is None else (self.row_column.name,)
        return None if self.columns is None else list(dict.fromkeys((*self.columns, *own)))


def _clock(started: float, limit: float | None) -> Callable[[], bool]:
    return lambda: limit is not None and time.monotonic() - started >= limit
