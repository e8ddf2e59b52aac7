"""`mosaic pretrain`: train the learned prior, export it, measure it."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.files import refuse_unwritable, write_atomically

if TYPE_CHECKING:
    from mosaic_sr.pretraining.checkpoint import Progress as TrainingProgress
    from mosaic_sr.pretraining.presets import Preset
    from mosaic_sr.pretraining.training import RunConfig

app = typer.Typer(help="Train, export and evaluate the learned prior. Needs the `pretrain` extra of mosaic-sr.")

# What the extra brings.
NEEDED = ("torch", "onnx", "lightning_fabric", "tensorboard")

PresetOption = Annotated[
    str, typer.Option(help="Sizes and settings: small, guided, paper, or what these were compared with.")
]
FolderOption = Annotated[Path, typer.Option("--out", help="Folder for checkpoints and training curves.")]


@app.callback(invoke_without_command=True)
def run(
    context: typer.Context,
    preset: PresetOption = "small",
    stage: Annotated[int, typer.Option(help="Training stage. 1: alignment, 2: sketches.")] = 2,
    out: FolderOption = Path("prior"),
    resume: Annotated[bool, typer.Option(help="Continue from the checkpoint in --out.")] = False,
    start_from: Annotated[
        Path | None, typer.Option("--from", help="Folder of an exported prior to start from, such as your last one.")
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option(help="File of your own families of laws; see docs/own-prior.md.")
    ] = None,
    corpus_share: Annotated[float, typer.Option(help="Share of laws from --corpus; the others are random.")] = 0.5,
    steps: Annotated[int | None, typer.Option(help="Number of training steps, if not the preset's.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds of training in total.")] = None,
    processor_limit: Annotated[
        float | None, typer.Option(help="Seconds of processor time of the training process in total.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the corpus and of training.")] = 0,
    threads: Annotated[int | None, typer.Option(help="CPU threads per process.")] = None,
    data_workers: Annotated[int, typer.Option(help="Processes that generate the corpus.")] = 1,
    devices: Annotated[int, typer.Option(help="Number of GPUs, or of processes on CPU.")] = 1,
    accelerator: Annotated[str, typer.Option(help="Hardware: auto, cpu or gpu.")] = "auto",
    precision: Annotated[str, typer.Option(help="Number format: auto, 32-true or bf16-mixed.")] = "auto",
) -> None:
    """Train one stage of the prior."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InvalidSettings(f"mosaic pretrain needs {', '.join(missing)}; run: pip install 'mosaic-sr[pretrain]'")
    if context.invoked_subcommand is not None:
        return
    import torch

    from mosaic_sr.pretraining.training import RunConfig

    if threads is not None:
        torch.set_num_threads(threads)
    if not resume and (out / f"stage{stage}.pt").exists():
        raise InvalidSettings(f"{out} already has a checkpoint of stage {stage}; add --resume or use another --out")
    config = RunConfig(
        folder=out,
        seed=seed,
        steps=steps,
        max_seconds=float("inf") if time_limit is None else time_limit,
        max_processor_seconds=float("inf") if processor_limit is None else processor_limit,
        data_workers=data_workers,
        devices=devices,
        accelerator=accelerator,
        precision=precision,
        resume=resume,
        start_from=start_from,
    )
    _train_with_bar(preset_of(preset, corpus, corpus_share), stage, config)


def preset_of(name: str, corpus: Path | None, share: float) -> Preset:
    """The preset of that name, with a share of its laws from a file of families where one is given."""
    from mosaic_sr.pretraining.families import read_families
    from mosaic_sr.pretraining.presets import preset_named

    preset = preset_named(name)
    if corpus is None:
        return preset
    if not 0.0 < share <= 1.0:
        raise InvalidSettings(f"--corpus-share must be above 0 and at most 1, got {share}")
    path = corpus.absolute()
    read_families(path)  # a line that cannot be read is refused now, not in a worker
    return replace(preset, corpus=replace(preset.corpus, family_share=share, families=path))


def _train_with_bar(preset: Preset, stage: int, config: RunConfig) -> None:
    """Train and show steps, loss, speed and the time left."""
    from mosaic_sr.pretraining.training import train

    if stage not in preset.stages:
        raise InvalidSettings(f"stage must be 1 or 2, got {stage}")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns) as bar:
        task = bar.add_task(f"stage {stage}", total=config.steps or preset.stages[stage].steps)

        def report(progress: TrainingProgress, means: dict[str, float]) -> None:
            speed = progress.samples / max(progress.seconds, 1e-9)
            text = f"stage {stage}  loss {means['loss']:.3f}  {speed:.0f} samples/s"
            bar.update(task, completed=progress.step, description=text)

        train(preset, stage, config, report)


