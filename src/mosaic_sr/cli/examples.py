"""Tables to try: each shows one thing that real tables do to a search, with the command to run on it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.cli.output import say
from mosaic_sr.errors import InvalidFile, InvalidSettings
from mosaic_sr.files import write_atomically

Columns = Mapping[str, NDArray[np.float64] | list[str]]

# As instruments and papers state them.
DIGITS = 4
# About 50 MB, twice as many rows as a spreadsheet holds, and written in seconds.
BIG_ROWS = 2_000_000


@dataclass(frozen=True)
class Example:
    """A table to try.  sentence: what it shows.  options: of `mosaic fit`.  content: the bytes of the file."""

    name: str
    file: str
    sentence: str
    options: str
    content: Callable[[], bytes]

    @property
    def command(self) -> str:
        """What to run on it."""
        return f"mosaic fit {self.file} {self.options}"


def run_list() -> None:
    """Print the name of each table, what it shows, and the two commands to try it."""
    for one in EXAMPLES:
        say(f"{one.name:<13}{one.sentence}")
        say(f"{'':<13}mosaic example {one.name} && {one.command}")


def run_example(folder: Path, name: str, is_forced: bool) -> None:
    """Write an example table; a file of that name and other content stays unless forced."""
    one = next((one for one in EXAMPLES if one.name == name), None)
    if one is None:
        known = ", ".join(one.name for one in EXAMPLES)
        raise InvalidSettings(f"there is no example {name!r}; the examples are {known}; see mosaic example --list")
    path, content = folder / one.file, one.content()
    if path.exists() and not is_forced and path.read_bytes() != content:
        raise InvalidFile(f"{path} already exists with other content; use another folder, or add --force to replace it")
    write_atomically(path, content)
    say(f"wrote {path}; now run: {one.command}")


def _kept(file: str) -> bytes:
    """A table of the package, on which the README is written."""
    return files("mosaic_sr.cli").joinpath(file).read_bytes()


def _cooling() -> bytes:
    rng = np.random.default_rng(1)
    minutes = np.array([0.0, 1.0, 2.0, 4.0, 6.0, 8.0, 11.0, 14.0, 18.0, 23.0, 29.0, 36.0])
    temperature = 21.4 + 62.8 * np.exp(-0.118 * minutes) + rng.normal(0.0, 0.25, len(minutes))
    return _as_csv({"minutes": minutes, "temperature": temperature.round(1)})


def _drag() -> bytes:
    rng = np.random.default_rng(2)
    speed, area = rng.uniform(3.0, 40.0, 80).round(2), rng.uniform(0.3, 2.5, 80).round(3)
    force = 0.62 * area * speed**2 * (1.0 + 0.02 * rng.normal(size=80))
    # A slipped decimal point, a gauge read twice, a wrong range: eight rows.
    force[rng.choice(80, 8, replace=False)] *= rng.choice([0.1, 2.0, 3.0], 8)
    return _as_csv({"speed": speed, "area": area, "force": force})


def _swing() -> bytes:
    rng = np.random.default_rng(3)
    length, gravity = rng.uniform(0.2, 3.0, 60).round(3), rng.uniform(1.6, 25.0, 60).round(2)
    period = 2.0 * np.pi * np.sqrt(length / gravity) * (1.0 + 0.02 * rng.normal(size=60))
    columns = {"length": length, "gravity": gravity, "mass": rng.uniform(0.1, 3.0, 60), "period": period}
    return _as_csv(columns, units=("m", "m/s^2", "kg", "s"))


def _patients() -> bytes:
    rng = np.random.default_rng(4)
    patients = [f"P{number}" for number in range(1, 7) for _ in range(20)]
    starts = np.repeat(rng.uniform(6.0, 14.0, 6), 20)
    hours = np.sort(rng.uniform(0.2, 12.0, (6, 20)), axis=1).ravel().round(2)
    concentration = starts * np.exp(-0.27 * hours) * (1.0 + 0.03 * rng.normal(size=120))
    return _as_csv({"patient": patients, "hours": hours, "concentration": concentration})


def _sensors() -> bytes:
    rng = np.random.default_rng(5)
    values = rng.uniform(0.5, 4.0, (400, 200)).round(3)
    response = 2.7 * values[:, 30] * values[:, 73] / (1.3 + values[:, 116]) * (1.0 + 0.01 * rng.normal(size=400))
    names = (f"s{number:03d}" for number in range(1, 201))
    return _as_csv({**dict(zip(names, values.T, strict=True)), "response": response})


def _big() -> bytes:
    rng = np.random.default_rng(6)
    drawn = rng.uniform([250.0, 0.5, 0.1], [450.0, 20.0, 5.0], (BIG_ROWS, 3))
    temperature, pressure, flow = drawn.T.round(3)
    rate = 3.4 * pressure * flow / (1.8 + flow) * np.exp(-700.0 / temperature)
    rate *= 1.0 + 0.02 * rng.normal(size=BIG_ROWS)
    # The writer of the other tables would take a minute here.
    text = io.BytesIO()
    rows = np.column_stack([temperature, pressure, flow, rate])
    np.savetxt(text, rows, fmt="%.7g,%.5g,%.4g,%.4g", header="temperature,pressure,flow,rate", comments="")
    return text.getvalue()


def _as_csv(columns: Columns, units: tuple[str, ...] = ()) -> bytes:
    """Lines of CSV, numbers with at most so many digits; units: a row of them below the names."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([units] if units else [])
    for row in zip(*columns.values(), strict=True):
        writer.writerow([cell if isinstance(cell, str) else f"{cell:.{DIGITS}g}" for cell in row])
    return text.getvalue().encode()


EXAMPLES = (
    Example(
        "clean", "pendulum.csv", "no noise: the law is exact, and a column that does not matter is left out",
        "--target period", partial(_kept, "pendulum.csv"),
    ),
    Example(
        "noisy", "enzyme.csv", "2 % noise: how probable is the law, and what may be right instead?",
        "--target rate", partial(_kept, "enzyme.csv"),
    ),
    Example(
        "few-rows", "cooling.csv", "twelve readings of a thermometer: a law with three constants, and how sure it is",
        "--target temperature", _cooling,
    ),
    Example(
        "outliers", "drag.csv", "one row in ten is wrong: the law is that of the others, the wrong ones are counted",
        "--target force", _drag,
    ),
    Example(
        "units", "swing.csv", "2 % noise, units below the names: every law is homogeneous, with pure numbers",
        "--target period --dimensionless-constants-only", _swing,
    ),
    Example(
        "groups", "patients.csv", "six patients: one law, with one constant per patient and one that all share",
        "--target concentration --groups patient", _patients,
    ),
    Example(
        "many-columns", "sensors.csv", "200 columns, of which three matter",
        "--target response", _sensors,
    ),
    Example(
        "big", "plant.csv", f"{BIG_ROWS:,} rows, about 50 MB", "--target rate", _big,
    ),
)  # fmt: skip
