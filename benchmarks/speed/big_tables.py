"""Tables longer than memory: time and peak memory of a fit over three sizes, and reading by pyarrow and polars.

Each figure comes from a process of its own. The files are made in the folder for temporary files, 3 GB for the longest.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.row import Row

SIZES = (200_000, 2_000_000, 20_000_000)
NUM_COLUMNS = 20
# Rows of a file by which readers are compared.
READ_ROWS = 1_000_000
CHUNK = 200_000
LAW, NOISE = "2.37*x0*exp(-0.41*x2) + 1.3*x4", 0.02
# The search is the same for all sizes, so guesses make it short; what grows with the rows are survey and passes.
# Processor seconds, so that a busy machine changes little. VmHWM, because ru_maxrss of a new process begins with the
# peak of the one that started it.
FIT = """
import json, sys, time
from mosaic_sr import MosaicRegressor
from mosaic_sr.big_tables import LongTable, blocks
from mosaic_sr.proposal import PROPOSERS
blocks.MOST_NUMBERS = 0
passes = []
def timed(function):
    def call(*arguments):
        started = time.process_time()
        found = function(*arguments)
        passes.append(time.process_time() - started)
        return found
    return call
LongTable.read, LongTable.confirmed = timed(LongTable.read), timed(LongTable.confirmed)
others = [name for name in PROPOSERS if name != "guesses"]
guesses = ["a*x0*exp(-b*x2) + c*x4", "a*x0 + b*x2 + c*x4", "a*x0/(b + x2) + c*x4", "a*x0"]
options = {"guesses": guesses, "without": others, "max_evaluations": 500}
model = MosaicRegressor(random_state=0, **options).fit_file(sys.argv[1], "y")
print(json.dumps({
    "survey": passes[0], "passes": passes[1], "search": time.process_time() - sum(passes),
    "megabytes": int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024,
    "law": str(model.law_), "equations": len(model.equations_), "statement": model.outcome_.confirmation.sentence(),
}))
"""
READ = """
import sys, time
started = time.process_time()
{code}
print(time.process_time() - started, int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024)
"""
READERS = {
    "pyarrow, Parquet": (
        "import pyarrow.parquet as pq\n"
        "for batch in pq.ParquetFile(sys.argv[1]).iter_batches(65536, use_threads=False):\n"
        "    [float(column.to_numpy().sum()) for column in batch.columns]"
    ),
    "polars, Parquet": (
        "import polars as pl\n"
        "for batch in pl.scan_parquet(sys.argv[1]).collect_batches(chunk_size=65536, maintain_order=True):\n"
        "    [float(column.to_numpy().sum()) for column in batch.get_columns()]"
    ),
    "pyarrow, CSV": (
        "import pyarrow.csv as pc\n"
        "options = pc.ReadOptions(block_size=2**24, use_threads=False)\n"
        "for batch in pc.open_csv(sys.argv[1], read_options=options):\n"
        "    [float(column.to_numpy().sum()) for column in batch.columns]"
    ),
    "polars, CSV": (
        "import polars as pl\n"
        "for batch in pl.scan_csv(sys.argv[1]).collect_batches(chunk_size=65536, maintain_order=True):\n"
        "    [float(column.to_numpy().sum()) for column in batch.get_columns()]"
    ),
}


def rows() -> Iterator[Row]:
    """All figures of this part."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _fits(folder)
        yield from _readers(folder)


def _fits(folder: Path) -> Iterator[Row]:
    seconds = []
    for size in SIZES:
        path = write_table(folder / "long.parquet", size)
        found = _fit(path)
        path.unlink()
        print(f"# {size:,} rows: {found['law']}; front of {found['equations']}; {found['statement']}", file=sys.stderr)
        seconds.append(found["survey"] + found["passes"])
        what = f"fit of {size:,} rows x {NUM_COLUMNS} columns"
        for part in ("survey", "passes", "search"):
            yield Row(f"{what}: {part}, processor seconds", found[part])
        yield Row(f"{what}: peak memory, MB", found["megabytes"], goal="<= 2048")
    growth = seconds[-1] / seconds[-2] / (SIZES[-1] / SIZES[-2])
    yield Row("growth of survey and passes over that of the rows, the two longest", growth, goal="<= 1.2")


def _fit(path: Path) -> dict[str, Any]:
    run = subprocess.run([sys.executable, "-c", FIT, str(path)], check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def _readers(folder: Path) -> Iterator[Row]:
    paths = {kind: write_table(folder / f"read.{kind.lower()}", READ_ROWS) for kind in ("Parquet", "CSV")}
    for name, code in READERS.items():
        path = paths[name.split(", ")[1]]
        command = [sys.executable, "-c", READ.format(code=code), str(path)]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        seconds, megabytes = map(float, run.stdout.split())
        yield Row(f"reading {READ_ROWS:,} rows x {NUM_COLUMNS + 1} columns, {name}: processor seconds", seconds)
        yield Row(f"reading {READ_ROWS:,} rows x {NUM_COLUMNS + 1} columns, {name}: peak memory, MB", megabytes)


def write_table(path: Path, num_rows: int) -> Path:
    """A file of noisy rows of the law, written in chunks."""
    import pyarrow as pa
    from pyarrow.csv import CSVWriter
    from pyarrow.parquet import ParquetWriter

    names = [*(f"x{column}" for column in range(NUM_COLUMNS)), "y"]
    schema = pa.schema([(name, pa.float64()) for name in names])
    rng = np.random.default_rng(0)
    # Without dictionaries, which cost time and save nothing on numbers that are all different.
    is_text = path.suffix == ".csv"
    with CSVWriter(path, schema) if is_text else ParquetWriter(path, schema, use_dictionary=False) as writer:
        for start in range(0, num_rows, CHUNK):
            columns = rng.uniform(0.5, 3.0, (NUM_COLUMNS, min(CHUNK, num_rows - start)))
            target = 2.37 * columns[0] * np.exp(-0.41 * columns[2]) + 1.3 * columns[4]
            target += NOISE * rng.standard_normal(len(target))
            numbers = np.vstack([columns, target])
            writer.write_table(pa.table(list(numbers.round(6) if is_text else numbers), schema=schema))
    return path
