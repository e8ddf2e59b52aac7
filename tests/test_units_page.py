"""The examples of docs/units.md run, and print what the page shows."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from mosaic_sr.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "units.md"
BLOCKS = re.findall(r"```(console|python)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def run(words, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["mosaic", *words])
    with pytest.raises(SystemExit):
        main()
    printed = capsys.readouterr()
    return printed.out + printed.err


def test_the_examples_of_the_page_run_and_print_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for kind, text in BLOCKS:
        if kind == "python":
            exec(compile(text, str(PAGE), "exec"), names)
            continue
        for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
            printed = run(shlex.split(command)[1:], monkeypatch, capsys)
            for line in (line.removesuffix("...") for line in shown.splitlines()):
                assert line in printed
    assert names["model"].law_.text(precision=4) == "2*pi*sqrt(length/gravity)"
    assert names["found"].constants_["unit"].tolist() == ["m/s^2"]
