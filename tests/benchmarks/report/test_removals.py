"""Trials without a part of a finder: only tables of both sides count, and lost and gained laws are named."""

import json

import pytest

from benchmarks.report.removals import read_trials, removal_sections
from benchmarks.results_file import to_line
from mosaic_sr import InvalidFile
from tests.benchmarks.result_lines import make_result


@pytest.fixture
def folder(tmp_path):
    own = tmp_path / "removals"
    own.mkdir()
    entry = {"part": "pure powers", "lines": 245, "verdict": "removed", "commit": "abc1234"}
    (own / "trials.json").write_text(json.dumps([{**entry, "before": "with.jsonl", "after": "without.jsonl"}]))
    with_part = [make_result("g-1", "generated"), make_result("g-2", "generated"), make_result("g-3", "generated")]
    noisy = make_result("m-1", "measured-31", strict=False, structure=True, seconds=3.0)
    without = [make_result("g-1", "generated", strict=False), make_result("g-2", "generated", seconds=1.0)]
    (own / "with.jsonl").write_text("".join(f"{to_line(line)}\n" for line in [*with_part, noisy]))
    (own / "without.jsonl").write_text("".join(f"{to_line(line)}\n" for line in [*without, noisy]))
    return tmp_path


def test_a_trial_counts_the_tables_of_both_sides(folder):
    (section,) = removal_sections(read_trials([folder]))
    row = "| pure powers | removed (abc1234) | - g-1 | 245 | 3 | 3 | 2 | 7 | 6 |"
    assert row in section.text.splitlines()


def test_a_folder_without_trials_has_no_section(tmp_path):
    assert removal_sections(read_trials([tmp_path])) == []


def test_a_damaged_line_is_refused(folder):
    with (folder / "removals" / "without.jsonl").open("a") as file:
        file.write('{"suite": \n')
    with pytest.raises(InvalidFile, match="run the command of this trial again"):
        read_trials([folder])
