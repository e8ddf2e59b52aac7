"""The four stages joined: `discover` yields a snapshot per round, and the last one holds the law."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.assignment import Fitted, assign
from mosaic_sr.budget import never, until_stopped
from mosaic_sr.equation import Equation
from mosaic_sr.events import Batch, Heartbeat, PathsTurn, ProposalEvent
from mosaic_sr.expressions.expression import Expression, constant
from mosaic_sr.fitting import spans_decades
from mosaic_sr.front import badness, nmse
from mosaic_sr.presets import PRESETS, SearchConfig
from mosaic_sr.proposal import QUICK, RECURSIVE, SUMS, Delve, Explore, ProposalContext, Solve, propose
from mosaic_sr.refinement import Paths, RefinementConfig, refine, start_paths
from mosaic_sr.relevance import looks_noisy, relevance
from mosaic_sr.rounds import Rounds, Snapshot
from mosaic_sr.selection import Tidying, without_rows
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows, Table
from mosaic_sr.workers import Workers, hired

__all__ = ["PRESETS", "SearchConfig", "Snapshot", "discover"]


# The mean: a search that is stopped at once has a law too.
START = (Sketch(constant(math.nan), 0.0, "start"),)
# Rounds of the paths of a search inside another one: ten turns. And laws that it hands on after each of its rounds.
MOST_ROUNDS_INSIDE, MOST_TOLD_INSIDE = 160, 12


def discover(
    table: Table,
    config: SearchConfig,
    rng: np.random.Generator,
    n_jobs: int = 1,
    resume: Snapshot | None = None,
    is_interrupted: Callable[[], bool] = never,
    tidying: Tidying | None = None,
    workers: Workers | None = None,
) -> Generator[Snapshot, None, None]:
    """Yield a snapshot per round; the last one holds the law.

    resume: a snapshot with paths; it is yielded first, and the search continues from there as if never interrupted.
    is_interrupted: called often; once it returns True, the search ends with the snapshots yielded so far.
    tidying: the tidying of this table, if the caller uses it for the last law too.
    workers: those of the search that this one is a part of; by default what `parallel_config` names, or n_jobs threads.
    """
    tidying = tidying or Tidying(table, config.selection)
    with nullcontext(workers) if workers is not None else hired(n_jobs) as own:
        yield from _discover(_Search(table, config, rng, own, resume, is_interrupted, tidying), resume)


def _discover(search: _Search, resume: Snapshot | None) -> Iterator[Snapshot]:
    if resume is not None and resume.paths is not None:
        yield resume
        paths = resume.paths
    else:
        yield from search.propose()
        paths = search.start()
    if not search.needs_no_paths:
        yield from search.walk_on(paths)


class _Search:
    """The stages on one table, with what they hand on: the best distinct equations so far are the seeds of paths."""

    def __init__(
        self,
        table: Table,
        config: SearchConfig,
        rng: np.random.Generator,
        workers: Workers,
        resume: Snapshot | None,
        is_interrupted: Callable[[], bool],
        tidying: Tidying,
    ) -> None:
        self._for_proposal, self._for_assignment, self._for_refinement, self._for_solve, self._for_turns = rng.spawn(5)
        self._whole, self._config, self._workers, self._is_interrupted = table, config, workers, is_interrupted
        self._rounds = Rounds(config, resume, tidying, is_interrupted)
        self._outliers: tuple[int, ...] = ()
        self._forms: dict[object, Any] = {}
        self._read(resume.outliers if resume is not None else ())

    def _read(self, outliers: tuple[int, ...]) -> None:
        """Take the rows of the table without some, and begin with nothing found."""
        is_left_out = np.zeros(self._whole.training.num_rows + self._whole.validation.num_rows, dtype=np.bool_)
        is_left_out[list(outliers)] = True
        self._table = without_rows(self._whole, is_left_out) if outliers else self._whole
        self._rows, self._looks_noisy = self._search_rows()
        self._scores = relevance(self._table.training)
        self._seeds: list[Equation] = []
        self._is_wide = spans_decades(self._rows) and not self._config.refinement.ranks_by_nmse
        self._rounds.read(self._table, self._rows, outliers)

    def _search_rows(self) -> tuple[Rows, bool]:
        """Rows on which candidates are fitted, and whether they look noisy: then there are more of them."""
        rows, most = self._table.some_training(self._config.search_rows), self._config.noisy_search_rows
        # Searches of smaller tables by finders alone only see what is exact.
        has_time = "enumeration" not in self._config.proposal.without or self._config.refinement.num_rounds > 0
        is_noisy = has_time and looks_noisy(rows)
        return (self._table.some_training(most) if is_noisy and most > rows.num_rows else rows), is_noisy

    @property
    def needs_no_paths(self) -> bool:
        """Whether the budget is spent or nothing is left to explain; paths cannot say it in simpler numbers."""
        return self._rounds.is_finished or self._rounds.is_exact or self._rounds.is_decided

    def propose(self) -> Iterator[Snapshot]:
        """Rounds of proposers; where the enumeration shows outliers, they begin again without these rows, once."""
        for_proposal = self._for_proposal.spawn(2)
        yield from self._propose(for_proposal[0], is_first=True)
        if self._outliers:
            self._read(self._outliers)
            yield from self._propose(for_proposal[1], is_first=False)

    def _propose(self, rng: np.random.Generator, is_first: bool) -> Iterator[Snapshot]:
        """Rounds of proposers, whose sketches are bound and fitted, and of the paths between their turns."""
        context, decoded, num_forms, num_turns = self._context(), list[Sketch](), 0, 0
        events = chain([Batch("start", START)], propose(context, self._config.proposal, rng))
        assigned = assign(
            _noting_decoded(events, decoded), self._table, self._rows, self._scores, self._config.assignment,
            self._for_assignment, self._config.selection.limits.is_homogeneous,
        )  # fmt: skip
        for event in until_stopped(assigned, self._may_stop):
            if isinstance(event, PathsTurn):
                num_turns += 1
                yield from self._turn_of_paths()
            else:
                yield self._read_event(event, context, decoded)
            if is_first and context.coverage.num_forms > num_forms:
                num_forms, self._outliers = context.coverage.num_forms, self._rounds.outliers()
                if self._outliers:
                    return
            # What is exact, but in odd numbers, quick finders may say in simple ones in their first turn.
            is_quick = num_turns == 0 and not isinstance(event, PathsTurn) and event.proposer in QUICK
            is_done = self._rounds.is_finished or (self._rounds.is_exact and not is_quick)
            if is_done or self._rounds.is_decided or self._may_stop():
                return

    def _turn_of_paths(self) -> Iterator[Snapshot]:
        # Proposers cannot be gone on from, so that these paths are not kept.
        paths = start_paths(self._seeds, self._config.refinement, self._for_turns)
        yield from self.walk(paths, self._config.refinement.one_turn, keeps_paths=False)

    def _read_event(self, event: Fitted | Heartbeat, context: ProposalContext, decoded: Sequence[Sketch]) -> Snapshot:
        """The snapshot after a proposer has said something, or that it is at work."""
        equations = event.equations if isinstance(event, Fitted) else []
        num_tried, equations = len(equations), self._rounds.repaired(equations)
        if event.proposer == "guesses":
            context.notes.extend(self._rounds.notes_on(equations))
        self._sow(equations)
        return self._rounds.snapshot(
            event.proposer, equations, evaluations=num_tried, notes=context.notes, decoded=decoded[:1],
            coverage=context.coverage,
        )  # fmt: skip

    def _may_stop(self) -> bool:
        """Whether the search is to end and has a law to end with; there may be none that keeps what is required."""
        may_end = self._rounds.has_law or self._config.selection.limits.have_wishes
        return may_end and self._is_interrupted()

    def start(self) -> Paths:
        """Paths from the best equations so far."""
        return start_paths(self._seeds, self._config.refinement, self._for_refinement)

    def walk_on(self, paths: Paths) -> Iterator[Snapshot]:
        """The last rounds, which can be gone on from."""
        if not self._is_interrupted():
            yield from self.walk(paths, self._config.refinement, keeps_paths=True)

    def walk(self, paths: Paths, settings: RefinementConfig, keeps_paths: bool) -> Iterator[Snapshot]:
        """Rounds of paths, until there is nothing left to do; kept paths can be gone on from."""
        self._rounds.begin_walk(paths)
        for found in refine(
            paths, self._rows, self._table.names, self._scores, settings, self._workers, self._is_interrupted,
            self._screens, self._units,
        ):  # fmt: skip
            equations = self._rounds.repaired(found.equations)
            self._sow(equations)
            yield self._rounds.snapshot(
                "refinement",
                equations,
                in_refinement=found.screened,
                paths=found.state if keeps_paths else None,
            )
            if self.needs_no_paths:
                return

    @property
    def _screens(self) -> Callable[[Expression], bool] | None:
        """Whether what a path has found may be a law, where the user requires more of one than its errors."""
        limits = self._config.selection.limits
        return limits.may_go_on if limits.have_wishes else None

    @property
    def _units(self) -> NDArray[np.float64] | None:
        """What columns and target measure, where paths may try nothing else."""
        dimensions = self._config.selection.limits.dimensions
        return None if dimensions is None else dimensions.exponent_rows

    def _context(self) -> ProposalContext:
        explore = _explorer(
            self._config, self._for_solve, lambda: self._rounds.is_exact, self._is_interrupted, self._workers
        )
        return ProposalContext(
            self._table, self._rows, self._scores, self._config.proposal.operators, _exact_only(explore),
            explore=explore, delve=_delver(self._config, self._for_solve, self._is_interrupted, self._workers),
            limits=self._config.selection.limits, is_noise_left=self._rounds.is_noise_left,
            is_improbable=self._rounds.is_improbable, workers=self._workers, best=lambda: self._seeds,
            likeliest=lambda: self._rounds.likeliest, forms=self._forms, looks_noisy=self._looks_noisy,
        )  # fmt: skip

    def _sow(self, equations: Sequence[Equation]) -> None:
        # Sums of three terms come near to any smooth law, and paths that start there never leave.
        seeds = [equation for equation in equations if equation.found_by != SUMS]
        num_paths, admitted = self._config.refinement.num_paths, self._rounds.admitted(seeds)
        self._seeds = _best_distinct([*self._seeds, *admitted], num_paths, self._is_wide)


def _noting_decoded(events: Iterable[ProposalEvent], decoded: list[Sketch]) -> Iterator[ProposalEvent]:
    """The events as they come; the learned prior's sketches are appended to `decoded`, most probable first."""
    for event in events:
        if isinstance(event, Batch) and event.proposer == "prior":
            decoded += event.sketches
        yield event


