"""Proposers turn a table into sketches. To add one: write `propose_<name>` in its own file, add it to PROPOSERS."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.grammar import propose_grammar
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Table

PROPOSERS = ("guesses", "grammar")


@dataclass(frozen=True)
class ProposalConfig:
    """What is proposed.

    operators: the names that sketches may use.  guesses: the user's formulas over the table's columns.
    without: proposers that are switched off.
    """

    num_sketches: int = 600  # a few seconds of fitting; most small laws are among them
    max_operators: int = 5  # the sampler's share of larger laws is too small to be worth its time
    operators: tuple[str, ...] = NAMES
    guesses: tuple[Expression, ...] = ()
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = [name for name in self.without if name not in PROPOSERS]
        if unknown:
            raise InvalidSettings(f"unknown proposer {unknown[0]!r}; the proposers are {', '.join(PROPOSERS)}")


def propose(table: Table, config: ProposalConfig, rng: np.random.Generator) -> list[Sketch]:
    """Sketches of all proposers that are on, the surest first."""
    sketches: list[Sketch] = []
    if "guesses" not in config.without:
        sketches += [Sketch(guess, 0.0, "guesses") for guess in config.guesses]
    if "grammar" not in config.without:
        sketches += propose_grammar(config.num_sketches, table.num_columns, config.max_operators, config.operators, rng)
    return sketches
