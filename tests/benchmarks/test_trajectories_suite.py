"""The suite of rates along curves: what its laws are made of, and what its rows are."""

import re
from itertools import pairwise

import numpy as np
import pytest

from benchmarks.suites import load
from benchmarks.suites.problem import column_names
from benchmarks.suites.trajectory_laws import System, draw_system, integrate
from benchmarks.verify import verify_structure
from mosaic_sr import InvalidSettings, evaluate_expression, parse

PROBLEMS = load("trajectories").problems


def terms(formula: str) -> list[str]:
    """The terms of a sum; signs inside parentheses belong to a term."""
    outside = re.sub(r"\([^()]*\)", lambda match: "_" * len(match[0]), formula.removeprefix("-"))
    cuts = [0, *(match.start() for match in re.finditer(r" [+-] ", outside)), len(outside)]
    return [formula.removeprefix("-")[start:end] for start, end in pairwise(cuts)]


def test_laws_have_two_to_four_terms_over_one_to_three_columns():
    counts = [len(terms(problem.formula)) for problem in PROBLEMS]
    assert set(counts) == {2, 3, 4}
    assert {problem.num_columns for problem in PROBLEMS} == {1, 2, 3}
    assert len({problem.formula for problem in PROBLEMS}) == len(PROBLEMS)


@pytest.mark.parametrize("problem", PROBLEMS[::9], ids=lambda problem: problem.id)
def test_rows_are_single_precision_on_a_curve_that_follows_the_rates(problem):
    draw, system = problem.draw(0), problem.source.system
    for sample in draw.samples:
        for numbers in (sample.columns, sample.target):
            assert np.array_equal(numbers, numbers.astype(np.float32))
    step, curve = system.span / (system.rows - 1), integrate(system)[0]
    assert sorted(map(tuple, draw.train.columns.T)) == sorted(map(tuple, curve.T))
    for place, rate in enumerate(system.rates):
        values = evaluate_expression(parse(rate, column_names(len(system.rates))), curve)
        risen = np.diff(curve[place])
        mean = 0.5 * step * (values[1:] + values[:-1])
        # The trapezoidal rule is off by the curvature of the rate; the columns have seven digits.
        bend = np.abs(np.diff(values, 2)).max() * step
        assert np.abs(risen - mean).max() <= bend + 1e-5


def test_test_rows_lie_on_another_curve_and_all_rows_are_finite():
    for problem in PROBLEMS[::7]:
        draw = problem.draw(0)
        assert np.isfinite(draw.train.target).all()
        assert np.isfinite(draw.test.target).all()
        assert not set(map(tuple, draw.train.columns.T)) & set(map(tuple, draw.test.columns.T))


def test_a_runaway_system_has_no_curve_and_is_never_drawn():
    runaway = System(("2.3*x0^2 - 0.37*x0",), ((2.0,), (1.5,)), 9.0, 100)
    assert np.isnan(integrate(runaway)).all()
    drawn = draw_system(np.random.default_rng(3))
    assert np.isfinite(integrate(drawn)).all()


def test_the_verdict_on_structure_accepts_a_truth_with_other_numbers_and_nothing_else():
    problem = next(problem for problem in PROBLEMS if problem.num_columns == 2)
    columns = problem.draw(0).train.columns
    assert verify_structure(problem.formula, problem.formula.replace("0.6", "0.63", 1), problem.names, columns).accepted
    assert not verify_structure(problem.formula, terms(problem.formula)[0], problem.names, columns).accepted


def test_an_unknown_suite_names_those_that_can_be_drawn():
    with pytest.raises(InvalidSettings, match="trajectories-1"):
        load("trajectories-x")
