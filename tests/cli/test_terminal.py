"""Names, notes and files of others never send a control, a bidirectional or a zero-width character to the terminal."""

import json
import os
import pty
import re
import subprocess
import sys

import pytest
from same_process import mosaic

from mosaic_sr.visible import visible

# Sets the title of the window, turns the text red in two ways, reorders it, hides in it.
NASTY = "a\x1b]0;owned\x07\x1b[31m\x9b31m\u202eb\u200b\u2028c"
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
QUICK = ("--without", "finders,prior,enumeration,grammar", "--max-evaluations", "2")


def process(*words, cwd, **options):
    command = [sys.executable, "-m", "mosaic_sr.cli", *map(str, words)]
    done = subprocess.run(command, capture_output=True, timeout=240, cwd=cwd, check=False, **options)
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nasty")
    rows = "\n".join(f"{i},{i % 5},{2.5 * i}" for i in range(1, 40))
    (folder / "t.csv").write_text(f'"{NASTY}",b{NASTY},y{NASTY}\n{rows}\n,1,2\n')
    done = mosaic(
        "fit", "t.csv", "--target", f"y{NASTY}", *QUICK, "--guess", f"2*`{NASTY}`", "--json", "l.json", cwd=folder
    )
    (folder / "fit.txt").write_text(done.stdout + done.stderr)
    law = json.loads((folder / "l.json").read_text())
    law["notes"] += [f"note {NASTY}"]
    for entry in (law, *law["front"]):
        entry["found_by"] = f"[red]x[/red] {NASTY}"
        entry["constants"][0]["name"] = NASTY
    (folder / "foreign.json").write_text(json.dumps(law))
    return folder


def test_a_fit_shows_names_as_escapes(folder):
    shown = (folder / "fit.txt").read_text()
    assert not RAW.search(shown)
    assert f"y{visible(NASTY)} = 2.5*`{visible(NASTY)}`" in shown
    assert "(1)" in shown


def test_files_keep_names_as_they_are(folder):
    law = json.loads((folder / "l.json").read_text())
    assert law["columns"] == [NASTY, f"b{NASTY}"]
    mosaic("predict", "l.json", "t.csv", "--output", "out.csv", cwd=folder)
    assert (folder / "out.csv").read_bytes().startswith(f"y{NASTY}\n".encode())


@pytest.mark.parametrize(
    "words",
    [
        ("show", "foreign.json"),
        ("show", "foreign.json", "--latex"),
        ("show", "foreign.json", "--python"),
        ("predict", "foreign.json", "t.csv"),
        ("constants", f"k*`{NASTY}`", "t.csv", "--target", f"y{NASTY}"),
        ("constants", "2", "t.csv", "--target", f"y{NASTY}", "--sigma", NASTY),
        ("fit", "t.csv", "--target", f"y{NASTY}", *QUICK, "-q", "--guess", f"k*`{NASTY}`"),
    ],
)
def test_commands_show_foreign_text_as_escapes(words, folder):
    done = mosaic(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert not RAW.search(done.stdout + done.stderr)


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "t.csv", "--target", f"{NASTY}!"),
        ("fit", "t.csv", "--target", "y"),
        ("fit", f"{NASTY}.csv", "--target", "y"),
        ("fit", "t.csv", "--target", f"y{NASTY}", "--weights", NASTY + "w"),
        ("fit", "t.csv", "--target", f"y{NASTY}", "--guess", f"2*{NASTY}"),
        ("fit", "t.csv", "--target", f"y{NASTY}", "--guess", "2*qqq*`zz`"),
        ("fit", "t.csv", f"--{NASTY}"),
        ("constants", f"a*`x{NASTY}`", "t.csv", "--target", f"y{NASTY}"),
        ("constants", "2", "t.csv", "--target", f"y{NASTY}", "--sigma", "s"),
        ("show", f"{NASTY}.json"),
        ("show", "t.csv"),
        ("fit", "t.csv", "--target", f"y{NASTY}", "--resume", NASTY),
        ("fit", "t.csv", "--target", f"y{NASTY}", "--preset", NASTY),
    ],
)
def test_refusals_show_foreign_text_as_escapes_in_one_line(words, folder):
    done = mosaic(*words, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert not RAW.search(done.stderr)


def test_markup_in_a_law_file_is_text(folder):
    assert "found by [red]x[/red]" in mosaic("show", "foreign.json", cwd=folder).stdout


@pytest.mark.parametrize("words", [("show", "foreign.json"), ("fit", "t.csv", "--target", f"y{NASTY}", *QUICK)])
def test_a_terminal_with_live_progress_gets_no_foreign_escape(words, folder):
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "mosaic_sr.cli", *words]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder) as process:
        os.close(theirs)
        shown = b""
        try:
            while chunk := os.read(ours, 65536):
                shown += chunk
        except OSError:  # the other end is closed
            pass
        os.close(ours)
    assert process.returncode == 0
    text = shown.decode()
    assert "owned" in text
    for raw in ("\x1b]0;owned", "\x9b", "\u202e", "\u200b", "\u2028"):
        assert raw not in text


def test_streams_that_lack_a_character_get_an_escape(folder):
    (folder / "greek.csv").write_text("α,y\n1,2\n2,4\n3,6\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = process("constants", "k*α", "greek.csv", "--target", "y", cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    assert "y = 2*\\u03b1" in done.stdout


@pytest.mark.parametrize("words", [("fit", b"\xff.csv", "--target", "y"), ("fit", "t.csv", "--target", b"\xff")])
def test_words_that_are_no_text_are_refused_like_others(words, folder):
    command = [os.fsencode(sys.executable), b"-m", b"mosaic_sr.cli", *map(os.fsencode, words)]
    done = subprocess.run(command, capture_output=True, timeout=240, cwd=folder, check=False)
    assert done.returncode == 2
    assert rb"\udcff" in done.stderr
