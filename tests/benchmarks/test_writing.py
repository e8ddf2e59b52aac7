"""Measuring what written laws cost to read."""

import json

import numpy as np
import pytest

from benchmarks.__main__ import main
from benchmarks.report.writing import read_lines, writing_sections
from benchmarks.scrambling import REWRITES, scrambled
from benchmarks.suites import load
from benchmarks.suites.problem import Sample
from benchmarks.writing import most_digits, scrambled_cases
from mosaic_sr import evaluate_expression, parse

NAMES = ("x0", "x1", "x2")
COLUMNS = np.random.default_rng(0).uniform(0.5, 2.0, (3, 40))


@pytest.mark.parametrize(
    "formula", ["x0*(x1 + 2.5)^2/x2", "exp(-0.3*x0)*sin(x1 + 1)", "sqrt(x0/x1) + x2^4 - log(x0*x1)", "3*tanh(x0) + x1"]
)
@pytest.mark.parametrize("seed", range(5))
def test_scrambled_formulas_keep_their_values(formula, seed):
    other = scrambled(formula, NAMES, COLUMNS, np.random.default_rng(seed))
    assert other != formula
    before, after = (evaluate_expression(parse(text, NAMES), COLUMNS) for text in (formula, other))
    np.testing.assert_allclose(after, before, rtol=1e-8)


def test_the_same_seed_scrambles_alike():
    formula = "x0*(x1 + 2.5)^2/x2"
    first, second = (scrambled(formula, NAMES, COLUMNS, np.random.default_rng(7)) for _ in range(2))
    assert first == second


def test_there_are_rewrites_of_every_kind():
    assert len(REWRITES) == len(set(REWRITES)) > 10


def test_truths_are_chosen_evenly():
    cases = list(scrambled_cases(["nguyen"], 5, 0))
    assert len(cases) == 5
    assert {case.truth for case in cases} <= {problem.formula for problem in load("nguyen").problems}


def test_noise_limits_the_digits_of_constants():
    law = parse("2.718281828459*x0", NAMES)
    exact = evaluate_expression(law, COLUMNS)
    noisy = exact * (1.0 + 0.01 * np.random.default_rng(1).normal(size=exact.size))
    assert most_digits(law, Sample(COLUMNS, exact)) == 17
    assert 3 <= most_digits(law, Sample(COLUMNS, noisy)) <= 5


def test_the_command_writes_lines_that_the_report_reads(tmp_path, capsys):
    found = tmp_path / "default.jsonl"
    found.write_text("")
    out = tmp_path / "writing.jsonl"
    words = ["writing", "--lines", str(found), "--suites", "nguyen", "--scrambled", "3", "--out", str(out)]
    assert main(words) == 0
    assert "scrambled: " in capsys.readouterr().out
    lines = [json.loads(each) for each in out.read_text().splitlines()]
    assert len(lines) == 3
    assert all(each["is_same"] and each["is_settled"] and each["cost"] <= each["cost_given"] for each in lines)
    assert {each["suite"] for each in lines} == {"nguyen"}
    (section,) = writing_sections(read_lines([out]))
    assert "| scrambled | 3 |" in section.markdown()


def test_a_report_without_lines_has_no_section():
    assert writing_sections([]) == []
