"""Refinement: independent search paths from the best distinct equations, in rounds that repeat exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from mosaic_sr.equation import Equation
from mosaic_sr.front import badness
from mosaic_sr.operators import NAMES
from mosaic_sr.refinement.edits import make_vocabulary
from mosaic_sr.refinement.path import Path, PathConfig, advance, start_path
from mosaic_sr.table import Rows


@dataclass(frozen=True)
class RefinementConfig:
    """How many paths search, for how many rounds.

    restart_every: rounds after which the worse half of the paths starts again from the best equations found.
    """

    num_paths: int = 24
    num_rounds: int = 1000
    restart_every: int = 8
    operators: tuple[str, ...] = NAMES
    path: PathConfig = field(default_factory=PathConfig)


def refine(
    equations: Sequence[Equation],
    rows: Rows,
    scores: NDArray[np.float64],
    config: RefinementConfig,
    rng: np.random.Generator,
    n_jobs: int,
) -> Iterator[tuple[Path, ...]]:
    """Yield all paths after each round; scores: how relevant each column is."""
    vocabulary = make_vocabulary(config.operators, scores.tolist())
    ranked = sorted(equations, key=lambda equation: badness(equation.training))
    paths = tuple(start_path(equation) for equation in ranked[: config.num_paths])
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        for round_number in range(1, config.num_rounds + 1):
            streams = rng.spawn(len(paths))
            moved = parallel(
                delayed(advance)(path, rows, vocabulary, config.path, stream)
                for path, stream in zip(paths, streams, strict=True)
            )
            paths = tuple(moved)
            yield paths
            if round_number % config.restart_every == 0:
                paths = _restarted(paths)


def _restarted(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """The worse half goes on from the fronts of the better half."""
    order = sorted(range(len(paths)), key=lambda index: _best(paths[index]))
    half = len(paths) // 2
    moved = list(paths)
    for better, worse in zip(order[:half], order[len(paths) - half :], strict=True):
        best = min(paths[better].front.equations, key=lambda equation: badness(equation.training))
        moved[worse] = Path(best, paths[worse].front, paths[worse].tried, paths[worse].evaluations)
    return tuple(moved)


def _best(path: Path) -> float:
    return min(badness(equation.training) for equation in path.front.equations)
