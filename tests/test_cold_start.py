"""The first use of a version, which compiles: Ctrl-C at any moment of it ends as Ctrl-C does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

NUM_MOMENTS = 30
# An interrupted search hands over its law; without one it ends as the shell expects. Before the command line is there,
# Python ends itself by the signal, which a shell shows as 130, too.
LAW, INTERRUPTED, NOT_THERE_YET = 0, 130, -signal.SIGINT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(0.5, 3.0, size=(60, 2)), columns=["a", "b"])
    frame["y"] = np.exp(-frame["a"] * frame["b"]) + frame["a"] ** 1.7 + 0.05 * rng.normal(size=60)
    frame.to_csv(tmp_path / "data.csv", index=False)
    return tmp_path


def start(folder: Path, cache: str) -> subprocess.Popen[str]:
    words = ["fit", "data.csv", "--target", "y", "--time-limit", "5", "-q"]
    return subprocess.Popen(
        [sys.executable, "-m", "mosaic_sr.cli", *words],
        cwd=folder,
        env={**os.environ, "MOSAIC_CACHE_DIR": str(folder / cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_hear_ctrl_c,
    )


def _hear_ctrl_c() -> None:
    """A shell lets what it runs in the background ignore Ctrl-C, and children do as their parents."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def end_group(process: subprocess.Popen[str]) -> None:
    """End the process and the one that compiles beside it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def run(folder: Path, cache: str) -> float:
    """The seconds of a run that nobody interrupts."""
    started, process = time.monotonic(), start(folder, cache)
    _, said = process.communicate(timeout=1500)
    end_group(process)
    assert process.returncode == LAW, said
    return time.monotonic() - started


def interrupt(folder: Path, cache: str, moment: float, whole_group: bool) -> tuple[int, str, float]:
    """Exit code, standard error and seconds from Ctrl-C to the end; a terminal sends it to the whole group."""
    process = start(folder, cache)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=moment)
    with suppress(ProcessLookupError):  # a faster one than the first has ended by itself
        (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    sent = time.monotonic()
    _, said = process.communicate(timeout=1500)
    end_group(process)
    return process.returncode, said, time.monotonic() - sent


@pytest.mark.slow  # thirty searches that compile everything anew
@pytest.mark.timeout(7200)
def test_ctrl_c_at_any_moment_of_a_cold_compilation_ends_as_ctrl_c(folder: Path):
    seconds = run(folder, "whole")
    moments = (np.arange(NUM_MOMENTS) + np.random.default_rng(0).random(NUM_MOMENTS)) / NUM_MOMENTS * seconds
    endings = []
    for number, moment in enumerate(moments):
        code, said, late = interrupt(folder, f"cache{number}", moment, whole_group=number % 2 == 0)
        endings.append(code)
        print(f"Ctrl-C after {moment:.1f} of {seconds:.1f} s: exit code {code}, {late:.1f} s later", flush=True)
        assert code in (LAW, INTERRUPTED, NOT_THERE_YET), (moment, code, said)
        assert code == NOT_THERE_YET or "Traceback" not in said, (moment, said)
    assert INTERRUPTED in endings
    # What the interrupted ones have left is as good as what they would have made.
    run(folder, f"cache{NUM_MOMENTS // 2}")
