"""One stage of training from top to bottom: settings, model, batches, loop, checkpoint."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from lightning_fabric import Fabric
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from mosaic_sr.pretraining.checkpoint import (
    Checkpoint,
    Progress,
    State,
    checkpoint_path,
    keep_milestone,
    load_checkpoint,
    save_checkpoint,
)
from mosaic_sr.pretraining.corpus import Block
from mosaic_sr.pretraining.curves import Curves
from mosaic_sr.pretraining.presets import Preset, StageConfig
from mosaic_sr.pretraining.stages import Metrics, stage_numbered, to_batch
from mosaic_sr.pretraining.stream import Blocks, stream
from mosaic_sr.pretraining.warm_start import take_weights

LOG_STEPS = 20
COOLDOWN_SHARE = 0.25
_MAX_ROUNDS = 10**8
Report = Callable[[Progress, Metrics], None]


@dataclass(frozen=True)
class RunConfig:
    """Where and how long a training runs.

    steps: instead of the preset's number of steps.
    max_seconds, max_processor_seconds: stop after so much training time, earlier parts of a resumed run included.
    start_from: folder of an exported prior whose weights a new training takes.
    """

    folder: Path
    seed: int = 0
    steps: int | None = None
    max_seconds: float = math.inf
    max_processor_seconds: float = math.inf
    checkpoint_seconds: float = 180.0
    data_workers: int = 1
    devices: int = 1
    accelerator: str = "auto"
    precision: str = "auto"
    resume: bool = False
    start_from: Path | None = None


@dataclass
class _Training:
    """The moving parts of a run."""

    model: nn.Module
    optimiser: torch.optim.Optimizer
    average: State
    progress: Progress


def train(preset: Preset, stage: int, run: RunConfig, report: Report) -> Progress:
    """Run a stage until its steps or seconds are used up; stage 2 starts from stage 1's encoder where there is one."""
    settings = preset.stages[stage] if run.steps is None else replace(preset.stages[stage], steps=run.steps)
    fabric = _fabric(run)
    training = _start(preset, stage, settings, run)
    model, optimiser = fabric.setup(training.model, training.optimiser)
    training.average = {name: tensor.to(fabric.device) for name, tensor in training.average.items()}
    clock = _Clock(training.progress)
    with Curves(run.folder, stage, enabled=fabric.is_global_zero) as curves, _attention(fabric):
        for progress, batch in _batches(preset, settings, run, training.progress, fabric):
            if _is_done(training.progress, settings, run):
                break
            metrics = _step(fabric, model, optimiser, stage, settings, training.progress.step, run.seed, batch)
            training.progress = replace(progress, seconds=clock.seconds, processor_seconds=clock.processor_seconds)
            _update_average(training, settings)
            curves.add(metrics)
            if progress.step % LOG_STEPS == 0 and fabric.is_global_zero:
                report(training.progress, curves.flush(training.progress))
            if clock.is_due(run.checkpoint_seconds) and fabric.is_global_zero:
                _save(preset, stage, run, training)
    if fabric.is_global_zero:
        _save(preset, stage, run, training)
    return training.progress


def _is_done(progress: Progress, settings: StageConfig, run: RunConfig) -> bool:
    is_late = progress.seconds >= run.max_seconds or progress.processor_seconds >= run.max_processor_seconds
    return progress.step >= settings.steps or is_late


class _Clock:
    """Seconds of training, earlier parts included, and when the last checkpoint was due."""

    def __init__(self, before: Progress) -> None:
        self._start = time.perf_counter() - before.seconds
        self._processor_start = time.process_time() - before.processor_seconds
        self._last = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start

    @property
    def processor_seconds(self) -> float:
        return time.process_time() - self._processor_start

    def is_due(self, interval: float) -> bool:
        """Whether the interval has passed since this last said so."""
        if time.perf_counter() - self._last < interval:
            return False
        self._last = time.perf_counter()
        return True


def _fabric(run: RunConfig) -> Fabric:
    precision: Any = _precision(run) if run.precision == "auto" else run.precision
    strategy = "ddp" if run.devices > 1 else "auto"
    fabric = Fabric(accelerator=run.accelerator, devices=run.devices, strategy=strategy, precision=precision)
    fabric.launch()
    return fabric


def _precision(run: RunConfig) -> str:
    """bf16 where the hardware multiplies it natively; elsewhere it is emulated and up to 80 times slower."""
    on_gpu = run.accelerator in ("auto", "gpu", "cuda") and torch.cuda.is_available()
    native = torch.cuda.is_bf16_supported() if on_gpu else torch.cpu._is_avx512_bf16_supported()
    return "bf16-mixed" if native else "32-true"


def _attention(fabric: Fabric) -> Any:
    """On CPU the fused attention's backward takes over half of a step; plain matrix products do not."""
    if fabric.device.type == "cpu":
        return sdpa_kernel(SDPBackend.MATH)
    return sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH])


