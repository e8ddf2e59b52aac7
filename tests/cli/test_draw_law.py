"""`mosaic report`, `mosaic plot`, and what `mosaic fit` draws."""

import json
import os
import pty
import re
import subprocess
import sys
import threading
from contextlib import redirect_stdout

import pytest
from noisy_outcomes import NAMES, ROWS
from pictured import noisy_pair
from same_process import mosaic, refusal

from mosaic_sr.cli import main
from mosaic_sr.cli.app import app
from mosaic_sr.cli.draw import KINDS as SHOWN_KINDS
from mosaic_sr.cli.fit import FitRequest, _hand_over
from mosaic_sr.cli.source import Source
from mosaic_sr.errors import InvalidFile
from mosaic_sr.files import write_atomically
from mosaic_sr.law_file import read_law, write_law
from mosaic_sr.pictures.plotting import KINDS
from mosaic_sr.settings import SearchOptions

QUICK = ("--without", "finders,prior,enumeration,grammar", "--max-evaluations", "2")


def process(*words, cwd, **more):
    command = [sys.executable, "-m", "mosaic_sr.cli", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=cwd, check=False, **more)


def write_rows(file, target="y", names=NAMES, missing=()):
    """The rows of the noisy outcome as a table."""
    lines = [",".join([*names, target])]
    values = 2.0 * ROWS[0] + 1.5
    lines += [",".join(map(repr, [*map(float, row), float(y)])) for row, y in zip(ROWS.T, values, strict=True)]
    for line in missing:
        lines[line] = "," + lines[line].split(",", 1)[1]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path):
    outcome, _ = noisy_pair()
    write_law(tmp_path / "law.json", outcome, {"random_state": 7})
    write_rows(tmp_path / "rows.csv")
    return tmp_path


def run(*words, cwd, monkeypatch):
    """The command in this process; misuse raises."""
    monkeypatch.chdir(cwd)
    monkeypatch.setattr(sys, "argv", ["mosaic", *map(str, words)])
    return app(list(map(str, words)), standalone_mode=False)


def test_a_report_of_a_law_file_is_written(folder, monkeypatch, capsys):
    run("report", "law.json", "rows.csv", "--output", "law.html", cwd=folder, monkeypatch=monkeypatch)
    assert capsys.readouterr().out == "wrote law.html\n"
    page = (folder / "law.html").read_text(encoding="utf-8")
    assert "mosaic report law.json rows.csv --output law.html" in page
    assert "SHA-256 of rows.csv" in page


def test_a_law_file_of_the_previous_version_has_a_report(folder, monkeypatch):
    content = json.loads((folder / "law.json").read_text())
    later = ("scatter", "column_probabilities", "num_forms", "covered_bits", "decided", "parting", "target_range")
    for name in (*later, "target_deviation", "stability", "stability_samples", "probability", "covariance", "agrees"):
        content.pop(name, None)
        for entry in content["front"]:
            entry.pop(name, None)
    content["trace"] = []
    (folder / "old.json").write_text(json.dumps(content))
    run("report", "old.json", "rows.csv", "--output", "law.html", cwd=folder, monkeypatch=monkeypatch)
    assert "<math" in (folder / "law.html").read_text(encoding="utf-8")


def test_a_table_needs_only_the_columns_of_the_law(folder, monkeypatch):
    lines = [line.split(",") for line in (folder / "rows.csv").read_text().splitlines()]
    (folder / "few.csv").write_text("\n".join(f"{line[0]},{line[3]}" for line in lines))
    run("report", "law.json", "few.csv", "--output", "law.html", cwd=folder, monkeypatch=monkeypatch)
    page = (folder / "law.html").read_text(encoding="utf-8")
    assert "lacks 2 columns of the search: z, w" in page
    assert "The equation has no value in any of these rows." in page


