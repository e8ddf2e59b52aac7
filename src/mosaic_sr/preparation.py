"""What a search needs before it can run: its table, settings, chances and clock, made from the user's options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mosaic_sr.budget import Budget, Clock, start_clock
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.kernel.jit import time_without_compiling
from mosaic_sr.old_names import notes_on_old_finders
from mosaic_sr.presets import SearchConfig
from mosaic_sr.proposal import PROPOSERS
from mosaic_sr.relevance import most_relevant, relevance
from mosaic_sr.requirements import GivenRows, names_required, notes_on_rows, placed_limits, refuse_unknown_columns
from mosaic_sr.run_folder import Identity, identify
from mosaic_sr.screening import MANY_COLUMNS, screen_columns
from mosaic_sr.screening.alternatives import all_rows
from mosaic_sr.settings import (
    SearchOptions,
    in_usable_units,
    parse_guesses,
    refuse_taken_names,
    with_guesses,
    with_named_forms,
    with_own_loss,
)
from mosaic_sr.table import Table, by_content, narrowed, refuse_unusable
from mosaic_sr.templates import with_template
from mosaic_sr.units.dimensions import Dimensions
from mosaic_sr.units.door import notes_on_units, only_usable_columns
from mosaic_sr.units.stated import StatedUnits, state_units

# Enough to rank thousands of columns, in a second.
ROWS_TO_SCREEN = 1000


@dataclass(frozen=True)
class Problem:
    """A table with the user's names of all columns, those set aside included; is_named: whether these are his own.

    given: the rows in the user's order, to say which of them contradict what he states.
    units: of all columns and of the target; None where none is stated.
    indicators: by column of labels, its labels; columns of 0 and 1 stand in its place.
    wide: the table with all columns, where there are so many that only some are searched.
    """

    table: Table
    names: tuple[str, ...]
    is_named: bool
    given: GivenRows | None = None
    units: StatedUnits | None = None
    indicators: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    wide: Table | None = None


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
    problem = replace(problem, table=with_own_loss(problem.table, config))
    refuse_taken_names(config, problem.names)
    refuse_beside_template(config, problem)
    table = only_usable_columns(problem.table, problem.units, options.dimensionless_constants_only)
    table = by_content(in_usable_units(table, config))
    table = with_template(table, config, problem.names, guesses)
    parsed, notes = parse_guesses(guesses, table, problem.names, config.proposal.operators)
    table = replace(table, notes=(*table.notes, *notes, *notes_on_old_finders(options.without)))
    refuse_unknown_columns(config.selection.limits, table, problem.names)
    wide = table if table.num_columns > MANY_COLUMNS else None
    table, formulas = _screened(table, parsed, config)
    config, table = with_named_forms(with_guesses(config, formulas), guesses, table)
    config = _with_units(config, table, problem.units, options.dimensionless_constants_only)
    limits = placed_limits(config.selection.limits, table)
    config = replace(config, selection=replace(config.selection, limits=limits))
    table = replace(table, notes=(*table.notes, *notes_on_rows(limits, table, problem.given)))
    problem = replace(problem, table=table, given=None, wide=wide)
    identity = identify(problem.table, config, seeds)
    return Prepared(problem, config, identity, clock, for_search, num_samples, for_samples, options.intervals)


def refuse_beside_template(config: SearchConfig, problem: Problem) -> None:
    """Refuse what is said about the rows where it does not go together with a template."""
    if config.template is None:
        return
    rows = problem.table.training
    said = {"units": problem.units is not None and problem.units.are_known, "X_sigma": rows.has_x_sigma}
    said["limits such as <0.05 in the target"] = problem.table.censored is not None
    for name, is_said in said.items():
        if is_said:
            raise InvalidSettings(f"{name} cannot be combined with a template; leave one of them out")


def with_units(
    read: Callable[[np.random.Generator], Problem], X_units: Any, y_units: Any
) -> Callable[[np.random.Generator], Problem]:
    """Reads the same problem with the units that a user states."""

    def read_with_units(rng: np.random.Generator) -> Problem:
        problem = read(rng)
        units = state_units(X_units, y_units, problem.names, problem.table.target_name)
        notes = (*problem.table.notes, *notes_on_units(units, problem.names))
        return replace(problem, units=units, table=replace(problem.table, notes=notes))

    return read_with_units


def _with_units(config: SearchConfig, table: Table, units: StatedUnits | None, are_pure: bool) -> SearchConfig:
    """The settings with limits that know what the columns of the table measure."""
    if units is None or not units.are_known:
        return config
    dimensions = Dimensions.of_columns(units, table.used, are_pure)
    limits = replace(config.selection.limits, dimensions=dimensions)
    config = replace(config, selection=replace(config.selection, limits=limits))
    return _one_product(config) if dimensions.has_one_law else config


def _one_product(config: SearchConfig) -> SearchConfig:
    """The settings of a search where units leave one law, a number times a product, beside the user's guesses."""
    others = tuple(name for name in PROPOSERS if name not in ("guesses", "dimensions"))
    without = tuple(dict.fromkeys((*config.proposal.without, *others)))
    return replace(
        config,
        proposal=replace(config.proposal, without=without),
        refinement=replace(config.refinement, num_rounds=0),
    )


def _screened(table: Table, guesses: Sequence[Expression], config: SearchConfig) -> tuple[Table, list[Expression]]:
    """The table with the columns that matter where there are many, those of guesses and those that the user speaks
    of, and the guesses over these.
    """
    if table.num_columns <= min(config.search_columns, MANY_COLUMNS):
        return table, list(guesses)
    relevant, note = _choose_columns(table, config.search_columns)
    required = names_required(config.selection.limits)
    own = {*map(table.names.index, required), *(column for guess in guesses for column in guess.columns)}
    chosen = sorted({*relevant, *own})
    places = np.zeros(table.num_columns, dtype=np.int32)
    places[chosen] = np.arange(len(chosen))
    narrow = narrowed(replace(table, notes=(*table.notes, *note)), chosen)
    return narrow, [guess.renamed(places.tolist()) for guess in guesses]


def _choose_columns(table: Table, most_columns: int) -> tuple[Sequence[int], list[str]]:
    """The few columns that together explain the target, or else the most relevant ones; and a note."""
    screened = screen_columns(*all_rows(table))
    found = sorted(screened.columns)
    if screened.suffice:
        names = ", ".join(table.names[column] for column in found)
        explained = f"together they explain {100.0 * (1.0 - screened.unexplained):.1f} % of the target"
        return found, [f"the search uses {len(found)} of {table.num_columns} columns: {names}; {explained}"]
    if table.num_columns <= most_columns:
        return range(table.num_columns), []
    relevant = most_relevant(relevance(table.some_training(ROWS_TO_SCREEN)), most_columns)
    note = f"the search uses the {len(relevant)} most relevant of {table.num_columns} columns"
    return sorted({*relevant, *found}), [note]


def draw_seeds(random: np.random.RandomState) -> tuple[int, ...]:
    """Seeds of a search from the kind of generator that scikit-learn hands around."""
    return tuple(random.randint(2**31 - 1, size=4).tolist())
