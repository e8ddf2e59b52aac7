"""The examples of docs/errors-and-losses.md run, and print what the page shows."""

import re
import shlex
from functools import partial
from pathlib import Path

import mosaic_sr
from tests.test_checking_page import check_shown, run

PAGE = Path(__file__).parents[1] / "docs" / "errors-and-losses.md"
BLOCKS = re.findall(r"```(console|python)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
# A search for each example would take a minute: with the law as a guess all else is as on the page.
GUESSES = ["a + b*x", "a*exp(-b*time)", "a*energy^b", "0.5*m*v^2", "m*v"]
SLOW = ["finders", "prior", "enumeration", "grammar"]
GUESS_OF = {"line.csv": [0], "dose.csv": [1], "events.csv": [2], "motion.csv": [3, 4]}


def quick_words(words):
    if words[1] != "fit":
        return words[1:]
    guesses = [word for place in GUESS_OF[words[2]] for word in ("--guess", GUESSES[place])]
    return [*words[1:], *guesses, "--without", ",".join(SLOW), "--max-evaluations", "2", "--no-picture"]


class QuickRegressor(mosaic_sr.MosaicRegressor):
    """The estimator of the page with the guess that suits its columns."""

    def fit(self, X, y, *others, **named):
        known = [place for place, name in enumerate(("x", "time", "energy", "m", "v")) if name in X.columns]
        self.guesses = [GUESSES[place] for place in known]
        return super().fit(X, y, *others, **named)


def test_the_examples_of_the_page_run_and_print_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mosaic_sr, "MosaicRegressor", partial(QuickRegressor, without=SLOW, max_evaluations=2))
    names, commands = {}, 0
    for kind, text in BLOCKS:
        if kind == "python":
            exec(compile(text, str(PAGE), "exec"), names)
            capsys.readouterr()
            continue
        for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
            check_shown(shown, run(quick_words(shlex.split(command)), monkeypatch, capsys))
            commands += 1
    assert commands == 5
    assert [str(law) for law in names["both"].law_] == ["0.5*m*v^2", "m*v"]
    assert 0.7 < names["model"].chi2_.per_dof / 46.7 < 1.4
    assert (tmp_path / "law.energy.json").exists()
