"""Runs that survive kill -9, other signals and time limits: an interrupted search ends as an uninterrupted one."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import MosaicRegressor, MosaicWarning
from mosaic_sr.kernel.jit import warm_up
from tests.speed import slowness

# Many rounds of refinement on a table without an exact law: seconds in which a signal can come, on any machine.
BUDGET = 100_000
# Without finders: paths that walk between their turns use up the budget before the walk that can be gone on from. The
# prior would have its say before that walk, once more in each process.
LIMITS = ("--max-evaluations", BUDGET, "--time-limit", 600, "--without", "finders,prior,enumeration")
FIT = ("fit", "data.csv", "--target", "y", *LIMITS, "-q")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("survival")
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.uniform(0.5, 3.0, size=(60, 2)), columns=["a", "b"])
    frame["y"] = np.exp(-frame["a"] * frame["b"]) + frame["a"] ** 1.7 + 0.05 * rng.normal(size=60)
    frame.to_csv(folder / "data.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def whole(folder):
    """What the search that nobody interrupts prints, and how many candidates it tries."""
    done = finished(folder, *FIT, "--json", "whole.json")
    evaluations = json.loads((folder / "whole.json").read_text())["evaluations"]
    assert evaluations >= BUDGET
    return done.stdout, evaluations


def start(folder, *words):
    command = [sys.executable, "-m", "mosaic_sr.cli", *map(str, words)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def finished(folder, *words):
    process = start(folder, *words)
    out, err = process.communicate(timeout=280)
    assert process.returncode == 0, err
    return subprocess.CompletedProcess(words, 0, out, err)


def wait_for_paths(folder, run, process):
    """Until the state holds search paths."""
    state = folder / run / "state.npz"
    while process.poll() is None and not (state.exists() and has_paths(state)):
        time.sleep(0.005)


def has_paths(state):
    with np.load(state) as arrays:
        return any("path." in name for name in arrays.files)


def kill(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return process.returncode


def check_resumed(folder, run, whole):
    done = finished(folder, *FIT, "--resume", run, "--n-jobs", 1, "--json", f"{run}.json")
    law, evaluations = whole
    assert done.stdout == law
    assert json.loads((folder / f"{run}.json").read_text())["evaluations"] == evaluations
    return done


def test_a_search_killed_in_refinement_goes_on_to_the_same_law(folder, whole):
    process = start(folder, *FIT, "--output", "killed")
    wait_for_paths(folder, "killed", process)
    assert kill(process) == -signal.SIGKILL
    refused = start(folder, *FIT, "--output", "killed")
    assert "--resume killed" in refused.communicate()[1]
    assert refused.returncode == 2
    check_resumed(folder, "killed", whole)


@pytest.mark.slow  # twenty searches, each in two processes
def test_searches_killed_at_twenty_moments_go_on_to_the_same_law(folder, whole):
    moments = np.random.default_rng(0).uniform(0.0, 1.0, size=20)
    for number, moment in enumerate(moments):
        process = start(folder, *FIT, "--output", f"run{number}")
        if number % 2:  # half of them in refinement, the others from the first moment on
            wait_for_paths(folder, f"run{number}", process)
        time.sleep(moment * (1 if number % 2 else 6))
        kill(process)
        (folder / f"run{number}").mkdir(exist_ok=True)  # the earliest have not come to make it
        check_resumed(folder, f"run{number}", whole)


# They are heard as Ctrl-C is; each takes a search and its going on.
SLOW_SIGTERM, SLOW_SIGHUP = (pytest.param(name, name, marks=pytest.mark.slow) for name in ("SIGTERM", "SIGHUP"))


@pytest.mark.parametrize(("number", "word"), [("SIGINT", "Ctrl-C"), SLOW_SIGTERM, SLOW_SIGHUP])
def test_a_signal_prints_the_best_so_far_and_the_search_can_go_on(number, word, folder, whole):
    process = start(folder, *FIT[:-1], "--output", number, "--json", f"{number}-stopped.json")
    wait_for_paths(folder, number, process)
    process.send_signal(getattr(signal, number))
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out.endswith(f"to continue, run the same command with --resume {number}\n")
    assert f"{word} ended the search before" in out
    assert "Traceback" not in err
    assert json.loads((folder / number / "law.json").read_text())["stopped_early"]
    assert json.loads((folder / f"{number}-stopped.json").read_text())["stopped_early"]
    check_resumed(folder, number, whole)


def test_a_time_limit_returns_the_best_so_far_in_time(folder, monkeypatch):
    # The processor's seconds, because others may be at work on the machine.
    monkeypatch.setattr("mosaic_sr.preparation.time_without_compiling", time.process_time)
    frame = pd.read_csv(folder / "data.csv")
    warm_up(lambda message: None)
    model = MosaicRegressor(time_limit=1.0, random_state=0)
    with pytest.warns(MosaicWarning, match="stopped early"):
        model.fit(frame[["a", "b"]], frame["y"])
    assert model.stopped_early_
    assert model.outcome_.seconds < 1.0 + 2.0 * slowness()  # a second late; the other one is for busy machines


def test_two_threads_find_what_one_finds_interrupted_or_not(folder, whole):
    frame = pd.read_csv(folder / "data.csv")
    model = MosaicRegressor(
        max_evaluations=BUDGET, without=["finders", "prior", "enumeration"], random_state=0, n_jobs=1
    )
    model.fit(frame[["a", "b"]], frame["y"])
    written = json.loads((folder / "whole.json").read_text())
    assert (model.law_.text(), model.evaluations_) == (written["equation"], written["evaluations"])
