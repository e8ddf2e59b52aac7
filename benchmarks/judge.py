"""What a printed equation is worth: parsed again, measured on test rows and compared with the truth, all in time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measures import nmse
from benchmarks.suites import Draw, Problem, Sample
from benchmarks.verify import verify_srbench, verify_strict, verify_structure
from benchmarks.worker import Failure, Worker
from mosaic_sr import InvalidFormula, complexity, evaluate_expression, parse

# A test set has up to 361,201 rows; evaluating any printed equation on it takes well under a second.
MEASURE_SECONDS = 60.0
# Simplification can take for ever; the published protocol allows an hour, and what it accepts it accepts in seconds.
VERIFY_SECONDS = 60.0
# A verifier ends by itself at its limit; one that has not done so by then is killed.
KILL_AFTER = 2.0 * VERIFY_SECONDS
PREPARE_SECONDS = 600.0
# Of the test rows, as many as show the sampled box; training rows may be ten.
NUM_BOX_ROWS = 1000


@dataclass(frozen=True)
class Judgement:
    """Measures of the printed text on the test rows, and whether it is the truth; `error` says what went wrong."""

    strict: bool = False
    srbench: bool = False
    structure: bool = False
    r2: float | None = None
    nmse: float | None = None
    complexity: int | None = None
    error: str = ""


@dataclass(frozen=True)
class Measured:
    """nmse: on the test rows, NaN when a value is not finite; complexity: nodes of the printed text."""

    nmse: float
    complexity: int


def start_judge() -> Worker:
    """A worker for the calls of `judge`."""
    return Worker(_warm_up, limit=PREPARE_SECONDS)


def judge(worker: Worker, problem: Problem, equation: str, draw: Draw) -> Judgement:
    """The judgement of a printed equation; one that is no formula or not finite on a test row is a miss."""
    try:
        measured = worker.call(_measure, equation, problem.names, draw.test, limit=MEASURE_SECONDS)
    except Failure as failure:
        return Judgement(error=f"the equation cannot be evaluated: {failure}")
    if isinstance(measured, str):
        return Judgement(error=measured)
    if np.isnan(measured.nmse):
        return Judgement(complexity=measured.complexity, error="the equation is not finite on some test rows")
    r2 = 1.0 - measured.nmse
    strict, why_not_strict = _verify(worker, _is_strict, problem, equation, draw.train.columns)
    srbench, why_not_srbench = _verify(worker, _is_srbench, problem, equation, r2)
    structure, why_not_structure = _verify(worker, _is_structure, problem, equation, _box(draw))
    error = "; ".join(filter(None, (why_not_strict, why_not_srbench, why_not_structure)))
    return Judgement(strict, srbench, structure, r2, measured.nmse, measured.complexity, error)


def judge_groups(worker: Worker, problem: Problem, equations: Sequence[str], draw: Draw) -> Judgement:
    """The judgement of one equation per group: all must be the truth with the constants of their group.

    Free numbers of each are refitted to rows of its group without noise.
    """
    judgements = []
    for group, equation in enumerate(equations):
        own, rows = _of_group(problem, draw, group)
        judgements.append(judge(worker, own, equation, rows))
    worst = max((one.nmse for one in judgements if one.nmse is not None), default=None)
    return Judgement(
        strict=all(one.strict for one in judgements),
        srbench=all(one.srbench for one in judgements),
        structure=all(one.structure for one in judgements),
        r2=None if worst is None else 1.0 - worst,
        nmse=worst,
        complexity=judgements[0].complexity,
        error="; ".join(dict.fromkeys(one.error for one in judgements if one.error)),
    )


def _of_group(problem: Problem, draw: Draw, group: int) -> tuple[Problem, Draw]:
    """The problem of one group, with its constants as numbers in the truth, and its rows."""
    samples = [sample.of_group(group) for sample in (draw.train, draw.test)]
    num_seen = problem.num_columns - problem.num_hidden
    constants = samples[0].columns[num_seen:, 0].tolist()
    formula = problem.formula
    for place in range(problem.num_hidden):
        formula = re.sub(rf"\bx{num_seen + place}\b", f"({constants[place]!r})", formula)
    train, test = (sample.without_columns(problem.num_hidden) for sample in samples)
    return replace(problem, formula=formula, num_columns=num_seen, num_hidden=0), Draw(train, None, test)


def have_structure(worker: Worker, problem: Problem, equations: Iterable[str], draw: Draw) -> list[bool]:
    """Which of the equations are the truth but for the values of their free numbers."""
    if problem.truth is None:
        return [False for _ in equations]
    box = _box(draw)
    return [_verify(worker, _is_structure, problem, equation, box)[0] for equation in equations]


def _box(draw: Draw) -> NDArray[np.float64]:
    """Columns that show the sampled box: those of the training rows and of some test rows."""
    return np.concatenate([draw.train.columns, draw.test.columns[:, :NUM_BOX_ROWS]], axis=1)


def _verify(
    worker: Worker, verify: Callable[..., bool | None], problem: Problem, equation: str, evidence: Any
) -> tuple[bool, str]:
    """Whether a verifier accepts, and what kept it from deciding; nothing equals a truth that no formula can say."""
    if problem.truth is None:
        return False, ""
    what = f"the verifier {verify.__name__.removeprefix('_is_')} was"
    try:
        accepted = worker.call(verify, problem.formula, equation, problem.names, evidence, limit=KILL_AFTER)
    except Failure as failure:
        return False, f"{what} {failure}"
    return bool(accepted), f"{what} stopped at its limit of {VERIFY_SECONDS:g} s" if accepted is None else ""


def _is_strict(truth: str, equation: str, names: tuple[str, ...], columns: Any) -> bool | None:
    """Runs in the worker. None is no verdict within the time."""
    verdict = verify_strict(truth, equation, names, columns, timeout=VERIFY_SECONDS)
    return verdict.accepted if verdict.is_decided else None


def _is_structure(truth: str, equation: str, names: tuple[str, ...], columns: Any) -> bool | None:
    """Runs in the worker. None is no verdict within the time."""
    verdict = verify_structure(truth, equation, names, columns, timeout=VERIFY_SECONDS)
    return verdict.accepted if verdict.is_decided else None


def _is_srbench(truth: str, equation: str, names: tuple[str, ...], r2: float) -> bool:
    """Runs in the worker."""
    return verify_srbench(truth, equation, names, r2, timeout=VERIFY_SECONDS)


def _measure(equation: str, names: tuple[str, ...], test: Sample) -> Measured | str:
    """Runs in the worker. A text is the reason why the equation is no formula."""
    try:
        expression = parse(equation, names)
    except InvalidFormula as error:
        return f"the equation cannot be parsed: {error}"
    if expression.num_holes or np.isnan(expression.constants).any():
        return "the equation has open holes"
    return Measured(nmse(test.target, evaluate_expression(expression, test.columns)), complexity(expression))


def _warm_up() -> None:
    """Runs in the worker: imports and compilation, before any limit counts."""
    columns = np.linspace(1.0, 2.0, 80).reshape(2, 40)
    _measure("x0 + sin(x1)", ("x0", "x1"), Sample(columns, columns[0]))
    _is_strict("2*x0 + sin(x1)", "sin(x1) + x0*2", ("x0", "x1"), columns)
    _is_srbench("2*x0 + sin(x1)", "sin(x1) + x0*2", ("x0", "x1"), 1.0)
    _is_structure("2.13*x0 + sin(x1)", "sin(x1) + x0*2.14", ("x0", "x1"), columns)
