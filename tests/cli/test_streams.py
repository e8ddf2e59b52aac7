"""Pipes, standard input, process substitution and workbooks as processes see them; every command reads them."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "table"))
from workbooks import write_workbook

MOSAIC = f"{shlex.quote(sys.executable)} -m mosaic_sr.cli"
ROWS = "x,y\n1,2.5\n2,5\n3,7.5\n4,10\n"
FITTED = "  a  2.5"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(ROWS)
    write_workbook(tmp_path / "t.xlsx", data=[["x", "y"], [1, 2.5], [2, 5], [3, 7.5], [4, 10]])
    return tmp_path


def shell(line, cwd, **options):
    command = ["bash", "-c", line.replace("mosaic", MOSAIC)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=cwd, check=False, **options)


@pytest.mark.parametrize(
    "line",
    [
        "cat t.csv | mosaic constants 'a*x' - --target y",
        "cat t.csv | mosaic constants 'a*x' /dev/stdin --target y",
        "mosaic constants 'a*x' - --target y < t.csv",
        "mosaic constants 'a*x' <(cat t.csv) --target y",
        "mkfifo pipe; (cat t.csv > pipe &); mosaic constants 'a*x' pipe --target y",
        "mosaic constants 'a*x' t.xlsx --target y",
        "cat t.xlsx | mosaic constants 'a*x' - --target y",
        "mosaic constants 'a*x' <(cat t.xlsx) --target y",
    ],
)
def test_constants_reads_streams_and_workbooks(line, folder):
    done = shell(line, folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert FITTED in done.stdout


def test_fit_predict_and_show_read_streams_and_workbooks(folder):
    limits = "--target y --without finders,prior,enumeration,grammar --guess 'a*x' --max-evaluations 20 -q"
    done = shell(f"mosaic fit - --validation <(cat t.csv) {limits} --json law.json < t.xlsx", folder)
    assert (done.returncode, done.stdout) == (0, "2.5*x\n"), done.stderr
    done = shell("mosaic predict <(cat law.json) - < t.xlsx", folder)
    assert done.stdout.split() == ["y", "2.5", "5.0", "7.5", "10.0"]
    assert "y = 2.5*x\n" in shell("cat law.json | mosaic show -", folder).stdout


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("mosaic constants 'a*x' - --target y < /dev/null", "standard input: the file is empty"),
        ("mosaic constants 'a*x' - --target y <&-", "standard input is closed"),
        ("mosaic constants 'a*x' /dev/zero --target y", "/dev/zero: this is a device"),
        ("mosaic fit - --validation /dev/stdin --target y < t.csv", "standard input can be read only once"),
        ("mosaic show /dev/zero", "this is a device"),
        ("mosaic predict none.json -", "none.json: no such file"),
        ("head -c 300 t.xlsx | mosaic constants 'a*x' - --target y", "standard input: not a readable workbook"),
        ("printf 'x,y\\nm,zz\\n1,2\\n' | mosaic fit - --target y", "one row (1 sample)"),
    ],
)
def test_bad_streams_are_refused_in_one_line(line, message, folder):
    done = shell(line, folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_pipe_that_nobody_writes_into_is_not_waited_for_for_ever(folder):
    os.mkfifo(folder / "pipe")
    short = "from mosaic_sr import inputs; inputs.SECONDS_FOR_WRITER = 0.2; from mosaic_sr.cli import main; main()"
    words = ["constants", "a*x", "pipe", "--target", "y"]
    done = subprocess.run(
        [sys.executable, "-c", short, *words], capture_output=True, text=True, timeout=120, cwd=folder, check=False
    )
    assert done.returncode == 2
    assert "no program wrote to this pipe" in done.stderr


def test_ctrl_c_ends_the_wait_for_a_pipe(folder):
    os.mkfifo(folder / "pipe")
    told = "import sys; from mosaic_sr import inputs, cli; wait = inputs.select.select\n"
    told += "def select(*_):\n    print('waiting', flush=True)\n    return wait([], [], [], 200)\n"
    told += "inputs.select.select = select\ncli.main()"
    command = [sys.executable, "-c", told, "constants", "a*x", "pipe", "--target", "y"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert "Traceback" not in process.stderr.read()


def test_a_terminal_is_no_table(folder):
    ours, theirs = os.openpty()
    try:
        done = shell("mosaic constants 'a*x' - --target y", folder, stdin=theirs)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 2
    assert "standard input is a terminal" in done.stderr
