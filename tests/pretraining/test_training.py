"""Both stages on a tiny corpus: learning, exact resume, two processes."""

import csv
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tiny import STAGE, TINY, TINY_GUIDED

from mosaic_sr.errors import InvalidFile
from mosaic_sr.pretraining.checkpoint import checkpoint_path, load_checkpoint
from mosaic_sr.pretraining.export import export
from mosaic_sr.pretraining.presets import Preset
from mosaic_sr.pretraining.training import RunConfig, rate_factor, train


def run(folder: Path, stage: int, steps: int, resume: bool = False, preset: Preset = TINY) -> list[dict[str, str]]:
    """Train and return the rows of the curve."""
    config = RunConfig(folder, steps=steps, data_workers=0, accelerator="cpu", resume=resume)
    train(preset, stage, config, lambda progress, means: None)
    path = folder / f"stage{stage}.csv"
    return list(csv.DictReader(path.read_text().splitlines())) if path.exists() else []


def without_seconds(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{name: value for name, value in row.items() if "seconds" not in name} for row in rows]


def test_the_sketch_loss_falls(tmp_path: Path) -> None:
    rows = run(tmp_path, 2, 60)
    assert float(rows[-1]["loss"]) < 0.75 * float(rows[0]["loss"])
    assert list((tmp_path / "tensorboard" / "stage2").iterdir())


def test_retrieval_rises_above_chance_and_stage_two_takes_the_encoder(tmp_path: Path) -> None:
    rows = run(tmp_path, 1, 120)
    assert float(rows[-1]["retrieval"]) > 2 / STAGE.batch_size  # 4 standard errors above chance
    run(tmp_path, 2, 0)
    encoder = load_checkpoint(tmp_path, 1, "tiny").average
    taken = load_checkpoint(tmp_path, 2, "tiny").weights
    torch.testing.assert_close(taken["encoder.latents"], encoder["encoder.latents"])


def test_a_resumed_run_gives_the_same_losses_and_weights(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", 2, 40)
    run(tmp_path / "parts", 2, 20)
    parts = run(tmp_path / "parts", 2, 40, resume=True)
    assert without_seconds(whole) == without_seconds(parts)
    one, two = (load_checkpoint(tmp_path / name, 2, "tiny") for name in ("whole", "parts"))
    for name, tensor in one.weights.items():
        assert torch.equal(tensor, two.weights[name])
        assert torch.equal(one.average[name], two.average[name])


def test_a_resumed_run_of_all_heads_gives_the_same_losses(tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", 2, 40, preset=TINY_GUIDED)
    run(tmp_path / "parts", 2, 20, preset=TINY_GUIDED)
    parts = run(tmp_path / "parts", 2, 40, resume=True, preset=TINY_GUIDED)
    assert {"loss", "edits", "value", "number", "first"} <= whole[0].keys()
    assert without_seconds(whole) == without_seconds(parts)
    assert float(parts[-1]["processor_seconds"]) > float(parts[0]["processor_seconds"]) > 0.0


def test_a_training_starts_from_exported_weights(tmp_path: Path) -> None:
    run(tmp_path / "first", 2, 0)
    weights = export(TINY, tmp_path / "first", tmp_path / "weights")
    config = RunConfig(tmp_path / "second", seed=7, steps=0, data_workers=0, accelerator="cpu", start_from=weights)
    train(TINY_GUIDED, 2, config, lambda progress, means: None)
    first, second = (
        load_checkpoint(tmp_path / "first", 2, "tiny"),
        load_checkpoint(tmp_path / "second", 2, "tiny-guided"),
    )
    for name in ("encoder.latents", "decoder.out.weight", "heads.matters.bias"):
        assert torch.equal(first.average[name].half().float(), second.weights[name])
    wide = replace(TINY, model=replace(TINY.model, width=48))
    with pytest.raises(InvalidFile, match="use the preset"):
        train(wide, 2, replace(config, folder=tmp_path / "third"), lambda progress, means: None)


def test_a_limit_of_processor_time_ends_a_training(tmp_path: Path) -> None:
    config = RunConfig(tmp_path, steps=100, data_workers=0, accelerator="cpu", max_processor_seconds=1e-9)
    assert train(TINY, 2, config, lambda progress, means: None).step <= 1


def test_damaged_missing_and_foreign_checkpoints_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="no checkpoint"):
        load_checkpoint(tmp_path, 2, "tiny")
    run(tmp_path, 2, 0)
    with pytest.raises(InvalidFile, match="preset 'tiny'"):
        load_checkpoint(tmp_path, 2, "small")
    path = checkpoint_path(tmp_path, 2)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(InvalidFile, match="not a readable checkpoint"):
        load_checkpoint(tmp_path, 2, "tiny")


def test_a_killed_save_leaves_the_last_checkpoint(tmp_path: Path) -> None:
    run(tmp_path, 2, 2)
    (tmp_path / f".mosaic-{'0' * 16}.part").write_bytes(b"half")
    assert load_checkpoint(tmp_path, 2, "tiny").progress.step == 2


def test_rates_follow_their_schedules() -> None:
    settings = replace(STAGE, steps=100, warmup_steps=10)
    assert rate_factor(settings, 0) == pytest.approx(0.1)
    assert rate_factor(settings, 50) == 1.0
    cosine = replace(settings, schedule="cosine")
    assert rate_factor(cosine, 55) == pytest.approx(0.5)
    assert rate_factor(cosine, 100) == pytest.approx(0.0)
    cooldown = replace(settings, schedule="cooldown")
    assert rate_factor(cooldown, 5) == pytest.approx(0.6)
    assert [rate_factor(cooldown, step) for step in (74, 80, 90, 100)] == pytest.approx([1.0, 0.8, 0.4, 0.0])


def test_the_part_that_proposes_edits_learns_at_its_own_rate(tmp_path: Path) -> None:
    still = replace(STAGE, learning_rate=0.0, encoder_learning_rate=0.0, edit_learning_rate=3e-3)
    preset = replace(TINY_GUIDED, stages={2: still})
    run(tmp_path, 2, 0, preset=preset)
    before = load_checkpoint(tmp_path, 2, preset.name).weights
    run(tmp_path, 2, 3, resume=True, preset=preset)
    after = load_checkpoint(tmp_path, 2, preset.name).weights
    moved = {name.split(".")[0] for name, tensor in after.items() if not torch.equal(tensor, before[name])}
    assert moved == {"edits"}


@pytest.mark.slow  # two processes that import torch
def test_two_processes_train_one_model(tmp_path: Path) -> None:
    script = Path(__file__).with_name("two_processes.py")
    command = [sys.executable, str(script), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert load_checkpoint(tmp_path, 2, "tiny").progress.samples == 4 * 2 * STAGE.batch_size


def environment() -> dict[str, str]:
    return os.environ | {"OMP_NUM_THREADS": "1"}
