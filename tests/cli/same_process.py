"""The command without a process of its own, for tables of misuse: starting one takes a second."""

import sys

import pytest

from mosaic_sr.cli import main


def refusal(words, folder, monkeypatch, capsys):
    """The exit code of `mosaic` with these words in a folder, and what it prints on standard error."""
    monkeypatch.setattr(sys, "argv", ["mosaic", *map(str, words)])
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as done:
        main()
    return done.value.code, capsys.readouterr().err
