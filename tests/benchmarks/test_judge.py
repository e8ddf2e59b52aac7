"""What a printed equation is worth, and what is said when no verdict is reached."""

import numpy as np

import benchmarks.judge
from benchmarks.judge import have_structure, judge
from benchmarks.report.causes import cause_of_miss
from benchmarks.suites import SUITES, Draw
from tests.benchmarks.result_lines import make_result


class SameProcess:
    """A worker that calls here and now."""

    def call(self, function, *arguments, limit):
        return function(*arguments)


def test_a_verdict_that_is_not_reached_in_time_stands_in_the_line(monkeypatch):
    monkeypatch.setattr(benchmarks.judge, "VERIFY_SECONDS", 0.0)
    (problem,) = [problem for problem in SUITES["nguyen"].problems if problem.id == "Nguyen-1"]
    draw = problem.draw(0)
    law = problem.formula
    assert judge(SameProcess(), problem, law, draw).error == ""
    judgement = judge(SameProcess(), problem, f"({law})*1.00001 + 1e-9*x0^5", draw)
    assert not judgement.strict
    stopped = [f"the verifier {name} was stopped at its limit of 0 s" for name in ("strict", "structure")]
    assert judgement.error == "; ".join(stopped)
    assert np.isfinite(judgement.r2)
    assert cause_of_miss(make_result(strict=False, error=judgement.error)) == "undecided"


def test_structure_is_judged_on_the_box_of_training_and_test_rows():
    (problem,) = [problem for problem in SUITES["korns"].problems if problem.id == "Korns-7"]
    draw = problem.draw(0)
    right = "213.1*(1 - exp(-0.5512*x0))"
    judgement = judge(SameProcess(), problem, right, draw)
    assert judgement.structure
    assert not judgement.strict
    few = Draw(draw.train.rows(slice(1)), None, draw.test)
    laws = [right, "213.1*exp(-0.5512*x0)", f"{right} + 0.01"]
    assert have_structure(SameProcess(), problem, laws, few) == [True, False, False]


def test_nothing_has_the_structure_of_what_no_formula_says():
    (problem,) = [problem for problem in SUITES["keijzer"].problems if problem.id == "Keijzer-6"]
    assert have_structure(SameProcess(), problem, ["log(x0) + 0.5772"], problem.draw(0)) == [False]
