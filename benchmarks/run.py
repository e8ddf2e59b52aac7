"""The runner: problem x method x seed -> one result line. No method is special to it or sees a truth or test rows."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from rich.console import Console

from benchmarks.budgets import laws_at_budgets
from benchmarks.cluster import perform_on_cluster
from benchmarks.judge import Judgement, have_structure, judge, judge_groups
from benchmarks.methods import Budget, Outcome, Settings
from benchmarks.progress import Progress
from benchmarks.provenance import find_commit, num_cores, this_machine
from benchmarks.results_file import Key, Result, append_result, key_of, open_results
from benchmarks.slots import SLOTS, Slot, play
from benchmarks.suites import Draw, Problem, with_noise
from benchmarks.worker import Failure, Worker
from mosaic_sr import InvalidSettings

# A method stops itself at its time limit; one that is still busy after this share and these seconds more is killed.
HARD_LIMIT_SHARE = 1.5
HARD_LIMIT_GRACE = 20.0
MAX_EQUATION_LENGTH = 20_000
# Libraries under a method take all cores of the machine unless they are told.
THREADS_OF = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Task:
    """One run to do."""

    problem: Problem
    method: str
    seed: int
    settings: Settings

    @property
    def key(self) -> Key:
        return key_of(self.problem.suite, self.problem.id, self.method, self.seed, self.settings.to_json())


@dataclass(frozen=True)
class Place:
    """What runs have in common: the state of the code, and the cores that each may use."""

    commit: str
    num_cores: int = 1


def run(tasks: Sequence[Task], path: Path, jobs: int, console: Console, cluster: str | None = None) -> list[Result]:
    """Do the tasks that the file does not hold yet, append a line for each as it ends, and return the new results.

    cluster: address of a ray cluster to do them on, instead of `jobs` at a time here.
    """
    done = open_results(path, console.print)
    left = [task for task in tasks if task.key not in done]
    if len(left) < len(tasks):
        console.print(f"{len(tasks) - len(left)} of {len(tasks)} runs are already in {path}")
    # On a cluster every run has one core.
    place = Place(find_commit(), max(1, num_cores() // jobs) if cluster is None else 1)
    _limit_threads(place.num_cores)
    results = []
    with SLOTS:
        runnable = _with_working_methods(left, console.print)
        with Progress((task.problem.suite for task in runnable), console) as progress:
            for result in _performed(runnable, place, jobs, cluster):
                append_result(path, result)
                progress.note(result)
                results.append(result)
    return results


def _performed(tasks: Sequence[Task], place: Place, jobs: int, cluster: str | None) -> Iterator[Result]:
    if cluster is not None:
        return perform_on_cluster(tasks, place, cluster)
    parallel = joblib.Parallel(jobs, backend="threading", return_as="generator_unordered")
    return iter(parallel(joblib.delayed(perform)(task, place) for task in tasks))


def perform(task: Task, place: Place) -> Result:
    """One run: the method's process gets training and validation rows, the judge's process gets the printed text."""
    draw = draw_rows(task)
    with SLOTS.borrow() as slot:
        outcome, seconds, error = _fit(slot, task, draw, place.num_cores)
        if task.problem.num_hidden:
            return _result(
                task, place, outcome, seconds, _judged_groups(slot.judge, task.problem, outcome, draw, error)
            )
        judgement = Judgement(error=error) if error else judge(slot.judge, task.problem, outcome.equation, draw)
        budgets = _judged_budgets(slot.judge, task.problem, outcome, draw)
        rivals = _judged_rivals(slot.judge, task.problem, outcome, draw)
        in_front = judgement.structure or any(have_structure(slot.judge, task.problem, outcome.front, draw))
    result = _result(task, place, outcome, seconds, judgement)
    return replace(result, budgets=budgets, rivals=rivals, in_front=in_front if outcome.front else None)


def _judged_groups(judge_worker: Worker, problem: Problem, outcome: Outcome, draw: Draw, error: str) -> Judgement:
    """A method that knows no groups has one equation for all of them."""
    assert draw.train.groups is not None
    equations = outcome.by_group or (outcome.equation,) * (int(draw.train.groups.max()) + 1)
    return Judgement(error=error) if error else judge_groups(judge_worker, problem, equations, draw)


def draw_rows(task: Task) -> Draw:
    """The rows of a task's problem and seed; noise is on the targets that the method sees, never on test rows."""
    draw, settings = task.problem.draw(task.seed), task.settings
    if settings.units:
        draw = replace(draw, train=replace(draw.train, units=task.problem.units))
    if settings.rows:
        draw = Draw(draw.train.rows(slice(settings.rows)), None, draw.test)
    if settings.noise == 0.0:
        return draw
    rng = np.random.default_rng([task.seed, zlib.crc32(task.problem.id.encode()), 1])
    validation = draw.validation and with_noise(draw.validation, settings.noise, settings.noise_kind, rng)
    return Draw(with_noise(draw.train, settings.noise, settings.noise_kind, rng), validation, draw.test)


