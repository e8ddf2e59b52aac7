"""The ordinary search on the table of one unknown: its best laws are candidates for the unknown."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mosaic_sr.equation import UNKNOWN, Equation, in_column_units
from mosaic_sr.errors import MosaicWarning
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import QuickConfig
from mosaic_sr.limits import Limits
from mosaic_sr.pipeline import SearchConfig, Snapshot, discover
from mosaic_sr.proposal import PROPOSERS, RECURSIVE
from mosaic_sr.proposal.trials import ROWS_PER_CONSTANT, Trials
from mosaic_sr.refinement import RefinementConfig
from mosaic_sr.table import Table
from mosaic_sr.templates.forms import first_forms
from mosaic_sr.templates.targets import Wanted, table_of

# Forms that are tried on the table of an unknown before any finder.
NUM_FORMS = 700
FORM_ROWS, MOST_CONSTANTS = 150, 4
# Finders of the first level of effort, on rows that are not exact: together they take less than a second.
FIRST = ("products", "sums", "waves")
# What is left out at each further level, and rounds of search paths: some seconds, and some ten.
LATER = ("pairs",), ()
TURNS = (500, 1500), (500, 1500, 4000)
ROUNDS = (8, 40)
# Candidates of an unknown that are handed on: the true one is mostly among the first three.
MOST_CANDIDATES = 14


@dataclass
class Found:
    """Candidates for an unknown, the most probable first; evaluations: what their search has tried."""

    parts: list[Expression] = field(default_factory=list)
    evaluations: int = 0


def part_config(config: SearchConfig, limits: Limits, level: int, is_exact: bool) -> SearchConfig:
    """The settings of the search for one unknown: what sees structure in a small table, within its limits.

    level: of effort.  is_exact: whether its table is as exact as the rows; then finders end it soon.
    """
    further = max(level - 1, 0)
    left_out = (*RECURSIVE, "prior", "grammar", *(LATER[further] if not is_exact else ()))
    if level == 0 and not is_exact:
        left_out = tuple(name for name in PROPOSERS if name not in FIRST)
    proposal = replace(
        config.proposal,
        guesses=(),
        named_forms=(),
        operators=limits.expressible,
        without=(*config.proposal.without, *left_out),
        is_brief=level == 0 and not is_exact,
        # At the first level only products of given factors, which are quick.
        products=config.proposal.products.of_groups(1 if level or is_exact else 0),
        pairs=config.proposal.pairs.first_round(),
        enumeration=replace(config.proposal.enumeration, turns=TURNS[further]),
    )
    rounds = ROUNDS[further] if level or is_exact else 0
    refinement: RefinementConfig = replace(
        config.refinement, operators=limits.expressible, num_rounds=rounds, rounds_per_turn=rounds
    )
    if limits.maxsize is not None:
        path = replace(refinement.path, maxsize=min(max(limits.maxsize, 3), refinement.path.maxsize))
        refinement = replace(refinement, path=path)
    selection = replace(config.selection, limits=limits)
    # Where the table is not exact, its law is one of many candidates, and nothing is decided by it.
    return replace(
        config, proposal=proposal, refinement=refinement, selection=selection, template=None, stops_when_exact=is_exact
    )


def search_part(
    wanted: Wanted,
    noise: np.ndarray[tuple[int], np.dtype[np.float64]] | None,
    config: SearchConfig,
    rng: np.random.Generator,
    is_interrupted: Callable[[], bool],
) -> Generator[None, None, Found]:
    """Candidates for an unknown, with a sign of life after each round of its search.

    noise: standard deviation of the target of the whole table in each row of `wanted`; None where it is only rounding.
    """
    for_rows, for_search = rng.spawn(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MosaicWarning)  # of columns that the user knows
        table = table_of(wanted, noise, for_rows)
    if table is None:
        return Found()
    forms = list[Equation]()
    if noise is not None:
        forms = _forms(table, config.selection.limits)
        yield None
    last: Snapshot | None = None
    for snapshot in discover(table, config, for_search, is_interrupted=is_interrupted):
        last = snapshot
        yield None
    return Found() if last is None else Found(_parts(last, forms, table), len(forms) + last.evaluations)


def _forms(table: Table, limits: Limits) -> list[Equation]:
    """The most probable of the first forms over the columns of the table, with their constants fitted."""
    trials = Trials(table.some_training(FORM_ROWS), QuickConfig(4, 16, 30))
    most = min(MOST_CONSTANTS, table.num_rows // ROWS_PER_CONSTANT)
    tried = [trials.tried(form, own) for own, form in first_forms(table.num_columns, limits, most, NUM_FORMS)]
    best = sorted(tried, key=lambda one: -one.score)[:MOST_CANDIDATES]
    return [Equation(one.expression, table.names, UNKNOWN, UNKNOWN, "enumeration") for one in best]


def _parts(last: Snapshot, forms: Sequence[Equation], table: Table) -> list[Expression]:
    """The law of a table, and other laws that it visited, over the arguments in their order."""
    laws: list[Equation] = [] if last.law is None else [last.law]
    pooled, front = list(last.pool.equations), list(last.front.pareto())[::-1]
    # By turns, because what is rough in the table puts the true law behind longer ones in some of them.
    for place in range(max(len(pooled), len(front), len(forms))):
        laws += [*pooled[place : place + 1], *front[place : place + 1], *forms[place : place + 1]]
    found: dict[bytes, Expression] = {}
    for law in laws:
        words = canonical(in_column_units(law, table).expression.renamed(table.used))
        if np.all(np.isfinite(words.constants)):
            found.setdefault(words.structure_key, words)
    return list(found.values())[:MOST_CANDIDATES]
