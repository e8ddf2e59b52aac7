"""The commands of docs/own-prior.md run, on a tiny model, a few steps and few candidates."""

import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import TINY_GUIDED

from mosaic_sr.cli import main
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.pretraining.export import write_prior
from mosaic_sr.pretraining.model import SketchModel
from mosaic_sr.pretraining.presets import PRESETS
from mosaic_sr.proposal.prior.card import read_card

PAGE = (Path(__file__).parents[2] / "docs" / "own-prior.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ mosaic (.+)$", PAGE, re.MULTILINE)
# What the page runs for hours, and what the test adds instead.
LIMITS = {"3600": ["--steps", "2", "--data-workers", "0"], "7200": ["--steps", "4", "--data-workers", "0"]}


def words_of(command: str) -> list[str]:
    words = shlex.split(command)
    if "--time-limit" in words:
        place = words.index("--time-limit")
        return [*words[:place], *LIMITS[words[place + 1]]]
    return [*words, "--max-evaluations", "1"] if words[0] == "fit" else words


@pytest.mark.slow  # trains, exports and searches once more; test_commands.py does so in every run
def test_the_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    preset = replace(TINY_GUIDED, name="guided")
    monkeypatch.setitem(PRESETS, "guided", preset)
    torch.manual_seed(0)
    write_prior(preset, SketchModel(preset.model).state_dict(), {}, Path("weights"))
    Path("families.txt").write_text(re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[0])
    s = np.linspace(0.2, 9.0, 30)
    Path("rates.csv").write_text("s,v\n" + "".join(f"{x},{3.0 * x / (1.2 + x)}\n" for x in s))
    assert len(COMMANDS) == 4
    for command in COMMANDS:
        monkeypatch.setattr(sys, "argv", ["mosaic", *words_of(command)])
        with pytest.raises(SystemExit) as done:
            main()
        assert not done.value.code, command
    assert read_card(Path("my-prior")).edits is not None


def test_a_share_that_is_none_is_refused(tmp_path: Path) -> None:
    from mosaic_sr.cli.pretrain import preset_of

    with pytest.raises(InvalidSettings, match="corpus-share"):
        preset_of("guided", tmp_path / "own.txt", 0.0)
