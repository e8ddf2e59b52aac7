"""The user's words as settings of the search."""

import math
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from mosaic_sr.errors import InvalidFile, InvalidFormula, InvalidSettings
from mosaic_sr.presets import SearchConfig
from mosaic_sr.proposal import FINDERS
from mosaic_sr.proposal.prior.session import SHIPPED
from mosaic_sr.settings import SearchOptions, num_threads, parse_guesses
from mosaic_sr.table import Table


def test_the_word_finders_switches_all_of_them_off():
    assert SearchOptions(without=["finders", "grammar"]).config().proposal.without == (*FINDERS, "grammar")


def test_an_unknown_proposer_is_refused_with_the_known_ones():
    with pytest.raises(
        InvalidSettings, match=r"unknown proposer 'finder'.*grammar; finders stands for dimensions, products"
    ):
        SearchOptions(without=["finder"]).config()


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
    assert SearchOptions(max_evaluations=max_evaluations, time_limit=time_limit).config().max_evaluations == candidates


@pytest.mark.parametrize("max_evaluations", [0, -5, 2.5, math.inf, math.nan, True, "many"])
def test_candidates_are_counted_in_whole_numbers(max_evaluations):
    with pytest.raises(InvalidSettings, match="max_evaluations must be an integer of at least 1"):
        SearchOptions(max_evaluations=max_evaluations).config()


def test_weights_of_the_users_own_are_read_in_place_of_the_shipped_ones(tmp_path):
    own = Path(shutil.copytree(SHIPPED, tmp_path / "own"))
    for preset in ("default", "paper"):
        assert SearchOptions(preset=preset, prior=own).config().proposal.prior.weights == own
        assert SearchOptions(preset=preset).config().proposal.prior.weights == SHIPPED


def test_a_prior_that_is_missing_or_damaged_is_refused_with_the_remedy(tmp_path):
    damaged = Path(shutil.copytree(SHIPPED, tmp_path / "damaged"))
    (damaged / "step.onnx").write_bytes(b"something else")
    for folder in (damaged, str(tmp_path / "nowhere")):
        with pytest.raises(InvalidFile, match="prior must be a folder written by `mosaic pretrain export`"):
            SearchOptions(prior=folder).config()
    with pytest.raises(InvalidSettings, match="prior must be a folder"):
        SearchOptions(prior=5).config()


@pytest.mark.parametrize(("n_jobs", "threads"), [(None, 1), (3, 3), (-1, 4), (-2, 3), (-9, 1)])
def test_threads_count_as_in_scikit_learn(monkeypatch, n_jobs, threads):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert num_threads(n_jobs) == threads


def guessed(*texts):
    X = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [4.0, 3.0]])
    table = Table.from_arrays(X, 2 * X[:, 0], rng=np.random.default_rng(0), names=("length", "x1"), target_name="y")
    return parse_guesses(texts, table, ("length", "x1"))


def test_names_that_are_no_columns_are_constants_of_a_guess():
    (guess,), notes = guessed("a*sqrt(length) + _")
    assert np.isnan(guess.constants).tolist() == [True, True]
    assert notes == []


def test_the_nearest_column_is_told_as_by_constants():
    _, notes = guessed("x9*length + e")
    assert any("'x9' is not a column" in note and "nearest column is 'x1'" in note for note in notes)
    assert any("e was read as the number" in note for note in notes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a*lenght", "no column 'lenght'; did you mean 'length'"),
        ("a*y", "'y' is the target"),
        ("a + b*length + c*x1 + d*length*x1 + f*x1^2", "has 5 constants and the table 4 distinct rows"),
        ("a*sqroot(length)", "unknown function"),
    ],
)
def test_guesses_that_cannot_be_meant_are_refused(text, message):
    with pytest.raises(InvalidFormula, match=re.escape(message)):
        guessed(text)
