"""The examples of docs/checking.md run, and print what the page shows."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from mosaic_sr.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "checking.md"
BLOCKS = re.findall(r"```(console|python)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
# With the law as a guess a search takes a moment, and all else is as on the page.
BRIEFLY = ["--guess", "a*substrate/(b + substrate)", "--max-evaluations", "2"]
BRIEFLY += ["--without", "finders,prior,enumeration,grammar"]
EARLY = "time,size\n1,1.9\n2,2.5\n3,3.3\n4,4.2\n5,5.4\n6,6.9\n7,8.9\n8,11.0\n"


def run(words, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["mosaic", *words])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 0, capsys.readouterr().err
    return capsys.readouterr().out


def pattern(line):
    """A shown line as a pattern: ... is any text, and numbers may differ in their digits."""
    parts = [re.sub(r"\d[\d.]*", r"[\\d.]+", re.escape(part).replace("\\.", ".")) for part in line.split("...")]
    return re.sub(r"(\\ )+", r"\\s+", ".*".join(parts))


def check_shown(shown, printed):
    """Every line that the page shows is in the output, in that order."""
    rest = printed.splitlines()
    for line in filter(str.strip, shown.splitlines()):
        if line.strip() == "...":
            continue
        found = next((place for place, own in enumerate(rest) if re.fullmatch(pattern(line), own)), None)
        assert found is not None, f"not printed: {line!r} in\n" + "\n".join(rest)
        rest = rest[found + 1 :]


def test_the_examples_of_the_page_run_and_print_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "early.csv").write_text(EARLY)
    (tmp_path / "new.csv").write_text("substrate,ph\n10,7\n60,7\n")
    names, commands = {}, 0
    for kind, text in BLOCKS:
        if kind == "python":
            exec(compile(text, str(PAGE), "exec"), names)
            continue
        for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
            words = shlex.split(command)
            assert words[0] == "mosaic"
            if words[1] == "fit":
                words += BRIEFLY
            check_shown(shown, run(words[1:], monkeypatch, capsys))
            commands += 1
    assert commands == 8
    assert {"checked", "found", "intervals"} <= names.keys()
