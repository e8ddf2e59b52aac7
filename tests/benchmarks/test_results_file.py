"""A run is a line, and files of lines survive being cut."""

import json

import pytest

from benchmarks.results_file import append_result, from_line, open_results, read_results, to_line
from mosaic_sr import InvalidFile
from tests.benchmarks.result_lines import make_result


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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("r2", "abc"),
        ("trace", [1]),
        ("trace", 3),
        ("seconds", None),
        ("settings", []),
        ("complexity", "4"),
        ("structure", "yes"),
        ("probability", "high"),
        ("rivals", [1]),
        ("in_front", 1.5),
    ],
)
def test_a_line_with_something_else_in_it_is_no_result(name, value):
    assert from_line(json.dumps({**json.loads(to_line(make_result())), name: value})) is None


def test_a_line_of_the_time_before_the_verdict_on_structure_has_none():
    entries = json.loads(to_line(make_result(structure=True, probability=0.5)))
    del entries["structure"], entries["probability"], entries["rivals"], entries["in_front"]
    assert (from_line(json.dumps(entries)).structure, from_line(json.dumps(entries)).probability) == (None, None)


def test_a_file_that_cannot_be_written_is_told_before_anything_runs(tmp_path):
    with pytest.raises(InvalidFile, match="cannot write"):
        open_results(tmp_path / f"{'a' * 300}.jsonl", pytest.fail)


def test_a_line_cut_in_half_is_taken_off_the_file_with_a_word(tmp_path):
    path, words = tmp_path / "runs.jsonl", []
    whole, lost = make_result(), make_result("Nguyen-2")
    append_result(path, whole)
    with path.open("a") as file:
        file.write(to_line(lost)[:100])
    assert open_results(path, words.append) == {whole.key}
    assert words == [f"{path}: line 2 is incomplete or damaged and was skipped"]
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


def test_a_line_without_the_newer_fields_is_still_a_result():
    entries = json.loads(to_line(make_result()))
    del entries["budgets"], entries["trace"]
    assert from_line(json.dumps(entries)) == make_result()
