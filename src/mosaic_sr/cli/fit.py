"""`mosaic fit`: read a table, search, print the law and write it as JSON."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from mosaic_sr.cli.output import say, tell
from mosaic_sr.cli.picture import can_show, print_picture
from mosaic_sr.cli.shown import SHOWN_DIGITS, print_outcome
from mosaic_sr.cli.source import Source
from mosaic_sr.errors import InvalidFile, InvalidSettings, MosaicWarning
from mosaic_sr.files import refuse_overwriting, refuse_unwritable
from mosaic_sr.grouped import find_grouped_law, refuse_with_groups
from mosaic_sr.law_file import write_law
from mosaic_sr.outcome import Outcome
from mosaic_sr.pipeline import Snapshot
from mosaic_sr.preparation import Prepared, draw_seeds, prepare
from mosaic_sr.progress import live_progress, silent
from mosaic_sr.run_folder import FRONT, LAW, STATE, RunFolder
from mosaic_sr.search import CANDIDATES_SPENT, Place, Search, shown_law
from mosaic_sr.settings import SearchOptions, num_threads
from mosaic_sr.stability import measure_law

if TYPE_CHECKING:
    from mosaic_sr.pictures import Observed

# What a person waits for who did not say how long.
USUAL_SECONDS = 60.0


@dataclass(frozen=True)
class FitRequest:
    """What the user asked for."""

    source: Source
    options: SearchOptions
    seed: int
    n_jobs: int
    guesses: tuple[str, ...]
    output: Path | None
    resume: Path | None
    json: Path | None
    is_quiet: bool
    report: Path | None = None
    has_picture: bool = True
    command: str = ""
    per_group: tuple[str, ...] | None = None

    def settings(self) -> dict[str, Any]:
        """The same search in the words of the estimator."""
        return {
            **vars(self.options),
            "without": list(self.options.without),
            "prior": None if self.options.prior is None else str(self.options.prior),
            "guesses": list(self.guesses),
            "n_jobs": self.n_jobs,
            "random_state": self.seed,
            "per_group": None if self.per_group is None else list(self.per_group),
        }


def run_fit(request: FitRequest) -> None:
    """Search for the law of the file and print it; nothing is written when the request is refused."""
    check_request(request)
    given_limit = request.options.time_limit
    request = replace(request, options=_with_limits(request.options))
    with warnings.catch_warnings():
        # Notes of the table and a search stopped early are printed with the law.
        warnings.simplefilter("ignore", MosaicWarning)
        if request.source.groups is not None or request.per_group is not None:
            _search_groups(request)
        else:
            _search(request, given_limit)


def _hand_over(request: FitRequest, outcome: Outcome) -> None:
    """Write the law and print it; where one of the two fails, the other is done all the same."""
    unwritten = [] if outcome.is_kept else [outcome.notes[-1]]
    try:
        for write in (_write_law, _write_report):
            try:
                write(request, outcome)
            except InvalidFile as error:
                unwritten.append(str(error))
    finally:
        _print(request, outcome)
    if unwritten:
        for message in unwritten:
            tell(message)
        raise typer.Exit(1)


def _write_law(request: FitRequest, outcome: Outcome) -> None:
    if request.json is not None:
        write_law(request.json, outcome, request.settings())


def _write_report(request: FitRequest, outcome: Outcome) -> None:
    if request.report is None:
        return
    from mosaic_sr.html_report import Origin, write_report

    write_report(request.report, outcome, _observed(request, outcome), Origin(request.command, request.settings()))


def _observed(request: FitRequest, outcome: Outcome) -> Observed:
    """The rows of the table that was read; the digest of its file only where a report states it."""
    from mosaic_sr.pictures import observe_file

    source = request.source
    seen = observe_file(outcome, source.rows, source.digest if request.report else "", source.sigma)
    return replace(seen, are_of_search=True)


def _print(request: FitRequest, outcome: Outcome) -> None:
    if request.is_quiet:
        say(outcome.law.text(precision=SHOWN_DIGITS))
        return
    from rich.console import Console

    console = Console(highlight=False)
    print_outcome(outcome, console)
    if request.has_picture and can_show(outcome, console):
        print_picture(outcome, _observed(request, outcome), console)
    if outcome.stopped_by and not outcome.law.is_exact and not outcome.is_decided:
        say(_way_on(request, outcome))


def _with_limits(options: SearchOptions) -> SearchOptions:
    """The options; where they name no time limit, a minute beside the number of candidates that they have without."""
    if options.time_limit is not None:
        return options
    return replace(options, time_limit=USUAL_SECONDS, max_evaluations=int(options.config().max_evaluations))


def _way_on(request: FitRequest, outcome: Outcome) -> str:
    """Why the search was stopped, and what the user can do about it."""
    if outcome.stopped_by == CANDIDATES_SPENT:
        spent = (
            f"the budget of {request.options.max_evaluations:,} candidates was used up before the search was complete"
        )
        return f"{spent}; increase --max-evaluations, or use --time-limit instead"
    return f"{outcome.stopped_by} ended the search before it was complete; {_remedy(request, outcome)}"


def _remedy(request: FitRequest, outcome: Outcome) -> str:
    if outcome.groups is not None:
        return "increase --time-limit"
    folder = request.resume or request.output
    if folder is None or not outcome.is_kept:
        return "increase --time-limit, or save the search with --output FOLDER and continue with --resume FOLDER"
    if not outcome.has_paths:
        return f"refinement had not started, so --resume {folder} restarts the search; increase --time-limit"
    return f"to continue, run the same command with --resume {folder}"


def check_request(request: FitRequest) -> None:
    """Refuse a request whose files or folders cannot be used."""
    if not 0 <= request.seed < 2**32:
        raise InvalidSettings(f"seed must be in 0..{2**32 - 1}, got {request.seed}")
    for file in (request.json, request.report):
        refuse_unwritable(file)
        refuse_overwriting(file, *request.source.files)
    if request.report is not None and request.json is not None and request.report.absolute() == request.json.absolute():
        raise InvalidSettings(f"--json and --report are both {request.report}; give two files")
    if request.resume is not None and not request.resume.is_dir():
        raise InvalidFile(f"{request.resume}: no such folder; save a search with --output FOLDER first")
    for folder in filter(None, (request.resume, request.output)):
        for name in (STATE, LAW, FRONT):
            if request.report is not None and request.report.absolute() == (folder / name).absolute():
                raise InvalidSettings(f"--report {request.report} is a file of the search; give another file")
            refuse_overwriting(folder / name, *request.source.files)
    if request.output and request.resume and request.output != request.resume:
        raise InvalidSettings("--resume continues in its own folder; leave --output out")


def _search(request: FitRequest, given_limit: float | None) -> None:
    """Search the table; given_limit: the time limit that the user names, which holds for reading a long table too."""
    threads, seeds = num_threads(request.n_jobs), draw_seeds(np.random.RandomState(request.seed))
    if request.report is not None:
        _ = request.source.digest  # of the file as it is read now
    table = request.source.long_table(seeds, given_limit, not request.is_quiet)
    options = request.options
    if table is not None and table.search_seconds is not None:
        options = replace(options, time_limit=table.search_seconds)
    prepared = prepare(options, request.guesses, seeds, request.source.problem)
    place, resume = _kept(request, prepared)
    show = silent() if request.is_quiet else live_progress(prepared.clock, shown_law(prepared.problem))
    search = Search(prepared.problem, prepared.config, prepared.clock, place)
    try:
        search.run(prepared.rng, threads, show, resume)
        measure_law(search, prepared, prepared.config, threads)
        if table is not None:
            search.revise(table.confirmed(search.finished(), search.was_interrupted))
    finally:
        # Also when the folder of the search can no longer be written.
        if search.has_law:
            _hand_over(request, search.finished())


def _search_groups(request: FitRequest) -> None:
    """One law for all groups of rows."""
    refuse_with_groups(
        request.options, has_groups=request.source.groups is not None, validation=request.source.validation is not None,
        output_directory=(request.output or request.resume) is not None, report=request.report is not None,
    )  # fmt: skip
    threads, seeds = num_threads(request.n_jobs), draw_seeds(np.random.RandomState(request.seed))
    read, wishes = request.source.grouped_problem, (request.guesses, request.per_group)
    outcome = find_grouped_law(read, request.options, wishes, seeds, threads, not request.is_quiet)
    _hand_over(replace(request, has_picture=False), outcome)


def _kept(request: FitRequest, prepared: Prepared) -> tuple[Place | None, Snapshot | None]:
    """Where the search is kept, and the snapshot that it goes on from."""
    path = request.resume or request.output
    if path is None:
        return None, None
    folder = RunFolder(path)
    place = Place(folder, prepared.identity, request.settings())
    if request.resume is None:
        if folder.has_state and not folder.read_kept().is_finished:
            raise folder.refusal(f"--resume {path}")
        return place, None
    if not folder.has_state:
        tell(f"{path} has no search yet; a new one starts")
        return place, None
    return place, folder.read_snapshot(prepared.identity, prepared.problem.table, prepared.config.refinement)
