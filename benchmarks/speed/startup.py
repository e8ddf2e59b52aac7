"""How long it takes to import, to compile for the first time and to load from the cache; memory over many rows."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.speed.row import Row

WARM_UP = """
import time
import mosaic_sr.pipeline, mosaic_sr.expressions.values
from mosaic_sr.kernel.jit import warm_up
said = []
started = time.perf_counter()
warm_up(said.append)
print(time.perf_counter() - started, len(said))
"""
MANY_ROWS = """
import resource, sys
import numpy as np
from mosaic_sr.expressions.text import parse
from mosaic_sr.kernel.evaluate import evaluate
tree = parse("sin(x0*2.5)*x0 + exp(-x0^2)/(x0 + 1.5)", ["x0"])
columns, out = np.full((1, 10_000_000), 0.5), np.full(10_000_000, 0.0)
evaluate(tree.codes, tree.slots, tree.constants, columns[:, :1000].copy(), out[:1000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
evaluate(tree.codes, tree.slots, tree.constants, columns, out)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def rows() -> Iterator[Row]:
    """All figures of this part."""
    yield Row("from mosaic_sr import MosaicRegressor, s", _best("from mosaic_sr import MosaicRegressor"), goal="<= 1.2")
    mosaic = [str(Path(sys.executable).with_name("mosaic")), "--help"]
    yield Row("mosaic --help, s", min(_seconds(mosaic) for _ in range(3)), goal="<= 0.5")
    with tempfile.TemporaryDirectory() as folder:
        cold, compiled = _printed(WARM_UP, folder)
        yield Row(f"cold compile of {compiled:.0f} entry points, s", cold, goal="<= 60")
        yield Row(
            "load of all entry points from the cache, s",
            min(_printed(WARM_UP, folder)[0] for _ in range(3)),
            goal="<= 1.5",
        )
        yield Row("memory in addition to table and result, 1e7 rows, MB", _printed(MANY_ROWS, folder)[0], goal="<= 16")


def _best(code: str) -> float:
    return min(_seconds([sys.executable, "-c", code]) for _ in range(3))


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def _printed(code: str, cache: str) -> list[float]:
    """The numbers that a fresh process prints."""
    environment = {**os.environ, "MOSAIC_CACHE_DIR": cache}
    run = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    return [float(word) for word in run.stdout.split()]
