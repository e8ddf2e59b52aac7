"""A search from a table to an `Outcome`: it hears the clock and Ctrl-C, shows itself and keeps itself in a folder."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from mosaic_sr.budget import Clock
from mosaic_sr.equation import Equation, in_user_units
from mosaic_sr.errors import InvalidFile, InvalidSettings, MosaicWarning
from mosaic_sr.evidence import Measured, num_fitted
from mosaic_sr.evidence.chi_square import chi_square
from mosaic_sr.exactness import table_size
from mosaic_sr.fitting.uncertainty import standard_errors
from mosaic_sr.front import strict_front
from mosaic_sr.kernel.jit import COMPILATION, compile_beside
from mosaic_sr.law_units import with_constant_units
from mosaic_sr.law_writing import with_verdicts, written_outcome
from mosaic_sr.losses import SQUARED, choose_by_loss, to_loss
from mosaic_sr.named_laws import with_name
from mosaic_sr.outcome import Outcome, presentable
from mosaic_sr.parting import find_parting
from mosaic_sr.path_trace import PathTrace
from mosaic_sr.pipeline import SearchConfig, Snapshot, discover
from mosaic_sr.preparation import Problem
from mosaic_sr.progress import Observer, print_compilation
from mosaic_sr.proposal import QUICK
from mosaic_sr.rare_collections import rare_collections
from mosaic_sr.requirements import why_no_law
from mosaic_sr.run_folder import Identity, RunFolder
from mosaic_sr.screening import notes_on_columns
from mosaic_sr.selection import Conclusion, Tidying
from mosaic_sr.selection.weighing import over_columns
from mosaic_sr.table import Table, deviation
from mosaic_sr.table.door import LEAST_ROWS_PER_CONSTANT
from mosaic_sr.templates import TemplateSearch, finished_outcome, template_of

CANDIDATES_SPENT = "the number of candidates"
# A state takes some ten milliseconds to write, so a hundredth of the time at most, and a kill loses a few seconds.
SECONDS_BETWEEN_FILES = 3.0
TEMPLATE_RESTARTED = "a search with a template cannot be resumed; it restarted and ends with the same law"
RESTARTED = "only refinement can be resumed; the search restarted and kept its earlier results"
UNKEPT = "some files of the output folder could not be written during the search"
UNKEPT_AT_THE_END = "the files of the output folder could not be written at the end of the search"
UNTIDIED = "the search was stopped while it tidied the law; its constants are not snapped"
# For so long after the limit or Ctrl-C a law may still be tidied: long enough for most, and the fits that follow end in
# a second.
SECONDS_TO_TIDY = 0.6
# The search leaves this share of its time, and at most so many seconds, to weigh and simplify the laws of noisy rows:
# a dozen laws take a quarter of a second each. Unsimplified laws are seldom the true ones.
TIDYING_SHARE, MOST_TIDYING_SECONDS = 0.1, 4.0
# Rounds up to the end of the quick finders' first turn, which takes up to three seconds of a processor; with half as
# many again it ends also on slow ones.
FIRST_STAGES = frozenset(("start", "guesses", *QUICK))
FIRST_TURN_SECONDS = 4.5
# The share of a processor below which a search that has a law waits no longer.
LEAST_SHARE = 1.0 / 3.0


@dataclass(frozen=True)
class Place:
    """Where a search is kept: its folder, whose it is, and the settings to write beside the law."""

    folder: RunFolder
    identity: Identity
    settings: Mapping[str, Any] = field(default_factory=dict)


class Search:
    """One search and what is known of its course; was_interrupted: whether the user has ended it."""

    def __init__(self, problem: Problem, config: SearchConfig, clock: Clock, place: Place | None = None) -> None:
        self._problem, self._config, self._clock, self._place = problem, config, clock, place
        self._stage_seconds: dict[str, float] = {}
        self._trace: list[dict[str, Any]] = []
        self._tidying = Tidying(problem.table, config.selection)
        self._template: TemplateSearch | None = None
        if config.template is not None:
            self._template = TemplateSearch(template_of(problem.table, config), problem.table, config)
        self._path_trace = PathTrace(problem.table, config, problem.names)
        self._worked_before = _work_done()
        self._stopped_by, self._has_kept_paths = "", False
        self._notes: list[str] = []
        self._tidying_ends = clock.limit + SECONDS_TO_TIDY
        self._kept_at = time.monotonic()
        self._made: Outcome | None = None
        self._known: Snapshot | None = None
        self.last: Snapshot | None = None
        self.was_interrupted = False

    @rare_collections()
    @np.errstate(all="ignore")  # numerical trouble is a value, and no news for the user
    def run(self, rng: np.random.Generator, n_jobs: int, show: Observer, resume: Snapshot | None = None) -> Outcome:
        """Search until the law is exact, a budget is spent or the user stops it; the best so far is the outcome.

        resume: a snapshot to go on from; without paths the search begins anew, and until it has come as far again the
        snapshot is what is known.
        """
        COMPILATION.report = print_compilation
        compile_beside()
        if self._template is not None and resume is not None:
            self._notes, resume = [*self._notes, TEMPLATE_RESTARTED], None
        self.last = self._known = resume if resume is not None and resume.paths is None else None
        self._notes += [] if self._known is None else [RESTARTED]
        self._keep_state(resume, is_finished=False)
        table, config = self._problem.table, self._config
        if self._template is not None:
            search = self._template.discover(rng, self._is_time_up)
        else:
            search = discover(table, config, rng, n_jobs, resume, self._is_time_up, self._tidying)
        # Threads of the library of linear algebra cost more than they give on matrices of some hundred rows.
        with threadpool_limits(1, "blas"), show as observe, closing(search) as snapshots:
            try:
                before = self._clock.now()
                for snapshot in snapshots:
                    now = self._clock.now()
                    self._record(snapshot, now - before)
                    before = now
                    observe(snapshot)
                    self._keep_sometimes(self._furthest(snapshot))
            except KeyboardInterrupt as stop:
                self.was_interrupted = True
                self._stop(str(stop) or "Ctrl-C")  # the command line hears other signals as Ctrl-C, by their name
                if not self.has_law:
                    raise
        outcome = self._finish()
        if self._stopped_by and not outcome.law.is_exact and not outcome.is_decided:
            warnings.warn("the search was stopped early; the law is the best so far", MosaicWarning, stacklevel=4)
        if not outcome.is_kept:
            warnings.warn(outcome.notes[-1], MosaicWarning, stacklevel=4)
        return outcome

    def _is_time_up(self) -> bool:
        limit = self._clock.limit
        reserve = min(TIDYING_SHARE * limit, MOST_TIDYING_SECONDS)
        is_up = self._clock.seconds >= limit - reserve and not self._owes_first_turn()
        if is_up:
            self._stop("the time limit", reserve)
        return is_up

    def _owes_first_turn(self) -> bool:
        """Whether the quick finders are in their first turn and have had too little of the processor for it.

        On a busy machine the clock runs faster than the search: up to here seconds of work count beside those of the
        clock, for up to three times the limit. With the mean as its only law the search works on even then.
        """
        if not FIRST_STAGES.issuperset(self._stage_seconds):
            return False
        worked = _work_done() - self._worked_before
        if self.last is None or self.last.law is None or self.last.law.found_by == "start":
            return worked < FIRST_TURN_SECONDS
        is_late = self._clock.seconds * LEAST_SHARE >= self._clock.limit
        return worked < min(self._clock.limit, FIRST_TURN_SECONDS) and not is_late

    def _stop(self, reason: str, reserve: float = 0.0) -> None:
        """End the search now; the time to tidy its law counts from here, because the limit may be far or long past.

        reserve: seconds that the search has left for it.
        """
        if not self._stopped_by:
            self._stopped_by, self._tidying_ends = reason, self._clock.seconds + reserve + SECONDS_TO_TIDY

    def _is_tidying_time_up(self) -> bool:
        return self._clock.seconds >= self._tidying_ends

    def _record(self, snapshot: Snapshot, seconds: float) -> None:
        self.last = self._furthest(snapshot)
        self._stage_seconds[snapshot.stage] = self._stage_seconds.get(snapshot.stage, 0.0) + seconds
        if snapshot.paths is not None and self._config.traces_paths:
            self._path_trace.note(snapshot.paths)
        law = snapshot.law
        line = {
            "stage": snapshot.stage,
            "validation_nmse": law.validation.nmse if law else math.inf,
            "complexity": law.complexity if law else 0,
        }
        if not self._trace or any(self._trace[-1][key] != value for key, value in line.items()):
            self._trace.append({"seconds": round(self._clock.seconds, 3), "evaluations": snapshot.evaluations, **line})

    def _furthest(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot, or the kept one of the same search while that has come further: rounds repeat exactly."""
        known = self._known
        if known is None or (snapshot.round, snapshot.evaluations) >= (known.round, known.evaluations):
            return snapshot
        return known

    @property
    def has_law(self) -> bool:
        """Whether there is something to return."""
        return self.last is not None and self.last.law is not None

    @np.errstate(all="ignore")
    def finished(self) -> Outcome:
        """The outcome of the search as far as it went, also when an exception of the caller's has ended it."""
        if self._made is None:
            self._stop("an exception")
            return self._finish()
        return self._made

    def _finish(self) -> Outcome:
        last = self.last
        if last is None or last.law is None:
            raise InvalidSettings(why_no_law(self._config.selection.limits))
        outcome = replace(self._outcome(last), path_trace=self._path_trace.entries())
        try:
            outcome = self._with_chi2(self._with_finished_law(last.law, outcome))
        except KeyboardInterrupt:
            self.was_interrupted = True
            outcome = replace(outcome, notes=(*outcome.notes, UNTIDIED))
        # Before the files, which may not be writable any more.
        outcome = with_constant_units(self._with_names(self._with_column_notes(outcome)), self._has_pure_constants)
        self._made = outcome
        try:
            self._keep_state(last, is_finished=not self._stopped_by)
            self._keep_law(outcome)
        except InvalidFile as error:
            self._made = _unkept(outcome, error)
        return self._made

    def _with_column_notes(self, outcome: Outcome) -> Outcome:
        """The outcome with what the columns say that were not searched, where there are many; after Ctrl-C without."""
        wide = self._problem.wide
        if wide is None or self.was_interrupted:
            return outcome
        try:
            return replace(outcome, notes=(*outcome.notes, *notes_on_columns(outcome.law.expression, wide)))
        except KeyboardInterrupt:
            self.was_interrupted = True
            return outcome

    def _with_names(self, outcome: Outcome) -> Outcome:
        """The outcome with the names of its laws; after Ctrl-C without."""
        try:
            law = with_name(outcome.law)
            front = tuple(law if one is outcome.law else with_name(one) for one in outcome.front)
            return replace(outcome, law=law, front=front)
        except KeyboardInterrupt:
            self.was_interrupted = True
            return outcome

    @property
    def _has_pure_constants(self) -> bool:
        dimensions = self._config.selection.limits.dimensions
        return dimensions is not None and dimensions.are_constants_pure

    def revise(self, outcome: Outcome) -> None:
        """Replace the outcome of a search that has ended, in its folder too."""
        self._made = outcome
        if not outcome.is_kept:
            return
        try:
            self._keep_law(outcome)
        except InvalidFile as error:
            self._made = _unkept(outcome, error)
            warnings.warn(self._made.notes[-1], MosaicWarning, stacklevel=4)

    def _with_finished_law(self, law: Equation, outcome: Outcome) -> Outcome:
        """The outcome with its law as it is told: an exact one in simple numbers, else the most probable one."""
        if self._template is not None:
            told = finished_outcome(outcome, self._template, self._problem.table, self._is_tidying_time_up)
            return replace(told, seconds=self._clock.seconds)
        own = self._by_own_loss(law, outcome)
        if own is not None:
            return own
        concluded, table, limits = self._concluded(law), self._problem.table, self._config.selection.limits
        if concluded is not None:
            outcome, finished = self._with_conclusion(outcome, concluded), concluded.law
        else:
            finished = self._tidying.finished(law, self._problem.names, self._is_tidying_time_up)
            if not limits.allow_told(finished.expression, table):
                finished = outcome.law
            finished = replace(finished, standard_errors=standard_errors(finished.expression, table))
        others = [equation for equation in outcome.front if equation is not outcome.law]
        outcome = replace(outcome, law=finished, front=strict_front(others, finished), seconds=self._clock.seconds)
        written = written_outcome(outcome, table, limits, self._is_tidying_time_up)
        return with_verdicts(written, table, limits)

    def _with_chi2(self, outcome: Outcome) -> Outcome:
        """The outcome with chi2 of its law, where the user states errors of the target."""
        law = outcome.law.expression
        if self._tidying.weighing.measured.sigma is None or outcome.loss != SQUARED:
            return outcome
        return replace(outcome, chi2=chi_square(law, self._measured_rows, num_fitted(law)))

    @property
    def _measured_rows(self) -> Measured:
        """The rows on which laws are weighed, with all the user's columns."""
        return over_columns(self._tidying.weighing.measured, self._problem.table.used, len(self._problem.names))

    def _by_own_loss(self, law: Equation, outcome: Outcome) -> Outcome | None:
        """The outcome with the law of the user's own loss; None where he has none, or a law agrees with the rows."""
        table, selection = self._problem.table, self._config.selection
        if selection.loss == SQUARED or law.agrees or self.last is None:
            return None
        equations = (law, *self.last.front.pareto(), *self.last.pool.equations)
        chosen = choose_by_loss(
            equations, table, self._problem.names, to_loss(selection.loss), selection.model_selection, selection.limits,
            self._is_tidying_time_up,
        )  # fmt: skip
        if chosen is None:
            return None
        front = strict_front([one for one in chosen.front if _is_worth_listing(one, table)], chosen.law)
        outcome = replace(outcome, law=chosen.law, front=front, loss=selection.loss, seconds=self._clock.seconds)
        written = written_outcome(outcome, table, selection.limits, self._is_tidying_time_up)
        return with_verdicts(written, table, selection.limits)

    def _concluded(self, law: Equation) -> Conclusion | None:
        """What is concluded on noisy rows; None where the law agrees with them, or another rule chooses it."""
        if law.agrees or self._config.selection.model_selection != "best" or self.last is None:
            return None
        return self._tidying.concluded(
            self.last.pool, self.last.covered_bits, self._problem.names, self._is_tidying_time_up
        )

    def _with_conclusion(self, outcome: Outcome, concluded: Conclusion) -> Outcome:
        """The outcome with all that is known of its noisy rows, except the law."""
        law, scatter, parting = concluded.law, concluded.scatter, None
        if law.ties:
            columns = self._measured_rows.rows.columns
            parting = find_parting(law, law.ties[0], columns, scatter)
        probabilities, notes = concluded.column_probabilities, (*outcome.notes, *concluded.notes)
        return replace(outcome, scatter=scatter, column_probabilities=probabilities, parting=parting, notes=notes)

    def _outcome(self, snapshot: Snapshot) -> Outcome:
        assert snapshot.law is not None
        table, names, selection = self._problem.table, self._problem.names, self._config.selection
        law = presentable(snapshot.law, table, names, selection)
        pareto = [presentable(equation, table, names, selection) for equation in snapshot.front.pareto()]
        front = [equation for equation in pareto if _is_worth_listing(equation, table)]
        target = np.ldexp(table.target, table.target_exponent)
        return Outcome(
            law=law,
            front=strict_front(front, law),
            names=names,
            target=table.target_name,
            is_named=self._problem.is_named,
            evaluations=snapshot.evaluations,
            seconds=self._clock.seconds,
            stopped_early=bool(self._stopped_by),
            stopped_by=self._stopped_by or (CANDIDATES_SPENT if self._has_spent(snapshot) else ""),
            has_paths=snapshot.paths is not None,
            stage_seconds=dict(self._stage_seconds),
            trace=tuple(self._trace),
            notes=(*table.notes, *snapshot.notes, *self._notes, *COMPILATION.notes),
            num_forms=snapshot.num_forms,
            covered_bits=snapshot.covered_bits,
            listed_over=snapshot.listed_over,
            is_decided=snapshot.is_decided,
            target_range=float(np.ptp(target)),
            target_deviation=deviation(target),
            decoded_operators=snapshot.decoded_operators,
            sampled=table.sampled,
            units=self._problem.units,
            indicators=self._problem.indicators,
        )

    def _has_spent(self, snapshot: Snapshot) -> bool:
        return snapshot.evaluations >= self._config.max_evaluations

    def _keep_sometimes(self, snapshot: Snapshot) -> None:
        """Write the files when they are old, and when refinement begins: what came before need not be done again."""
        is_first = snapshot.paths is not None and not self._has_kept_paths
        if self._place is None or not (is_first or time.monotonic() - self._kept_at > SECONDS_BETWEEN_FILES):
            return
        self._has_kept_paths = snapshot.paths is not None
        try:
            self._keep_state(snapshot, is_finished=False)
            if snapshot.law is not None:
                self._keep_law(self._outcome(snapshot))
        except InvalidFile as error:
            self._note_once(f"{UNKEPT}: {error}")
        self._kept_at = time.monotonic()

    def _note_once(self, note: str) -> None:
        self._notes += [] if note in self._notes else [note]

    def _keep_state(self, snapshot: Snapshot | None, is_finished: bool) -> None:
        if self._place is not None:
            self._place.folder.write_state(self._place.identity, snapshot, is_finished)

    def _keep_law(self, outcome: Outcome) -> None:
        if self._place is not None:
            self._place.folder.write_law(outcome, self._place.settings)


def _unkept(outcome: Outcome, error: InvalidFile) -> Outcome:
    return replace(outcome, notes=(*outcome.notes, f"{UNKEPT_AT_THE_END}: {error}"), is_kept=False)


def _is_worth_listing(equation: Equation, table: Table) -> bool:
    return LEAST_ROWS_PER_CONSTANT * num_fitted(equation.expression) <= table_size(table)


def _work_done() -> float:
    """Seconds that this process has worked, without what it compiled."""
    return time.process_time() - COMPILATION.processor_seconds


def shown_law(problem: Problem) -> Any:
    """A function that gives the text of a snapshot's law in the user's units."""

    def text(snapshot: Snapshot) -> str:
        if snapshot.law is None:
            return ""
        law = in_user_units(snapshot.law, problem.table, problem.names)
        return f"{problem.table.target_name} = {law.text(precision=4)}"

    return text