@app.command()
def export(
    out: FolderOption = Path("prior"),
    preset: PresetOption = "small",
    to: Annotated[
        Path | None, typer.Option(help="Folder for the exported prior; by default `weights` in --out.")
    ] = None,
) -> None:
    """Export the trained prior for `mosaic fit --prior`."""
    from mosaic_sr.pretraining.export import export as export_prior
    from mosaic_sr.pretraining.presets import preset_named

    typer.echo(export_prior(preset_named(preset), out, to or out / "weights"))


@app.command()
def evaluate(
    weights: Annotated[
        Path | None, typer.Option(help="Folder of an exported prior; by default the one in the package.")
    ] = None,
    preset: PresetOption = "small",
    problems: Annotated[int, typer.Option(help="Number of random problems.")] = 500,
    frequency_draws: Annotated[int, typer.Option(help="Random laws that estimate how common a sketch is.")] = 50_000,
    seed: Annotated[int, typer.Option(help="Seed of the random problems.")] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Also write the results to this file.")] = None,
) -> None:
    """Measure how often the prior predicts the true sketch, and how often it does so from unrelated rows."""
    from mosaic_sr.pretraining.evaluation import EvaluationConfig, summarise
    from mosaic_sr.pretraining.evaluation import evaluate as evaluate_prior
    from mosaic_sr.pretraining.presets import preset_named
    from mosaic_sr.proposal.prior.session import SHIPPED

    refuse_unwritable(json_file)
    config = EvaluationConfig(num_problems=problems, frequency_draws=frequency_draws, seed=seed)
    with Progress() as bar:
        task = bar.add_task("problems", total=problems)
        corpus = preset_named(preset).corpus
        outcomes = evaluate_prior(weights or SHIPPED, corpus, config, lambda done: bar.update(task, completed=done))
    rows = [asdict(row) for row in summarise(outcomes)]
    _write_rows(rows, json_file)


@app.command("evaluate-edits")
def evaluate_edits(
    weights: Annotated[Path, typer.Option(help="Folder of an exported prior with an edit head.")],
    preset: PresetOption = "guided",
    laws: Annotated[int, typer.Option(help="Number of laws with mistakes.")] = 500,
    seed: Annotated[int, typer.Option(help="Seed of the laws.")] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Also write the results to this file.")] = None,
) -> None:
    """Measure how often the prior proposes the edit that corrects a law, also from unrelated rows."""
    from mosaic_sr.pretraining.edit_evaluation import evaluate_edits as evaluate_heads
    from mosaic_sr.pretraining.edit_evaluation import summarise_edits
    from mosaic_sr.pretraining.presets import preset_named

    refuse_unwritable(json_file)
    with Progress() as bar:
        task = bar.add_task("laws", total=laws)
        corpus = preset_named(preset).corpus
        readings = evaluate_heads(weights, corpus, laws, seed, lambda done: bar.update(task, completed=done))
    _write_rows([asdict(row) for row in summarise_edits(readings)], json_file)


@app.command()
def curve(
    out: FolderOption = Path("prior"),
    preset: PresetOption = "small",
    problems: Annotated[int, typer.Option(help="Number of random problems.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of the random problems.")] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Also write the results to this file.")] = None,
) -> None:
    """Measure the checkpoints saved each time the number of samples doubled, and the last one."""
    from mosaic_sr.pretraining.evaluation import EvaluationConfig
    from mosaic_sr.pretraining.learning import learning_curve
    from mosaic_sr.pretraining.presets import preset_named

    refuse_unwritable(json_file)
    config = EvaluationConfig(num_problems=problems, frequency_draws=0, seed=seed)
    points = [asdict(point) for point in learning_curve(preset_named(preset), out, config)]
    _write_rows(points, json_file)


def _write_rows(rows: list[dict[str, float | str]], json_file: Path | None) -> None:
    """Print a table of the rows, and write them where a file is named."""
    if json_file is not None:
        write_atomically(json_file, json.dumps(rows, indent=1) + "\n")
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*(f"{value:.3f}" if isinstance(value, float) else str(value) for value in row.values()))
    Console().print(table)
