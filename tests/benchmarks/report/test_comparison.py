"""Measured methods beside each other on the problems that all have run."""

from benchmarks.report.comparison import comparison_sections
from benchmarks.report.published import main_sections
from tests.benchmarks.result_lines import cells_of, make_result


def run_of(method, problem, **changes):
    return make_result(problem, method=method, **changes)


def test_ranks_are_means_over_shared_problems_and_ties_share_places():
    results = [
        run_of("mosaic", "Nguyen-1", complexity=3),
        run_of("operon", "Nguyen-1", complexity=9, nmse=1e-30),
        run_of("linear", "Nguyen-1", strict=False, complexity=3),
        run_of("mosaic", "Nguyen-2", complexity=5),
        run_of("operon", "Nguyen-2", strict=False, nmse=0.1, complexity=3),
        run_of("linear", "Nguyen-2", strict=False, equation="", r2=None, nmse=None, complexity=None),
        run_of("mosaic", "Nguyen-3", strict=False),
    ]
    (section,) = comparison_sections(results)
    assert "All methods ran the same 2 problems" in section.text
    # strict, Acc, then the ranks in recovery, error and size
    assert cells_of(section.text, "mosaic (10 s)")[:5] == ["**100.0**", "100.0", "1.25", "1.25", "1.75"]
    assert cells_of(section.text, "operon (10 s)")[:5] == ["**50.0**", "50.0", "2.00", "1.75", "2.00"]
    assert cells_of(section.text, "linear (10 s)")[:5] == ["**0.0**", "0.0", "2.75", "3.00", "2.25"]


def test_time_to_law_counts_runs_that_returned_it_by_then():
    results = [
        run_of("mosaic", "Nguyen-1", seconds=0.2),
        run_of("mosaic", "Nguyen-2", seconds=2.0),
        run_of("operon", "Nguyen-1", seconds=0.1, strict=False),
        run_of("operon", "Nguyen-2", seconds=5.0),
    ]
    (section,) = comparison_sections(results)
    assert "≤ 0.3 s | ≤ 1 s | ≤ 3 s | ≤ 10 s |" in section.text
    assert cells_of(section.text, "mosaic (10 s)")[-4:] == ["50.0", "50.0", "100.0", "100.0"]
    assert cells_of(section.text, "operon (10 s)")[-4:] == ["0.0", "0.0", "0.0", "50.0"]
    curve = section.figures[2].panels[0].series[0]
    assert (curve.x, curve.y) == ((0.01, 0.2, 2.0, 5.0), (0.0, 50.0, 100.0, 100.0))


def test_one_method_or_no_shared_problem_is_no_comparison():
    assert comparison_sections([run_of("mosaic", "Nguyen-1")]) == []
    assert comparison_sections([run_of("mosaic", "Nguyen-1"), run_of("operon", "Nguyen-2")]) == []


def test_only_methods_with_the_same_settings_are_compared():
    long = {"time_limit": 30.0}
    results = [run_of("mosaic", "Nguyen-1"), run_of("operon", "Nguyen-1"), run_of("mosaic", "Nguyen-1", settings=long)]
    (section,) = comparison_sections(results)
    assert "mosaic (30 s)" not in section.text
    assert cells_of(section.text, "mosaic (10 s)")[2] == "1.50"
    both = comparison_sections([*results, run_of("operon", "Nguyen-1", settings=long)])
    assert ["mosaic (30 s)" in each.text for each in both] == [False, True]


def test_lines_with_a_budget_of_evaluations_have_no_times_and_are_not_compared_by_them():
    budget = {"time_limit": 900.0, "max_evaluations": 1000}
    results = [run_of("mosaic", "Nguyen-1", settings=budget), run_of("operon", "Nguyen-1")]
    assert comparison_sections(results) == []
    tables = "".join(section.text for section in main_sections(results))
    assert cells_of(tables, "mosaic (900 s, max evaluations 1000)")[:4] == ["100.0 (1/12)", "100.0", "100.0", "–"]
    assert cells_of(tables, "operon (10 s)")[3] != "–"
