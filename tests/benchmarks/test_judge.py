"""What a printed equation is worth, and what is said when no verdict is reached."""

import numpy as np

import benchmarks.judge
from benchmarks.judge import judge
from benchmarks.report.causes import cause_of_miss
from benchmarks.suites import SUITES
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
    assert judgement.error == "the verifier strict was stopped at its limit of 0 s"
    assert np.isfinite(judgement.r2)
    assert cause_of_miss(make_result(strict=False, error=judgement.error)) == "undecided"
