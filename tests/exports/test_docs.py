"""The examples of docs/exports.md do what the page shows."""

import re
import sys
from pathlib import Path

import pytest

from mosaic_sr.cli import main
from mosaic_sr.exports import LANGUAGES

PAGE = (Path(__file__).parents[2] / "docs" / "exports.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)


def printed(command, monkeypatch, capsys):
    """What a command prints."""
    monkeypatch.setattr(sys, "argv", command.split())
    capsys.readouterr()
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_the_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    languages = []
    for language, text in BLOCKS:
        languages.append(language)
        if language == "console":
            for part in text.removeprefix("$ ").split("\n$ "):
                command, _, expected = part.partition("\n")
                assert not expected.strip() or printed(command, monkeypatch, capsys).strip() == expected.strip()
                assert expected.strip() or printed(command, monkeypatch, capsys)
        else:
            capsys.readouterr()
            exec(compile(text, "page", "exec"), {})
            shown = capsys.readouterr().out
            for words in ("double law(double length, double gravity)", "def T(length, gravity):", "value = period("):
                assert words in shown
            assert "Equation(2*pi*sqrt(length/gravity), complexity 6, loss " in shown
    assert languages == ["console", "python"]


def test_every_language_has_its_lines_in_both_tables():
    first, second = PAGE.split("## Names")
    for language in LANGUAGES:
        assert f"| `{language}` |" in first
        assert f"`{language}`" in second.split("## Values")[1] or language == "latex"
