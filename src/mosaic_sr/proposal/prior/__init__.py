"""The learned prior as a proposer: a table goes in, sketches with their log-probabilities come out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.prior.card import read_card
from mosaic_sr.proposal.prior.decoding import DecodedSketch, DecodingConfig, decode
from mosaic_sr.proposal.prior.edits import EditTable, propose_edits
from mosaic_sr.proposal.prior.encoding import encode
from mosaic_sr.proposal.prior.session import SHIPPED, load_session
from mosaic_sr.proposal.prior.sketch_language import read_literal, read_scale_free
from mosaic_sr.proposal.prior.vocabulary import Tokens
from mosaic_sr.sketch import Sketch

Floats = NDArray[np.float64]
# The least that a head's verdict counts: a head that is sure may be wrong, and columns beyond the fed ones have none.
LEAST_CHANCE = 0.02


@dataclass(frozen=True)
class PriorConfig:
    """How the prior is asked.

    weights: a folder written by `mosaic pretrain export`. The prior is silent where none ships with the package.
    sketches_per_turn: how many sketches are told at a time, most probable first; the others have a turn in between.
    edit_turns: later turns in which edits of the best laws so far are proposed; none with weights without an edit head.
    """

    weights: Path = SHIPPED
    decoding: DecodingConfig = field(default_factory=DecodingConfig)
    sketches_per_turn: int = 12  # with all at once, binding took more than a tenth of searches that finders end
    edit_turns: int = 8  # as many as there are turns of the others

    @property
    def is_silent(self) -> bool:
        """Whether nobody named weights and the package holds none."""
        return self.weights == SHIPPED and not SHIPPED.is_dir()

    @property
    def digests(self) -> dict[str, str]:
        """The sha256 of each graph of the weights, none where the prior is silent."""
        return {} if self.is_silent else dict(read_card(self.weights).digests)


@dataclass(frozen=True)
class PriorAnswer:
    """What the prior says of a table.

    sketches: as expressions, most probable first, each with its weight: the mean of the decoder's
    log-probability and the head's of its set of operators.
    fed_columns: the columns that the encoder saw, at most ten; `matters`: the probability that each of them is in the
    law, in the same order.  operators: the probability that each operator occurs in the law.
    """

    sketches: tuple[tuple[Expression, float], ...]
    fed_columns: tuple[int, ...]
    matters: tuple[float, ...]
    operators: dict[str, float]

    def column_weights(self, num_columns: int) -> tuple[float, ...]:
        """How likely each column of the table is to stand in a hole, as far as the head can say."""
        weights = np.full(num_columns, LEAST_CHANCE)
        weights[list(self.fed_columns)] = np.maximum(self.matters, LEAST_CHANCE)
        return tuple(weights.tolist())


def propose_prior(config: PriorConfig, context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """Sketches with variable holes and constant holes, most probable first."""
    if config.is_silent:
        return
    table = context.table
    answer = ask_prior(table.training.columns, table.training.target, config, rng, context.operators)
    if len(answer.fed_columns) < table.num_columns:
        fed = ", ".join(table.names[column] for column in answer.fed_columns)
        context.notes.append(f"the learned prior read {len(answer.fed_columns)} of {table.num_columns} columns: {fed}")
    weights = answer.column_weights(table.num_columns)
    sketches = [Sketch(expression, log_weight, "prior", weights) for expression, log_weight in answer.sketches]
    count = config.sketches_per_turn
    yield sketches[:count]
    rest = [sketches[start : start + count] for start in range(count, len(sketches), count)]
    yield from _later_turns(rest, config, context, rng)


def _later_turns(
    rest: Sequence[list[Sketch]], config: PriorConfig, context: ProposalContext, rng: np.random.Generator
) -> Iterator[Event]:
    """The rest of the sketches and edits of the best laws so far, each after turns of other proposers and the paths."""
    card = load_session(config.weights).card
    num_edit_turns = 0 if card.edits is None else config.edit_turns
    edits = _propose_edits(config, context, rng)
    for turn in range(max(len(rest), num_edit_turns)):
        yield Signal.PAUSE
        if turn < len(rest):
            yield rest[turn]
        if turn < num_edit_turns:
            yield next(edits)


def _propose_edits(config: PriorConfig, context: ProposalContext, rng: np.random.Generator) -> Iterator[list[Sketch]]:
    """Turn by turn, edits of the best laws so far."""
    table, known = EditTable(load_session(config.weights), context.rows, rng, context.operators), set[Tokens]()
    while True:
        yield propose_edits(table, context.best(), known)


def ask_prior(
    columns: Floats,
    target: Floats,
    config: PriorConfig,
    rng: np.random.Generator,
    operators: Sequence[str] = NAMES,
) -> PriorAnswer:
    """Everything that the prior says about a table; columns: (columns, rows), target: (rows,)."""
    session = load_session(config.weights)
    for_rows, for_tokens = rng.spawn(2)
    table = encode(columns, target, session.card.encoding, for_rows)
    encoded = session.encode(table.points)
    known = [name for name in session.card.tokens if name in NAMES]
    chances = dict(zip(known, encoded.operators.tolist(), strict=True))
    read = read_scale_free if session.card.is_scale_free else read_literal
    found = decode(session, encoded, config.decoding, for_tokens, operators)
    weighted = [(read(sketch.tokens), log_weight(sketch, chances)) for sketch in found]
    return PriorAnswer(
        sketches=tuple(sorted(weighted, key=lambda sketch: -sketch[1])),
        fed_columns=table.columns,
        matters=tuple(encoded.matters[: len(table.columns)].tolist()),
        operators=chances,
    )


def log_weight(sketch: DecodedSketch, operators: Mapping[str, float]) -> float:
    """The mean of two log-probabilities: the decoder's, and the head's of which operators occur and which do not."""
    present = set(sketch.tokens)
    head = 0.0
    for name, probability in operators.items():
        chance = probability if name in present else 1.0 - probability
        head += math.log(max(chance, LEAST_CHANCE))
    return 0.5 * (sketch.log_probability + head)
