"""`mosaic example`: eight tables, always the same, each with a command that fits it."""

import shlex

import pytest
from same_process import refusal

from mosaic_sr.cli.examples import EXAMPLES, run_example, run_list
from mosaic_sr.cli.source import Source
from mosaic_sr.errors import InvalidFile

SMALL = [one for one in EXAMPLES if one.name != "big"]


def test_there_are_eight_tables_and_the_list_names_each_with_its_command(capsys):
    run_list()
    listed = capsys.readouterr().out
    assert [one.name for one in EXAMPLES] == [
        "clean", "noisy", "few-rows", "outliers", "units", "groups", "many-columns", "big",
    ]  # fmt: skip
    for one in EXAMPLES:
        assert f"mosaic example {one.name} && mosaic fit {one.file} --target " in listed


@pytest.mark.parametrize("one", SMALL, ids=lambda one: one.name)
def test_a_table_is_written_and_can_be_read_with_its_command(one, tmp_path, capsys):
    run_example(tmp_path, one.name, is_forced=False)
    assert capsys.readouterr().out == f"wrote {tmp_path / one.file}; now run: {one.command}\n"
    assert (tmp_path / one.file).read_bytes() == one.content()  # drawn again: the seed is fixed
    words = shlex.split(one.command)
    target = words[words.index("--target") + 1]
    groups = words[words.index("--groups") + 1] if "--groups" in words else None
    source = Source(tmp_path / one.file, target, groups=groups)
    read = source.rows if groups is None else source.grouped_problem()
    assert read is not None


def test_the_big_table_is_written_on_request(tmp_path, monkeypatch):
    monkeypatch.setattr("mosaic_sr.cli.examples.BIG_ROWS", 1000)
    run_example(tmp_path, "big", is_forced=False)
    lines = (tmp_path / "plant.csv").read_text().splitlines()
    assert lines[0] == "temperature,pressure,flow,rate"
    assert len(lines) == 1001


def test_a_file_of_the_user_stays(tmp_path):
    (tmp_path / "drag.csv").write_text("mine")
    with pytest.raises(InvalidFile, match="already exists with other content"):
        run_example(tmp_path, "outliers", is_forced=False)
    assert (tmp_path / "drag.csv").read_text() == "mine"


def test_an_unknown_name_is_refused_with_those_known(tmp_path, monkeypatch, capsys):
    code, message = refusal(["example", "nothing"], tmp_path, monkeypatch, capsys)
    assert code == 2
    assert "the examples are clean, noisy, few-rows" in message
