"""The main tables: published rows, measured rows apart from them, attainable maxima."""

import dataclasses

from benchmarks.paper_rows import BUDGET_ABLATION, MAIN_TABLES, SRSD, SRSD_DUMMY
from benchmarks.report.published import main_sections
from tests.benchmarks.result_lines import cells_of, make_result


def first_table(results):
    return main_sections(results)[0].text


def test_the_published_tables_are_complete():
    assert [len(table.rows) for table in MAIN_TABLES] == [23, 23, 9, 9]
    assert all(len(row.scores) == len(table.suites) for table in MAIN_TABLES for row in table.rows)
    assert [score.sym for score in SRSD.rows[-1].scores] == [84.7, 55.0, 34.8]
    assert [score.acc for score in SRSD_DUMMY.rows[-1].scores] == [94.0, 82.5, 52.4]
    assert BUDGET_ABLATION[-1].scores[-1].sym == 87.8


def test_failures_stay_in_the_denominator():
    failed = make_result("Nguyen-3", strict=False, equation="", r2=None, nmse=None, error="crashed: boom")
    report = first_table([make_result(), make_result("Nguyen-2"), failed, make_result("Nguyen-4", strict=False)])
    assert cells_of(report, "mosaic (10 s)")[:4] == ["50.0 (4/12)", "50.0", "50.0", "2.0"]


def test_measured_rows_stand_below_the_published_ones():
    report = first_table([make_result()])
    lines = report.splitlines()
    published, ours = (next(i for i, line in enumerate(lines) if words in line) for words in ("Published", "Measured"))
    assert published < lines.index(next(line for line in lines if line.startswith("| MOSAIC-SR"))) < ours
    assert ours < lines.index(next(line for line in lines if line.startswith("| mosaic (10 s)")))
    assert cells_of(report, "MOSAIC-SR")[:4] == ["–", "75.0", "91.7", "75.6"]


def test_rates_over_seeds_are_a_mean_and_a_deviation():
    results = [
        make_result(f"Nguyen-{i}", seed=seed, strict=i <= hits) for seed, hits in ((0, 2), (1, 4)) for i in (1, 2, 3, 4)
    ]
    assert cells_of(first_table(results), "mosaic (10 s)")[0] == "75.0 ± 35.4 (4/12)"


def test_seeds_that_were_run_in_part_are_left_out_and_named():
    whole = [make_result(f"Nguyen-{i}", strict=i <= 2, seconds=1.0) for i in (1, 2, 3, 4)]
    report = first_table([*whole, make_result("Nguyen-1", seed=1, seconds=9.0)])
    assert cells_of(report, "mosaic (10 s)")[:4] == ["50.0 (4/12)", "50.0", "50.0", "1.0"]
    assert "has run 1 of these 4 problems of nguyen with seed 1; its rates leave this seed out." in report


def test_where_no_seed_is_whole_all_count_and_are_named():
    report = first_table([make_result(), make_result("Nguyen-2", seed=1, strict=False)])
    assert cells_of(report, "mosaic (10 s)")[0] == "50.0 ± 70.7 (2/12)"
    for seed in (0, 1):
        assert f"has run 1 of these 2 problems of nguyen with seed {seed}.\n" in report


def test_unidentifiable_problems_lower_the_attainable_maximum_only():
    results = [make_result(), make_result("Nguyen-2", strict=False, unidentifiable="equals x0 in double precision")]
    report = first_table(results)
    assert cells_of(report, "attainable")[0] == "50.0"
    assert cells_of(report, "mosaic (10 s)")[0] == "50.0 (2/12)"


def test_a_suite_that_was_run_in_part_is_marked():
    in_part, whole = ([make_result(f"Nguyen-{number}") for number in range(1, last)] for last in (2, 13))
    assert cells_of(first_table(in_part), "mosaic (10 s)")[0] == "100.0 (1/12)"
    assert cells_of(first_table(whole), "mosaic (10 s)")[0] == "**100.0**"


def test_other_settings_are_other_rows():
    report = first_table([make_result(), make_result(settings={"time_limit": 60.0, "preset": "paper"})])
    assert cells_of(report, "mosaic (10 s)")
    assert cells_of(report, "mosaic (60 s, preset paper)")


def test_lines_of_a_study_stay_out_of_the_main_tables():
    plain = make_result("feynman-i.12.1", "srsd-easy")
    for setting in ({"without": ["pairs"]}, {"noise": 0.1}, {"rows": 20}, {"preset": "paper-mcts"}):
        other = dataclasses.replace(plain, settings={"time_limit": 10.0, **setting}, strict=False)
        text = first_table([plain, other])
        assert cells_of(text, "mosaic (10 s)")[0] == "100.0 (1/30)"
        assert text.count("mosaic (10 s") == 1
