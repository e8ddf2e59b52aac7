"""The table of the README, between two marks of a file."""

import pytest

from benchmarks.__main__ import main
from benchmarks.report.summary import BEGIN, END, make_summary
from benchmarks.results_file import append_result
from mosaic_sr import InvalidSettings
from tests.benchmarks.result_lines import make_result


def test_a_row_per_suite_beside_the_published_rates():
    results = [
        make_result(seed=0, strict=True, seconds=0.5),
        make_result(seed=1, strict=False, seconds=1.5),
        make_result(suite="taylor", problem="sin-3", seed=0, strict=True, seconds=3.0),
    ]
    summary = make_summary(results)
    assert "at most 10 s on 1 core per problem" in summary
    assert "| nguyen | 1 | 2 | 100.0 | 75.0 | **50.0 ± 70.7** |" in summary
    assert "| taylor | 1 | 1 | 100.0 | – | **100.0** |" in summary
    assert summary.rstrip().endswith("3.0 |")


def test_measured_methods_stand_side_by_side_on_the_problems_that_all_have_run():
    results = [
        make_result(strict=True, seconds=0.5),
        make_result(problem="Nguyen-2", strict=True),
        make_result(method="operon", strict=False, seconds=10.0, complexity=31),
        make_result(method="ffx", strict=False, seconds=2.0, complexity=None),
        make_result(settings={"time_limit": 30.0}, strict=True),
    ]
    summary = make_summary(results)
    assert "*1 published problem, 10 s on one core each*" in summary
    assert [line.split(" | ")[0] for line in summary.splitlines()[-3:]] == ["| mosaic", "| ffx", "| operon"]
    assert "| operon | **0.0** | 0.0 | 31 | 10.0 |" in summary
    assert "| – | 2.0 |" in summary


def test_lines_of_other_methods_make_no_summary():
    with pytest.raises(InvalidSettings, match="lines of mosaic"):
        make_summary([make_result(method="operon")])


def test_the_table_is_replaced_and_the_rest_of_the_file_stays(tmp_path):
    lines, readme = tmp_path / "lines.jsonl", tmp_path / "README.md"
    append_result(lines, make_result())
    readme.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    for _ in range(2):
        assert main(["report", str(lines), "--summary", str(readme), "--output", str(tmp_path / "out.md")]) == 0
    text = readme.read_text()
    assert text.startswith(f"before\n{BEGIN}\n*at most")
    assert text.endswith(f"|\n{END}\nafter\n")
    assert "old" not in text


def test_a_file_without_marks_is_refused(tmp_path, capsys):
    lines, readme = tmp_path / "lines.jsonl", tmp_path / "README.md"
    append_result(lines, make_result())
    readme.write_text("nothing\n")
    assert main(["report", str(lines), "--summary", str(readme)]) == 2
    assert "the table goes between them" in capsys.readouterr().err
