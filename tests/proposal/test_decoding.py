"""Sampling under the grammar mask, with made-up logits in place of a model."""

import numpy as np
import pytest
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.expressions.expression import num_operators
from mosaic_sr.proposal.prior.decoding import DecodingConfig, draw_pass, log_softmax, sample_nucleus
from mosaic_sr.proposal.prior.sketch_language import read_literal
from mosaic_sr.proposal.prior.vocabulary import TOKENS, Grammar


class RandomLogits:
    """A model that has learned nothing: other logits at every call."""

    def __init__(self, rng: np.random.Generator, num_sequences: int, spread: float) -> None:
        self.rng, self.num_sequences, self.spread = rng, num_sequences, spread

    def __call__(self, tokens: NDArray[np.int64], position: int) -> NDArray[np.float32]:
        assert len(tokens) == self.num_sequences
        return (self.spread * self.rng.normal(size=(len(tokens), len(TOKENS)))).astype(np.float32)

    def keep(self, sequences: NDArray[np.int64]) -> None:
        self.num_sequences = len(sequences)


@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0, np.nan, np.inf])
@pytest.mark.parametrize("scale_free", [True, False])
def test_whatever_the_logits_every_sketch_is_a_valid_expression(spread: float, scale_free: bool) -> None:
    rng = np.random.default_rng(2)
    config = DecodingConfig(draws_per_pass=100, max_operators=9)
    with np.errstate(invalid="ignore"):
        drawn = draw_pass(RandomLogits(rng, 100, spread), Grammar(TOKENS, 20, scale_free), config, 1.0, rng)
    for tokens, log_probability in drawn:
        expression = read_literal(tokens)
        assert len(expression) == len(tokens) <= 20
        assert num_operators(expression) <= 9
        assert log_probability <= 0.0


def test_the_nucleus_holds_the_most_probable_tokens() -> None:
    logits = np.log(np.tile([0.05, 0.5, 0.3, 0.15], (2000, 1)))
    picked = sample_nucleus(logits, 0.79, np.random.default_rng(0))
    shares = np.bincount(picked, minlength=4) / len(picked)
    np.testing.assert_allclose(shares, [0.0, 0.625, 0.375, 0.0], atol=0.04)


def test_forbidden_tokens_are_never_sampled() -> None:
    logits = np.array([[-np.inf, 0.0, -np.inf, -5.0]] * 500)
    assert set(sample_nucleus(logits, 1.0, np.random.default_rng(0)).tolist()) <= {1, 3}


def test_log_softmax_sums_to_one() -> None:
    assert np.exp(log_softmax(np.array([[1e3, 1e3 - 1, -np.inf]]))).sum() == pytest.approx(1.0)


def test_senseless_settings_are_refused() -> None:
    with pytest.raises(InvalidSettings, match="nucleus"):
        DecodingConfig(nucleus=0.0)
    with pytest.raises(InvalidSettings, match="positive"):
        DecodingConfig(temperature=0.0)
