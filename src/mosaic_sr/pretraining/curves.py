"""Training curves: one CSV row and one TensorBoard point per interval."""

from __future__ import annotations

import csv
from pathlib import Path
from types import TracebackType
from typing import Self

from torch.utils.tensorboard import SummaryWriter

from mosaic_sr.pretraining.checkpoint import Progress
from mosaic_sr.pretraining.stages import Metrics


class Curves:
    """Averages metrics over an interval and appends them to `stage<N>.csv` and to TensorBoard's files."""

    def __init__(self, folder: Path, stage: int, enabled: bool) -> None:
        self._path = folder / f"stage{stage}.csv"
        self._board = SummaryWriter(str(folder / "tensorboard" / f"stage{stage}")) if enabled else None
        self._sums: Metrics = {}
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._board is not None:
            self._board.close()

    def add(self, metrics: Metrics) -> None:
        """Take one step's metrics into the current interval."""
        for name, value in metrics.items():
            self._sums[name] = self._sums.get(name, 0.0) + value
        self._count += 1

    def flush(self, progress: Progress) -> Metrics:
        """End the interval: write its means and return them."""
        means = {name: total / self._count for name, total in self._sums.items()}
        row = {
            "step": progress.step,
            "samples": progress.samples,
            "seconds": round(progress.seconds, 1),
            "processor_seconds": round(progress.processor_seconds, 1),
        }
        self._append(row | {name: round(mean, 5) for name, mean in means.items()})
        if self._board is not None:
            for name, mean in means.items():
                self._board.add_scalar(name, mean, progress.step)
        self._sums, self._count = {}, 0
        return means

    def _append(self, row: dict[str, float]) -> None:
        is_new = not self._path.exists()
        with self._path.open("a", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, fieldnames=list(row))
            if is_new:
                writer.writeheader()
            writer.writerow(row)
