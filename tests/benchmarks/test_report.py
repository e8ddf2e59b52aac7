"""The report is made of the lines alone, and files of lines survive being cut."""

import dataclasses
import json
import random
import re

import pytest

from benchmarks.__main__ import main
from benchmarks.paper_rows import BUDGET_ABLATION, MAIN_TABLES, SRSD, SRSD_DUMMY
from benchmarks.report import describe, make_report
from benchmarks.results_file import Result, append_result, from_line, open_results, read_results, to_line
from mosaic_sr import InvalidFile


def make_result(problem="Nguyen-1", suite="nguyen", seed=0, strict=True, **changes):
    facts = {
        "equation": "x0 + 1.0",
        "truth": "x0 + 1",
        "srbench": strict,
        "r2": 1.0 if strict else 0.5,
        "nmse": 0.0 if strict else 0.5,
        "complexity": 3,
        "true_operators": 1,
        "decoded_operators": None,
        "seconds": 2.0,
        "stage_seconds": {"refinement": 1.5},
        "evaluations": 10,
        "found_by": "grammar",
        "settings": {"time_limit": 10.0},
        "commit": "abc1234",
        "machine": {"cpu": "some cpu", "cores": 2},
    }
    named = {"suite": suite, "problem": problem, "method": "mosaic", "seed": seed, "strict": strict}
    return Result(**{**named, **facts, **changes})


def cells_of(report, label):
    (row,) = [line for line in report.splitlines() if line.startswith(f"| {label} |")]
    return [cell.strip() for cell in row.strip("|").split("|")][1:]


def test_a_result_comes_back_from_its_line():
    result = make_result(trace=[{"seconds": 0.5, "validation_nmse": 1e-3}], error="none really")
    assert from_line(to_line(result)) == result


def test_numbers_that_json_cannot_hold_become_null():
    line = to_line(make_result(r2=float("-inf"), nmse=float("nan"), trace=[{"validation_nmse": float("inf")}]))
    entries = json.loads(line, parse_constant=pytest.fail)
    assert entries["r2"] is None
    assert entries["trace"] == [{"validation_nmse": None}]


@pytest.mark.parametrize(
    "line", ["", "{", "[]", "null", '{"suite": "nguyen"}', to_line(make_result())[:-1], "[" * 100_000]
)
def test_a_cut_or_foreign_line_is_no_result(line):
    assert from_line(line) is None


def test_a_line_cut_in_half_is_taken_off_the_file_with_a_word(tmp_path):
    path, words = tmp_path / "runs.jsonl", []
    whole, lost = make_result(), make_result("Nguyen-2")
    append_result(path, whole)
    with path.open("a") as file:
        file.write(to_line(lost)[:100])
    assert open_results(path, words.append) == {whole.key}
    assert words == [f"{path}: line 2 is cut or damaged; dropped"]
    append_result(path, lost)
    assert read_results([path], pytest.fail) == [whole, lost]


