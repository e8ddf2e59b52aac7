"""The examples of docs/report.md run, in their order, and write what they name."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "report.md"
BLOCKS = re.compile(r"```(console|python)\n(.*?)```", re.DOTALL)


def test_the_examples_run(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    space = {}
    for kind, lines in BLOCKS.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "python":
            exec(compile(lines, str(PAGE), "exec"), space)
            continue
        for line in lines.splitlines():
            command = [sys.executable, "-m", "mosaic_sr.cli", *shlex.split(line.removeprefix("$ mosaic "))]
            done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
            assert done.returncode == 0, done.stderr
    for name in ("law.html", "again.html", "python.html", "response.pdf", "response.png"):
        assert (tmp_path / name).stat().st_size > 1_000


def test_the_pictures_of_the_page_are_there():
    for name in re.findall(r"\]\((images/[^)]*)\)", PAGE.read_text(encoding="utf-8")):
        assert (PAGE.parent / name).is_file()
