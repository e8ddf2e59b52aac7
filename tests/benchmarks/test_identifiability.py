"""Every claim that a truth cannot be seen in its numbers is confirmed, and no truth without a claim can be pruned."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.suites import SUITES, Problem
from benchmarks.suites.identifiability import CLEARLY, all_rows, excess, refitted, simplest_at_floor
from mosaic_sr import canonical, complexity, parse

SRSD = [problem for name, suite in SUITES.items() if name.startswith("srsd") for problem in suite.problems]
CLAIMS = [problem for problem in SRSD if problem.simpler]

# Simpler laws with an R2 above 0.999 that double precision tells from the data all the same.
DISTINGUISHABLE = {
    ("srsd-medium", "feynman-i.10.7"): "x0",
    ("srsd-medium", "feynman-i.15.10"): "x0*x1",
    ("srsd-medium", "feynman-i.16.6"): "x0 + x1",
    ("srsd-medium", "feynman-i.34.10"): "x0",
    ("srsd-medium", "feynman-i.48.2"): "8.98755178736818e16*x0",
    ("srsd-medium", "feynman-ii.37.1"): "x0*x1*x2",
    ("srsd-medium", "feynman-iii.4.32"): "130921725191.2492*x1/x0 - 0.5",
    ("srsd-medium", "feynman-bonus.8"): "x0",
    ("srsd-hard", "feynman-i.15.3t"): "x0",
    ("srsd-hard", "feynman-ii.11.27"): "8.854e-12*x0*x1*x2",
    ("srsd-hard", "feynman-ii.11.28"): "1 + x0*x1",
    ("srsd-hard", "feynman-ii.13.23"): "x0",
    ("srsd-hard", "feynman-ii.35.18"): "x0*cos(7.24297051603992e22*x1*x2/x3)/2",
    ("srsd-hard", "feynman-ii.35.21"): "7.24297051603992e22*x0*x1^2*x2/x3",
    ("srsd-hard", "feynman-iii.4.33"): "1.380649e-23*x1",
    ("srsd-hard", "feynman-bonus.6"): "sqrt(2*x0*x1*x2^2/(x3*x4^2*x5^2*x6^4))",
    ("srsd-hard", "feynman-bonus.15"): "x1",
    ("srsd-hard-dummy", "feynman-ii.35.21"): "7.24297051603992e22*x1*x2^2*x4/x5",
    ("taylor", "taylor-log-10"): "log(1 + x0)",
    ("taylor", "taylor-sin-10"): "sin(x0)",
    ("taylor", "taylor-feynman-i.12.11-10"): "x0*(x1 + x2*x3*sin(x4))",
}


def label(problem: Problem) -> str:
    return f"{problem.suite}/{problem.id}"


@pytest.mark.parametrize("problem", CLAIMS, ids=label)
def test_a_claimed_simpler_law_is_shorter_and_at_the_floor(problem: Problem):
    assert problem.truth is not None
    simpler = parse(problem.simpler, problem.names)
    assert complexity(canonical(simpler)) < complexity(canonical(problem.truth))
    assert problem.simpler in problem.unidentifiable
    for seed in range(3):
        assert excess(simpler, problem, all_rows(problem, seed)) < CLEARLY


def test_every_mark_has_a_proof():
    for suite in SUITES.values():
        for problem in suite.unidentifiable:
            assert problem.simpler or problem.data_formula or problem.truth is None


@pytest.mark.parametrize(("key", "text"), DISTINGUISHABLE.items(), ids=[f"{a}/{b}" for a, b in DISTINGUISHABLE])
def test_close_laws_that_the_numbers_tell_apart_leave_the_truth_identifiable(key: tuple[str, str], text: str):
    problem = SUITES[key[0]].problem(key[1])
    assert not problem.unidentifiable
    sample = all_rows(problem, 0)
    law = refitted(parse(text, problem.names), problem, sample)
    assert excess(law, problem, sample) > 2 * CLEARLY


def test_truths_are_within_the_floor_of_their_own_data():
    for problem in SRSD:
        if not problem.data_formula:
            assert problem.truth is not None
            assert excess(problem.truth, problem, all_rows(problem, 0)) < CLEARLY / 2, label(problem)


@pytest.mark.parametrize("name", [name for name in SUITES if name.startswith("srsd")])
def test_no_unmarked_truth_can_be_pruned(name: str):
    for problem in SUITES[name].problems:
        if not problem.unidentifiable:
            assert simplest_at_floor(problem, 0) is None, problem.id


def test_digits_that_cancellation_has_lost_tell_nothing():
    problem = SUITES["srsd-medium"].problem("feynman-iii.15.12")  # 1 - cos(x) of x below 1e-7
    sample = all_rows(problem, 0)
    assert excess(parse("x0*x1^2*x2^2", problem.names), problem, sample) < CLEARLY
    assert excess(parse("2*x0*x1^2*x2^2", problem.names), problem, sample) > CLEARLY


def test_an_unidentifiable_truth_is_pruned_to_its_claim():
    problem = SUITES["srsd-hard"].problem("feynman-bonus.11")
    found = simplest_at_floor(problem, 0)
    assert found is not None
    assert found[0] == canonical(parse("x0*x2^2", problem.names))


def test_the_floor_of_single_precision_is_that_of_its_digits():
    problem = SUITES["srsd-easy-dummy"].problem("feynman-i.12.1")
    sample = all_rows(problem, 0)
    real = problem.truth.columns
    wrong = parse(f"x{real[0]}*x{real[1]}*1.000001", problem.names)
    ratio = excess(wrong, problem, sample)
    # a part in a million over three half units in the last place, each between 2^-25 and 2^-24
    assert 1e-6 / (3 * 2.0**-24) - 1 < ratio < 1e-6 / (3 * 2.0**-25) + 1
    assert np.isinf(excess(parse(f"log(-x{real[0]})", problem.names), problem, sample))
