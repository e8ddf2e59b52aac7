"""Strogatz: right-hand sides of seven systems of two ordinary differential equations, seen along trajectories."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.suites.problem import Draw, Floats, Law, Problem, Sample, Suite
from benchmarks.suites.runge_kutta import runge_kutta
from mosaic_sr import InvalidFile, evaluate_expression, parse

NUM_POINTS = 100
TIME_STEP = 0.1
NUM_TRAIN = 300
# Runge-Kutta steps between two stored points; the stiffest system, van der Pol with rate 10, is converged to 1e-8.
SUBSTEPS = 40


@dataclass(frozen=True)
class System:
    """dx0/dt and dx1/dt as formulas, and the starting points of the four trajectories."""

    derivatives: tuple[str, str]
    starts: tuple[tuple[float, float], ...]


SYSTEMS: dict[str, System] = {
    "bacres": System(
        ("20 - x0 - x0*x1/(1 + 0.5*x0^2)", "10 - x0*x1/(1 + 0.5*x0^2)"),
        ((9.0, 13.0), (3.5, 13.0), (5.8, 9.9), (11.0, 54.0)),
    ),
    "barmag": System(
        ("0.5*sin(x0 - x1) - sin(x0)", "0.5*sin(x1 - x0) - sin(x1)"),
        ((4.3, 4.8), (4.7, 2.5), (4.1, 1.1), (4.4, 0.2)),
    ),
    "glider": System(
        ("-0.05*x0^2 - sin(x1)", "x0 - cos(x1)/x0"),
        ((5.6, 1.9), (2.5, 0.9), (5.4, -1.3), (4.5, 0.3)),
    ),
    "lv": System(
        ("3*x0 - 2*x0*x1 - x0^2", "2*x1 - x0*x1 - x1^2"),
        ((1.0, 3.0), (4.0, 1.0), (8.0, 2.0), (3.0, 3.0)),
    ),
    "predprey": System(
        ("x0*(4 - x0 - x1/(1 + x0))", "x1*(x0/(1 + x0) - 0.075*x1)"),
        ((4.9, 11.5), (6.6, 11.4), (5.8, 8.8), (5.8, 11.6)),
    ),
    "shearflow": System(
        ("cos(x0)/tan(x1)", "(cos(x1)^2 + 0.1*sin(x1)^2)*sin(x0)"),
        ((-1.4, -1.4), (-2.5, 1.0), (1.2, -0.6), (2.8, -1.5)),
    ),
    "vdp": System(
        ("10*(x1 - (x0^3 - x0)/3)", "-x0/10"),
        ((0.36, 0.22), (0.68, 0.74), (0.01, 0.36), (0.24, 0.93)),
    ),
}


@lru_cache
def integrate(name: str, substeps: int = SUBSTEPS) -> Floats:
    """The trajectories of a system one after the other: (2, 400); classical Runge-Kutta."""
    system = SYSTEMS[name]
    right_sides = [parse(derivative, ("x0", "x1")) for derivative in system.derivatives]

    def slope(state: Floats) -> Floats:
        return np.stack([evaluate_expression(side, state) for side in right_sides])

    state, step = np.array(system.starts).T, TIME_STEP / substeps
    points = [state]
    for _ in range(NUM_POINTS - 1):
        for _ in range(substeps):
            state = runge_kutta(slope, state, step)
        points.append(state)
    # (points, 2, trajectories) -> (2, trajectories x points)
    return np.ascontiguousarray(np.stack(points).transpose(1, 2, 0).reshape(2, -1))


def _split(sample: Sample, rng: np.random.Generator) -> Draw:
    """A shuffled 75/25 split, so that every trajectory appears on both sides."""
    order = rng.permutation(sample.num_rows)
    return Draw(sample.rows(order[:NUM_TRAIN]), None, sample.rows(order[NUM_TRAIN:]))


@dataclass(frozen=True)
class Trajectories:
    """States of an integrated system."""

    system: str

    def draw(self, law: Law, rng: np.random.Generator) -> Draw:
        columns = integrate(self.system)
        return _split(Sample(columns, law(columns)), rng)


@dataclass(frozen=True)
class TextFile:
    """Rows of a published file with the columns x, y, target; the law is not asked."""

    path: Path

    def draw(self, law: Law, rng: np.random.Generator) -> Draw:
        del law
        values = np.loadtxt(self.path, delimiter=",", skiprows=1, ndmin=2)
        if values.shape != (len(SYSTEMS["vdp"].starts) * NUM_POINTS, 3):
            raise InvalidFile(f"{self.path} must have 400 rows of x, y, target, got shape {values.shape}")
        return _split(Sample(np.ascontiguousarray(values[:, :2].T), values[:, 2]), rng)


def _source(system: str, identifier: str, data: Path | None) -> Trajectories | TextFile:
    if data is None:
        return Trajectories(system)
    path = data / f"{identifier}.csv"
    if not path.is_file():
        raise InvalidFile(f"{data} has no file {path.name} with the columns x, y, target")
    return TextFile(path)


def strogatz_suite(data: Path | None = None) -> Suite:
    """Two problems per system; rows come from files of the folder `data`, or from integrating the systems."""
    problems = []
    for name, system in SYSTEMS.items():
        for number, formula in enumerate(system.derivatives, 1):
            identifier = f"strogatz_{name}{number}"
            problems.append(Problem("strogatz", identifier, formula, 2, _source(name, identifier, data)))
    return Suite("strogatz", tuple(problems))
