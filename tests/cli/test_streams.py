"""Pipes, standard input, process substitution and workbooks as processes see them; every command reads them."""

import os
import shlex
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
from same_process import mosaic

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


@contextmanager
def piped(content):
    """A pipe that holds these bytes and that nobody writes into any more."""
    reader, writer = os.pipe()
    os.write(writer, content)
    os.close(writer)
    try:
        yield reader
    finally:
        os.close(reader)


@contextmanager
def standard_input(source):
    """A file or a pipe in place of standard input."""
    kept = os.dup(0)
    os.dup2(source, 0)
    try:
        with os.fdopen(0, closefd=False) as stream, patch.object(sys, "stdin", stream):
            yield
    finally:
        os.dup2(kept, 0)
        os.close(kept)


def check_fitted(done):
    assert (done.returncode, done.stderr) == (0, "")
    assert FITTED in done.stdout


@pytest.mark.parametrize(
    "line", ["cat t.csv | mosaic constants 'a*x' - --target y", "mosaic constants 'a*x' <(cat t.xlsx) --target y"]
)
def test_a_shell_hands_streams_over(line, folder):
    check_fitted(shell(line, folder))


@pytest.mark.parametrize("word", ["-", "/dev/stdin"])
@pytest.mark.parametrize("file", ["t.csv", "t.xlsx"])
def test_what_is_piped_into_standard_input_is_read(word, file, folder):
    with piped((folder / file).read_bytes()) as pipe, standard_input(pipe):
        check_fitted(mosaic("constants", "a*x", word, "--target", "y", cwd=folder))


def test_a_file_as_standard_input_is_read(folder):
    with (folder / "t.csv").open() as file, standard_input(file.fileno()):
        check_fitted(mosaic("constants", "a*x", "-", "--target", "y", cwd=folder))


@pytest.mark.parametrize("file", ["t.csv", "t.xlsx"])
def test_pipes_with_a_number_and_workbooks_are_read(file, folder):
    check_fitted(mosaic("constants", "a*x", file, "--target", "y", cwd=folder))
    with piped((folder / file).read_bytes()) as pipe:
        check_fitted(mosaic("constants", "a*x", f"/dev/fd/{pipe}", "--target", "y", cwd=folder))


def test_a_pipe_with_a_name_is_read(folder):
    os.mkfifo(folder / "pipe")
    with subprocess.Popen(["bash", "-c", "cat t.csv > pipe"], cwd=folder):
        check_fitted(mosaic("constants", "a*x", "pipe", "--target", "y", cwd=folder))


def test_fit_predict_and_show_read_streams_and_workbooks(folder):
    limits = "--target y --without finders,prior,enumeration,grammar --guess 'a*x' --max-evaluations 2 -q"
    done = shell(f"mosaic fit - --validation <(cat t.csv) {limits} --json law.json < t.xlsx", folder)
    assert (done.returncode, done.stdout) == (0, "2.5*x\n"), done.stderr
    law = (folder / "law.json").read_bytes()
    with piped(law) as pipe, (folder / "t.xlsx").open("rb") as table, standard_input(table.fileno()):
        done = mosaic("predict", f"/dev/fd/{pipe}", "-", cwd=folder)
    assert done.stdout.split() == ["y", "2.5", "5.0", "7.5", "10.0"]
    with piped(law) as pipe, standard_input(pipe):
        assert "y = 2.5*x\n" in mosaic("show", "-", cwd=folder).stdout


CONSTANTS = ("constants", "a*x", "-", "--target", "y")


@pytest.mark.parametrize(
    ("words", "content", "message"),
    [
        (CONSTANTS, b"", "standard input: the file is empty"),
        (("constants", "a*x", "/dev/zero", "--target", "y"), b"", "/dev/zero: this is a device"),
        (
            ("fit", "-", "--validation", "/dev/stdin", "--target", "y"),
            ROWS.encode(),
            "standard input can be read only once",
        ),
        (("show", "/dev/zero"), b"", "this is a device"),
        (("predict", "none.json", "-"), b"", "none.json: no such file"),
        (CONSTANTS, None, "standard input: not a readable workbook"),
        (("fit", "-", "--target", "y"), b"x,y\nm,zz\n1,2\n", "one row (1 sample)"),
    ],
)
def test_bad_streams_are_refused_in_one_line(words, content, message, folder):
    half = (folder / "t.xlsx").read_bytes()[:300]
    with piped(half if content is None else content) as pipe, standard_input(pipe):
        check_refused(mosaic(*words, cwd=folder), message)


def test_standard_input_that_is_closed_is_refused_in_one_line(folder):
    check_refused(shell("mosaic constants 'a*x' - --target y <&-", folder), "standard input is closed")


def check_refused(done, message):
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
