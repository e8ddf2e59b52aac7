"""Sampling of sketches from the prior: nucleus sampling in passes under a grammar mask, without torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.prior.session import EncodedSet, Floats32, PriorSession
from mosaic_sr.proposal.prior.sketch_language import normal_order
from mosaic_sr.proposal.prior.vocabulary import BEGIN, Grammar, PrefixState, Tokens

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DecodingConfig:
    """How sketches are drawn.

    Passes go on until there are `num_sketches` distinct ones. Each pass is a little hotter than the one before, because
    a pass that gave too few has exhausted the likely ones.
    """

    num_sketches: int = 48  # as published for SRSD
    draws_per_pass: int = 96  # twice as many, because some are drawn again or are too long
    max_passes: int = 8  # by then it is more than twice as hot, and what is new is noise
    least_passes: int = 1  # more passes find likelier sketches to keep, at their full cost
    nucleus: float = 0.95  # customary; the tail beyond it is mostly mistakes
    temperature: float = 1.0  # the decoder's own probabilities
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
    """A running batch of sequences."""

    def __call__(self, tokens: NDArray[np.int64], position: int) -> Floats32:
        """Feed one token per sequence; gives the logits of the next: (sequences, tokens)."""

    def keep(self, sequences: NDArray[np.int64]) -> None:
        """Go on with these sequences only, in this order."""


class CachedStep:
    """The batch on a session, with the keys and values of its earlier positions."""

    def __init__(self, session: PriorSession, encoded: EncodedSet, num_sequences: int) -> None:
        self._session = session
        self._encoded = encoded
        self._past = session.cache(num_sequences)

    def __call__(self, tokens: NDArray[np.int64], position: int) -> Floats32:
        return self._session.step(tokens, position, self._past, self._encoded)

    def keep(self, sequences: NDArray[np.int64]) -> None:
        """Drop the cache of all other sequences."""
        keys, values = self._past
        self._past = np.ascontiguousarray(keys[:, sequences]), np.ascontiguousarray(values[:, sequences])


def decode(
    session: PriorSession,
    encoded: EncodedSet,
    config: DecodingConfig,
    rng: np.random.Generator,
    operators: Sequence[str] = NAMES,
) -> list[DecodedSketch]:
    """Distinct sketches of these operators for an encoded table, most probable first."""
    grammar = Grammar(session.card.tokens, session.card.max_tokens, session.card.is_scale_free, operators)
    found: dict[Tokens, float] = {}
    for number in range(config.max_passes):
        step = CachedStep(session, encoded, config.draws_per_pass)
        temperature = config.temperature + number * config.heating
        for tokens, log_probability in draw_pass(step, grammar, config, temperature, rng):
            twin = normal_order(tokens, grammar.scale_free)
            found[twin] = max(found.get(twin, -np.inf), log_probability)
        if number + 1 >= config.least_passes and len(found) >= config.num_sketches:
            break
    ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [DecodedSketch(tokens, log_probability) for tokens, log_probability in ranked[: config.num_sketches]]


@dataclass
class _Draw:
    """A sketch on its way: its tokens, where the grammar stands, and the log-probability so far."""

    state: PrefixState = field(default_factory=PrefixState)
    tokens: list[str] = field(default_factory=list)
    log_probability: float = 0.0

    def push(self, token: str, log_probability: float) -> None:
        self.state.push(token)
        self.tokens.append(token)
        self.log_probability += log_probability


def draw_pass(
    step: Step, grammar: Grammar, config: DecodingConfig, temperature: float, rng: np.random.Generator
) -> list[tuple[Tokens, float]]:
    """Draw a batch of sketches in parallel; those beyond the operator cap are left out."""
    active = [_Draw() for _ in range(config.draws_per_pass)]
    last = np.full(len(active), grammar.tokens.index(BEGIN))
    complete: list[_Draw] = []
    for position in range(grammar.max_length):
        heed_stop()
        allowed = np.stack([grammar.allowed(draw.state) for draw in active])
        logits = masked_logits(step(last, position), allowed)
        last = sample_nucleus(logits / temperature, config.nucleus, rng)
        scores = np.take_along_axis(log_softmax(logits), last[:, None], axis=1)[:, 0]
        for draw, choice, score in zip(active, last.tolist(), scores.tolist(), strict=True):
            draw.push(grammar.tokens[choice], score)
        capped = [draw.state.operators <= config.max_operators for draw in active]
        complete += [draw for draw, fits in zip(active, capped, strict=True) if fits and draw.state.is_complete]
        going = [i for i, draw in enumerate(active) if capped[i] and not draw.state.is_complete]
        if not going:
            break
        if len(going) < len(active):
            step.keep(np.array(going))
            active, last = [active[i] for i in going], last[going]
    return [(tuple(draw.tokens), draw.log_probability) for draw in complete]


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
