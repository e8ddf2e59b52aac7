"""How a path moves: its settings, and their places in the array that compiled code reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.refinement.edits import EDIT_CHANCES

# Places in `settings` of `run_path`.
NUM_TRIALS, EDITS_PER_FIT, MAXSIZE, MAX_CONSTANTS, MAX_ITERATIONS, STARTS, DRAWS = range(7)
TEMPERATURE, PARSIMONY, LENIENCE, CURVED_LENIENCE, FLOOR, RESTART_SHARE, IS_SCALED, MAY_INVERT = range(7, 15)
MOST_WORK, TRIES, HAS_OFFSET = 15, 16, 17
NUM_SETTINGS = 18

# A step must promise this share of the loss; the last digits of constants of structures that are left again are waste.
TOLERANCE = 1e-6
# A loss below this is rounding; a path that stands there ends its round with its next fit.
ROUNDING = 1e-30


@dataclass(frozen=True)
class PathConfig:
    """How a path moves.

    temperature: a candidate is accepted though its log error is this much worse, on average; 0 climbs strictly.
    parsimony: log error that one node must save to be worth it.
    lenience: a candidate is fitted when its screened loss is below this many times what would be accepted.
    curved_lenience: times as much for one with constants that only a fit can set.
    tries: how often a structure with such constants may come up again, from where edits leave them then.
    is_scaled: the coefficients of terms and a constant term are free in every candidate, and edits never see them.
    work_per_round: values of nodes, over all passes of fits, after which a round ends early.
    """

    trials_per_round: int = 400  # with 24 paths a fraction of a second, so that a time limit is met
    edits_per_fit: int = 3  # one edit alone cannot cross from one good structure to the next
    maxsize: int = 32  # as published
    max_constants: int = 8  # of printed laws few have more, and the cost of a fit grows with their square
    max_iterations: int = 10  # warm fits take under ten
    starts: int = 2  # one under each weighting
    draws: int = 4  # a fit that starts anew is one of many; the path comes by again
    temperature: float = 0.1  # at 0.3 most screened candidates were fitted; which finds more laws is not settled
    parsimony: float = 0.1  # a node that lowers the error by less than a tenth is not worth its place
    lenience: float = 1.1  # the few rows rank linear fits nearly as all rows do
    curved_lenience: float = 2.0  # the few rows see them where edits left them, not where a fit would
    restart_share: float = 0.1  # of fits with curved constants start anew, the others from where edits left them
    tries: int = 1  # another structure is mostly the better try
    is_scaled: bool = True  # with the pool and weighted operators 19 of 24 generated laws, 16 without all three
    edit_chances: tuple[float, ...] = EDIT_CHANCES
    work_per_round: float = 4e6  # about 10 ms

    def settings(self, operators: Sequence[str], has_offset: bool = True) -> NDArray[np.float64]:
        """The numbers that the compiled walk reads; scales are free only where sums and products are allowed.

        has_offset: whether a free number may be added to a law; not where it would need a unit.
        """
        is_scaled = self.is_scaled and "add" in operators and "mul" in operators
        values = np.zeros(NUM_SETTINGS)
        values[:] = (
            self.trials_per_round, self.edits_per_fit, self.maxsize, self.max_constants, self.max_iterations,
            self.starts, self.draws, self.temperature, self.parsimony, self.lenience, self.curved_lenience, ROUNDING,
            self.restart_share, is_scaled, "inv" in operators, self.work_per_round, self.tries, has_offset,
        )  # fmt: skip
        return values
