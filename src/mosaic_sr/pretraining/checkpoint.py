"""Checkpoints: everything that an exact resume needs, written atomically and read without unpickling objects."""

from __future__ import annotations

import io
import pickle
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from mosaic_sr.errors import InvalidFile
from mosaic_sr.files import write_atomically
from mosaic_sr.proposal.prior.vocabulary import TOKENS

State = dict[str, Tensor]

# The first checkpoint worth measuring; later ones are kept at each doubling.
FIRST_MILESTONE = 25_000


@dataclass(frozen=True)
class Progress:
    """How far a stage has come; the next batch is number `batch` of block `block`.

    processor_seconds: of the training process, without those that generate the corpus.
    """

    step: int = 0
    block: int = 0
    batch: int = 0
    samples: int = 0
    seconds: float = 0.0
    processor_seconds: float = 0.0


@dataclass(frozen=True)
class Checkpoint:
    """State of one stage: weights, their running mean, optimiser, progress.

    Blocks and dropout are seeded by position, so no random state needs to be kept.
    """

    preset: str
    stage: int
    weights: State
    average: State
    optimiser: Mapping[str, Any]
    progress: Progress


def checkpoint_path(folder: Path, stage: int) -> Path:
    """Where the checkpoint of a stage lives."""
    return folder / f"stage{stage}.pt"


def save_checkpoint(checkpoint: Checkpoint, folder: Path) -> Path:
    """Write the checkpoint whole or not at all, so that a kill leaves the old one."""
    path = checkpoint_path(folder, checkpoint.stage)
    content = {name: getattr(checkpoint, name) for name in checkpoint.__dataclass_fields__}
    content |= {"progress": asdict(checkpoint.progress), "tokens": list(TOKENS)}
    folder.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    torch.save(content, buffer)
    write_atomically(path, buffer.getvalue())
    return path


def load_checkpoint(folder: Path, stage: int, preset: str) -> Checkpoint:
    """The checkpoint of a stage, refused when it belongs to another preset or another set of operators."""
    path = checkpoint_path(folder, stage)
    if not path.is_file():
        raise InvalidFile(f"no checkpoint of stage {stage} in {folder}")
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, pickle.UnpicklingError, EOFError, ValueError) as error:
        raise InvalidFile(f"{path} is not a readable checkpoint: {error}") from error
    if not isinstance(content, dict) or "progress" not in content or "tokens" not in content:
        raise InvalidFile(f"{path} is not a checkpoint of this package")
    if tuple(content.pop("tokens")) != TOKENS:
        raise InvalidFile(f"{path} was trained with other operators; train it again with this version")
    if content["preset"] != preset:
        raise InvalidFile(f"{path} has preset {content['preset']!r}, expected {preset!r}")
    return Checkpoint(**(content | {"progress": Progress(**content["progress"])}))


def milestones(folder: Path) -> list[Path]:
    """Folders of the checkpoints that were kept on the way, in the order of their samples."""
    kept = (path for path in (folder / "milestones").glob("*") if path.name.isdigit())
    return sorted(kept, key=lambda path: int(path.name))


def keep_milestone(folder: Path, checkpoint: Checkpoint) -> None:
    """Keep a copy of the checkpoint just written where the samples have doubled since the last one."""
    samples, kept = checkpoint.progress.samples, milestones(folder)
    if samples < (2 * int(kept[-1].name) if kept else FIRST_MILESTONE):
        return
    place = folder / "milestones" / str(samples)
    unfinished = place.with_suffix(".unfinished")
    unfinished.mkdir(parents=True, exist_ok=True)
    shutil.copy2(checkpoint_path(folder, checkpoint.stage), checkpoint_path(unfinished, checkpoint.stage))
    unfinished.replace(place)