def test_rows_with_empty_cells_are_left_out_with_a_note(folder, monkeypatch, capsys):
    write_rows(folder / "gaps.csv", missing=(3, 4))
    run("report", "law.json", "gaps.csv", "--output", "law.html", cwd=folder, monkeypatch=monkeypatch)
    assert "2 of 50 rows are left out" in capsys.readouterr().err
    assert "48 rows." in (folder / "law.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_picture_is_drawn(kind, folder, monkeypatch):
    pytest.importorskip("matplotlib")
    words = ("plot", "law.json", "rows.csv", "--kind", kind, "--index", "0", "--output", "law.svg")
    run(*words, cwd=folder, monkeypatch=monkeypatch)
    assert "</svg>" in (folder / "law.svg").read_text(encoding="utf-8")


def test_help_names_all_kinds():
    assert re.findall(r"\w+", SHOWN_KINDS.replace(" or ", " ")) == list(KINDS)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["report", "none.json", "rows.csv", "--output", "o.html"], "no such file"),
        (["report", "rows.csv", "rows.csv", "--output", "o.html"], "not a law file"),
        (["report", "law.json", "target.csv", "--output", "o.html"], "no column 'y'"),
        (["report", "law.json", "column.csv", "--output", "o.html"], "no column 'x'"),
        (["report", "law.json", "rows.csv", "--output", "nowhere/o.html"], "nowhere"),
        (["report", "law.json", "rows.csv", "--output", "law.json"], "would be overwritten"),
        (["report", "law.json", "rows.csv", "--output", "rows.csv"], "would be overwritten"),
        (["report", "law.json", "rows.csv", "--output", "o.html", "--sigma", "s"], "no column 's'"),
        (["report", "law.json", "rows.csv", "--output", "o.html", "--missing", "keep"], "drop or error"),
        (["report", "law.json", "rows.csv"], "--output"),
        (["plot", "law.json", "rows.csv", "--output", "o.jpg"], ".png, .svg, .pdf"),
        (["plot", "law.json", "rows.csv", "--output", "o.png", "--kind", "pie"], "kind must be"),
        (["plot", "law.json", "rows.csv", "--output", "o.png", "--index", "9"], "0 to 1"),
        (["plot", "law.json", "rows.csv", "--output", "o.png", "--index", "-1"], "0 to 1"),
        (["fit", "rows.csv", "--target", "y", "--report", "nowhere/o.html"], "nowhere"),
        (["fit", "rows.csv", "--target", "y", "--report", "rows.csv"], "would be overwritten"),
        (["fit", "rows.csv", "--target", "y", "--report", "o.html", "--json", "o.html"], "give two files"),
        (["fit", "rows.csv", "--target", "y", "--report", "run/law.json", "--output", "run"], "a file of the search"),
    ],
)
def test_misuse_is_one_line_with_exit_code_2(words, expected, folder, monkeypatch, capsys):
    write_rows(folder / "target.csv", target="other")
    write_rows(folder / "column.csv", names=("q", "z", "w"))
    (folder / "run").mkdir()
    code, message = refusal(words, folder, monkeypatch, capsys)
    assert code == 2
    assert message.count("\n") == 1
    assert expected in message
    assert not list(folder.glob("o.*"))


