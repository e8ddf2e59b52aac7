"""Memory is bounded by design: neither the number of columns nor `maxsize` make it grow with their squares."""

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import MosaicRegressor
from mosaic_sr.pipeline import SearchConfig
from mosaic_sr.proposal import PROPOSERS
from mosaic_sr.relevance import MOST_TOGETHER, most_relevant, relevance
from mosaic_sr.settings import MOST_NODES_OF_PATHS, SearchOptions
from mosaic_sr.table import Rows


def wide(num_columns=1_000, num_rows=60):
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 3.0, size=(num_rows, num_columns))
    return pd.DataFrame(X, columns=[f"c{i}" for i in range(num_columns)]), X[:, 400] * X[:, 700]


def fitted(frame, y, **options):
    others = [name for name in PROPOSERS if name not in ("guesses", "products")]
    return MosaicRegressor(random_state=0, without=others, max_evaluations=500, **options).fit(frame, y)


@pytest.mark.filterwarnings("ignore::mosaic_sr.errors.MosaicWarning")
def test_of_many_columns_the_search_reads_the_most_relevant_and_says_so():
    model = fitted(*wide())
    assert str(model.law_) == "c400*c700"
    assert "the search uses the 200 most relevant of 1000 columns" in model.notes_


@pytest.mark.filterwarnings("ignore::mosaic_sr.errors.MosaicWarning")
def test_columns_of_guesses_are_read_however_irrelevant_they_seem():
    frame, y = wide()
    scores = relevance(Rows(frame.to_numpy().T.copy(), y, np.empty(0)))
    left_out = [column for column in range(1_000) if column not in most_relevant(scores, 200)]
    guess = f"0.5*c{left_out[0]} + c{left_out[-1]}"
    assert any(f"c{left_out[0]}" in note and "loss" in note for note in fitted(frame, y, guesses=[guess]).notes_)


def test_columns_beyond_the_most_are_ranked_by_what_they_explain_alone():
    frame, y = wide()
    scores = relevance(Rows(frame.to_numpy().T.copy(), y, np.empty(0)))
    assert {400, 700} <= set(most_relevant(scores, MOST_TOGETHER))


@pytest.mark.parametrize("maxsize", [40, 2_000, 10**9])
def test_paths_keep_no_more_programs_than_their_own_bound_asks_for(maxsize):
    config = SearchOptions(maxsize=maxsize).config()
    assert config.refinement.path.maxsize == min(maxsize, MOST_NODES_OF_PATHS)
    assert config.selection.limits.maxsize == maxsize
    assert SearchConfig().search_columns == 200