def _explorer(
    config: SearchConfig,
    rng: np.random.Generator,
    knows_law: Callable[[], bool],
    is_interrupted: Callable[[], bool],
    workers: Workers,
) -> Explore:
    """A search of smaller tables for proposers that split a table: what finders see, without splitting again.

    knows_law: whether the whole table has an exact law already; then only quick finders may say it in simpler numbers.
    """
    proposal = replace(
        config.proposal,
        guesses=(),
        named_forms=(),
        without=(*config.proposal.without, *RECURSIVE, "prior", "enumeration", "additions", "grammar"),
        products=config.proposal.products.of_groups(1),
        pairs=config.proposal.pairs.first_round(),
    )
    brief = replace(proposal, is_brief=True)
    # A part of a law has other columns and values than the law.
    selection = replace(config.selection, limits=config.selection.limits.of_parts.without_units)
    inner = replace(config, selection=selection, refinement=replace(config.refinement, num_rounds=0))

    def explore(table: Table) -> tuple[Equation, ...]:
        chosen = replace(inner, proposal=brief if knows_law() else proposal)
        *_, last = discover(table, chosen, rng.spawn(1)[0], is_interrupted=is_interrupted, workers=workers)
        exact = [last.law] if last.law is not None and last.law.is_exact else []
        return (*exact, *last.front.pareto())

    return explore