def _limit_threads(count: int) -> None:
    """Let the libraries of processes that are started from now on use so many cores, unless the user has said."""
    for name in THREADS_OF:
        os.environ.setdefault(name, str(count))


def hard_limit(time_limit: float) -> float:
    """Seconds after which a method is killed."""
    return HARD_LIMIT_SHARE * time_limit + HARD_LIMIT_GRACE


def _with_working_methods(tasks: list[Task], say: Callable[[str], None]) -> list[Task]:
    """The tasks whose method gets through its rehearsal; the others are left out with a word."""
    reasons: dict[str, str] = {}
    for method, settings in dict.fromkeys((task.method, task.settings) for task in tasks):
        try:
            with SLOTS.borrow() as slot:
                slot.player(method, settings)
        except Failure as failure:
            reasons[method] = str(failure)
            say(f"method {method} is left out; its trial run failed: {failure}")
    if reasons and all(task.method in reasons for task in tasks):
        raise InvalidSettings(f"no method can run: {'; '.join(reasons.values())}")
    return [task for task in tasks if task.method not in reasons]


def _fit(slot: Slot, task: Task, draw: Draw, num_cores: int) -> tuple[Outcome, float, str]:
    """The outcome, the seconds it took, and the error where there is no outcome."""
    start = time.perf_counter()
    try:
        player = slot.player(task.method, task.settings)
        start = time.perf_counter()
        budget = Budget(task.settings.time_limit, num_cores)
        seen = draw.train.without_columns(task.problem.num_hidden)
        told = replace(task.settings, template=task.problem.template if task.settings.templates else "")
        arguments = (task.method, seen, draw.validation, budget, task.seed, told)
        outcome, seconds = player.call(play, *arguments, limit=hard_limit(task.settings.time_limit))
    except Failure as failure:
        return Outcome(""), time.perf_counter() - start, str(failure)
    return outcome, seconds, ""


def _judged_budgets(judge_worker: Worker, problem: Problem, outcome: Outcome, draw: Draw) -> list[dict[str, Any]]:
    """The laws of smaller budgets with their verdicts; most budgets share their law, which is judged once."""
    laws = laws_at_budgets(outcome.path_trace)
    verdicts = {law: judge(judge_worker, problem, law, draw) for law in dict.fromkeys(laws.values())}
    return [
        {
            "paths": paths,
            "steps": steps,
            "equation": law[:MAX_EQUATION_LENGTH],
            "strict": verdicts[law].strict,
            "srbench": verdicts[law].srbench,
            "r2": verdicts[law].r2,
            "nmse": verdicts[law].nmse,
        }
        for (paths, steps), law in laws.items()
    ]


def _judged_rivals(judge_worker: Worker, problem: Problem, outcome: Outcome, draw: Draw) -> list[dict[str, Any]]:
    """The method's rivals, each with the verdict on its structure."""
    texts = [str(rival["equation"])[:MAX_EQUATION_LENGTH] for rival in outcome.rivals]
    verdicts = have_structure(judge_worker, problem, texts, draw)
    return [
        {"equation": text, "probability": rival["probability"], "structure": verdict}
        for text, rival, verdict in zip(texts, outcome.rivals, verdicts, strict=True)
    ]


def _result(task: Task, place: Place, outcome: Outcome, seconds: float, judgement: Judgement) -> Result:
    problem = task.problem
    return Result(
        suite=problem.suite,
        problem=problem.id,
        method=task.method,
        seed=task.seed,
        equation=outcome.equation[:MAX_EQUATION_LENGTH],
        truth=problem.formula,
        strict=judgement.strict,
        srbench=judgement.srbench,
        structure=judgement.structure,
        r2=judgement.r2,
        nmse=judgement.nmse,
        complexity=judgement.complexity,
        true_operators=problem.true_operators,
        decoded_operators=outcome.decoded_operators,
        seconds=round(seconds, 3),
        stage_seconds={stage: round(float(spent), 3) for stage, spent in outcome.stage_seconds.items()},
        evaluations=outcome.evaluations,
        found_by=outcome.found_by,
        settings=task.settings.to_json(),
        commit=place.commit,
        # On a cluster another one than that of the command.
        machine=this_machine(place.num_cores),
        trace=list(outcome.trace),
        unidentifiable=problem.unidentifiable,
        error=judgement.error,
        claims_exact=outcome.claims_exact,
        probability=outcome.probability,
    )
