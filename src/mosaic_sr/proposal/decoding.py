"""Sampling of sketches from the prior: nucleus sampling in passes under a grammar mask, without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.proposal.session import EncodedSet, Floats32, PriorSession
from mosaic_sr.proposal.sketch_language import normal_order
from mosaic_sr.proposal.vocabulary import BEGIN, Grammar, PrefixState, Tokens

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DecodingConfig:
    """How sketches are drawn.

    Passes go on until there are `num_sketches` distinct ones. Each pass is a little hotter than the one before, because
    a pass that gave too few has exhausted the likely ones.
    """

    num_sketches: int = 48
    draws_per_pass: int = 96
    max_passes: int = 8
    nucleus: float = 0.95
    temperature: float = 1.0
    heating: float = 0.2
    max_operators: int = 12  # longer sketches are rarely right and costly to complete, so they are drawn again

    def __post_init__(self) -> None:
        if not 0.0 < self.nucleus <= 1.0:
            raise InvalidSettings(f"nucleus must be in (0, 1], got {self.nucleus}")
        if self.temperature <= 0.0 or min(self.num_sketches, self.draws_per_pass, self.max_passes) < 1:
            raise InvalidSettings("temperature and the numbers of sketches, draws and passes must be positive")


@dataclass(frozen=True)
class DecodedSketch:
    """Prefix tokens of a sketch and the log-probability of its most probable spelling."""

    tokens: Tokens
    log_probability: float


class Step(Protocol):
    """Logits after the given tokens at a position: (sequences,) -> (sequences, tokens)."""

    def __call__(self, tokens: NDArray[np.int64], position: int) -> Floats32:
        """Feed one token per sequence."""


def decode(
    session: PriorSession, encoded: EncodedSet, config: DecodingConfig, rng: np.random.Generator
) -> list[DecodedSketch]:
    """Distinct sketches for an encoded table, most probable first."""
    grammar = Grammar(session.card.tokens, session.card.max_tokens, session.card.is_scale_free)
    found: dict[Tokens, float] = {}
    for number in range(config.max_passes):
        step = _cached_step(session, encoded, config.draws_per_pass)
        temperature = config.temperature + number * config.heating
        for tokens, log_probability in draw_pass(step, grammar, config, temperature, rng):
            twin = normal_order(tokens, grammar.scale_free)
            found[twin] = max(found.get(twin, -np.inf), log_probability)
        if len(found) >= config.num_sketches:
            break
    ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [DecodedSketch(tokens, log_probability) for tokens, log_probability in ranked[: config.num_sketches]]


def _cached_step(session: PriorSession, encoded: EncodedSet, num_sequences: int) -> Step:
    past = session.cache(num_sequences)
    return lambda tokens, position: session.step(tokens, position, past, encoded)


def draw_pass(
    step: Step, grammar: Grammar, config: DecodingConfig, temperature: float, rng: np.random.Generator
) -> list[tuple[Tokens, float]]:
    """Draw a batch of sketches in parallel; those beyond the operator cap are left out."""
    states = [PrefixState() for _ in range(config.draws_per_pass)]
    sketches: list[list[str]] = [[] for _ in states]
    totals = np.zeros(len(states))
    active = list(range(len(states)))
    last = np.full(len(states), grammar.tokens.index(BEGIN))
    for position in range(grammar.max_length):
        allowed = np.stack([grammar.allowed(states[index]) for index in active])
        logits = masked_logits(step(last, position)[active], allowed)
        choices = sample_nucleus(logits / temperature, config.nucleus, rng)
        totals[active] += log_softmax(logits)[np.arange(len(active)), choices]
        for index, choice in zip(active, choices.tolist(), strict=True):
            states[index].push(grammar.tokens[choice])
            sketches[index].append(grammar.tokens[choice])
            last[index] = choice
        active = [i for i in active if not states[i].is_complete and states[i].operators <= config.max_operators]
        if not active:
            break
    return [
        (tuple(sketch), float(total))
        for sketch, total, state in zip(sketches, totals, states, strict=True)
        if state.is_complete and state.operators <= config.max_operators
    ]


def masked_logits(logits: Floats32, allowed: NDArray[np.bool_]) -> Floats:
    """Logits with minus infinity where the grammar forbids a token; NaN counts as very unlikely."""
    clean = np.nan_to_num(logits.astype(np.float64), nan=-1e4, posinf=1e4, neginf=-1e4)
    return np.where(allowed, clean, -np.inf)


def log_softmax(logits: Floats) -> Floats:
    """Log-probabilities along the last axis."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def sample_nucleus(logits: Floats, nucleus: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """One token per row from the smallest set of tokens that holds the share `nucleus` of the probability."""
    probabilities = np.exp(log_softmax(logits))
    order = np.argsort(-probabilities, axis=1, kind="stable")
    ranked = np.take_along_axis(probabilities, order, axis=1)
    before = np.cumsum(ranked, axis=1) - ranked
    ranked[before >= nucleus] = 0.0
    cumulative = np.cumsum(ranked, axis=1)
    draws = rng.random(len(logits)) * cumulative[:, -1]
    picked = (cumulative <= draws[:, None]).sum(axis=1)
    last_possible = np.count_nonzero(ranked, axis=1) - 1
    return np.take_along_axis(order, np.minimum(picked, last_possible)[:, None], axis=1)[:, 0]
