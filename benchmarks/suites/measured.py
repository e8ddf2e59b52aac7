"""Suites of measured tables: `measured`, on which settings may be tuned, and `unseen`, on which none is.

`measured` and `unseen` are read from committed tables, so that a change of a generator changes no suite. `measured-7`
and `unseen-7` are drawn with the seed 7 when they are asked for; `measured-7-r30-n5` has one table of each of these,
with 30 rows and 5 % noise. The tables are made by `python -m benchmarks.suites.measured`.

Each law is measured four times: with 100 rows and 2 % noise, with 30 rows, with outliers, and under a condition that
goes through all combinations from law to law. So `--every 4` takes the first table of each law. Names tell: in
`measured-017-r100-n2p-out-d3-irr` the law 17 has 100 rows, proportional noise of 2 %, outliers, numbers of 3 digits and
an irrelevant column.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.suites.fisher import NUM_ROWS, errors_away
from benchmarks.suites.measured_laws import NUM_TRIAL_ROWS, MeasuredLaw, draw_axis, draw_law
from benchmarks.suites.measurement import Condition, Extra, Measurement
from benchmarks.suites.problem import Problem, Suite
from benchmarks.suites.sampling import Axis
from benchmarks.suites.unseen_laws import draw_unseen_law

NUM_LAWS = {"measured": 100, "unseen": 60}
DRAWS: dict[str, Callable[[np.random.Generator], MeasuredLaw]] = {"measured": draw_law, "unseen": draw_unseen_law}
# The streams of the two generators are apart, whatever their seeds.
STREAMS = {"measured": 20_261_117, "unseen": 20_261_118}

ROWS, NOISES, KINDS, OUTLIERS = (10, 30, 100, 300), (0.01, 0.02, 0.05, 0.1), ("additive", "multiplicative"), 0.05
CONDITIONS: tuple[dict[str, Any], ...] = tuple(
    {"rows": rows, "noise": noise, "kind": kind, "outliers": outliers}
    for outliers, kind, noise, rows in itertools.product((0.0, OUTLIERS), KINDS, NOISES, ROWS)
)
# A step that has no factor with the number of conditions, so that neighbours differ in everything.
STRIDE = 27
PROPORTIONAL_SHARE, ROUNDED_SHARE = 0.35, 0.3
EXTRA_SHARES = {"irrelevant": 0.15, "constant": 0.07, "correlated": 0.08}
_NAME = re.compile(rf"(?P<family>{'|'.join(DRAWS)})-(?P<seed>[1-9]\d*)(-r(?P<rows>\d+)-n(?P<noise>\d+))?")


def table_path(family: str) -> Path:
    """Where the laws of a suite are kept."""
    return Path(__file__).with_name(f"{family}.json")


@cache
def measured_suite(family: str) -> Suite:
    """The suite `measured` or `unseen`, from its table."""
    return _suite(family, json.loads(table_path(family).read_text()))


def is_drawn(name: str) -> bool:
    """Whether a name is that of a suite drawn with a seed, such as measured-7."""
    return _NAME.fullmatch(name) is not None


@cache
def drawn_suite(name: str) -> Suite:
    """The suite of such a name."""
    match = _NAME.fullmatch(name)
    assert match is not None
    rows = draw_rows(match["family"], int(match["seed"]))
    return _suite(name, rows, (int(match["rows"]), int(match["noise"]) / 100.0) if match["rows"] else None)


def draw_rows(family: str, seed: int) -> list[dict[str, Any]]:
    """The laws of a suite as rows of its table, each with what all its tables have in common."""
    with np.errstate(all="ignore"):
        return [
            _row(DRAWS[family], np.random.default_rng([STREAMS[family], seed, index]))
            for index in range(NUM_LAWS[family])
        ]


def _row(draw: Callable[[np.random.Generator], MeasuredLaw], rng: np.random.Generator) -> dict[str, Any]:
    law = draw(rng)
    return {
        "formula": law.formula,
        "axes": [[axis.kind, axis.low, axis.high] for axis in law.axes],
        "kind": KINDS[int(rng.random() < PROPORTIONAL_SHARE)],
        "digits": int(rng.choice((3, 4))) if rng.random() < ROUNDED_SHARE else 0,
        "extra": _draw_extra(law, rng),
    }


def _draw_extra(law: MeasuredLaw, rng: np.random.Generator) -> list[Any]:
    """Kind, place and axis of an extra column, or nothing."""
    kinds = [*EXTRA_SHARES, ""]
    kind = str(rng.choice(kinds, p=[*EXTRA_SHARES.values(), 1.0 - sum(EXTRA_SHARES.values())]))
    axis = draw_axis(rng)
    return [kind, int(rng.integers(len(law.axes) + 1)), axis.kind, axis.low, axis.high] if kind else []


def _suite(name: str, rows: list[dict[str, Any]], only: tuple[int, float] | None = None) -> Suite:
    """only: rows and noise of the one table of each law; the usual four where None."""
    problems = (problem for index, row in enumerate(rows) for problem in _problems(name, index, row, only))
    # The prior is trained on laws such as those of `measured`; those of `unseen` stay out.
    return Suite(name, tuple(problems), is_kept_out=not name.startswith("measured"))


def _problems(name: str, index: int, row: dict[str, Any], only: tuple[int, float] | None) -> Iterator[Problem]:
    kind, place, *axis_values = row["extra"] or ("", 0, "uniform", 0.0, 1.0)
    extra = Extra(kind, int(place), Axis(*axis_values)) if kind else None
    own = {"kind": row["kind"], "digits": row["digits"]}
    for condition in _conditions(index, row) if only is None else (Condition(*only, **own),):
        source = Measurement(tuple(Axis(*axis) for axis in row["axes"]), condition, extra)
        words = [f"{name}-{index:03d}", condition.label, *([extra.label] if extra else [])]
        yield Problem(name, "-".join(words), source.rename(row["formula"]), source.num_columns, source)


def _conditions(index: int, row: dict[str, Any]) -> Iterator[Condition]:
    own = {"kind": row["kind"], "digits": row["digits"]}
    usual = [Condition(100, 0.02, **own), Condition(30, 0.02, **own), Condition(100, 0.02, outliers=OUTLIERS, **own)]
    yield from usual
    # One that the law does not have already.
    for step in itertools.count():
        further = Condition(**CONDITIONS[(index * STRIDE + step) % len(CONDITIONS)], digits=row["digits"])
        if further not in usual:
            yield further
            return


@cache
def least_errors(suite: str, identifier: str) -> float | None:
    """How many standard errors the least determined number of a law is from where it could be left out, in this table.

    By Fisher information for the table's own rows and level of noise, taken as additive and without outliers; None for
    a table that the suite does not have.
    """
    problems = (drawn_suite if is_drawn(suite) else measured_suite)(suite).problems
    problem = next((problem for problem in problems if problem.id == identifier), None)
    if problem is None or problem.truth is None:
        return None
    source, rng = problem.source, np.random.default_rng(STREAMS["measured"])
    assert isinstance(source, Measurement)
    columns = np.ones((source.num_columns, NUM_TRIAL_ROWS))
    columns[list(source.real_columns)] = [axis.draw(NUM_TRIAL_ROWS, rng) for axis in source.axes]
    sigma = source.condition.noise * float(np.sqrt(np.mean(problem.law(columns) ** 2)))
    errors = errors_away(problem.truth, columns, sigma)
    return float(errors.min()) * float(np.sqrt(source.condition.rows / NUM_ROWS))


def main() -> None:
    """Write the tables of `measured` and `unseen`."""
    for family in DRAWS:
        rows = draw_rows(family, 0)
        table_path(family).write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


if __name__ == "__main__":
    main()
