"""The examples of pages: their blocks in order, run in one folder, each command checked against what the page shows."""

import re
import shlex
from pathlib import Path

import mosaic_sr
from tests.test_checking_page import check_shown, run

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(?P<kind>console|python|\{code-cell\} python)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
# What only the kernel of a notebook reads: tags of a cell and magic words.
NOT_PYTHON = re.compile(r"\A:tags:.*\n|^%.*\n", re.MULTILINE)
COMMAND = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
# A whole search for each example would take minutes: with the form of the law as a guess all else is as on the page.
GUESSES = {
    "substrate": "a*substrate/(b + substrate)",
    "minutes": "a + b*exp(-c*minutes)",
    "speed": "a*area*speed^2",
    "dose": "a*dose/(b + dose)",
    "s031": "a*s031*s074/(b + s117)",
    "x": "a + b*sech(c*x)",
}
FILES = {
    "enzyme.csv": "substrate",
    "cooling.csv": "minutes",
    "drag.csv": "speed",
    "sensors.csv": "s031",
    "pulse.csv": "x",
}
SLOW = ["finders", "prior", "enumeration", "grammar"]
# The mean and the guesses: no more is tried.
FEW = 2
# Lines that only a whole search prints as on the page.
OF_WHOLE_SEARCHES = ("probable", "certain", "rival", "more rows", "all ", "scatter ", ">>>>", "one of")


class QuickRegressor(mosaic_sr.MosaicRegressor):
    """The estimator of a page, with the form of the law as a guess where its search would take long."""

    def fit(self, X, y, *others, **named):
        known = [guess for name, guess in GUESSES.items() if name in getattr(X, "columns", ())]
        if known:
            self.guesses, self.without, self.max_evaluations = known, SLOW, FEW
        return super().fit(X, y, *others, **named)


def quick_words(words):
    """The words of a command, with a guess in place of a search that would take long."""
    name = FILES.get(words[1]) if words[0] == "fit" else None
    if name is None:
        return words
    given = [] if name == "x" and "sech" not in " ".join(words) else ["--guess", GUESSES[name]]
    kept = [word for place, word in enumerate(words) if "--max-evaluations" not in words[max(0, place - 1) : place + 1]]
    return [*kept, *given, "--without", ",".join(SLOW), "--max-evaluations", str(FEW), "--no-picture"]


def blocks_of(page):
    """Kind and text of each block of a page that is an example."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [(found["kind"], NOT_PYTHON.sub("", found["text"])) for found in BLOCK.finditer(text)]


def run_page(page, monkeypatch, capsys, names=None):
    """Run the blocks of a page; returns the names that its Python blocks leave, and the commands that were run."""
    monkeypatch.setattr(mosaic_sr, "MosaicRegressor", QuickRegressor)
    names, commands = {} if names is None else names, []
    for kind, text in blocks_of(page):
        if kind != "console":
            exec(compile(text, page, "exec"), names)
            _check_comments(text, capsys.readouterr().out)
            continue
        for command, shown in COMMAND.findall(text):
            words = shlex.split(command, comments=True)
            if words[:2] == ["pip", "install"]:
                continue
            assert words[0] == "mosaic", command
            printed = run(quick_words(words[1:]), monkeypatch, capsys)
            check_shown(_that_always_hold(shown), printed)
            commands.append(command)
    return names, commands


def _that_always_hold(shown):
    return "\n".join(line for line in shown.splitlines() if not line.startswith(OF_WHOLE_SEARCHES))


def _check_comments(text, printed):
    """What a comment says that `print` prints is printed, where it is a law or a list and not a sentence."""
    for said in re.findall(r"^print\(.*\)\s+# (.*)$", text, re.MULTILINE):
        if not re.search(r"[a-z] [a-z]", said) and not said[0].isdigit():
            assert said in printed.splitlines(), f"not printed: {said!r} in {printed!r}"
