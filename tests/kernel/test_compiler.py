"""The door to numba: which of its interfaces makes machine code, and that both make the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from kernel_reference import IS_COMPILED

from mosaic_sr.kernel import compiler, jit

pytestmark = pytest.mark.skipif(not IS_COMPILED, reason="compilation is switched off")

UNKNOWN = "99.0.0"
PROBED = """
import numpy as np
from mosaic_sr.kernel import compiler, probe
table = np.arange(12.0).reshape(3, 4)
table.flags.writeable = False
print(compiler.maker().__name__, probe.probe(table))
"""
PENDULUM = Path(__file__).parents[2] / "examples" / "pendulum.csv"


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """No choice of the user, no verdict of before, and notes that are nobody else's."""
    monkeypatch.delenv(jit.PLAIN, raising=False)
    monkeypatch.setenv("MOSAIC_CACHE_DIR", str(tmp_path / "cache"))
    compilation = jit.Compilation()
    monkeypatch.setattr(compiler, "COMPILATION", compilation)
    return compilation


def run(code, **variables):
    done = subprocess.run([sys.executable, *code], env={**os.environ, **variables}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_internals_of_tested_releases_are_used_without_a_trial(fresh, monkeypatch):
    monkeypatch.setattr(compiler, "_run_probe", None)
    assert all(compiler.uses_internals(f"{release}.1") for release in compiler.TESTED)
    assert fresh.notes == []


@pytest.mark.parametrize("works", [True, False])
def test_the_internals_of_another_release_are_tried_once(works, fresh, monkeypatch):
    trials = []
    monkeypatch.setattr(compiler, "_run_probe", lambda: trials.append(1) or works)
    assert [compiler.uses_internals(UNKNOWN) for _ in range(2)] == [works, works]
    assert len(trials) == 1
    assert [UNKNOWN in note for note in fresh.notes] == ([] if works else [True])


@pytest.mark.parametrize(("choice", "uses"), [("1", False), ("0", True)])
def test_the_user_can_choose(choice, uses, fresh, monkeypatch):
    monkeypatch.setenv(jit.PLAIN, choice)
    assert compiler.uses_internals(UNKNOWN) is uses


def test_the_installed_numba_passes_the_trial():
    assert compiler._run_probe()


def test_a_trial_that_dies_is_not_passed(monkeypatch, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import os; os._exit(3)", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    assert not compiler._run_probe()


def test_the_documented_interface_gives_the_same_number():
    assert run(["-c", PROBED], **{jit.PLAIN: "1"}).split() == ["mosaic_sr.kernel.plain_numba", "29.5"]


def test_no_second_process_compiles_what_is_not_kept(monkeypatch):
    monkeypatch.setattr(jit, "_compiler", lambda: SimpleNamespace(KEEPS_CODE=False))
    monkeypatch.setattr(jit, "_HELPERS", [])
    monkeypatch.setattr(jit, "ENTRY_POINTS", [SimpleNamespace(is_slow=True, is_kept=lambda: False)])
    jit.compile_beside()
    assert jit._HELPERS == []


@pytest.mark.slow  # the whole kernel is compiled by the documented interface, which keeps nothing
@pytest.mark.timeout(3600)
def test_the_documented_interface_finds_the_same_law(tmp_path):
    laws = []
    for choice in ("0", "1"):
        words = ["-m", "mosaic_sr.cli", "fit", str(PENDULUM), "--target", "period", "--seed", "0", "-q"]
        words += ["--json", str(tmp_path / f"law{choice}.json")]
        laws.append(run(words, **{jit.PLAIN: choice}))
    assert laws[0] == laws[1] == "2*pi*sqrt(length/gravity)\n"
