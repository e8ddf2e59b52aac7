"""A search path as Python sees it: arrays that a compiled walk moves, round by round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import screening_indices, spans_decades, weights_of
from mosaic_sr.refinement.chance import State
from mosaic_sr.refinement.edits import Vocabulary
from mosaic_sr.refinement.programs import Program, copied, to_expression, to_program
from mosaic_sr.refinement.walk import NUM_SETTINGS, Data, run_path
from mosaic_sr.table import Rows

# Twice the largest program: an edit may overshoot before its size is checked.
ROOM = 2
SEEN_SLOTS = 1 << 14
# A loss below this is rounding; the walk stops there.
ROUNDING = 1e-30


@dataclass(frozen=True)
class PathConfig:
    """How a path moves.

    temperature: a candidate is accepted though its log error is this much worse, on average; 0 climbs strictly.
    parsimony: log error that one node must save to be worth it.
    lenience: a candidate is fitted when its screened loss is below this many times the present one.
    """

    edits_per_round: int = 600
    edits_per_fit: int = 3  # one edit alone cannot cross from one good structure to the next
    maxsize: int = 32
    max_constants: int = 8
    max_iterations: int = 10
    starts: int = 2
    draws: int = 4
    temperature: float = 0.3
    parsimony: float = 0.1
    lenience: float = 2.0
    restart_share: float = 0.1  # of fits with curved constants start anew, the others from where edits left them

    def settings(self) -> NDArray[np.float64]:
        """The numbers that the compiled walk reads."""
        values = np.zeros(NUM_SETTINGS)
        values[:] = (
            self.edits_per_round, self.edits_per_fit, self.maxsize, self.max_constants, self.max_iterations,
            self.starts, self.draws, self.temperature, self.parsimony, self.lenience, ROUNDING, self.restart_share,
        )  # fmt: skip
        return values


@dataclass(frozen=True, eq=False)
class Bests:
    """The best program of each size: losses (sizes,), the others one row per size."""

    losses: NDArray[np.float64]
    sizes: NDArray[np.int64]
    codes: NDArray[np.int32]
    slots: NDArray[np.int32]
    constants: NDArray[np.float64]

    def copy(self) -> Bests:
        """Arrays of its own."""
        return Bests(self.losses.copy(), self.sizes.copy(), self.codes.copy(), self.slots.copy(), self.constants.copy())

    def expression(self, size: int) -> Expression:
        """The best expression of that size."""
        return to_expression(self.codes[size], self.slots[size], self.constants[size], self.sizes[size])


@dataclass(frozen=True, eq=False)
class Path:
    """Where a path stands: its present program with its losses, what it has tried, the best it has seen."""

    program: Program
    losses: NDArray[np.float64]
    state: State
    seen: NDArray[np.uint64]
    counts: NDArray[np.int64]
    bests: Bests
    found_by: str

    @property
    def best_loss(self) -> float:
        return float(self.bests.losses.min())


def make_data(rows: Rows, screening_rows: int = 32) -> Data:
    """Rows for the walk, weighted so that sums of squares are losses: relative ones where the target spans decades."""
    names = ("relative", "uniform") if spans_decades(rows) else ("uniform", "relative")
    few = rows.take(screening_indices(rows, screening_rows))
    few_weights = np.array([_normalised(few, name) for name in names])
    return Data(rows.columns, rows.target, _normalised(rows, names[0]), few.columns, few.target, few_weights)


def _normalised(rows: Rows, weighting: str) -> NDArray[np.float64]:
    """Weights under which the sum of squares is the normalised or the relative mean squared error."""
    own, weights = weights_of(rows, "uniform"), weights_of(rows, weighting)
    if weighting == "relative":
        return weights / max(float(own[weights > 0].sum()), 1e-300)
    spread = float(np.sum(own * np.square(rows.target - np.average(rows.target, weights=own))))
    return weights / spread if spread > 0 else weights


def start_path(expression: Expression, config: PathConfig, state: State, found_by: str) -> Path:
    """A path that begins at an expression; its losses are found by its first step."""
    capacity, rows = ROOM * config.maxsize + 8, config.maxsize + 1
    bests = Bests(
        np.full(rows, np.inf),
        np.zeros((rows, 2), np.int64),
        np.zeros((rows, capacity), np.int32),
        np.zeros((rows, capacity), np.int32),
        np.zeros((rows, capacity)),
    )
    losses = np.full(2, np.inf)
    program = to_program(expression, capacity)
    return Path(program, losses, state, np.zeros(SEEN_SLOTS, np.uint64), np.zeros(2, np.int64), bests, found_by)


def advance(path: Path, data: Data, vocabulary: Vocabulary, settings: NDArray[np.float64]) -> Path:
    """The path after one round of edits."""
    program = copied(path.program)
    moved = Path(
        program, path.losses.copy(), path.state.copy(), path.seen.copy(), path.counts.copy(), path.bests.copy(),
        path.found_by,
    )  # fmt: skip
    bests = moved.bests
    run_path(
        *program, moved.losses, moved.state, moved.seen, moved.counts, *data, *vocabulary, settings,
        bests.losses, bests.sizes, bests.codes, bests.slots, bests.constants,
    )  # fmt: skip
    return moved


def restarted(path: Path, source: Path) -> Path:
    """The path sent to the best program of another one; what it has tried and found stays its own."""
    size = int(source.bests.losses.argmin())
    program = to_program(source.bests.expression(size), len(path.program.codes))
    losses = np.array([source.bests.losses[size], np.inf])
    return Path(program, losses, path.state, path.seen, path.counts, path.bests, path.found_by)
