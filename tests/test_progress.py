"""What a person sees while the search runs."""

import io
import threading

import numpy as np
import pytest
from rich.console import Console

from mosaic_sr import progress
from mosaic_sr.budget import Budget, start_clock
from mosaic_sr.front import Front
from mosaic_sr.kernel.jit import COMPILATION
from mosaic_sr.pipeline import Snapshot
from mosaic_sr.preparation import Problem, prepare
from mosaic_sr.settings import SearchOptions
from mosaic_sr.table import Table


@pytest.fixture(autouse=True)
def nobody_told_yet(monkeypatch):
    monkeypatch.setattr(progress, "_has_told_of_compilation", threading.Event())


def test_compilation_is_one_line_in_a_log(capsys):
    for name in ("walk", "fit", "measure"):
        progress.print_compilation(f"compiling {name}, once per version")
    assert capsys.readouterr().err.count("\n") == 1


def test_compilation_is_one_changing_line_in_a_terminal(capsys):
    screen = io.StringIO()
    before = COMPILATION.report
    with progress._live(Console(file=screen, force_terminal=True), start_clock(Budget(1)), lambda snapshot: ""):
        COMPILATION.report("compiling walk, once per version")
        COMPILATION.report("compiling fit, once per version")
    assert "compiling fit" in screen.getvalue()
    assert "compiling walk" not in screen.getvalue()  # drawn over before it was seen
    # What is compiled after the lines are gone, to tidy the law, is no news.
    progress.print_compilation("compiling tidy, once per version")
    assert capsys.readouterr().err == ""
    assert COMPILATION.report is before


def test_compiling_takes_nothing_from_the_time_left(monkeypatch):
    options = SearchOptions(time_limit=60.0)
    X = np.random.default_rng(0).uniform(1.0, 2.0, size=(20, 1))
    problem = Problem(Table.from_arrays(X, np.sqrt(X[:, 0]), rng=np.random.default_rng(0)), ("x",), is_named=True)
    now = [1000.0]
    monkeypatch.setattr("mosaic_sr.kernel.jit.time.monotonic", lambda: now[0])
    clock = prepare(options, None, (1,), lambda rng: problem).clock
    snapshot = Snapshot("start", 0, 1, 0, Front(), Front(), None)
    with COMPILATION.timed():
        now[0] += 75.0
        assert "60 s left" in progress.describe(snapshot, clock, lambda snapshot: "")[0]
    now[0] += 5.0
    assert "55 s left" in progress.describe(snapshot, clock, lambda snapshot: "")[0]


def test_a_log_has_no_control_codes_whatever_the_environment_asks_for(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    snapshot = Snapshot("start", 0, 1, 0, Front(), Front(), None)
    with progress.live_progress(start_clock(Budget(1)), lambda snapshot: "") as observe:
        observe(snapshot)
    written = capsys.readouterr().err
    assert written.startswith("start · ")
    assert "\x1b" not in written


def test_nobody_sees_progress_outside_of_notebooks_without_asking():
    assert not progress.shows_progress(None)
    assert progress.shows_progress(True)
    assert not progress.shows_progress(False)
