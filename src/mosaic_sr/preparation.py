"""What a search needs before it can run: its table, settings, chances and clock, made from the user's options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mosaic_sr.budget import Budget, Clock, start_clock
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.kernel.jit import time_without_compiling
from mosaic_sr.presets import SearchConfig
from mosaic_sr.relevance import most_relevant, relevance
from mosaic_sr.requirements import GivenRows, names_required, notes_on_rows, placed_limits, refuse_unknown_columns
from mosaic_sr.run_folder import Identity, identify
from mosaic_sr.settings import (
    SearchOptions,
    in_usable_units,
    parse_guesses,
    refuse_taken_names,
    with_guesses,
    with_named_forms,
)
from mosaic_sr.table import Table, by_content, narrowed, refuse_unusable

# Enough to rank thousands of columns, in a second.
ROWS_TO_SCREEN = 1000


@dataclass(frozen=True)
class Problem:
    """A table with the user's names of all columns, those set aside included; is_named: whether these are his own.

    given: the rows in the user's order, to say which of them contradict what he states.
    """

    table: Table
    names: tuple[str, ...]
    is_named: bool
    given: GivenRows | None = None


@dataclass(frozen=True)
class Prepared:
    """What a search needs before it can run.

    rng: its chances, without those that shared out the rows.
    num_samples, for_samples: bootstrap samples to search after it, and their chances.
    intervals: the method by which the constants of its law get intervals; None for none.
    """

    problem: Problem
    config: SearchConfig
    identity: Identity
    clock: Clock
    rng: np.random.Generator
    num_samples: int
    for_samples: np.random.Generator
    intervals: str | None = None


def prepare(
    options: SearchOptions,
    guesses: Sequence[str] | None,
    seeds: tuple[int, ...],
    read: Callable[[np.random.Generator], Problem],
) -> Prepared:
    """The search that a user asks for, or the reason why there is none; its clock starts before the table is read.

    read: makes the problem, with the chances that share out its rows.
    """
    config, num_samples = options.config(), options.num_samples
    clock = start_clock(Budget(config.max_evaluations, options.time_limit), time_without_compiling)
    for_table, for_search, for_samples = np.random.default_rng(list(seeds)).spawn(3)
    problem = read(for_table)
    refuse_unusable(problem.table)
    refuse_taken_names(config, problem.names)
    table = by_content(in_usable_units(problem.table, config))
    parsed, notes = parse_guesses(guesses, table, problem.names, config.proposal.operators)
    table = replace(table, notes=(*table.notes, *notes))
    refuse_unknown_columns(config.selection.limits, table, problem.names)
    table, formulas = _screened(table, parsed, config)
    config, table = with_named_forms(with_guesses(config, formulas), guesses, table)
    limits = placed_limits(config.selection.limits, table)
    config = replace(config, selection=replace(config.selection, limits=limits))
    table = replace(table, notes=(*table.notes, *notes_on_rows(limits, table, problem.given)))
    problem = replace(problem, table=table, given=None)
    identity = identify(problem.table, config, seeds)
    return Prepared(problem, config, identity, clock, for_search, num_samples, for_samples, options.intervals)


def _screened(table: Table, guesses: Sequence[Expression], config: SearchConfig) -> tuple[Table, list[Expression]]:
    """The table with at most `search_columns` of the most relevant columns, those of guesses and those that the user
    speaks of, and the guesses over these.
    """
    most_columns, required = config.search_columns, names_required(config.selection.limits)
    if table.num_columns <= most_columns:
        return table, list(guesses)
    relevant = most_relevant(relevance(table.some_training(ROWS_TO_SCREEN)), most_columns)
    own = {*map(table.names.index, required), *(column for guess in guesses for column in guess.columns)}
    chosen = sorted({*relevant, *own})
    note = f"the search uses the {len(relevant)} most relevant of {table.num_columns} columns"
    places = np.zeros(table.num_columns, dtype=np.int32)
    places[chosen] = np.arange(len(chosen))
    narrow = narrowed(replace(table, notes=(*table.notes, note)), chosen)
    return narrow, [guess.renamed(places.tolist()) for guess in guesses]


def draw_seeds(random: np.random.RandomState) -> tuple[int, ...]:
    """Seeds of a search from the kind of generator that scikit-learn hands around."""
    return tuple(random.randint(2**31 - 1, size=4).tolist())
