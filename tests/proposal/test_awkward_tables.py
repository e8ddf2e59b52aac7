"""Every finder on every awkward table: nothing breaks, and nothing is claimed of targets that follow no law."""

import warnings

import numpy as np
import pytest
from questions import question_of

from mosaic_sr import MosaicRegressor
from mosaic_sr.proposal import FINDERS, ProposalConfig
from mosaic_sr.proposal.context import Signal

NUM_ROWS = 60


def single(values):
    return values.astype(np.float32).astype(np.float64)


def with_dummies(rng):
    """Float32 columns of which most are of sizes that nothing else in the table has."""
    magnitudes = 10.0 ** rng.uniform(-1.0, 1.0, (NUM_ROWS, 5))
    return single(magnitudes * np.array([1.0, 1e-33, 1e33, 1e12, 1.0]))


TABLES = {
    "five rows": lambda rng: rng.uniform(0.5, 3.0, (5, 2)),
    "every row three times": lambda rng: np.repeat(rng.uniform(0.5, 3.0, (20, 2)), 3, axis=0),
    "collinear columns": lambda rng: rng.uniform(0.5, 3.0, (NUM_ROWS, 1)) * [1.0, 2.0, -0.5] + [0.0, 0.0, 4.0],
    "zeros and negatives": lambda rng: np.rint(rng.uniform(-2.0, 2.0, (NUM_ROWS, 3))),
    "whole numbers": lambda rng: rng.integers(1, 9, (NUM_ROWS, 3)).astype(float),
    "float32": lambda rng: single(rng.uniform(0.5, 3.0, (NUM_ROWS, 3))),
    "dummies of any size": with_dummies,
}


def table_without_law(name):
    """Columns and a random target; equal rows have equal targets."""
    rng = np.random.default_rng(11)
    X = TABLES[name](rng)
    _, places = np.unique(X, axis=0, return_inverse=True)
    return X, np.round(rng.standard_normal(len(X)), 6)[places.ravel()]


@pytest.mark.parametrize("finder", FINDERS)
@pytest.mark.parametrize("name", TABLES)
@np.errstate(all="ignore")  # as in a search, where overflow is a value like others
def test_the_first_turn_of_every_finder_survives(finder, name):
    context = question_of(*table_without_law(name))
    for event in ProposalConfig().proposers()[finder](context, np.random.default_rng(0)):
        if event is Signal.PAUSE:
            return
        sketches = [] if isinstance(event, Signal) else event
        assert not any(context.holds(sketch.expression) for sketch in sketches if not sketch.expression.num_holes)


def outlier(size):
    X = np.random.default_rng(3).uniform(0.5, 3.0, (NUM_ROWS, 2))
    X[3, 0] = size
    return X, X[:, 1] + np.arange(NUM_ROWS) % 7


def indicator():
    """A column that is 1 only where the target is 0."""
    X = np.random.default_rng(4).uniform(0.5, 3.0, (8, 3))
    X[:, 2] = np.arange(8) == 6
    return X, np.where(X[:, 2] == 1, 0.0, 1.0 + np.arange(8) % 3)


CRASHES = {
    "outlier whose square overflows": lambda: outlier(-1e200),
    "outlier near the largest float": lambda: outlier(-1e300),
    "indicator of zeros": indicator,
}


@pytest.mark.parametrize("finder", FINDERS)
@pytest.mark.parametrize("name", CRASHES)
@np.errstate(all="ignore")
def test_the_first_turn_of_every_finder_survives_extreme_numbers(finder, name):
    context = question_of(*CRASHES[name]())
    for event in ProposalConfig().proposers()[finder](context, np.random.default_rng(0)):
        if event is Signal.PAUSE:
            return


@pytest.mark.parametrize("name", TABLES)
def test_no_exact_law_is_claimed_where_there_is_none(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MosaicRegressor(random_state=0, time_limit=1.0, n_jobs=1).fit(*table_without_law(name))
    assert not model.law_.is_exact


def test_a_million_rows_without_a_law_are_survived_in_time():
    rng = np.random.default_rng(1)
    X = rng.uniform(0.5, 3.0, (1_000_000, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MosaicRegressor(random_state=0, time_limit=3.0, n_jobs=1).fit(X, rng.standard_normal(len(X)))
    assert not model.law_.is_exact
