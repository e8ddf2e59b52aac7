"""Names of laws on the command line, from noisy tables to the printed line and the law file."""

import json
import re

import numpy as np
import pytest
from same_process import mosaic


def printed_by(*words, cwd):
    done = mosaic(*words, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write(path, head, *columns):
    np.savetxt(path, np.column_stack(columns), fmt="%.4g", delimiter=",", header=head, comments="")


def named_line(printed):
    [line] = [line for line in printed.splitlines() if line.startswith("this is")]
    return line


@pytest.fixture
def growth(tmp_path):
    rng = np.random.default_rng(0)
    day = np.sort(rng.uniform(0.0, 30.0, 50))
    value = 96.0 / (1.0 + np.exp(-0.41 * (day - 12.4))) * (1.0 + 0.02 * rng.normal(size=50))
    write(tmp_path / "growth.csv", "day,population", day, value)
    return tmp_path


@pytest.mark.slow  # a whole search; the noisy example of the README is one too
def test_a_noisy_table_leads_to_a_named_law_with_errors(growth):
    printed = printed_by("fit", "growth.csv", "--target", "population", "--json", "law.json", cwd=growth)
    line = named_line(printed)
    assert line.startswith("this is: logistic growth, capacity ")
    capacity, rate, midpoint = (tuple(map(float, pair)) for pair in re.findall(r"([\d.]+) ± ([\d.]+)", line))
    for (value, error), truth in zip((capacity, rate, midpoint), (96.0, 0.41, 12.4), strict=True):
        assert abs(value - truth) < 5.0 * error < 0.1 * truth
    named = json.loads((growth / "law.json").read_text())["named"]
    assert (named["name"], named["field"]) == ("logistic growth", "ecology")
    assert line == f"this is: {named['sentence']}"
    assert named_line(printed_by("show", "law.json", cwd=growth)) == line


def test_named_forms_are_tried_on_request(tmp_path):
    rng = np.random.default_rng(1)
    temperature = rng.uniform(280.0, 360.0, 40)
    write(tmp_path / "rates.csv", "temperature,k", temperature, 3.2e9 * np.exp(-6400.0 / temperature))
    words = ("fit", "rates.csv", "--target", "k", "--try-named", "--time-limit", "10", "--json", "law.json")
    printed = printed_by(*words, cwd=tmp_path)
    assert "note: the forms of named laws were tried as guesses" in printed
    assert "Arrhenius law" in named_line(printed)
    assert json.loads((tmp_path / "law.json").read_text())["settings"]["guesses"] == ["named"]
