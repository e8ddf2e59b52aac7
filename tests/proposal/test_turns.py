"""Proposers take turns: each speaks up to its next pause, and the search paths are heard between rounds of turns."""

from collections.abc import Iterator

from mosaic_sr.proposal import PATHS, _by_turns
from mosaic_sr.proposal.question import Pause
from mosaic_sr.sketch import Sketch


def spoken(*batches: list[Sketch]) -> Iterator[list[Sketch]]:
    return iter(batches)


def names(**proposers: Iterator[list[Sketch]]) -> list[str]:
    return [name for name, _ in _by_turns(proposers)]


def test_what_follows_a_pause_waits_for_the_others_and_for_the_paths():
    assert names(a=spoken([], Pause(), []), b=spoken([])) == ["a", "b", PATHS, "a"]


def test_the_paths_have_no_turn_where_nobody_pauses():
    assert names(a=spoken([], []), b=spoken([])) == ["a", "a", "b"]


def test_every_pause_is_another_round_of_turns():
    turns = names(a=spoken(Pause(), [], Pause(), []), b=spoken([], Pause(), []))
    assert turns == ["b", PATHS, "a", "b", PATHS, "a"]