def _delver(
    config: SearchConfig, rng: np.random.Generator, is_interrupted: Callable[[], bool], workers: Workers
) -> Delve:
    """A whole search of another table of the same rows, for a proposer that knows how to read them better."""
    # Forms over the same quantities are enumerated outside, and what only sees exact rows has nothing to see.
    others = (*RECURSIVE, "enumeration", "pairs", "grammar")
    proposal = replace(config.proposal, guesses=(), named_forms=(), without=(*config.proposal.without, *others))
    limits = config.selection.limits.without_units
    inner = replace(
        config,
        proposal=proposal,
        refinement=replace(config.refinement, num_rounds=min(config.refinement.num_rounds, MOST_ROUNDS_INSIDE)),
        selection=replace(config.selection, limits=limits),
    )
    return partial(_told_by_rounds, inner, rng, is_interrupted, workers)


def _told_by_rounds(
    config: SearchConfig, rng: np.random.Generator, is_interrupted: Callable[[], bool], workers: Workers, table: Table
) -> Iterator[tuple[str, tuple[Equation, ...]]]:
    """The stage and the best laws of a table after each round of its search."""
    for snapshot in discover(table, config, rng.spawn(1)[0], is_interrupted=is_interrupted, workers=workers):
        laws = () if snapshot.law is None else (snapshot.law,)
        yield snapshot.stage, (*laws, *snapshot.pool.equations[:MOST_TOLD_INSIDE])


def _exact_only(explore: Explore) -> Solve:
    """The law of a smaller table where it is exact."""

    def solve(table: Table) -> Equation | None:
        laws = explore(table)
        return laws[0] if laws and laws[0].is_exact else None

    return solve


def _best_distinct(equations: Sequence[Equation], count: int, is_wide: bool) -> list[Equation]:
    """The best equations, one for each pair of errors: twins in disguise have equal errors."""
    kept: dict[tuple[float, float], Equation] = {}
    error = badness if is_wide else nmse
    for equation in sorted(equations, key=lambda equation: (error(equation.training), equation.complexity)):
        kept.setdefault((float(f"{equation.training.nmse:.9g}"), float(f"{equation.training.relative:.9g}")), equation)
        if len(kept) == count:
            break
    return list(kept.values())