def _start(preset: Preset, stage: int, settings: StageConfig, run: RunConfig) -> _Training:
    """A fresh training, or the one in the checkpoint."""
    torch.manual_seed(run.seed)
    model = stage_numbered(stage).make_model(preset.model)
    optimiser = _optimiser(model, settings)
    if run.resume and checkpoint_path(run.folder, stage).exists():
        checkpoint = load_checkpoint(run.folder, stage, preset.name)
        model.load_state_dict(checkpoint.weights)
        optimiser.load_state_dict(dict(checkpoint.optimiser))
        return _Training(model, optimiser, checkpoint.average, checkpoint.progress)
    if stage == 2 and checkpoint_path(run.folder, 1).exists():
        _take_encoder(model, load_checkpoint(run.folder, 1, preset.name).average)
    if run.start_from is not None:
        take_weights(model, run.start_from)
    return _Training(model, optimiser, _copy_of(model), Progress())


def _take_encoder(model: nn.Module, weights: State) -> None:
    encoder = {name: tensor for name, tensor in weights.items() if name.startswith("encoder.")}
    model.load_state_dict(model.state_dict() | encoder)


def _copy_of(model: nn.Module) -> State:
    return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}


def _optimiser(model: nn.Module, settings: StageConfig) -> torch.optim.Optimizer:
    """AdamW with a rate of its own for the numeric encoder and for the part that proposes edits."""
    peaks = {"encoder": settings.encoder_learning_rate, "": settings.learning_rate}
    if settings.edit_learning_rate is not None:
        peaks["edits"] = settings.edit_learning_rate
    groups: dict[str, list[nn.Parameter]] = {part: [] for part in peaks}
    for name, parameter in model.named_parameters():
        part = name.split(".")[0]
        groups[part if part in peaks else ""].append(parameter)
    rates = [{"params": groups[part], "peak": peak} for part, peak in peaks.items()]
    return torch.optim.AdamW(rates, lr=0.0, betas=(0.9, settings.beta2), weight_decay=settings.weight_decay)


def _batches(
    preset: Preset, settings: StageConfig, run: RunConfig, done: Progress, fabric: Fabric
) -> Iterator[tuple[Progress, Block]]:
    """Batches of this process, each with the progress that holds once it is used."""
    indices = range(done.block * fabric.world_size + fabric.global_rank, _MAX_ROUNDS, fabric.world_size)
    blocks = Blocks(preset.corpus, run.seed)
    step, samples = done.step, done.samples
    for rank, number, batch in stream(blocks, settings.batch_size, indices, done.batch, run.data_workers):
        step, samples = step + 1, samples + len(batch.sketch) * fabric.world_size
        yield Progress(step, done.block + rank, number + 1, samples), batch


def _step(
    fabric: Fabric,
    model: Any,
    optimiser: Any,
    stage: int,
    settings: StageConfig,
    step: int,
    seed: int,
    batch: Block,
) -> Metrics:
    """One optimiser step. Seeding by step and process makes dropout repeat after a resume."""
    torch.manual_seed((seed * 1_000_003 + step) * 1_009 + fabric.global_rank)
    for group in optimiser.param_groups:
        group["lr"] = group["peak"] * rate_factor(settings, step)
    loss, metrics = stage_numbered(stage).loss(model, to_batch(batch, fabric.device), settings.auxiliary_weight)
    fabric.backward(loss)
    fabric.clip_gradients(model, optimiser, max_norm=settings.max_gradient_norm, error_if_nonfinite=False)
    optimiser.step()
    optimiser.zero_grad()
    return metrics


def rate_factor(settings: StageConfig, step: int) -> float:
    """Share of the peak rate at a step: linear warm-up, then what the schedule says, down to zero or not."""
    if step < settings.warmup_steps:
        return (step + 1) / settings.warmup_steps
    if settings.schedule == "constant":
        return 1.0
    if settings.schedule == "cooldown":
        return min(1.0, max(0, settings.steps - step) / (COOLDOWN_SHARE * settings.steps))
    through = (step - settings.warmup_steps) / max(1, settings.steps - settings.warmup_steps)
    return 0.5 * (1.0 + math.cos(math.pi * min(1.0, through)))


def _update_average(training: _Training, settings: StageConfig) -> None:
    """Move the running mean of the weights; it forgets faster at first."""
    step = training.progress.step
    decay = min(settings.average_decay, (1 + step) / (10 + step))
    weights = training.model.state_dict()
    torch._foreach_lerp_(list(training.average.values()), [weights[name] for name in training.average], 1.0 - decay)


def _save(preset: Preset, stage: int, run: RunConfig, training: _Training) -> None:
    weights, optimiser = training.model.state_dict(), training.optimiser.state_dict()
    checkpoint = Checkpoint(preset.name, stage, weights, training.average, optimiser, training.progress)
    save_checkpoint(checkpoint, run.folder)
    if stage == 2:
        keep_milestone(run.folder, checkpoint)
