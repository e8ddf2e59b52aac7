"""Refinement: independent search paths from the best distinct equations, in rounds that repeat exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import cycle, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import UNKNOWN, Equation, measure
from mosaic_sr.expressions.definitions import has_defined
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.front import badness, nmse
from mosaic_sr.operators import NAMES
from mosaic_sr.refinement.bests import Bests
from mosaic_sr.refinement.chance import make_state
from mosaic_sr.refinement.path import Fixed, Path, advanced, make_data, make_formulas, sent, start_path
from mosaic_sr.refinement.sending import SentPath, move
from mosaic_sr.refinement.settings import PathConfig
from mosaic_sr.refinement.vocabulary import Vocabulary, make_vocabulary
from mosaic_sr.table import Rows
from mosaic_sr.workers import Tasks, Threads, Workers

# A law with a constant for every second row explains nothing.
ROWS_PER_CONSTANT = 3
# Few operators and few nodes make few programs. Paths that still find new ones try fifty and more in a round.
LEAST_TRIED, LEAST_ROUNDS = 4, 50


@dataclass(frozen=True)
class RefinementConfig:
    """How many paths search, for how many rounds.

    rounds_per_turn: rounds between two turns of slow proposers.
    restart_every: rounds after which the worse half of the paths starts again from the best programs found.
    ranks_by_nmse: paths begin at the equations of least plain error, also where the target spans decades.
    repeats_starts: where there are fewer equations than paths, several paths begin at the same one.
    shares_pool: edits may copy subtrees of the programs of all paths, as they stood before the round.
    """

    num_paths: int = 24  # as published
    num_rounds: int = 10**9  # beyond any budget: candidates and seconds end a search
    rounds_per_turn: int = 16  # a second or two, as long as a proposer's turn
    restart_every: int = 8  # 3,200 trials of each path, time enough to leave where it began
    ranks_by_nmse: bool = False  # there plain squares hear only the largest rows
    repeats_starts: bool = False  # the default sends its paths to the best programs soon enough
    shares_pool: bool = True  # a part that one path has found is what another lacks
    operators: tuple[str, ...] = NAMES
    path: PathConfig = field(default_factory=PathConfig)

    @property
    def one_turn(self) -> RefinementConfig:
        """The settings of a walk between two turns of slow proposers."""
        return replace(self, num_rounds=min(self.num_rounds, self.rounds_per_turn))


@dataclass(frozen=True, eq=False)
class Paths:
    """Where all paths stand after a number of rounds: enough to go on from there."""

    num_rounds: int
    paths: tuple[Path, ...]

    @property
    def num_screened(self) -> int:
        """Candidates that the paths have tried."""
        return sum(int(path.counts[0]) for path in self.paths)

    @property
    def is_exhausted(self) -> bool:
        """Whether hardly any edit leads to a program that was not tried before."""
        return self.num_rounds >= LEAST_ROUNDS and self.num_screened < LEAST_TRIED * self.num_rounds * len(self.paths)

    @cached_property
    def bests(self) -> Bests:
        """The best program of each size that any path has found."""
        return Bests.merged([path.bests for path in self.paths])


@dataclass(frozen=True)
class Round:
    """What the paths have found after a round: the equations that no smaller one beats, and how many were tried."""

    equations: tuple[Equation, ...]
    screened: int
    fitted: int
    state: Paths


def start_paths(equations: Sequence[Equation], config: RefinementConfig, rng: np.random.Generator) -> Paths:
    """Paths that begin at the best equations."""
    error = nmse if config.ranks_by_nmse else badness
    ranked = sorted(equations, key=lambda equation: error(equation.training))
    usable = [equation for equation in ranked if equation.complexity <= config.path.maxsize]
    starts = islice(cycle(usable) if config.repeats_starts else usable, config.num_paths)
    started = (start_path(start.expression, config.path, make_state(rng), start.found_by) for start in starts)
    return Paths(0, tuple(started))


def refine(
    state: Paths,
    rows: Rows,
    names: tuple[str, ...],
    scores: NDArray[np.float64],
    config: RefinementConfig,
    workers: Workers,
    is_interrupted: Callable[[], bool],
    may_lead: Callable[[Expression], bool] | None = None,
    units: NDArray[np.float64] | None = None,
) -> Iterator[Round]:
    """Yield what all paths have found after each round; names, scores: of the columns.

    workers: a path's round is a task.
    may_lead: whether a fitted program may be a law; others do not count as found, None where all may.
    units: exponents of base units, one row per column and one for the target, where constants have none; programs that
        do not fit them are not tried.

    A round in which `is_interrupted` says yes is left out, so that only whole rounds count. The rounds end when there
    is nothing new to try.
    """
    if not state.paths or state.num_rounds >= config.num_rounds or state.is_exhausted:
        return
    vocabulary = make_vocabulary(config.operators, scores.tolist(), config.path.edit_chances)
    if has_defined(config.operators):
        units = None  # what a user has defined is written out before its units are read
    data, formulas = make_data(rows, units=units), make_formulas(config.operators)
    has_offset = units is None or not units[-1].any()
    settings = _limited(config.path, rows.num_rows).settings(config.operators, has_offset)
    gathered = _Gathered(rows, names)

    if workers.are_elsewhere and has_defined(config.operators):
        workers = Threads()  # codes of defined operators differ from process to process
    fixed = Fixed(data, formulas, settings)

    def begun(state: Paths) -> Iterator[Path]:
        words = _pooled(vocabulary, state) if config.shares_pool else vocabulary
        paths = _prepared(state, config)
        if not workers.are_elsewhere:
            return workers.results(Tasks(advanced, (fixed, words), paths), is_interrupted)
        moves = workers.results(Tasks(move, (fixed, words), [*map(SentPath.of, paths)]), is_interrupted)
        return (one.after(path) for one, path in zip(moves, paths, strict=False))  # an interrupted round has fewer

    moving = begun(state)
    while True:
        moved = tuple(moving)
        if len(moved) < len(state.paths):
            return
        state = screened(Paths(state.num_rounds + 1, moved), may_lead)
        is_last = state.num_rounds >= config.num_rounds or state.is_exhausted
        # Workers elsewhere are at the next round while the caller reads this one.
        if workers.are_elsewhere and not is_last:
            moving = begun(state)
        yield gathered.round(state)
        if is_last:
            return
        if not workers.are_elsewhere:
            moving = begun(state)


def _limited(config: PathConfig, num_rows: int) -> PathConfig:
    """The settings with as many constants as so many rows can tell."""
    return replace(config, max_constants=min(config.max_constants, max(2, num_rows // ROWS_PER_CONSTANT)))


class _Gathered:
    """Measures what the paths have found; an equation is measured once."""

    def __init__(self, rows: Rows, names: tuple[str, ...]) -> None:
        self._rows, self._names = rows, names
        self._known: dict[tuple[int, float], Equation] = {}

    def round(self, state: Paths) -> Round:
        """The equations of the front of all paths, the earlier path at a tie."""
        bests = state.bests
        keys = {int(size): (int(size), float(bests.losses[size])) for size in bests.front()}
        self._known = {
            key: self._known.get(key) or self._equation(bests, size, state.paths) for size, key in keys.items()
        }
        counts = np.sum([path.counts for path in state.paths], axis=0)
        return Round(tuple(self._known.values()), int(counts[0]), int(counts[1]), state)

    def _equation(self, bests: Bests, size: int, paths: Sequence[Path]) -> Equation:
        expression = bests.expression(size)
        finder = next(path for path in paths if path.bests.losses[size] == bests.losses[size])
        return Equation(expression, self._names, measure(expression, self._rows), UNKNOWN, finder.found_by)


def _pooled(vocabulary: Vocabulary, state: Paths) -> Vocabulary:
    """The vocabulary with the front and the present program of each path to copy subtrees from."""
    front = [state.bests.program(int(size)) for size in state.bests.front()]
    codes, slots, constants, sizes = zip(*front, *(path.program for path in state.paths), strict=True)
    # As wide as the longest program: it is sent to workers elsewhere in each round.
    width = max(1, *(int(size[0]) for size in sizes))
    return vocabulary._replace(
        pool_codes=_cut(codes, width), pool_slots=_cut(slots, width), pool_constants=_cut(constants, width),
        pool_sizes=np.array(sizes),
    )  # fmt: skip


def _cut(arrays: Sequence[NDArray[Any]], width: int) -> NDArray[Any]:
    return np.array([array[:width] for array in arrays])


def screened(state: Paths, may_lead: Callable[[Expression], bool] | None) -> Paths:
    """The paths without what they have found of programs that may not be laws: others can take their places."""
    if may_lead is None:
        return state
    kept = tuple(replace(path, bests=path.bests.without(may_lead)) for path in state.paths)
    return Paths(state.num_rounds, kept)


def _prepared(state: Paths, config: RefinementConfig) -> Sequence[Path]:
    """The paths as they enter the next round: now and then the worse half goes on from the front, best first."""
    paths, front = list(state.paths), state.bests.front()[::-1]
    if state.num_rounds == 0 or state.num_rounds % config.restart_every or len(front) == 0:
        return paths
    order = sorted(range(len(paths)), key=lambda index: paths[index].best_loss)
    for place, index in enumerate(order[(len(paths) + 1) // 2 :]):
        paths[index] = sent(paths[index], state.bests.program(int(front[place % len(front)])))
    return paths
