"""Time limits are kept: searches look at the clock often enough, and end cleanly wherever they look.

`pytest -m slow -s tests/test_time_limits.py` prints by how much each of 120 searches overran its limit.
"""

import time
import warnings
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from mosaic_sr import MosaicRegressor
from mosaic_sr.pipeline import SearchConfig, discover
from mosaic_sr.search import Search
from mosaic_sr.table import Table

# What a search may take beyond its limit before its law is tidied, and what tidying may take.
OVERRUN, TIDYING = 0.5, 1.6
SHAPES = (*product((1, 5, 20, 50), (10, 50, 1_000, 100_000)), (50, 1_000_000))
KINDS = ("noisy", "clean", "outlier", "ties", "decades", "normal", "constants")


def sample(kind, num_columns, num_rows, seed=0):
    """A table that is awkward in some way; the law reads a few columns, and the others are of no use."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.5, 5.0, size=(num_rows, num_columns))
    if kind == "ties":
        X = np.round(X)
    if kind == "decades":
        X = np.exp(3.0 * rng.normal(size=X.shape))
    if kind == "normal":
        X = rng.normal(size=X.shape)
    first, middle, last = X[:, 0], X[:, num_columns // 2], X[:, -1]
    y = first * np.sqrt(np.abs(last)) + 1.3 * np.sin(middle)
    if kind == "outlier":
        y[0] = 1e300
    if kind == "constants":
        X[:, num_columns // 3 : num_columns // 2] = 2.0
    return X, y if kind == "clean" else y * (1.0 + 0.05 * rng.normal(size=num_rows))


def make_table(kind, num_columns, num_rows):
    X, y = sample(kind, num_columns, num_rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Table.from_arrays(X, y, rng=np.random.default_rng(0))


@pytest.mark.parametrize("num_looks", [1, 20, 300, 2_000])
def test_a_search_ends_with_a_law_wherever_it_is_stopped(num_looks):
    """The search is stopped at a look at the clock, of which there are more within turns than between them."""
    looks = 0

    def is_interrupted():
        nonlocal looks
        looks += 1
        return looks > num_looks

    table = make_table("noisy", 6, 60)
    snapshots = list(discover(table, SearchConfig(), np.random.default_rng(0), is_interrupted=is_interrupted))
    assert snapshots[-1].law is not None
    assert looks <= num_looks + 60  # validators and nested searches ask once more on their way out


def test_looking_at_the_clock_changes_nothing():
    def laws(is_interrupted):
        config = SearchConfig(max_evaluations=300)
        found = discover(make_table("noisy", 2, 50), config, np.random.default_rng(0), is_interrupted=is_interrupted)
        return [snapshot.law.text() for snapshot in found if snapshot.law is not None]

    assert laws(lambda: False) == laws(lambda: time.monotonic() < 0.0)


def test_one_huge_target_leaves_the_mean_as_first_law():
    first = next(discover(make_table("outlier", 3, 200), SearchConfig(), np.random.default_rng(0)))
    assert first.law is not None
    assert np.isfinite(first.law.training.nmse)


@dataclass
class Overrun:
    """Seconds beyond the limit when the search ended, and those of tidying: of the clock and of the processor."""

    search: float
    search_worked: float
    tidying: float
    tidying_worked: float


def measured(monkeypatch, kind, num_columns, num_rows, limit):
    """By how much one search overran; work after the limit counts from the first look that could have ended it."""
    X, y = sample(kind, num_columns, num_rows)
    marks = {}
    finish, is_time_up = Search._finish, Search._is_time_up

    def finishing(self):
        marks["ended"], marks["ended_worked"] = self._clock.seconds, time.process_time()
        return finish(self)

    def looking(self):
        is_up = is_time_up(self)
        # The last look before the limit is a lower bound of the work that was done by then.
        if not is_up:
            marks["before_worked"] = time.process_time()
        return is_up

    monkeypatch.setattr(Search, "_finish", finishing)
    monkeypatch.setattr(Search, "_is_time_up", looking)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        started = time.monotonic()
        model = MosaicRegressor(random_state=0, time_limit=limit).fit(X, y)
        seconds, worked = time.monotonic() - started, time.process_time()
    monkeypatch.undo()
    if not model.stopped_early_:
        return None
    return Overrun(
        search=marks["ended"] - limit,
        search_worked=marks["ended_worked"] - marks["before_worked"],
        tidying=seconds - marks["ended"],
        tidying_worked=worked - marks["ended_worked"],
    )


@pytest.mark.slow  # 120 searches of some seconds each, on tables of up to 50 million numbers
@pytest.mark.timeout(3600)
def test_time_limits_are_kept(monkeypatch):
    """On a busy machine the processor's seconds tell: the stretch of work in which the limit passed, and tidying."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        MosaicRegressor(random_state=0, time_limit=20).fit(*sample("noisy", 2, 50))  # compiles what there is to compile
    late = []
    for (num_columns, num_rows), kind in product(SHAPES, KINDS):
        limit = 6.0 if num_rows <= 1_000 else 9.0
        found = measured(monkeypatch, kind, num_columns, num_rows, limit)
        if found is None:
            continue
        line = (
            f"{kind:10} {num_columns:3} columns {num_rows:8} rows  limit {limit:4.1f} s:"
            f" ended {found.search:+6.2f} s (work {found.search_worked:5.2f}),"
            f" tidied in {found.tidying:5.2f} s (work {found.tidying_worked:5.2f})"
        )
        print(line, flush=True)
        is_late = min(found.search, found.search_worked) > OVERRUN
        if is_late or min(found.tidying, found.tidying_worked) > TIDYING:
            late.append(line)
    assert not late, "\n".join(late)
