"""The vocabulary and the prefix grammar."""

import numpy as np
import pytest

from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.prior.vocabulary import TOKENS, Grammar, PrefixState, number_token, token_ids


def test_the_vocabulary_is_the_published_one_with_all_operators() -> None:
    assert len(TOKENS) == len(set(TOKENS)) == 23 + len(NAMES)


def test_every_operator_is_a_token() -> None:
    assert set(NAMES) <= set(TOKENS)


def test_ids_stand_between_begin_and_end_and_are_padded() -> None:
    assert [TOKENS[i] for i in token_ids(("sin", "?"), 6)] == ["<begin>", "sin", "?", "<end>", "<pad>", "<pad>"]


def test_only_exact_numbers_have_their_own_token() -> None:
    assert number_token(2.0) == "2"
    assert number_token(2.0000001) == "C"
    assert number_token(float("nan")) == "C"


@pytest.mark.parametrize("scale_free", [True, False])
def test_random_walks_under_the_mask_always_complete_in_time(scale_free: bool) -> None:
    rng = np.random.default_rng(0)
    grammar = Grammar(TOKENS, 15, scale_free)
    for _ in range(300):
        state = PrefixState()
        while not state.is_complete:
            state.push(TOKENS[rng.choice(np.flatnonzero(grammar.allowed(state)))])
        assert state.length <= 15
        assert [TOKENS[i] for i in np.flatnonzero(grammar.allowed(state))] == ["<end>"]


def test_scale_free_sketches_hold_constants_as_offset_and_exponent_only() -> None:
    grammar = Grammar(TOKENS, 15, True)
    constant = TOKENS.index("C")
    for before, expected in ([], False), (["mul"], False), (["add"], True), (["add", "?"], False), (["pow", "?"], True):
        state = PrefixState()
        for token in before:
            state.push(token)
        assert grammar.allowed(state)[constant] == expected
