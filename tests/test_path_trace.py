"""Where the paths stood: the law of each path after each round, written like the law of the search."""

from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr import PRESETS, MosaicRegressor, Table, discover
from mosaic_sr.expressions.text import parse
from mosaic_sr.path_trace import PathTrace
from mosaic_sr.proposal import PROPOSERS
from mosaic_sr.selection import tidy

NAMES = ("x0", "x1")


@pytest.fixture(scope="module")
def searched():
    """A search of three short paths from the user's guesses: its table, its settings, its snapshots with paths."""
    X = np.random.default_rng(0).uniform(0.5, 3.0, size=(80, 2))
    table = Table.from_arrays(X, 2.5 * X[:, 0] / X[:, 1] + 0.3 * np.sin(X[:, 1]), rng=np.random.default_rng(0))
    preset = PRESETS["paper-budget"]()
    guesses = tuple(parse(text, NAMES) for text in ("1*x0/x1", "1*x0 + 1", "sin(1*x1)"))
    config = replace(
        preset,
        proposal=replace(preset.proposal, guesses=guesses, without=tuple(set(PROPOSERS) - {"guesses"})),
        refinement=replace(
            preset.refinement, num_paths=3, num_rounds=2, path=replace(preset.refinement.path, trials_per_round=40)
        ),
    )
    snapshots = [snapshot for snapshot in discover(table, config, np.random.default_rng(1)) if snapshot.paths]
    return table, config, snapshots


@pytest.fixture(scope="module")
def entries(searched):
    table, config, snapshots = searched
    trace = PathTrace(table, config, NAMES)
    for snapshot in snapshots:
        trace.note(snapshot.paths)
    return trace.entries()


def test_the_first_path_and_those_ahead_of_all_before_them_are_told_after_every_round(entries):
    for steps in (40, 80):
        paths = [entry["path"] for entry in entries if entry["steps"] == steps]
        errors = [entry["validation_nmse"] for entry in entries if entry["steps"] == steps]
        assert paths[0] == 0
        assert paths == sorted(set(paths))
        assert errors == sorted(errors, reverse=True)
    assert {entry["steps"] for entry in entries} == {40, 80}
    assert all(np.isfinite(entry["validation_nmse"]) for entry in entries)
    assert all(parse(entry["equation"], NAMES).num_holes == 0 for entry in entries)


def test_the_best_path_stands_at_the_law_of_the_search(searched, entries):
    table, config, snapshots = searched
    law = tidy(snapshots[-1].law, table, config.selection, NAMES)
    last = [entry for entry in entries if entry["steps"] == 80]
    best = min(last, key=lambda entry: (entry["validation_nmse"] > 1e-15, entry["operators"]))
    if not law.is_exact:
        best = min(last, key=lambda entry: entry["validation_nmse"])
    assert best["validation_nmse"] == pytest.approx(law.validation.nmse, rel=1e-6, abs=1e-20)


def test_the_first_path_never_loses_ground(entries):
    early, late = (entry["validation_nmse"] for entry in entries if entry["path"] == 0)
    assert late <= early * 1.001 + 1e-20


def test_the_default_search_keeps_no_trace_of_its_paths():
    X = np.random.default_rng(0).uniform(0.5, 3.0, size=(40, 1))
    model = MosaicRegressor(max_evaluations=50, without=["finders", "prior", "enumeration"], random_state=0).fit(
        X, np.exp(X[:, 0]) % 1
    )
    assert model.path_trace_ == []
    assert model.decoded_operators_ is None