def test_a_last_line_that_lacks_only_its_end_is_kept(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text(to_line(make_result()))
    assert open_results(path, pytest.fail) == {make_result().key}
    append_result(path, make_result("Nguyen-2"))
    assert len(read_results([path], pytest.fail)) == 2


def test_a_file_cut_in_its_first_line_can_be_continued(tmp_path):
    path, words = tmp_path / "runs.jsonl", []
    path.write_text(to_line(make_result())[:50])
    assert open_results(path, words.append) == set()
    assert path.read_text() == ""
    assert len(words) == 1


def test_a_file_of_another_kind_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "notes.md"
    path.write_text("# Notes\nkeep me")
    with pytest.raises(InvalidFile, match="not a file of benchmark results"):
        open_results(path, pytest.fail)
    assert path.read_text() == "# Notes\nkeep me"


def test_where_files_repeat_a_run_the_last_one_stands(tmp_path):
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    append_result(first, make_result(strict=False))
    append_result(second, make_result(strict=True))
    assert [result.strict for result in read_results([first, second], pytest.fail)] == [True]


def test_the_published_tables_are_complete():
    assert [len(table.rows) for table in MAIN_TABLES] == [23, 23, 9, 9]
    assert all(len(row.scores) == len(table.suites) for table in MAIN_TABLES for row in table.rows)
    assert [score.sym for score in SRSD.rows[-1].scores] == [84.7, 55.0, 34.8]
    assert [score.acc for score in SRSD_DUMMY.rows[-1].scores] == [94.0, 82.5, 52.4]
    assert BUDGET_ABLATION[-1].scores[-1].sym == 87.8


def test_failures_stay_in_the_denominator():
    failed = make_result("Nguyen-3", strict=False, equation="", r2=None, nmse=None, error="crashed: boom")
    report = make_report([make_result(), make_result("Nguyen-2"), failed, make_result("Nguyen-4", strict=False)])
    assert cells_of(report, "mosaic (10 s)")[:4] == ["**50.0**", "50.0", "50.0", "2.0"]


def test_measured_rows_stand_below_the_published_ones():
    report = make_report([make_result()])
    lines = report.splitlines()
    published, ours = (next(i for i, line in enumerate(lines) if words in line) for words in ("Published", "Measured"))
    assert published < lines.index(next(line for line in lines if line.startswith("| MOSAIC-SR"))) < ours
    assert ours < lines.index(next(line for line in lines if line.startswith("| mosaic (10 s)")))
    assert cells_of(report, "MOSAIC-SR")[:4] == ["–", "75.0", "91.7", "75.6"]


def test_the_report_says_that_the_published_verifier_was_another_one():
    assert "not quite this" in make_report([make_result()])


def test_rates_over_seeds_are_a_mean_and_a_deviation():
    results = [
        make_result(f"Nguyen-{i}", seed=seed, strict=i <= hits) for seed, hits in ((0, 2), (1, 4)) for i in (1, 2, 3, 4)
    ]
    assert cells_of(make_report(results), "mosaic (10 s)")[0] == "**75.0 ± 35.4**"


def test_unidentifiable_problems_lower_the_attainable_maximum_only():
    results = [make_result(), make_result("Nguyen-2", strict=False, unidentifiable="equals x0 in double precision")]
    report = make_report(results)
    assert cells_of(report, "attainable")[0] == "50.0"
    assert cells_of(report, "mosaic (10 s)")[0] == "**50.0**"


def test_a_suite_that_was_run_in_part_is_marked():
    assert "mosaic (10 s) has run 1 of the 12 problems of nguyen." in make_report([make_result()])


def test_other_settings_are_other_rows():
    report = make_report([make_result(), make_result(settings={"time_limit": 60.0, "preset": "paper"})])
    assert cells_of(report, "mosaic (10 s)")
    assert cells_of(report, "mosaic (60 s, preset paper)")


def test_ablations_and_noise_have_their_own_tables_with_their_baseline():
    plain = make_result("feynman-i.12.1", "srsd-easy")
    ablated = dataclasses.replace(plain, settings={"time_limit": 10.0, "without": ["lookup", "peeling"]}, strict=False)
    noisy = dataclasses.replace(plain, settings={"time_limit": 10.0, "noise": 0.1, "noise_kind": "multiplicative"})
    tables = dict(re.findall(r"## (.+)\n\n((?:\|.*\n)+)", make_report([plain, ablated, noisy])))
    assert [title for title, text in tables.items() if "mosaic (10 s)" in text] == list(tables)
    assert "without lookup and peeling" not in tables["SRSD-Feynman"]
    assert "mosaic (10 s, without lookup and peeling)" in tables["Stage ablation on SRSD-Feynman easy"]
    assert "mosaic (10 s, noise 0.1, noise kind multiplicative)" in tables["Noise: srsd-easy"]


def test_misses_are_listed_on_request():
    missed = make_result("Nguyen-7", strict=False, equation="log(x0)|", error="")
    assert "log(x0)" not in make_report([make_result(), missed])
    report = make_report([make_result(), missed], with_misses=True)
    assert "| Nguyen-7 | 0 | `log(x0)&#124;` | `x0 + 1` |" in report
    assert "| Nguyen-1 |" not in report


def test_the_order_of_the_lines_does_not_matter():
    results = [make_result(f"p{i}", suite, seed) for i in range(4) for suite in ("nguyen", "mine") for seed in (0, 1)]
    shuffled = random.Random(0).sample(results, len(results))
    assert make_report(results, with_misses=True) == make_report(shuffled, with_misses=True)


def test_settings_are_told_in_words():
    assert describe({"time_limit": 2.5}) == "2.5 s"
    assert describe({"preset": "paper", "time_limit": 10.0}) == "10 s, preset paper"


def test_the_command_writes_the_report_and_drops_cut_lines_with_a_word(tmp_path, capsys):
    path, output = tmp_path / "runs.jsonl", tmp_path / "RESULTS.md"
    path.write_text(to_line(make_result()) + "\n" + to_line(make_result("Nguyen-2"))[:70])
    assert main(["report", str(path), "--output", str(output)]) == 0
    assert "line 2 is cut" in capsys.readouterr().err
    assert output.read_text() == make_report([make_result()])


def test_a_missing_results_file_is_one_line_and_exit_code_2(tmp_path, capsys):
    assert main(["report", str(tmp_path / "none.jsonl")]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.count("\n") == 1
    assert "cannot read" in streams.err
