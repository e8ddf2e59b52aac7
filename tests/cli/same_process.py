"""The command without a process of its own: starting one and loading compiled code takes seconds."""

import io
import sys
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from mosaic_sr.cli import main


def mosaic(*words, cwd):
    """As a process would end: `returncode`, `stdout` and `stderr` of `mosaic` with these words in a folder."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    streams = redirect_stdout(out), redirect_stderr(err)
    with warnings.catch_warnings(), patch.object(sys, "argv", ["mosaic", *map(str, words)]), chdir(cwd):
        warnings.simplefilter("default")
        with streams[0], streams[1], pytest.raises(SystemExit) as done:
            main()
    shown = [stream.detach().getvalue().decode() for stream in (out, err) if not stream.flush()]
    return SimpleNamespace(returncode=done.value.code, stdout=shown[0], stderr=shown[1])


def refusal(words, folder, monkeypatch, capsys):
    """The exit code of `mosaic` with these words in a folder, and what it prints on standard error."""
    monkeypatch.setattr(sys, "argv", ["mosaic", *map(str, words)])
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as done:
        main()
    return done.value.code, capsys.readouterr().err
