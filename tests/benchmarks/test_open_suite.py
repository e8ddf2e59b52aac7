"""Tables without a law have none."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.suites import SUITES
from benchmarks.suites.open import COUNTS, RandomFunction

PROBLEMS = SUITES["open"].problems


def of_kind(kind):
    return [problem for problem in PROBLEMS if problem.id.startswith(f"open-{kind}-")]


def test_there_are_a_hundred_tables_of_four_kinds_and_none_has_a_truth():
    assert {kind: len(of_kind(kind)) for kind in COUNTS} == COUNTS
    assert len(PROBLEMS) == 100
    assert all(problem.truth is None and problem.unidentifiable for problem in PROBLEMS)


def test_names_say_rows_and_noise():
    for problem in PROBLEMS:
        assert f"-r{problem.draw(0).train.num_rows}" in problem.id
    shapes = {(problem.num_columns, problem.id.split("-")[3]) for problem in of_kind("smooth")}
    assert len(shapes) == 9  # one to three columns with each number of rows


@pytest.mark.parametrize("kind", ["permuted", "noise"])
def test_targets_have_nothing_to_do_with_the_columns(kind):
    """No polynomial of the third degree explains more than chance does."""
    for problem in of_kind(kind):
        test = problem.draw(0).test
        scaled = (test.columns - test.columns.mean(axis=1, keepdims=True)) / test.columns.std(axis=1, keepdims=True)
        terms = np.concatenate([np.ones((1, test.num_rows)), scaled, scaled**2, scaled**3]).T
        target = np.argsort(np.argsort(test.target)).astype(float)
        residual = target - terms @ np.linalg.lstsq(terms, target, rcond=None)[0]
        assert residual.var() > 0.95 * target.var(), problem.id


@pytest.mark.parametrize(("kind", "share"), [("smooth", 0.2), ("rough", 0.0)])
def test_random_functions_are_functions_that_no_short_polynomial_follows(kind, share):
    for problem in of_kind(kind):
        train, test = problem.draw(0).train, problem.draw(0).test
        assert np.array_equal(problem.law(test.columns), test.target)
        if "-n0" in problem.id:
            assert np.array_equal(problem.law(train.columns), train.target)
        assert 0.02 < test.target.std() < 5.0
        terms = np.polynomial.chebyshev.chebvander(_unit(test.columns[0]), 3)
        residual = test.target - terms @ np.linalg.lstsq(terms, test.target, rcond=None)[0]
        assert residual.var() > share * test.target.var(), problem.id


def _unit(column):
    return 2.0 * (column - column.min()) / np.ptp(column) - 1.0


def test_smooth_functions_are_smooth_and_paths_are_not():
    steps = np.linspace(1.0, 2.0, 2001)[None, :]
    smooth = RandomFunction(3, (1.0,), (2.0,), 0.1)(steps)
    rough = RandomFunction(3, (1.0,), (2.0,), 0.0)(steps)
    assert np.abs(np.diff(smooth, 2)).max() < 1e-3
    # The squared steps of a Brownian path over the unit range add up to about 1.
    assert 0.5 < np.sum(np.diff(rough[::20]) ** 2) < 1.6
