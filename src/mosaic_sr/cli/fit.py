"""`mosaic fit`: read a table, search, print the law and write it as JSON."""

from __future__ import annotations

import json
import math
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mosaic_sr.cli.output import write_atomically
from mosaic_sr.equation import Equation
from mosaic_sr.errors import InvalidFile, InvalidSettings, MosaicWarning
from mosaic_sr.estimator import MosaicRegressor
from mosaic_sr.table import read_table

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class FitRequest:
    """What the user asked for."""

    file: Path
    target: str
    time_limit: float
    seed: int
    n_jobs: int
    preset: str
    maxsize: int
    guesses: tuple[str, ...]
    json: Path | None
    is_quiet: bool


def run_fit(request: FitRequest) -> None:
    """Search for the law of the file and print it; nothing is written when the request is refused."""
    if request.seed < 0 or request.n_jobs == 0:
        raise InvalidSettings(f"seed must be 0 or more and n_jobs not 0, got {request.seed} and {request.n_jobs}")
    if request.json is not None and not request.json.absolute().parent.is_dir():
        raise InvalidFile(f"the folder of {request.json} does not exist; create it first")
    frame = read_table(request.file, request.target)
    model = MosaicRegressor(
        preset=request.preset,
        maxsize=request.maxsize,
        guesses=list(request.guesses),
        time_limit=request.time_limit,
        n_jobs=request.n_jobs,
        random_state=request.seed,
        progress=not request.is_quiet,
    )
    started = time.monotonic()
    with warnings.catch_warnings():
        # The notes are printed below.
        warnings.simplefilter("ignore", MosaicWarning)
        model.fit(frame.drop(columns=[request.target]), frame[request.target])
    seconds = time.monotonic() - started
    if request.json is not None:
        write_atomically(request.json, json.dumps(describe_fit(model, seconds), indent=2, allow_nan=False) + "\n")
    if request.is_quiet:
        print(model.law_.text())
    else:
        from rich.console import Console

        print_fit(model, request.target, seconds, Console(highlight=False))


def describe_fit(model: MosaicRegressor, seconds: float) -> dict[str, Any]:
    """The outcome of a search as plain values for JSON."""
    return {
        **describe_equation(model.law_),
        "front": [describe_equation(equation) for equation in model.front_],
        "found_by": model.found_by_,
        "stopped_early": model.stopped_early_,
        "seconds": round(seconds, 3),
        "evaluations": model.evaluations_,
    }


def describe_equation(equation: Equation) -> dict[str, Any]:
    """An equation as plain values for JSON."""
    constants = equation.expression.constants.tolist()
    errors = [*equation.standard_errors, *[math.nan] * (len(constants) - len(equation.standard_errors))]
    nmse = equation.validation.nmse
    return {
        "equation": equation.text(),
        "sympy": str(equation.sympy()),
        "latex": equation.latex(),
        "complexity": equation.complexity,
        "exact": equation.is_exact,
        "validation": {
            "nmse": _finite(nmse),
            "r2": _finite(1.0 - nmse),
            "relative_error": _finite(math.sqrt(equation.validation.relative)),
        },
        "constants": [
            {"value": value, "stderr": _finite(error)} for value, error in zip(constants, errors, strict=False)
        ],
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def print_fit(model: MosaicRegressor, target: str, seconds: float, console: Console) -> None:
    """The law, how good it is, and the simpler equations, for a person."""
    from rich.table import Table as Grid
    from rich.text import Text

    law = model.law_
    for note in model.notes_:
        console.print(Text(f"note: {note}", style="yellow"))
    grid = Grid("complexity", "validation NMSE", "equation", box=None, header_style="bold")
    for equation in model.front_:
        grid.add_row(str(equation.complexity), f"{equation.validation.nmse:.2e}", Text(equation.text(precision=5)))
    console.print(grid)
    verdict = "exact to the rounding of the data" if law.is_exact else "best so far, not exact"
    console.print(Text(f"\n{target} = {law.text(precision=8)}", style="bold green"))
    console.print(
        f"{verdict}; validation R² {1.0 - law.validation.nmse:.9g}, "
        f"{model.evaluations_:,} fits in {seconds:.1f} s, found by {model.found_by_}"
    )
