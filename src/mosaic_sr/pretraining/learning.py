"""The curve of learning: the checkpoints that a training kept on its way, measured one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from mosaic_sr.pretraining.checkpoint import milestones
from mosaic_sr.pretraining.evaluation import AIM, EvaluationConfig, evaluate, summarise
from mosaic_sr.pretraining.export import export
from mosaic_sr.pretraining.presets import Preset


@dataclass(frozen=True)
class Point:
    """What a training had learnt after so many samples; shares in 0..1.

    short_at_48: of problems with at most 2 variables and 6 operators.
    """

    samples: int
    hours: float
    sketch_at_1: float
    sketch_at_48: float
    short_at_48: float
    nats: float
    control_nats: float


def learning_curve(preset: Preset, folder: Path, config: EvaluationConfig) -> Iterator[Point]:
    """A point for each checkpoint kept, and for the last one."""
    for own in (*milestones(folder), folder):
        with TemporaryDirectory() as place:
            weights = export(preset, own, Path(place))
            training = json.loads((weights / "card.json").read_text(encoding="utf-8"))["training"]
            rows = {row.name: row for row in summarise(evaluate(weights, preset.corpus, config, lambda _: None))}
        everything, short = rows["all"], rows.get(AIM)
        yield Point(
            samples=training["samples"],
            hours=training["hours"],
            sketch_at_1=everything.sketch_at_1,
            sketch_at_48=everything.sketch_at_48,
            short_at_48=short.sketch_at_48 if short else 0.0,
            nats=everything.nats,
            control_nats=everything.control_nats,
        )
