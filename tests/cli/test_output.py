"""What the command writes: a law reaches its files whatever becomes of standard output, and the other way round."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from same_process import refusal

from mosaic_sr.cli.signals import signals_like_ctrl_c

EXAMPLE = Path(__file__).parents[2] / "examples" / "pendulum.csv"
LAW = "6.283185307179586*sqrt(length/gravity)"
COMMAND = (sys.executable, "-m", "mosaic_sr.cli")
FIT = (*COMMAND, "fit", str(EXAMPLE), "--target", "period", "--json", "law.json", "--output", "run")


def told(done):
    """What was said on standard error, but for the compilation."""
    return [line for line in done.stderr.splitlines() if "compiling" not in line]


def into(stdout, command, folder):
    return subprocess.run(
        command, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=240, cwd=folder, check=False
    )


@pytest.fixture
def closed_pipe():
    """A pipe whose reader has gone away, as `head` does."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@pytest.mark.parametrize("words", [("-q",), ()])
def test_who_reads_no_more_ends_the_command_quietly_and_the_files_are_written(words, closed_pipe, tmp_path):
    done = into(closed_pipe, (*FIT, *words), tmp_path)
    assert (done.returncode, told(done)) == (1, [])
    for file in ("law.json", "run/law.json"):
        assert json.loads((tmp_path / file).read_text())["equation"] == LAW


@pytest.mark.parametrize("words", [("-q",), ()])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_behind_standard_output_is_told_and_the_files_are_written(words, tmp_path):
    with Path("/dev/full").open("w") as full:
        done = into(full, (*FIT, *words), tmp_path)
    assert done.returncode == 1
    assert told(done) == ["mosaic: cannot write to standard output: No space left on device"]
    for file in ("law.json", "run/law.json"):
        assert json.loads((tmp_path / file).read_text())["equation"] == LAW


def test_other_commands_end_quietly_and_tell_a_full_disk_too(closed_pipe, tmp_path):
    done = into(closed_pipe, (*COMMAND, "--help"), tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w") as full:
            assert "No space left" in into(full, (*COMMAND, "--version"), tmp_path).stderr


def link(path):
    path.symlink_to("real.csv")


@pytest.mark.parametrize(("make", "message"), [(link, "symbolic link"), (os.mkfifo, "pipe")])
def test_outputs_that_are_no_plain_files_are_refused_before_the_work(make, message, tmp_path, monkeypatch, capsys):
    make(tmp_path / "out")
    (tmp_path / "run").mkdir()
    make(tmp_path / "run" / "law.json")
    for words in (
        ("fit", EXAMPLE, "--target", "period", "--json", "out"),
        ("fit", EXAMPLE, "--target", "period", "--output", "run"),
        ("constants", "a*length", EXAMPLE, "--target", "period", "--json", "out"),
    ):
        code, said = refusal(words, tmp_path, monkeypatch, capsys)
        assert code == 2
        assert message in said


def test_signals_that_are_ignored_or_heard_by_somebody_stay_so():
    def own(number, frame):
        pass

    before = [signal.signal(signal.SIGTERM, own), signal.signal(signal.SIGHUP, signal.SIG_IGN)]
    try:
        with signals_like_ctrl_c():
            assert signal.getsignal(signal.SIGTERM) is own
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGHUP, before[1])


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_is_heard_as_ctrl_c_and_only_inside(name):
    number = getattr(signal, name)
    with pytest.raises(KeyboardInterrupt, match=name), signals_like_ctrl_c():
        signal.raise_signal(number)
    assert signal.getsignal(number) == signal.SIG_DFL


IMPORT = """
import signal
before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
import numpy as np
from mosaic_sr import MosaicRegressor
X = np.random.default_rng(0).uniform(1.0, 2.0, size=(30, 1))
during = []
class Listening(MosaicRegressor):
    def _adopt(self, outcome):
        during.extend(signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
        super()._adopt(outcome)
Listening(random_state=0, time_limit=20).fit(X, 2 * X[:, 0])
assert before == during
"""


def test_the_estimator_leaves_the_handlers_of_its_host_alone():
    subprocess.run([sys.executable, "-c", IMPORT], check=True, timeout=240)
