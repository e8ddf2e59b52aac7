"""The examples of README.md run: its commands on small tables that have the columns they name."""

import shlex

import numpy as np
import pandas as pd
import pytest
from shown_pages import COMMAND, FEW, SLOW, QuickRegressor, blocks_of, quick_words

import mosaic_sr
from mosaic_sr.cli.examples import run_example
from tests.test_checking_page import run

# What is not ours to run: installing, developing, measuring.
OTHERS = ("pip", "make", "python")
rng = np.random.default_rng(0)
x, z = rng.uniform(1.0, 4.0, (2, 40))
noise = 1.0 + 0.01 * rng.normal(size=40)
GENERAL = {"x": x, "z": z, "y": 2.5 * x / (1.5 + x) * noise}
# By what a command has: the table that suits it and the options that make its search short.
TABLES = {
    "--units": ({"L": x, "g": z, "T": 2 * np.pi * np.sqrt(x / z)}, []),
    "--template": ({"S": x, "I": z, "T": x + z, "v": 3 * x / (2 + x) / (1 + z**2 / 3) * (x + z)}, []),
    "--groups": ({"x": x, "patient": ["p", "q"] * 20, "y": np.tile([2.0, 3.0], 20) * x}, ["--guess", "a*x"]),
    "--constraint": ({"t": x, "T": z, "y": 3 * x * z}, ["--guess", "a*t*T"]),
    "--x-sigma": ({**GENERAL, "y_err": 0.01 + 0 * x, "x_err": 0.02 + 0 * x}, ["--guess", "a*x/(b + x)"]),
    "--target a,b": ({"x": x, "a": 2 * x, "b": x**2}, []),
    "sech": ({"x": x, "y": 2 / np.cosh(x)}, ["--guess", "a*sech(x)"]),
    # Two guesses beside the mean: one command asks for the third equation of the front.
    "": (GENERAL, ["--guess", "a*x/(b + x)", "--guess", "a + b*x"]),
}
SHORT = ["--without", ",".join(SLOW), "--max-evaluations", str(FEW), "--no-picture"]


def prepared(command):
    """The words of a command and the table that it reads."""
    words = shlex.split(command, comments=True)[1:]
    columns, options = next(value for key, value in TABLES.items() if key in command)
    if words[0] != "fit" or words[1] != "data.csv":
        return quick_words(words), columns
    # Exact laws are found at once; a template searches its unknowns.
    is_short = options or "--template" in words
    return [*words, *(options + SHORT if is_short else ["--no-picture"])], columns


def test_the_commands_of_the_readme_run(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    commands = [one for kind, text in blocks_of("README.md") if kind == "console" for one, _ in COMMAND.findall(text)]
    own = [command for command in commands if not command.startswith(OTHERS)]
    for command in own:
        words, columns = prepared(command)
        pd.DataFrame(columns).to_csv("data.csv", index=False)
        pd.DataFrame(GENERAL).head().to_csv("new.csv", index=False)
        run(words, monkeypatch, capsys)
    assert len(own) >= 20
    assert {"law.json", "law.html", "law.png", "out.csv", "run"} <= {path.name for path in tmp_path.iterdir()}


def test_the_python_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mosaic_sr, "MosaicRegressor", QuickRegressor)
    run_example(tmp_path, "clean", is_forced=False)
    names = {}
    first, *others = [text for kind, text in blocks_of("README.md") if kind == "python"]
    exec(compile(first, "README.md", "exec"), names)
    assert "2*pi*sqrt(length/gravity)" in capsys.readouterr().out
    for text in others:
        exec(compile(text, "README.md", "exec"), names)
    assert (tmp_path / "law.html").exists()
    assert len(names["std"]) == len(names["X_new"])
