"""The examples of docs/constraints.md run, and print what the page shows; its table of statements can be read."""

import re
import shlex
from functools import partial
from pathlib import Path

import numpy as np

import mosaic_sr
from mosaic_sr import MosaicRegressor
from mosaic_sr.constraints import read_constraint
from tests.test_checking_page import check_shown, run

PAGE = Path(__file__).parents[1] / "docs" / "constraints.md"
# One proposer is enough for what the examples show.
GUESS, SLOW = "a*exp(-b*t)", ("finders", "prior", "enumeration", "grammar")
BRIEFLY = ("--guess", GUESS, "--without", ",".join(SLOW))
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_examples_of_the_page_run_and_print_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mosaic_sr, "MosaicRegressor", partial(MosaicRegressor, guesses=[GUESS], without=SLOW))
    t, noise = np.linspace(0.0, 6.0, 40), 0.06 * np.random.default_rng(1).normal(size=40)
    signal = 2.0 * np.exp(-0.8 * t) + noise
    rows = [f"{a:.4f},{b:.4f}" for a, b in zip(t, signal, strict=True)]
    (tmp_path / "decay.csv").write_text("\n".join(["t,signal", *rows]) + "\n")
    names, commands = {}, 0
    for kind, text in re.findall(r"```(console|python)\n(.*?)```", TEXT, re.DOTALL):
        if kind == "python":
            exec(compile(text, str(PAGE), "exec"), names)
            continue
        for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
            words = [*shlex.split(command)[1:], "--max-evaluations", "2", "--no-picture", *BRIEFLY]
            check_shown(shown, run(words, monkeypatch, capsys))
            commands += 1
    assert commands == 2
    assert set(names["model"].constraints_.verdict) <= {"proved", "held"}
    assert len(names["cheap"].equations_) > 0


def test_every_statement_of_the_page_can_be_read():
    table = TEXT.partition("| text | the law")[2].partition("\n\n")[0]
    texts = [text for line in table.splitlines()[2:] for text in re.findall(r"`([^`]+)`", line.split("|")[1])]
    assert len(texts) > 20
    for text in texts:
        assert read_constraint(text).text == text