def test_without_matplotlib_the_remedy_is_named(folder, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, message = refusal(["plot", "law.json", "rows.csv", "--output", "o.png"], folder, monkeypatch, capsys)
    assert code == 2
    assert 'pip install "mosaic-sr[report]"' in message


def test_a_fit_writes_a_report_with_its_command_and_digest(tmp_path):
    write_rows(tmp_path / "rows.csv", missing=(3,))
    done = mosaic("fit", "rows.csv", "--target", "y", *QUICK, "--report", "law.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "law.html").read_text(encoding="utf-8")
    assert "mosaic fit rows.csv --target y --without finders,prior" in page
    assert re.search(r"SHA-256 of rows.csv: <code>[0-9a-f]{64}</code>", page)
    assert "left out because of empty cells" in page
    assert not re.search("[\u2801-\u28ff]", done.stdout)  # a pipe gets no picture


def test_standard_input_has_a_report(tmp_path):
    write_rows(tmp_path / "rows.csv")
    text = (tmp_path / "rows.csv").read_text()
    done = process("fit", "-", "--target", "y", *QUICK, "--report", "law.html", cwd=tmp_path, input=text)
    assert done.returncode == 0, done.stderr
    assert "SHA-256 of standard input" in (tmp_path / "law.html").read_text(encoding="utf-8")


def test_columns_of_weights_and_errors_are_no_columns_of_the_law(tmp_path, monkeypatch):
    lines = ["x,s,y"] + [f"{x!r},0.1,{2.0 * x + 0.1 * (-1) ** i!r}" for i, x in enumerate(map(float, ROWS[0]))]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    done = mosaic("fit", "rows.csv", "--target", "y", "--sigma", "s", *QUICK, "--report", "law.html",
                  "--json", "law.json", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "law.html").read_text(encoding="utf-8")
    assert 'class="errors"' in page
    assert "Residuals against s" not in page
    run("report", "law.json", "rows.csv", "--sigma", "s", "--output", "two.html", cwd=tmp_path, monkeypatch=monkeypatch)
    assert 'class="errors"' in (tmp_path / "two.html").read_text(encoding="utf-8")


def test_a_full_disk_loses_only_the_report(tmp_path, monkeypatch, capsys):
    outcome, _ = noisy_pair()
    write_rows(tmp_path / "rows.csv")

    def write(path, content):
        if path.suffix == ".html":
            raise InvalidFile(f"cannot write {path}: No space left on device")
        write_atomically(path, content)

    monkeypatch.setattr("mosaic_sr.html_report.page.write_atomically", write)
    request = FitRequest(
        Source(tmp_path / "rows.csv", "y"), SearchOptions(), 0, 1, (), None, None, tmp_path / "law.json", False,
        tmp_path / "law.html",
    )  # fmt: skip
    with pytest.raises(BaseException) as stopped:  # typer's way to end with a code
        _hand_over(request, outcome)
    assert stopped.value.exit_code == 1
    told = capsys.readouterr()
    assert "y = 2*x + 1.5" in told.out
    assert "No space left" in told.err
    assert read_law(tmp_path / "law.json")[0].law.text() == "2*x + 1.5"


def read_to_end(terminal, shown):
    try:
        while chunk := os.read(terminal, 65536):
            shown += chunk
    except OSError:  # Linux ends a terminal that nobody has open so
        pass
    os.close(terminal)


def on_terminal(words, monkeypatch, encoding):
    """What the command writes to a terminal that takes these letters."""
    monkeypatch.setattr(sys, "argv", ["mosaic", *map(str, words)])
    ours, theirs = pty.openpty()
    shown = bytearray()
    reader = threading.Thread(target=read_to_end, args=(ours, shown))
    reader.start()
    terminal = os.fdopen(theirs, "w", encoding=encoding)
    with terminal, redirect_stdout(terminal), pytest.raises(SystemExit) as done:
        main()
    reader.join()
    assert done.value.code == 0
    return shown.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("more", "environment", "encoding", "has_picture"),
    [
        ((), {}, "utf-8", True),
        (("--no-picture",), {}, "utf-8", False),
        (("--quiet",), {}, "utf-8", False),
        ((), {"COLUMNS": "60"}, "utf-8", False),
        ((), {}, "ascii", False),
        ((), {"TERM": "dumb"}, "utf-8", False),
        ((), {"NO_COLOR": "1"}, "utf-8", True),
    ],
)
def test_a_terminal_that_can_shows_a_picture_of_one_column(
    more, environment, encoding, has_picture, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name, value in {"COLUMNS": "100", "TERM": "xterm", **environment}.items():
        monkeypatch.setenv(name, value)
    rows = "\n".join(f"{i},{i % 5},{2.5 * i + 1}" for i in range(1, 40))
    (tmp_path / "t.csv").write_text(f"x,b,y\n{rows}\n")
    shown = on_terminal(("fit", "t.csv", "--target", "y", *QUICK, "--guess", "2*x + 1", *more), monkeypatch, encoding)
    assert bool(re.search("[\u2801-\u28ff]", shown)) == has_picture
    assert "2.5*x" in shown
