"""The examples of docs/templates.md run, and print what the page shows."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from mosaic_sr.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "templates.md"
BLOCKS = re.findall(r"```(console|python)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def run(command, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 0, capsys.readouterr().err
    return capsys.readouterr().out.splitlines()


def test_the_examples_of_the_page_run_and_print_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for kind, text in BLOCKS:
        if kind == "python":
            exec(compile(text, str(PAGE), "exec"), names)
            printed = capsys.readouterr().out.splitlines()
            shown = re.findall(r"print\(.*\)\s+# (.*)", text)
            assert [line.strip() for line in shown] == printed[: len(shown)]
            continue
        command, *shown = text.strip().removeprefix("$ ").splitlines()
        printed = run(command, monkeypatch, capsys)
        assert [line for line in shown if line != "..."] == [line for line in printed if line in shown]
    values = {one.name: one.value for one in names["known"].law_.constants if one.name}
    assert values == pytest.approx({"k": 3.0, "c": 2.0, "d": 3.0, "a": 1.7})
