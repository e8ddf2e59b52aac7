"""A law file and the rows of a table, drawn: what `mosaic report` and `mosaic plot` do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mosaic_sr.cli.draw import own_command
from mosaic_sr.cli.output import say, tell
from mosaic_sr.cli.words import check_missing
from mosaic_sr.errors import InvalidFile
from mosaic_sr.files import refuse_overwriting, refuse_unwritable
from mosaic_sr.html_report import Origin, write_report
from mosaic_sr.inputs import Input, find_input
from mosaic_sr.law_file import read_law
from mosaic_sr.outcome import Outcome
from mosaic_sr.pictures import Observed, observe_file
from mosaic_sr.pictures.plotting import check_ending, check_kind, draw_kind, refuse_without_matplotlib, save_figure
from mosaic_sr.table import GAP_RULES, column_names, read_file


@dataclass(frozen=True)
class DrawRequest:
    """What the user asked for.  sigma: the column with standard errors.  missing: a word of GAP_RULES."""

    law: Path
    file: Path
    output: Path
    sigma: str | None = None
    missing: str = "drop"


def run_report(request: DrawRequest) -> None:
    """Write the report of a law file on the rows of a table."""
    outcome, settings = _law(request)
    rows = _observed(request, outcome)
    write_report(request.output, outcome, rows, Origin(own_command(), settings))
    say(f"wrote {request.output}")


def run_plot(request: DrawRequest, kind: str, index: int | None) -> None:
    """Write a picture of a law, or of equation number `index` of its front, on the rows of a table."""
    check_kind(kind)
    check_ending(request.output)
    refuse_without_matplotlib()
    outcome, _ = _law(request)
    if index is not None and not 0 <= index < len(outcome.front):
        raise InvalidFile(f"{request.law}: the front has no equation {index}; it has 0 to {len(outcome.front) - 1}")
    equation = outcome.law if index is None else outcome.front[index]
    rows = _observed(request, outcome)
    save_figure(request.output, draw_kind(kind, outcome, rows, equation))
    say(f"wrote {request.output}")


def _law(request: DrawRequest) -> tuple[Outcome, dict[str, object]]:
    check_missing(request.missing, GAP_RULES)
    refuse_unwritable(request.output)
    refuse_overwriting(request.output, request.law, request.file)
    return read_law(request.law)


def _observed(request: DrawRequest, outcome: Outcome) -> Observed:
    file = find_input(request.file)
    names = set(column_names(file, outcome.target))
    features = [name for name in outcome.names if name in names]
    _refuse_lacking(file, outcome, names, request.sigma)
    stated = [] if request.sigma is None else [request.sigma]
    wanted = list(dict.fromkeys([*features, *stated])) or sorted(names - {outcome.target})[:1]
    read = GAP_RULES[request.missing](read_file(file, outcome.target, wanted))
    for note in read.notes:
        tell(note)
    return observe_file(outcome, read, file.digest(), request.sigma)


def _refuse_lacking(file: Input, outcome: Outcome, names: set[str], sigma: str | None) -> None:
    """Refuse a table without a column that the law reads, or without the one of standard errors."""
    needed = [outcome.names[column] for column in outcome.law.expression.columns]
    lacking = [name for name in (*needed, *([] if sigma is None else [sigma])) if name not in names]
    if lacking:
        raise InvalidFile(f"{file}: no column {lacking[0]!r}; the columns are {_listed(sorted(names))}")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
