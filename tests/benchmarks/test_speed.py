"""The parts of the speed table that need no clock."""

from __future__ import annotations

import json

import numpy as np
import pytest

import benchmarks.speed
from benchmarks.__main__ import main
from benchmarks.speed.kernel import NAMES, TREES, call_numpy
from benchmarks.speed.row import Row, geometric_mean, is_reached, race
from benchmarks.speed.search import prepare
from mosaic_sr import evaluate_expression, parse


@pytest.mark.parametrize("line", TREES.read_text().splitlines())
def test_numpy_computes_the_same_tree(line):
    columns = np.random.default_rng(0).uniform(0.5, 2.0, (3, 50))
    tree = parse(line, NAMES)
    np.testing.assert_allclose(call_numpy(tree, columns)(), evaluate_expression(tree, columns), rtol=1e-9)


def test_a_goal_speaks_of_the_ratio_or_else_of_our_figure():
    assert is_reached(Row("a", 2.0, 10.0, 5.0, ">= 5")) is True
    assert is_reached(Row("a", 2.0, goal="<= 1.2")) is False
    assert is_reached(Row("a", 2.0)) is None


def test_the_mean_of_a_ratio_and_its_inverse_is_one():
    assert geometric_mean([4.0, 0.25]) == pytest.approx(1.0)


def test_a_race_repeats_every_action():
    counts = [0, 0]

    def action(index):
        def repeat(times):
            counts[index] += times

        return repeat

    assert all(seconds >= 0.0 for seconds in race([action(0), action(1)], target=1e-5, rounds=2))
    assert min(counts) > 2


def test_the_search_on_the_clock_has_paths_and_does_not_end():
    search = prepare(num_rows=60)
    figures = search.run(1, 2)
    assert figures.fitted > 0.0
    assert figures.screened >= figures.fitted
    assert 0.0 < figures.python_share < 1.0


def test_the_file_says_where_its_rows_come_from(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(benchmarks.speed, "PARTS", {"one": lambda: iter([Row("a", 2.0, 10.0, 5.0, ">= 5")])})
    assert main(["speed", "--json", str(tmp_path / "speed.json")]) == 0
    content = json.loads((tmp_path / "speed.json").read_text())
    assert content["commit"]
    assert content["machine"]["cores"] >= 1
    assert [row["ratio"] for row in content["rows"]] == [5.0]
    assert " ok" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--json", "nowhere/speed.json"], ["--only", "everything"]])
def test_misuse_is_one_line(words, capsys):
    assert main(["speed", *words]) == 2
    assert capsys.readouterr().err.startswith("error: ")
