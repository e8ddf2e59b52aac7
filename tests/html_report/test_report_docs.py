"""The examples of docs/report.md run, in their order, and write what they name."""

import re
from pathlib import Path

import pytest

from tests.docs.shown_pages import run_page

PAGE = Path(__file__).parents[2] / "docs" / "report.md"


def test_the_examples_run(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    _, commands = run_page("docs/report.md", monkeypatch, capsys)
    assert len(commands) == 4
    for name in ("law.html", "again.html", "python.html", "response.pdf", "response.png"):
        assert (tmp_path / name).stat().st_size > 1_000


def test_the_pictures_of_the_page_are_there():
    for name in re.findall(r"\]\((images/[^)]*)\)", PAGE.read_text(encoding="utf-8")):
        assert (PAGE.parent / name).is_file()
