"""`mosaic pretrain` from training to measured weights, on the tiny preset."""

import json
from pathlib import Path

import pytest
from tiny import TINY
from typer.testing import CliRunner

from mosaic_sr.cli import pretrain
from mosaic_sr.cli.pretrain import app
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.pretraining import checkpoint
from mosaic_sr.pretraining.presets import PRESETS


def call(*words: str) -> str:
    result = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_train_export_and_evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    train = ["--preset", "tiny", "--out", str(tmp_path), "--steps", "4", "--data-workers", "0", "--accelerator", "cpu"]
    call(*train)
    with pytest.raises(InvalidSettings, match="--resume"):
        call(*train)
    call(*train, "--resume")
    call("export", "--preset", "tiny", "--out", str(tmp_path), "--to", str(tmp_path / "w"))
    card = json.loads((tmp_path / "w" / "card.json").read_text())
    assert card["training"]["steps"] == 4
    rows = tmp_path / "rows.json"
    words = ["--preset", "tiny", "--weights", str(tmp_path / "w"), "--problems", "2", "--frequency-draws", "20"]
    call("evaluate", *words, "--json", str(rows))
    assert json.loads(rows.read_text())[0]["problems"] == 2


def test_the_curve_has_a_point_for_each_doubling_of_the_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PRESETS, "tiny", TINY)
    monkeypatch.setattr(checkpoint, "FIRST_MILESTONE", 1)
    train = ["--preset", "tiny", "--out", str(tmp_path), "--data-workers", "0", "--accelerator", "cpu"]
    for steps in (2, 3, 5):
        call(*train, "--steps", str(steps), "--resume")
    points = tmp_path / "points.json"
    call("curve", "--preset", "tiny", "--out", str(tmp_path), "--problems", "2", "--json", str(points))
    samples = [point["samples"] for point in json.loads(points.read_text())]
    first = samples[0]
    assert samples == [first, 5 * first // 2, 5 * first // 2]


def test_an_unknown_preset_or_stage_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="unknown preset"):
        call("--preset", "huge", "--out", str(tmp_path))
    with pytest.raises(InvalidSettings, match="stage"):
        call("--stage", "3", "--out", str(tmp_path))


def test_without_the_extra_one_line_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretrain, "NEEDED", ("no_such_package",))
    with pytest.raises(InvalidSettings, match=r"needs no_such_package; run: pip install 'mosaic-sr\[pretrain\]'"):
        call("export")
