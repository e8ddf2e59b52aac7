"""The learned prior as a proposer: a table goes in, sketches with their log-probabilities come out."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.decoding import DecodingConfig, decode
from mosaic_sr.proposal.encoding import encode
from mosaic_sr.proposal.session import SHIPPED, load_session
from mosaic_sr.proposal.sketch_language import read_literal, read_scale_free

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PriorConfig:
    """How the prior is asked; `weights` is a folder written by `mosaic pretrain export`."""

    weights: Path = SHIPPED
    decoding: DecodingConfig = field(default_factory=DecodingConfig)


@dataclass(frozen=True)
class PriorAnswer:
    """Sketches, most probable first, and what the heads say.

    fed_columns: the columns that the encoder saw, at most ten; `matters`: the probability that each of them is in the
    law, in the same order; operators: the probability that each operator of the table occurs in the law.
    """

    sketches: tuple[tuple[Expression, float], ...]
    fed_columns: tuple[int, ...]
    matters: tuple[float, ...]
    operators: dict[str, float]


def propose_prior(
    columns: Floats, target: Floats, config: PriorConfig, rng: np.random.Generator
) -> list[tuple[Expression, float]]:
    """Sketches with variable holes and constant holes, and their log-probabilities, most probable first.

    columns: (columns, rows), target: (rows,).
    """
    return list(ask_prior(columns, target, config, rng).sketches)


def ask_prior(columns: Floats, target: Floats, config: PriorConfig, rng: np.random.Generator) -> PriorAnswer:
    """Everything that the prior says about a table."""
    session = load_session(config.weights)
    for_rows, for_tokens = rng.spawn(2)
    table = encode(columns, target, session.card.encoding, for_rows)
    encoded = session.encode(table.points)
    read = read_scale_free if session.card.is_scale_free else read_literal
    sketches = decode(session, encoded, config.decoding, for_tokens)
    known = [name for name in session.card.tokens if name in NAMES]
    return PriorAnswer(
        sketches=tuple((read(sketch.tokens), sketch.log_probability) for sketch in sketches),
        fed_columns=table.columns,
        matters=tuple(encoded.matters[: len(table.columns)].tolist()),
        operators=dict(zip(known, encoded.operators.tolist(), strict=True)),
    )
