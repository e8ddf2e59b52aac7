"""`python -m benchmarks writing`: what written laws cost to read, against the truths as published.

The laws are those of strict result lines as they were found, and truths scrambled by random equivalent rewrites.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.provenance import find_commit
from benchmarks.results_file import Result, read_results
from benchmarks.scrambling import scrambled
from benchmarks.suites import Problem, Sample, load
from mosaic_sr import Expression, evaluate_expression, parse, printed_cost, to_text, written

Floats = NDArray[np.float64]
_FOLDER = Path(__file__).parent / "results"
# Rules and taste were set on found laws and on truths scrambled with seed 0, of `generated`, `measured`, `unseen` and
# published suites; reported truths are scrambled with another seed, and those of `measured-7` and `unseen-7` are new.
SCRAMBLED_SUITES = (
    "srsd-easy",
    "srsd-medium",
    "srsd-hard",
    "nguyen",
    "korns",
    "keijzer",
    "vladislavleva",
    "livermore",
    "strogatz",
    "measured-7",
    "unseen-7",
)
NUM_SCRAMBLED = 300
# Rows that formulas are compared on and whose errors limit digits.
MOST_ROWS = 200
# Values that differ by less are the same to rounding, where a few digits cancel.
SAME = 1e-9
# Errors beyond this digit are rounding.
ALL_DIGITS, CERTAIN_DIGITS = 17, 13
STEP = 6e-6


@dataclass(frozen=True)
class Case:
    """A law to write: where it comes from, the formula given and the truth; rows of its problem."""

    kind: str
    suite: str
    problem: str
    seed: int
    given: str
    truth: str
    names: tuple[str, ...]
    sample: Sample


@dataclass(frozen=True)
class Line:
    """How one law was written.

    most_digits: that the errors leave its constants.  cost_given, cost, cost_truth: nodes and printed digits of the
    formula given, as written, and of the truth.  is_same: whether all values are the same to rounding.
    is_settled: whether writing it again changes nothing.  seconds: of one processor.
    """

    kind: str
    suite: str
    problem: str
    seed: int
    given: str
    written: str
    truth: str
    most_digits: int
    cost_given: int
    cost: int
    cost_truth: int
    is_same: bool
    is_settled: bool
    seconds: float
    commit: str


def found_cases(results: Iterable[Result]) -> Iterator[Case]:
    """Laws of strict lines, each form once."""
    seen = set[tuple[str, str]]()
    for result in results:
        if not result.strict or (result.equation, result.truth) in seen:
            continue
        seen.add((result.equation, result.truth))
        problem = load(result.suite).problem(result.problem)
        sample = _few(problem, result.seed)
        yield Case("found", *_origin(problem), result.seed, result.equation, result.truth, problem.names, sample)


def scrambled_cases(suites: Sequence[str], count: int, seed: int) -> Iterator[Case]:
    """Truths of some suites, each scrambled by a generator of its own; evenly chosen where there are more."""
    problems = list({problem.formula: problem for suite in suites for problem in load(suite).problems}.values())
    problems = [problem for problem in problems if problem.truth is not None]
    places = np.unique(np.linspace(0, len(problems) - 1, count).astype(int)).tolist()
    for number, problem in enumerate(problems[place] for place in places):
        sample = _few(problem, seed)
        rng = np.random.default_rng([seed, number])
        given = scrambled(problem.formula, problem.names, sample.columns, rng)
        yield Case("scrambled", *_origin(problem), seed, given, problem.formula, problem.names, sample)


def _origin(problem: Problem) -> tuple[str, str]:
    return problem.suite, problem.id


def _few(problem: Problem, seed: int) -> Sample:
    return problem.draw(seed).train.rows(slice(0, MOST_ROWS))


def measure(case: Case, commit: str) -> Line:
    """Write a law twice and tell what came of it."""
    given, truth = parse(case.given, case.names), parse(case.truth, case.names)
    most = most_digits(given, case.sample) if case.kind == "found" else ALL_DIGITS
    start = time.process_time()
    form = written(given, case.sample.columns, most)
    seconds = time.process_time() - start
    return Line(
        kind=case.kind,
        suite=case.suite,
        problem=case.problem,
        seed=case.seed,
        given=case.given,
        written=to_text(form, case.names),
        truth=case.truth,
        most_digits=most,
        cost_given=printed_cost(given, most),
        cost=printed_cost(form, most),
        cost_truth=printed_cost(truth),
        is_same=_is_same(given, form, case.sample.columns),
        is_settled=written(form, case.sample.columns, most) == form,
        seconds=round(seconds, 3),
        commit=commit,
    )


def _is_same(given: Expression, form: Expression, columns: Floats) -> bool:
    before, after = evaluate_expression(given, columns), evaluate_expression(form, columns)
    known = np.isfinite(before)
    scale = np.maximum(np.abs(before[known]), np.abs(np.median(before[known])) if known.any() else 0.0)
    return bool(np.all(np.abs(after[known] - before[known]) <= SAME * scale))


def most_digits(law: Expression, sample: Sample) -> int:
    """The most digits that the rows leave to a constant of a law, all where only rounding is left."""
    count = law.num_constants
    values = evaluate_expression(law, sample.columns)
    if not count or sample.num_rows <= count or not np.all(np.isfinite(values)):
        return ALL_DIGITS
    jacobian = np.stack([_derivative(law, place, sample.columns) for place in range(count)], axis=1)
    sizes = np.abs(jacobian).max(axis=0)
    if not np.all(np.isfinite(sizes)) or not np.all(sizes > 0.0):
        return ALL_DIGITS
    scale = np.abs(values).max()
    residual = (sample.target - values) / scale
    inverse = np.linalg.pinv(jacobian / sizes)
    errors = np.sqrt(np.sum(inverse**2, axis=1) * np.sum(residual**2) / (sample.num_rows - count)) * scale / sizes
    digits = [_digits_left(value, error) for value, error in zip(law.constants.tolist(), errors.tolist(), strict=True)]
    long = [left for value, left in zip(law.constants.tolist(), digits, strict=True) if value != round(value, 6)]
    most = max(long, default=ALL_DIGITS)
    return ALL_DIGITS if most > CERTAIN_DIGITS else most


def _derivative(law: Expression, place: int, columns: Floats) -> Floats:
    value = float(law.constants[place])
    ends = []
    for side in (1.0, -1.0):
        constants = law.constants.copy()
        constants[place] = value + side * STEP * (abs(value) or 1.0)
        ends.append(evaluate_expression(law.with_constants(constants), columns))
    return np.asarray((ends[0] - ends[1]) / (2.0 * STEP * (abs(value) or 1.0)))


def _digits_left(value: float, error: float) -> int:
    if value == 0.0 or not math.isfinite(error) or error <= 0.0:
        return ALL_DIGITS
    return max(1, math.floor(math.log10(abs(value))) - math.floor(math.log10(error)) + 2)


def main(arguments: Sequence[str] = ()) -> int:
    """Write one line per law and say how many cost at most 1.1 times their truth."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks writing", description=__doc__)
    parser.add_argument("--lines", type=Path, default=_FOLDER / "default.jsonl", help="result lines of found laws")
    parser.add_argument("--suites", default=",".join(SCRAMBLED_SUITES), help="suites whose truths are scrambled")
    parser.add_argument("--scrambled", type=int, default=NUM_SCRAMBLED, help="truths to scramble")
    parser.add_argument("--seed", type=int, default=1, help="of the scrambling")
    parser.add_argument("--every", type=int, default=1, help="only every n-th law, for a quick look")
    parser.add_argument("--out", type=Path, default=_FOLDER / "writing.jsonl", help="file of lines")
    options = parser.parse_args(list(arguments))
    found = found_cases(read_results([options.lines], print))
    truths = scrambled_cases(options.suites.split(","), options.scrambled, options.seed)
    cases = [*found, *truths][:: options.every]
    commit = find_commit()
    with np.errstate(all="ignore"):
        lines = [measure(case, commit) for case in cases]
    options.out.write_text("".join(json.dumps(asdict(line)) + "\n" for line in lines), encoding="utf-8")
    for kind in dict.fromkeys(line.kind for line in lines):
        own = [line for line in lines if line.kind == kind]
        short = sum(line.cost <= 1.1 * line.cost_truth for line in own)
        print(f"{kind}: {short} of {len(own)} laws cost at most 1.1 times their truth")
    return 0
