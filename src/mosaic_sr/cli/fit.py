"""`mosaic fit`: read a table, search, print the law and write it as JSON."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import typer

from mosaic_sr.cli.output import say, tell
from mosaic_sr.cli.shown import SHOWN_DIGITS, print_outcome
from mosaic_sr.cli.source import Source
from mosaic_sr.errors import InvalidFile, InvalidSettings, MosaicWarning
from mosaic_sr.files import refuse_overwriting, refuse_unwritable
from mosaic_sr.law_file import write_law
from mosaic_sr.outcome import Outcome
from mosaic_sr.pipeline import Snapshot
from mosaic_sr.progress import live_progress, silent
from mosaic_sr.run_folder import FRONT, LAW, STATE, RunFolder
from mosaic_sr.search import CANDIDATES_SPENT, Place, Prepared, Search, draw_seeds, prepare, shown_law
from mosaic_sr.settings import Wishes, num_threads
from mosaic_sr.stability import measure_stability

# What a person waits for who did not say how long.
USUAL_SECONDS = 60.0


@dataclass(frozen=True)
class FitRequest:
    """What the user asked for."""

    source: Source
    wishes: Wishes
    seed: int
    n_jobs: int
    guesses: tuple[str, ...]
    output: Path | None
    resume: Path | None
    json: Path | None
    is_quiet: bool

    def settings(self) -> dict[str, Any]:
        """The same search in the words of the estimator."""
        return {
            **vars(self.wishes),
            "without": list(self.wishes.without),
            "prior": None if self.wishes.prior is None else str(self.wishes.prior),
            "guesses": list(self.guesses),
            "n_jobs": self.n_jobs,
            "random_state": self.seed,
        }


def run_fit(request: FitRequest) -> None:
    """Search for the law of the file and print it; nothing is written when the request is refused."""
    _check(request)
    request = replace(request, wishes=_with_limits(request.wishes))
    with warnings.catch_warnings():
        # Notes of the table and a search stopped early are printed with the law.
        warnings.simplefilter("ignore", MosaicWarning)
        _search(request)


def _hand_over(request: FitRequest, outcome: Outcome) -> None:
    """Write the law and print it; where one of the two fails, the other is done all the same."""
    unwritten = [] if outcome.is_kept else [outcome.notes[-1]]
    try:
        if request.json is not None:
            write_law(request.json, outcome, request.settings())
    except InvalidFile as error:
        unwritten.append(str(error))
    finally:
        _print(request, outcome)
    if unwritten:
        for message in unwritten:
            tell(message)
        raise typer.Exit(1)


def _print(request: FitRequest, outcome: Outcome) -> None:
    if request.is_quiet:
        say(outcome.law.text(precision=SHOWN_DIGITS))
        return
    from rich.console import Console

    print_outcome(outcome, Console(highlight=False))
    if outcome.stopped_by and not outcome.law.is_exact and not outcome.is_decided:
        say(_way_on(request, outcome))


def _with_limits(wishes: Wishes) -> Wishes:
    """The wishes; where they name no time limit, a minute beside the number of candidates that they have without."""
    if wishes.time_limit is not None:
        return wishes
    return replace(wishes, time_limit=USUAL_SECONDS, max_evaluations=int(wishes.config().max_evaluations))


def _way_on(request: FitRequest, outcome: Outcome) -> str:
    """Why the search was stopped, and what the user can do about it."""
    if outcome.stopped_by == CANDIDATES_SPENT:
        spent = (
            f"the budget of {request.wishes.max_evaluations:,} candidates was used up before the search was complete"
        )
        return f"{spent}; increase --max-evaluations, or use --time-limit instead"
    return f"{outcome.stopped_by} ended the search before it was complete; {_remedy(request, outcome)}"


def _remedy(request: FitRequest, outcome: Outcome) -> str:
    folder = request.resume or request.output
    if folder is None or not outcome.is_kept:
        return "increase --time-limit, or save the search with --output FOLDER and continue with --resume FOLDER"
    if not outcome.has_paths:
        return f"refinement had not started, so --resume {folder} restarts the search; increase --time-limit"
    return f"to continue, run the same command with --resume {folder}"


def _check(request: FitRequest) -> None:
    if not 0 <= request.seed < 2**32:
        raise InvalidSettings(f"seed must be in 0..{2**32 - 1}, got {request.seed}")
    refuse_unwritable(request.json)
    refuse_overwriting(request.json, *request.source.files)
    if request.resume is not None and not request.resume.is_dir():
        raise InvalidFile(f"{request.resume}: no such folder; save a search with --output FOLDER first")
    for folder in filter(None, (request.resume, request.output)):
        for name in (STATE, LAW, FRONT):
            refuse_overwriting(folder / name, *request.source.files)
    if request.output and request.resume and request.output != request.resume:
        raise InvalidSettings("--resume continues in its own folder; leave --output out")


def _search(request: FitRequest) -> None:
    threads, seeds = num_threads(request.n_jobs), draw_seeds(np.random.RandomState(request.seed))
    prepared = prepare(request.wishes, request.guesses, seeds, request.source.problem)
    place, resume = _kept(request, prepared)
    show = silent() if request.is_quiet else live_progress(prepared.clock, shown_law(prepared.problem))
    search = Search(prepared.problem, prepared.config, prepared.clock, place)
    try:
        search.run(prepared.rng, threads, show, resume)
        measure_stability(search, prepared, prepared.config, threads)
    finally:
        # Also when the folder of the search can no longer be written.
        if search.has_law:
            _hand_over(request, search.finished())


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
