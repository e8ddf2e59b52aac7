"""Presets: the published numbers stand where the stages read them."""

from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr import Table, discover
from mosaic_sr.presets import PRESETS
from mosaic_sr.proposal import PROPOSERS


def test_the_paper_preset_holds_the_published_budget():
    paper = PRESETS["paper"]()
    decoding, path = paper.proposal.prior.decoding, paper.refinement.path
    assert (decoding.num_sketches, decoding.least_passes, decoding.max_passes) == (24, 6, 6)
    assert paper.proposal.prior.sketches_per_turn == 24  # nothing comes between them
    assert (paper.assignment.expansions, paper.assignment.trigger_nmse) == (1500, 1e-4)
    assert (paper.refinement.num_paths, paper.refinement.num_rounds * path.trials_per_round) == (24, 300)
    assert (path.maxsize, path.starts, path.temperature) == (32, 16, 0.0)
    assert paper.selection.model_selection == "paper"
    assert not paper.stops_when_exact


def test_srsd_draws_more_sketches_in_fewer_passes():
    decoding = PRESETS["paper-srsd"]().proposal.prior.decoding
    assert (decoding.num_sketches, decoding.least_passes, decoding.max_passes) == (48, 3, 3)


def test_the_budget_preset_makes_48_independent_paths_of_500_edits_and_looks_at_them_every_hundred():
    budget = PRESETS["paper-budget"]()
    assert (budget.refinement.num_paths, budget.refinement.num_rounds) == (48, 5)
    assert budget.refinement.path.trials_per_round == 100
    assert budget.refinement.restart_every > budget.refinement.num_rounds
    assert budget.traces_paths
    assert budget.refinement.repeats_starts
    assert not budget.refinement.shares_pool
    assert not budget.stops_when_exact
    assert not PRESETS["default"]().traces_paths


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "default"])
def test_the_paper_presets_ask_one_proposer_beside_the_user(name):
    assert len(PROPOSERS) - len(PRESETS[name]().proposal.without) == 2


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_searches(name):
    X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 2))
    table = Table.from_arrays(X, X[:, 0] * X[:, 1] + X[:, 1], rng=np.random.default_rng(0))
    preset = PRESETS[name]()
    short = replace(preset.refinement, num_rounds=min(preset.refinement.num_rounds, 1), num_paths=4)
    few = replace(preset, refinement=short)
    *_, last = discover(table, few, np.random.default_rng(0))
    assert last.law is not None
    assert (last.stage == "refinement") == (name in ("paper", "paper-srsd", "paper-budget"))
