"""Proposers take turns: each speaks up to its next pause, and the search paths are heard between rounds of turns."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from questions import question_about

from mosaic_sr.budget import never
from mosaic_sr.events import Batch, Heartbeat, PathsTurn
from mosaic_sr.limits import Limits
from mosaic_sr.proposal import FINDERS, PROPOSERS, QUICK, ProposalConfig, propose
from mosaic_sr.proposal.context import Event, Signal
from mosaic_sr.proposal.registry import REGISTRY
from mosaic_sr.proposal.turns import ROUNDS_BEFORE, by_turns

PATHS = "the paths"
PAUSE = Signal.PAUSE


def spoken(*events: Event) -> Iterator[Event]:
    return iter(events)


def asked(early, late=(), is_noise_left=never) -> list[str]:
    events = by_turns(dict(early), dict(late), is_noise_left)
    return [PATHS if isinstance(event, PathsTurn) else event.proposer for event in events]


def names(**proposers: Iterator[Event]) -> list[str]:
    return asked(proposers)


def test_every_row_has_settings_and_every_finder_is_asked():
    assert tuple(ProposalConfig().proposers()) == PROPOSERS == tuple(row.name for row in REGISTRY)
    assert set(QUICK) < set(FINDERS) < set(PROPOSERS)


def test_heartbeats_and_sketches_are_told_apart():
    events = list(by_turns({"a": spoken(Signal.HEARTBEAT, [])}, {}, never))
    assert events == [Heartbeat("a"), Batch("a", [])]


def test_what_follows_a_pause_waits_for_the_others_and_for_the_paths():
    assert names(a=spoken([], PAUSE, []), b=spoken([])) == ["a", "b", PATHS, "a"]


def test_the_paths_have_no_turn_where_nobody_pauses():
    assert names(a=spoken([], []), b=spoken([])) == ["a", "a", "b"]


def test_every_pause_is_another_round_of_turns():
    turns = names(a=spoken(PAUSE, [], PAUSE, []), b=spoken([], PAUSE, []))
    assert turns == ["b", PATHS, "a", "b", PATHS, "a"]


def test_a_brief_search_has_the_first_turns_of_quick_finders_only(monkeypatch):
    def asked_for(self):
        return {name: lambda *_: spoken([], PAUSE, []) for name in PROPOSERS}

    monkeypatch.setattr(ProposalConfig, "proposers", asked_for)
    config = ProposalConfig(without=("waves",), is_brief=True)
    events = list(propose(question_about("x0 + x1", 2), config, np.random.default_rng(0)))
    assert [event.proposer for event in events] == [name for name in QUICK if name != "waves"]


def test_terms_are_added_on_noisy_rows_after_forms_were_enumerated(monkeypatch):
    monkeypatch.setattr(ProposalConfig, "proposers", lambda self: {name: lambda *_: spoken([]) for name in PROPOSERS})
    for num_columns in (1, 3):
        context = replace(question_about("x0", num_columns), looks_noisy=True)
        events = propose(context, ProposalConfig(), np.random.default_rng(0))
        turns = [event.proposer for event in events if isinstance(event, Batch)]
        assert turns.index("enumeration") < turns.index("additions") < turns.index("reductions")


def test_sketches_beyond_the_limits_are_not_told():
    context = question_about("x0/(1.5 + x1)", 2)
    config = ProposalConfig(without=tuple(name for name in PROPOSERS if name != "sums"))
    within = replace(context, limits=Limits(("add", "mul", "sin")))
    told, left = (
        [
            sketch
            for event in propose(each, config, np.random.default_rng(0))
            for sketch in (event.sketches if isinstance(event, Batch) else ())
        ]
        for each in (context, within)
    )
    assert told
    assert all(within.limits.may_lead(sketch.expression) for sketch in left)
    assert len(left) < len(told)


@pytest.mark.parametrize(("is_noise_left", "first"), [(False, 1), (True, ROUNDS_BEFORE)])
def test_finders_for_exact_rows_begin_late_and_later_still_where_noise_is_left(is_noise_left, first):
    early = {"enumeration": spoken([], PAUSE, [], PAUSE, [], PAUSE, [])}
    turns = asked(early, {"pairs": spoken([], PAUSE, [])}, lambda: is_noise_left)
    assert turns.index("pairs") > [place for place, name in enumerate(turns) if name == PATHS][first - 1]
    assert turns[: turns.index("pairs")].count(PATHS) == first
    # Where noise is left they have one turn.
    assert turns.count("pairs") == (1 if is_noise_left else 2)
