"""The examples of docs/own-prior.md run, with the tiny preset in place of hours of training."""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tiny import TINY

from mosaic_sr.pretraining.presets import PRESETS
from tests.test_checking_page import run

PAGE = Path(__file__).parents[2] / "docs" / "own-prior.md"
TRAINING = ["--steps", "2", "--data-workers", "0", "--accelerator", "cpu"]
SHORT = {
    "--out": ["--preset", "tiny", *TRAINING],
    "export": ["--preset", "tiny"],
    "evaluate": ["--preset", "tiny", "--problems", "2", "--frequency-draws", "20"],
    "data.csv": ["--max-evaluations", "20", "--without", "finders,enumeration,grammar", "--no-picture"],
}


@pytest.mark.slow  # trains, exports and evaluates once more; test_commands.py does so in every run
def test_a_prior_of_ones_own_is_trained_exported_and_used(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    x = np.linspace(1.0, 3.0, 30)
    pd.DataFrame({"x": x, "y": x**2}).to_csv("data.csv", index=False)
    [block] = re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    commands = [shlex.split(line.removeprefix("$ ")) for line in block.splitlines()]
    for words in commands[1:]:
        run([*words[1:], *SHORT[words[2]]], monkeypatch, capsys)
    assert (tmp_path / "weights" / "card.json").exists()
    assert len(commands) == 5
