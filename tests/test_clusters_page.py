"""The examples of docs/clusters.md run; those of ray and dask where these are installed."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from test_checking_page import run

PAGE = Path(__file__).parents[1] / "docs" / "clusters.md"
BLOCKS = dict(re.findall(r"```(console|python|python ray|python dask)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL))


def run_example(kind, names, address=""):
    exec(compile(re.sub(r"10\.0\.0\.1:\d+", address, BLOCKS[kind]), str(PAGE), "exec"), names)
    return names


def few_rows():
    x = np.linspace(1.0, 5.0, 30)
    return {"X": x[:, None], "y": 3.0 * x**2}


def test_the_page_finds_the_same_law_in_threads_and_processes():
    names = run_example("python", {})
    assert names["in_processes"].evaluations_ == names["here"].evaluations_ > 100


@pytest.mark.slow  # a cluster of processes takes most of a minute
@pytest.mark.timeout(600)
def test_the_examples_with_ray_run(tmp_path, monkeypatch, capsys):
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    rows = few_rows()
    lines = [f"{x},{y}" for x, y in zip(rows["X"][:, 0], rows["y"], strict=True)]
    (tmp_path / "table.csv").write_text("\n".join(["x,y", *lines]) + "\n")
    monkeypatch.chdir(tmp_path)
    head = {"num_cpus": 2, "include_dashboard": False}
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args=head)
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)  # what `auto` reads first
    try:
        assert run_example("python ray", rows)["model"].law_.is_exact
        commands = re.findall(r"^\$ mosaic (.+)$", BLOCKS["console"].replace("10.0.0.1:6379", cluster.address), re.M)
        assert len(commands) == 2
        for command in commands:
            assert "y = 3*x^2" in run(shlex.split(command), monkeypatch, capsys)
    finally:
        cluster.shutdown()


@pytest.mark.slow  # a cluster of processes takes most of a minute
@pytest.mark.timeout(600)
def test_the_example_with_dask_runs():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        names = run_example("python dask", few_rows() | run_example_imports(), cluster.scheduler_address)
        names["client"].close()
    assert names["model"].law_.is_exact


def run_example_imports():
    from mosaic_sr import MosaicRegressor

    return {"MosaicRegressor": MosaicRegressor}
