"""How well an exported prior reads data: how often it decodes the true sketch, against a control on other data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mosaic_sr.pretraining.corpus import block_rng
from mosaic_sr.pretraining.laws import CorpusConfig, CorpusLaw, draw_law
from mosaic_sr.pretraining.point_sets import draw_samples
from mosaic_sr.proposal.prior.decoding import DecodingConfig, decode, log_softmax
from mosaic_sr.proposal.prior.session import EncodedSet, PriorSession, load_session
from mosaic_sr.proposal.prior.vocabulary import BEGIN, END, Tokens, num_operands

VARIABLE_BUCKETS = ((1, 1), (2, 2), (3, 3), (4, 5), (6, 10))
OPERATOR_BUCKETS = ((0, 3), (4, 6), (7, 10), (11, 99))
RARE = 1e-4  # share of the corpus below which a sketch cannot be known by heart
_EVALUATION_SEED = 2**31  # no training uses it
_SKETCHES = 48
AIM = "variables <= 2, operators <= 6"


@dataclass(frozen=True)
class EvaluationConfig:
    """Size of an evaluation; frequencies of sketches are estimated from `frequency_draws` laws."""

    num_problems: int = 500
    num_points: int = 200
    frequency_draws: int = 50_000
    seed: int = 0


@dataclass(frozen=True)
class Reading:
    """How one problem was read; the control is the same decoder given the next problem's encoding.

    rank: place of the true sketch among the decoded ones, or -1; nats: log-probability per token.
    """

    sketch: Tokens
    num_variables: int
    num_operators: int
    frequency: float
    rank: int
    control_rank: int
    nats: float
    control_nats: float


def evaluate(
    folder: Path, corpus: CorpusConfig, config: EvaluationConfig, report: Callable[[int], None]
) -> list[Reading]:
    """How generated, decontaminated problems that no training draws were read."""
    session = load_session(folder)
    laws, encoded = _problems(session, corpus, config)
    frequency = sketch_frequency(corpus, config)
    outcomes = []
    for index, law in enumerate(laws):
        other = encoded[(index + 1) % len(encoded)]
        outcomes.append(
            _outcome(session, law, encoded[index], other, frequency.get(law.sketch, 0.0), config.seed + index)
        )
        report(index + 1)
    return outcomes


def _problems(
    session: PriorSession, corpus: CorpusConfig, config: EvaluationConfig
) -> tuple[list[CorpusLaw], list[EncodedSet]]:
    rng = block_rng(_EVALUATION_SEED, config.seed)
    laws, encoded = [], []
    for _ in range(config.num_problems):
        law, (points,) = draw_samples(rng, corpus, config.num_points, 1)
        laws.append(law)
        encoded.append(session.encode(points.points))
    return laws, encoded


def sketch_frequency(corpus: CorpusConfig, config: EvaluationConfig) -> dict[Tokens, float]:
    """Share of each sketch among freshly drawn laws."""
    rng = block_rng(_EVALUATION_SEED + 1, config.seed)
    counts = Counter(draw_law(rng, corpus).sketch for _ in range(config.frequency_draws))
    return {sketch: count / config.frequency_draws for sketch, count in counts.items()}


def _outcome(
    session: PriorSession, law: CorpusLaw, own: EncodedSet, other: EncodedSet, frequency: float, seed: int
) -> Reading:
    return Reading(
        sketch=law.sketch,
        num_variables=law.num_variables,
        num_operators=sum(num_operands(token) > 0 for token in law.sketch),
        frequency=frequency,
        rank=_rank(session, own, law.sketch, seed),
        control_rank=_rank(session, other, law.sketch, seed),
        nats=nats_per_token(session, own, law.sketch),
        control_nats=nats_per_token(session, other, law.sketch),
    )


def _rank(session: PriorSession, encoded: EncodedSet, sketch: Tokens, seed: int) -> int:
    config = DecodingConfig(num_sketches=_SKETCHES)
    decoded = [found.tokens for found in decode(session, encoded, config, np.random.default_rng(seed))]
    return decoded.index(sketch) if sketch in decoded else -1


def nats_per_token(session: PriorSession, encoded: EncodedSet, sketch: Tokens) -> float:
    """Mean log-probability of the sketch's tokens, its end included."""
    tokens = session.card.tokens
    past = session.cache(1)
    total, last = 0.0, tokens.index(BEGIN)
    for position, token in enumerate((*sketch, END)):
        logits = session.step(np.array([last]), position, past, encoded)
        last = tokens.index(token)
        total += float(log_softmax(logits.astype(np.float64))[0, last])
    return total / (len(sketch) + 1)


@dataclass(frozen=True)
class Row:
    """A bucket's figures; shares in 0..1."""

    name: str
    problems: int
    sketch_at_1: float
    sketch_at_48: float
    control_at_48: float
    nats: float
    control_nats: float


def summarise(outcomes: Sequence[Reading]) -> list[Row]:
    """Figures over all problems, by variables, by operators, of the aim's bucket, and of rare sketches."""
    buckets: list[tuple[str, Callable[[Reading], bool]]] = [("all", lambda _: True)]
    buckets += [(_name("variables", *ends), _within("num_variables", *ends)) for ends in VARIABLE_BUCKETS]
    buckets += [(_name("operators", *ends), _within("num_operators", *ends)) for ends in OPERATOR_BUCKETS]
    buckets.append((AIM, lambda o: o.num_variables <= 2 and o.num_operators <= 6))
    buckets.append((f"frequency < {RARE:g}", lambda o: o.frequency < RARE))
    rows = [_row(name, [outcome for outcome in outcomes if belongs(outcome)]) for name, belongs in buckets]
    return [row for row in rows if row.problems]


def _name(what: str, low: int, high: int) -> str:
    return f"{what} {low}" if low == high else f"{what} {low}-{high}"


def _within(attribute: str, low: int, high: int) -> Callable[[Reading], bool]:
    return lambda outcome: low <= getattr(outcome, attribute) <= high


def _row(name: str, outcomes: Sequence[Reading]) -> Row:
    def share(values: Sequence[float | bool]) -> float:
        return float(np.mean(values)) if values else 0.0

    return Row(
        name=name,
        problems=len(outcomes),
        sketch_at_1=share([outcome.rank == 0 for outcome in outcomes]),
        sketch_at_48=share([outcome.rank >= 0 for outcome in outcomes]),
        control_at_48=share([outcome.control_rank >= 0 for outcome in outcomes]),
        nats=share([outcome.nats for outcome in outcomes]),
        control_nats=share([outcome.control_nats for outcome in outcomes]),
    )
