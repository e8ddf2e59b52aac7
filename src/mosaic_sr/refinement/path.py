"""A search path as Python sees it: arrays that a compiled walk moves, round by round."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.definitions import body_of
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.fitting import loss_weights, screening_indices, spans_decades, weights_of
from mosaic_sr.kernel.moments import fit_work_size
from mosaic_sr.operators import ARITY, CODES, NUM_CODES
from mosaic_sr.refinement.bests import Bests
from mosaic_sr.refinement.candidates import Data
from mosaic_sr.refinement.chance import State
from mosaic_sr.refinement.formulas import Formulas, longest_evaluated
from mosaic_sr.refinement.programs import Program, copied, to_program
from mosaic_sr.refinement.settings import PathConfig
from mosaic_sr.refinement.units import no_units
from mosaic_sr.refinement.vocabulary import Vocabulary
from mosaic_sr.refinement.walk import run_path
from mosaic_sr.table import Rows

# Twice the largest program: an edit may overshoot before its size is checked.
ROOM = 2
SEEN_SLOTS = 1 << 14


@dataclass(frozen=True, eq=False)
class Path:
    """Where a path stands: its present program with its losses, what it has tried, the best it has seen."""

    program: Program
    losses: NDArray[np.float64]
    state: State
    seen: NDArray[np.uint32]
    counts: NDArray[np.int64]
    bests: Bests
    found_by: str

    @property
    def best_loss(self) -> float:
        return float(self.bests.losses.min())


def make_data(rows: Rows, screening_rows: int = 32, units: NDArray[np.float64] | None = None) -> Data:
    """Rows for the walk, weighted so that sums of squares are losses: evened out where the target spans decades.

    units: as in `fits_units`; None where they are not known.
    """
    makers = (_evened, loss_weights) if spans_decades(rows) else (loss_weights, _evened)
    few = rows.take(screening_indices(rows, screening_rows))
    few_weights = np.array([make(few) for make in makers])
    known = no_units() if units is None else units
    return Data(rows.columns, rows.target, makers[0](rows), few.columns, few.target, few_weights, known)


def make_formulas(operators: Sequence[str]) -> Formulas:
    """The formulas of the operators that users have defined."""
    defined = [name for name in operators if CODES[name] >= NUM_CODES]
    bodies = [body_of(name) for name in defined]
    shape = (len(bodies), max(map(len, bodies), default=1))
    rows, sizes = np.full(len(ARITY) - NUM_CODES, -1, np.int32), np.array([*map(len, bodies)], np.int64)
    codes, slots, constants = np.zeros(shape, np.int32), np.zeros(shape, np.int32), np.zeros(shape)
    for row, (name, body) in enumerate(zip(defined, bodies, strict=True)):
        rows[CODES[name] - NUM_CODES] = row
        codes[row, : len(body)], slots[row, : len(body)] = body.codes, body.slots
        constants[row, : body.num_constants] = body.constants
    return Formulas(rows, codes, slots, constants, sizes)


def _evened(rows: Rows) -> NDArray[np.float64]:
    """Weights 1 / |y|, under which a law of zero has a loss of one.

    Plain squares hear only the largest rows. Squares of relative errors, 1 / y², hear the smallest ones most, and there
    hardly any formula beats zero: of 12 generated laws that span decades they found 4, these weights 6.
    """
    sizes = np.abs(rows.target)
    own = np.where(sizes > 0, weights_of(rows, "uniform"), 0.0)
    total = float(np.sum(own * sizes))
    return own / np.where(sizes > 0, sizes, 1.0) / total if total > 0 else own


def start_path(expression: Expression, config: PathConfig, state: State, found_by: str) -> Path:
    """A path that begins at an expression; its losses are found by its first step."""
    capacity = ROOM * config.maxsize + 8
    bests = Bests.empty(config.maxsize, capacity)
    losses = np.full(2, np.inf)
    program = to_program(expression, capacity)
    return Path(program, losses, state, np.zeros(SEEN_SLOTS, np.uint32), np.zeros(2, np.int64), bests, found_by)


class Fixed(NamedTuple):
    """What all paths read in all rounds."""

    data: Data
    formulas: Formulas
    settings: NDArray[np.float64]


def advanced(fixed: Fixed, vocabulary: Vocabulary, path: Path) -> Path:
    """The path after one round of edits; a pure function."""
    program = copied(path.program)
    moved = Path(
        program, path.losses.copy(), path.state.copy(), path.seen.copy(), path.counts.copy(), path.bests.copied(),
        path.found_by,
    )  # fmt: skip
    # mypy does not count the fields of tuples that are handed over whole.
    arguments: list[Any] = [
        *program, moved.losses, moved.state, moved.seen, moved.counts, *fixed.data, *vocabulary, *fixed.formulas,
        fixed.settings, *moved.bests,
        _work(int(longest_evaluated(len(program.codes), len(fixed.formulas.sizes)))),
    ]  # fmt: skip
    run_path(*arguments)
    return moved


# A thread keeps its work buffer: the pages of a fresh one are cleared at each round, a twentieth of the time.
_kept = threading.local()


def _work(capacity: int) -> NDArray[np.float64]:
    """The work buffer of this thread for programs of that capacity."""
    if getattr(_kept, "capacity", None) != capacity:
        _kept.capacity, _kept.work = capacity, np.empty(fit_work_size(capacity, capacity))
    work: NDArray[np.float64] = _kept.work
    return work


def sent(path: Path, program: Program) -> Path:
    """The path sent to another program; what it has tried and found stays its own."""
    return replace(path, program=copied(program), losses=np.full(2, np.inf))
