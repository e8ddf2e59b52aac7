"""Runs on a real local ray cluster: the same lines come out, though a node is killed in the middle."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import main
from benchmarks.results_file import from_line

ROOT = Path(__file__).parents[2]
WORDS = ["--suite", "nguyen", "--method", "linear", "--time-limit", "1", "--seeds", "0,1"]


def lines_of(path):
    """What a line says, without what depends on the clock and the place."""
    results = [from_line(line) for line in path.read_text().splitlines()]
    return sorted((r.suite, r.problem, r.method, r.seed, r.equation, r.strict, r.srbench, r.error) for r in results)


@pytest.mark.timeout(280)
@pytest.mark.slow  # a cluster of processes takes most of a minute
def test_the_same_lines_come_from_a_cluster_that_loses_a_node(tmp_path):
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    assert main(["run", *WORDS, "--jobs", "2", "--out", str(here)]) == 0
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, str(ROOT / "tests/benchmarks/cluster_run.py"), str(there), *WORDS]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert answer.returncode == 0, answer.stderr[-2000:]
    nodes, lines_then = re.search(r"nodes left: (\d+), lines when one was lost: \[(\d+)\]", answer.stdout).groups()
    assert int(nodes) == 1
    assert len(lines_of(here)) == 24
    assert 0 < int(lines_then) < 24
    assert lines_of(there) == lines_of(here)
    assert {from_line(line).machine["cores_per_run"] for line in there.read_text().splitlines()} == {1}


def test_a_cluster_that_is_not_there_is_one_line(tmp_path, capsys):
    code = main(["run", *WORDS, "--cluster", "127.0.0.1:1", "--out", str(tmp_path / "x.jsonl")])
    assert code == 2
    assert "no ray cluster at '127.0.0.1:1'" in capsys.readouterr().err
