"""Refinement: independent search paths from the best distinct equations, in rounds that repeat exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from mosaic_sr.equation import UNKNOWN, Equation, measure
from mosaic_sr.front import badness
from mosaic_sr.operators import NAMES
from mosaic_sr.refinement.chance import make_state
from mosaic_sr.refinement.edits import make_vocabulary
from mosaic_sr.refinement.path import Path, PathConfig, advance, make_data, restarted, start_path
from mosaic_sr.table import Rows


@dataclass(frozen=True)
class RefinementConfig:
    """How many paths search, for how many rounds.

    restart_every: rounds after which the worse half of the paths starts again from the best programs found.
    """

    num_paths: int = 24
    num_rounds: int = 1000
    restart_every: int = 8
    operators: tuple[str, ...] = NAMES
    path: PathConfig = field(default_factory=PathConfig)


@dataclass(frozen=True, eq=False)
class Paths:
    """Where all paths stand after a number of rounds: enough to go on from there."""

    num_rounds: int
    paths: tuple[Path, ...]


@dataclass(frozen=True)
class Round:
    """What the paths have found after a round: the best equation of each size, and how many candidates were tried."""

    equations: tuple[Equation, ...]
    screened: int
    fitted: int
    state: Paths


def start_paths(equations: Sequence[Equation], config: RefinementConfig, rng: np.random.Generator) -> Paths:
    """Paths that begin at the best equations."""
    ranked = sorted(equations, key=lambda equation: badness(equation.training))
    usable = [equation for equation in ranked if equation.complexity <= config.path.maxsize]
    started = (
        start_path(equation.expression, config.path, make_state(rng), equation.found_by)
        for equation in usable[: config.num_paths]
    )
    return Paths(0, tuple(started))


def refine(
    state: Paths,
    rows: Rows,
    names: tuple[str, ...],
    scores: NDArray[np.float64],
    config: RefinementConfig,
    n_jobs: int,
    is_interrupted: Callable[[], bool],
) -> Iterator[Round]:
    """Yield what all paths have found after each round; names, scores: of the columns.

    A round in which `is_interrupted` says yes is left out, so that only whole rounds count.
    """
    vocabulary, data = make_vocabulary(config.operators, scores.tolist()), make_data(rows)
    settings = config.path.settings()

    def advanced(path: Path) -> Path | None:
        return None if is_interrupted() else advance(path, data, vocabulary, settings)

    # A compiled walk releases the interpreter, so threads run side by side.
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        while state.paths and state.num_rounds < config.num_rounds:
            is_time = state.num_rounds > 0 and state.num_rounds % config.restart_every == 0
            moved = parallel(delayed(advanced)(path) for path in (_reshuffled(state.paths) if is_time else state.paths))
            if any(path is None for path in moved):
                return
            state = Paths(state.num_rounds + 1, tuple(moved))
            yield _gathered(state, rows, names)


def _gathered(state: Paths, rows: Rows, names: tuple[str, ...]) -> Round:
    """The best equation of each size over all paths, the earlier path at a tie."""
    paths = state.paths
    losses = np.array([path.bests.losses for path in paths])
    found = []
    for size in np.flatnonzero(np.isfinite(losses.min(axis=0))):
        path = paths[int(losses[:, size].argmin())]
        expression = path.bests.expression(int(size))
        found.append(Equation(expression, names, measure(expression, rows), UNKNOWN, path.found_by))
    counts = np.sum([path.counts for path in paths], axis=0)
    return Round(tuple(found), int(counts[0]), int(counts[1]), state)


def _reshuffled(paths: Sequence[Path]) -> list[Path]:
    """The worse half goes on from the best programs of the better half."""
    order = sorted(range(len(paths)), key=lambda index: paths[index].best_loss)
    half = len(paths) // 2
    moved = list(paths)
    for better, worse in zip(order[:half], order[len(paths) - half :], strict=True):
        moved[worse] = restarted(paths[worse], paths[better])
    return moved
