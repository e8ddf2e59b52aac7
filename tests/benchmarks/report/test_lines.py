"""Whose lines they are, and what their equations have in common with the truth."""

import pytest

from benchmarks.report.lines import (
    by_entrant,
    commands_for,
    compared,
    has_true_skeleton,
    leading,
    skeleton_of,
    with_present_marks,
)
from benchmarks.suites import SUITES
from tests.benchmarks.result_lines import make_result


@pytest.mark.parametrize(
    ("truth", "found", "is_same"),
    [
        ("2*x0*exp(-x1)", "exp(-3.1*x1)*x0", True),
        ("x0/x1", "x1/x0", False),
        ("x0 + sin(x1)", "sin(2*x1 + 1)*0.5 + 3*x0", True),
        ("x0^2 + x1", "x0^3 + x1", False),
        ("x0 + x1", "x0 + x1 + x2", False),
        ("x0*x1", "no formula(", False),
        ("x0*x1", "", False),
    ],
)
def test_structures_agree_up_to_numbers_and_never_up_to_columns(truth, found, is_same):
    assert has_true_skeleton(make_result(strict=False, truth=truth, equation=found)) == is_same


def test_what_rows_can_tell_is_a_fact_of_the_problem():
    marked = SUITES["srsd-hard"].unidentifiable[0]
    lines = [
        make_result(marked.id, suite="srsd-hard"),
        make_result("Nguyen-1", unidentifiable="no longer"),
        make_result("my own", suite="elsewhere", unidentifiable="still"),
    ]
    assert [line.unidentifiable for line in with_present_marks(lines)] == [marked.unidentifiable, "", "still"]


def test_what_is_no_formula_has_no_structure():
    assert skeleton_of("import os") == ""


def test_a_study_is_compared_with_its_baseline_on_the_same_problems_only():
    noisy = make_result("Nguyen-1", settings={"time_limit": 10.0, "noise": 0.1, "noise_kind": "multiplicative"})
    base, elsewhere = make_result("Nguyen-1"), make_result("Nguyen-2")
    slower = make_result("Nguyen-1", settings={"time_limit": 60.0})
    assert compared([noisy, base, elsewhere, slower], "noise") == [noisy, base]


def test_a_command_names_the_problems_where_a_suite_was_run_in_part():
    whole = [make_result(problem.id) for problem in SUITES["nguyen"].problems]
    (command,) = commands_for(whole)
    assert "--problem" not in command
    (command,) = commands_for([make_result("generated-003", "generated")])
    assert "--suite generated --problem generated-003 --method mosaic" in command


def test_methods_that_did_the_same_runs_share_a_command():
    results = [make_result(method=method) for method in ("mosaic", "operon")]
    assert ["--method mosaic,operon" in command for command in commands_for(results)] == [True]
    assert len(commands_for([*results, make_result("Nguyen-2")])) == 2


def test_a_stated_share_of_a_suite_is_named_by_its_step():
    problems = [problem.id for problem in SUITES["nguyen"].problems]
    (command,) = commands_for([make_result(problem) for problem in problems[::5]])
    assert "--suite nguyen --every 5 --method" in command
    (command,) = commands_for([make_result(problem) for problem in problems])
    assert "--suite nguyen --method" in command
    (command,) = commands_for([make_result(problem) for problem in problems[:2]])
    assert "--problem Nguyen-1,Nguyen-2" in command


def test_a_command_gives_every_suite_its_own_seeds_and_every_run_its_cores():
    machine = {"cpu": "some cpu", "cores": 4, "cores_per_run": 1}
    nguyen = [
        make_result(problem.id, seed=seed, machine=machine) for problem in SUITES["nguyen"].problems for seed in (0, 1)
    ]
    korns = [make_result(problem.id, "korns", machine=machine) for problem in SUITES["korns"].problems]
    one, other = commands_for([*nguyen, *korns])
    assert "--suite korns --method mosaic --seeds 0 " in one
    assert "--suite nguyen --method mosaic --seeds 0,1 " in other
    assert "--jobs 4 --out" in one


def test_of_our_budgets_one_leads_and_the_others_are_left_to_studies():
    longer = [make_result(problem, settings={"time_limit": 30.0}) for problem in ("Nguyen-1", "Nguyen-2")]
    shorter, preset = make_result(), make_result(settings={"time_limit": 300.0, "preset": "paper"})
    peer = make_result(method="operon")
    assert leading([*longer, shorter, preset, peer]) == [*longer, preset, peer]


def test_ours_leads_the_methods():
    results = [make_result(method=method) for method in ("operon", "mosaic", "bingo")]
    assert [entrant.method for entrant in by_entrant(results)] == ["mosaic", "bingo", "operon"]
