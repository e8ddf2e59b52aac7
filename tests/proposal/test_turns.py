"""Proposers take turns: each speaks up to its next pause, and the search paths are heard between rounds of turns."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from questions import question_about

from mosaic_sr.budget import never
from mosaic_sr.limits import Limits
from mosaic_sr.proposal import PATHS, PROPOSERS, ROUNDS_BEFORE, ProposalConfig, _by_turns, propose
from mosaic_sr.proposal.question import Pause
from mosaic_sr.sketch import Sketch


def spoken(*batches: list[Sketch]) -> Iterator[list[Sketch]]:
    return iter(batches)


def names(**proposers: Iterator[list[Sketch]]) -> list[str]:
    return [name for name, _ in _by_turns(proposers, {}, never)]


def test_what_follows_a_pause_waits_for_the_others_and_for_the_paths():
    assert names(a=spoken([], Pause(), []), b=spoken([])) == ["a", "b", PATHS, "a"]


def test_the_paths_have_no_turn_where_nobody_pauses():
    assert names(a=spoken([], []), b=spoken([])) == ["a", "a", "b"]


def test_every_pause_is_another_round_of_turns():
    turns = names(a=spoken(Pause(), [], Pause(), []), b=spoken([], Pause(), []))
    assert turns == ["b", PATHS, "a", "b", PATHS, "a"]


def test_sketches_beyond_the_limits_are_not_told():
    question = question_about("x0/(1.5 + x1)", 2)
    config = ProposalConfig(without=tuple(name for name in PROPOSERS if name != "rationals"))
    within = replace(question, limits=Limits(("add", "mul", "sin")))
    told, left = (
        [sketch for _, batch in propose(asked, config, np.random.default_rng(0)) for sketch in batch]
        for asked in (question, within)
    )
    assert told
    assert all(within.limits.may_lead(sketch.expression) for sketch in left)
    assert len(left) < len(told)


@pytest.mark.parametrize(("is_noise_left", "first"), [(False, 1), (True, ROUNDS_BEFORE)])
def test_finders_for_exact_rows_begin_late_and_later_still_where_noise_is_left(is_noise_left, first):
    early = {"enumeration": spoken([], Pause(), [], Pause(), [], Pause(), [])}
    turns = [name for name, _ in _by_turns(early, {"lookup": spoken([], Pause(), [])}, lambda: is_noise_left)]
    assert turns.index("lookup") > [place for place, name in enumerate(turns) if name == PATHS][first - 1]
    assert turns[: turns.index("lookup")].count(PATHS) == first
    # Where noise is left they have one turn.
    assert turns.count("lookup") == (1 if is_noise_left else 2)
