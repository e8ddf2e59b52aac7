"""Searches on a real local ray cluster: a node is lost and another joins, and the law is the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mosaic_sr.cli import main

HERE = Path(__file__).parent


@pytest.mark.timeout(600)
@pytest.mark.slow  # a cluster of processes takes most of a minute
def test_a_search_takes_the_same_course_on_a_cluster_that_loses_a_node_and_gains_another():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, str(HERE / "ray_search.py")]
    answer = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert answer.returncode == 0, answer.stderr[-2000:]
    told = json.loads(answer.stdout.splitlines()[-1])
    assert told["there"] == told["here"]
    assert len(told["here"]) > 40
    # Two of the first nodes and the one that joined.
    assert len(told["busy"]) == 3
    assert told["joined"][0] in told["busy"]
    assert told["lost"] not in told["busy"]


def test_a_cluster_that_is_not_there_is_one_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "t.csv").write_text("x,y\n1,2\n2,4\n3,6\n4,8\n")
    monkeypatch.setattr(
        sys, "argv", ["mosaic", "fit", str(tmp_path / "t.csv"), "--target", "y", "--cluster", "127.0.0.1:1"]
    )
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 2
    assert "no ray cluster at '127.0.0.1:1'" in capsys.readouterr().err
