"""The user's words as settings of the search."""

import math
import shutil
from pathlib import Path

import pytest

from mosaic_sr.errors import InvalidFile, InvalidSettings
from mosaic_sr.presets import SearchConfig
from mosaic_sr.proposal import FINDERS
from mosaic_sr.proposal.prior.session import SHIPPED
from mosaic_sr.settings import Wishes, num_threads


def test_the_word_finders_switches_all_of_them_off():
    assert Wishes(without=["finders", "grammar"]).config().proposal.without == (*FINDERS, "grammar")


def test_an_unknown_proposer_is_refused_with_the_known_ones():
    with pytest.raises(InvalidSettings, match=r"unknown proposer 'finder'.*grammar, and finders for power_laws"):
        Wishes(without=["finder"]).config()


@pytest.mark.parametrize(
    ("max_evaluations", "time_limit", "candidates"),
    [
        (None, None, SearchConfig().max_evaluations),
        (None, 36000.0, math.inf),
        (None, math.inf, math.inf),
        (500, None, 500),
        (500, 36000.0, 500),
        (1e6, None, 1_000_000),
    ],
)
def test_candidates_are_the_users_else_those_of_his_time_limit_else_the_presets(
    max_evaluations, time_limit, candidates
):
    assert Wishes(max_evaluations=max_evaluations, time_limit=time_limit).config().max_evaluations == candidates


@pytest.mark.parametrize("max_evaluations", [0, -5, 2.5, math.inf, math.nan, True, "many"])
def test_candidates_are_counted_in_whole_numbers(max_evaluations):
    with pytest.raises(InvalidSettings, match="max_evaluations must be a whole number of at least 1"):
        Wishes(max_evaluations=max_evaluations).config()


def test_weights_of_the_users_own_are_read_in_place_of_the_shipped_ones(tmp_path):
    own = Path(shutil.copytree(SHIPPED, tmp_path / "own"))
    for preset in ("default", "paper"):
        assert Wishes(preset=preset, prior=own).config().proposal.prior.weights == own
        assert Wishes(preset=preset).config().proposal.prior.weights == SHIPPED


def test_a_prior_that_is_missing_or_damaged_is_refused_with_the_remedy(tmp_path):
    damaged = Path(shutil.copytree(SHIPPED, tmp_path / "damaged"))
    (damaged / "step.onnx").write_bytes(b"something else")
    for folder in (damaged, str(tmp_path / "nowhere")):
        with pytest.raises(InvalidFile, match="prior must be a folder written by `mosaic pretrain export`"):
            Wishes(prior=folder).config()
    with pytest.raises(InvalidSettings, match="prior must be a folder"):
        Wishes(prior=5).config()


@pytest.mark.parametrize(("n_jobs", "threads"), [(None, 1), (3, 3), (-1, 4), (-2, 3), (-9, 1)])
def test_threads_count_as_in_scikit_learn(monkeypatch, n_jobs, threads):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert num_threads(n_jobs) == threads
