"""Refinement: independent search paths from the best distinct equations, in rounds that repeat exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


@dataclass(frozen=True)
class Round:
    """What the paths have found after a round: the best equation of each size, and how many candidates were tried."""

    equations: tuple[Equation, ...]
    screened: int
    fitted: int


def refine(
    equations: Sequence[Equation],
    rows: Rows,
    scores: NDArray[np.float64],
    config: RefinementConfig,
    rng: np.random.Generator,
    n_jobs: int,
) -> Iterator[Round]:
    """Yield what all paths have found after each round; scores: how relevant each column is."""
    vocabulary, data = make_vocabulary(config.operators, scores.tolist()), make_data(rows)
    ranked = sorted(equations, key=lambda equation: badness(equation.training))
    usable = [equation for equation in ranked if equation.complexity <= config.path.maxsize]
    paths = [
        start_path(equation.expression, config.path, make_state(rng), equation.found_by)
        for equation in usable[: config.num_paths]
    ]
    settings = config.path.settings()
    # A compiled walk releases the interpreter, so threads run side by side.
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        for number in range(1, config.num_rounds + 1):
            paths = parallel(delayed(advance)(path, data, vocabulary, settings) for path in paths)
            yield _gathered(paths, rows, equations[0].names)
            if number % config.restart_every == 0:
                paths = _reshuffled(paths)


def _gathered(paths: Sequence[Path], rows: Rows, names: tuple[str, ...]) -> Round:
    """The best equation of each size over all paths, the earlier path at a tie."""
    losses = np.array([path.bests.losses for path in paths])
    found = []
    for size in np.flatnonzero(np.isfinite(losses.min(axis=0))):
        path = paths[int(losses[:, size].argmin())]
        expression = path.bests.expression(int(size))
        found.append(Equation(expression, names, measure(expression, rows), UNKNOWN, path.found_by))
    counts = np.sum([path.counts for path in paths], axis=0)
    return Round(tuple(found), int(counts[0]), int(counts[1]))


def _reshuffled(paths: Sequence[Path]) -> list[Path]:
    """The worse half goes on from the best programs of the better half."""
    order = sorted(range(len(paths)), key=lambda index: paths[index].best_loss)
    half = len(paths) // 2
    moved = list(paths)
    for better, worse in zip(order[:half], order[len(paths) - half :], strict=True):
        moved[worse] = restarted(paths[worse], paths[better])
    return moved
