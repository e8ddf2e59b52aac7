"""Assignment fills the variable holes of sketches with columns and fits the constants."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.assignment.bench import Bench, anything
from mosaic_sr.assignment.binding import ColumnPrior, bound, twin_key
from mosaic_sr.assignment.forest import explore
from mosaic_sr.assignment.tree import Game, TreeConfig
from mosaic_sr.equation import Equation, measure
from mosaic_sr.events import Batch, Heartbeat, PathsTurn, ProposalEvent
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import QuickConfig
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows, Table

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AssignmentConfig:
    """How holes are bound.

    search: "mcts" looks for the best columns, "greedy" takes the likeliest ones and nothing else.
    max_assignments: a sketch with so few bindings gets all of them, others are searched by tree.
    expansions: nodes that the trees of one batch of sketches may grow together.
    trigger_nmse: a batch is searched only when the best equation, greedy bindings included, leaves a larger validation
    error.
    reuse: factor on the chances of a column that stands in an earlier hole.
    fits_per_yield: fits after which the equations found so far are handed on, so that a time limit is heard.
    """

    search: Literal["greedy", "mcts"] = "mcts"
    max_assignments: int = 16  # about what a sketch gets of a batch's expansions, so trees would save nothing
    expansions: int = 800  # 16 for each of 50 sketches: a third of a second
    trigger_nmse: float = 0.0  # a batch is cheap, and a fair fit of the wrong columns should not stop it
    reuse: float = 0.1  # most laws name most columns once; 1.0 needs three times the fits, 0.05 is no better
    fits_per_yield: int = 500  # two tenths of a second
    tree: TreeConfig = field(default_factory=TreeConfig)
    fit: QuickConfig = field(default_factory=QuickConfig)


@dataclass(frozen=True)
class Fitted:
    """Equations from the sketches of one proposer."""

    proposer: str
    equations: list[Equation]


def assign(
    events: Iterable[ProposalEvent],
    table: Table,
    rows: Rows,
    scores: Floats,
    config: AssignmentConfig,
    rng: np.random.Generator,
    may_be: Callable[[Expression], bool] = anything,
) -> Iterator[Fitted | Heartbeat | PathsTurn]:
    """Yield fitted equations for each batch of sketches, several times for a long one, and other events as they come.

    rows: those of the table on which constants are fitted.  scores: (columns,), how relevant each column seems.
    may_be: whether a sketch with all its holes filled may be a law; others are not fitted.
    """
    for_starts, for_trees = rng.spawn(2)
    bench = Bench(rows, table.names, config.fit, for_starts, may_be)
    for event in events:
        if not isinstance(event, Batch):
            yield event
            continue
        for _ in _bind(event.sketches, table.validation, scores, bench, config, for_trees):
            if bench.num_waiting >= config.fits_per_yield:
                yield Fitted(event.proposer, bench.collect())
        yield Fitted(event.proposer, bench.collect())


def _bind(
    sketches: Sequence[Sketch],
    validation: Rows,
    scores: Floats,
    bench: Bench,
    config: AssignmentConfig,
    rng: np.random.Generator,
) -> Iterator[None]:
    """Fit the bindings of a batch on the bench, with a pause after each."""
    priors = [column_prior(sketch, scores, config.reuse) for sketch in sketches]
    for sketch, prior in zip(sketches, priors, strict=True):
        bench.reward(sketch, prior.greedy(sketch.expression.num_holes))
        yield
    if config.search == "greedy" or not _is_worth_searching(bench, validation, config.trigger_nmse):
        return
    large: list[tuple[Sketch, ColumnPrior]] = []
    for sketch, prior in zip(sketches, priors, strict=True):
        num_holes = sketch.expression.num_holes
        if num_holes and len(scores) ** num_holes > config.max_assignments:
            large.append((sketch, prior))
            continue
        for columns in prior.all_choices(num_holes):
            bench.reward(sketch, columns)
            yield
    games = [_game(sketch, prior, bench) for sketch, prior in large]
    weights = np.array([sketch.log_weight for sketch, _ in large])
    yield from explore(games, weights, config.expansions, config.tree, rng)


def column_prior(sketch: Sketch, scores: Floats, reuse: float) -> ColumnPrior:
    """Chances of the columns by their relevance and by what the proposer says of them."""
    weights = scores + scores.max() / len(scores) + 1e-9
    return ColumnPrior(weights * np.array(sketch.column_weights) if sketch.column_weights else weights, reuse)


def _game(sketch: Sketch, prior: ColumnPrior, bench: Bench) -> Game:
    return Game(
        depth=sketch.expression.num_holes,
        chances=prior.chances,
        key=lambda columns: twin_key(bound(sketch.expression, columns)),
        reward=lambda columns: bench.reward(sketch, columns),
    )


def _is_worth_searching(bench: Bench, validation: Rows, trigger_nmse: float) -> bool:
    """Whether the best equation of the bench leaves too large a validation error."""
    best = bench.best
    return trigger_nmse == 0.0 or best is None or not measure(best.expression, validation).nmse <= trigger_nmse
