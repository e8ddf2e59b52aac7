"""How stable a law is: how often its structure returns when bootstrap samples of the rows are searched."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from mosaic_sr.budget import Clock, Stopped, never
from mosaic_sr.errors import MosaicWarning
from mosaic_sr.evidence.judge import is_number
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.definitions import has_defined
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.intervals import with_intervals
from mosaic_sr.operators import Operator
from mosaic_sr.pipeline import SearchConfig
from mosaic_sr.preparation import Prepared, Problem
from mosaic_sr.progress import silent
from mosaic_sr.search import Search
from mosaic_sr.table import resampled
from mosaic_sr.workers import Tasks, hired

# A part of a structure: an operator, a column, a number or FREE, over its operands.
Part = tuple[str, tuple["Part", ...]]
FREE, MINUS, OPEN = "c", "neg", "?"
# Operators that any number of operands share, in any order.
FLAT = ("add", "mul")
# Sums of digits end in other last ones, depending on their order.
DIGITS = 12


def measure_law(search: Search, prepared: Prepared, config: SearchConfig, n_jobs: int) -> None:
    """Add to the outcome of `search` what was asked for beside its law: intervals of its constants, its stability."""
    if prepared.intervals is not None:
        search.revise(with_intervals(search.finished(), prepared.problem.table, prepared.intervals))
    measure_stability(search, prepared, config, n_jobs)


def measure_stability(search: Search, prepared: Prepared, config: SearchConfig, n_jobs: int) -> None:
    """Search the samples that were asked for, and add to the outcome of `search` how often its structure returned.

    Ctrl-C ends it with the samples done so far; after Ctrl-C in the search itself there are none.
    """
    if prepared.num_samples == 0:
        return
    outcome, returned = search.finished(), list[bool]()
    if not search.was_interrupted:
        structure = structure_of(outcome.law.expression)
        returned = [found == structure for found in _until_ctrl_c(_structures(prepared, config, n_jobs))]
    if len(returned) < prepared.num_samples:
        done = f"{len(returned)} of {prepared.num_samples} bootstrap samples were searched"
        warnings.warn(f"stopped early: {done}", MosaicWarning, stacklevel=4)
    if returned:
        search.revise(replace(outcome, stability=float(np.mean(returned)), stability_samples=len(returned)))


def _structures(prepared: Prepared, config: SearchConfig, n_jobs: int) -> Iterator[Part | None]:
    """The structure of the law of each sample, None where none can be drawn; it ends where Ctrl-C ends a search.

    Workers elsewhere search several samples at the same time, here one follows the other.
    """
    # One generator per sample: those of ten samples are the first ten of a hundred.
    samples = prepared.for_samples.spawn(prepared.num_samples)
    with hired(n_jobs) as workers:
        if workers.are_elsewhere and not has_defined(config.proposal.operators):
            shared = prepared.problem, config, prepared.clock
            yield from workers.results(Tasks(structure_of_sample, shared, samples, is_even=False), never)
            return
    for rng in samples:
        try:
            yield structure_of_sample(prepared.problem, config, prepared.clock, rng, n_jobs)
        except Stopped:
            return


def structure_of_sample(
    problem: Problem, config: SearchConfig, clock: Clock, rng: np.random.Generator, n_jobs: int = 1
) -> Part | None:
    """The structure of the law of one bootstrap sample of the rows, None where it cannot be drawn; a pure function.

    Raises `Stopped` where Ctrl-C ends the search.
    """
    for_rows, for_search = rng.spawn(2)
    table = resampled(problem.table, for_rows)
    if table is None:
        return None
    search = Search(replace(problem, table=table), config, replace(clock, started=clock.now()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MosaicWarning)
        outcome = search.run(for_search, n_jobs, silent())
    if search.was_interrupted:
        raise Stopped
    return structure_of(outcome.law.expression)


def _until_ctrl_c(found: Iterator[Part | None]) -> list[Part | None]:
    done: list[Part | None] = []
    try:
        for one in found:
            done.append(one)
    except KeyboardInterrupt:
        pass
    return done


def structure_of(law: Expression) -> Part:
    """Equal for laws that differ only in the values and signs of fitted constants and in how they are written.

    Simple numbers belong to the structure. The canonical form alone is not enough: its order depends on constants.
    """
    return canonical(law).fold(_joined, lambda column: (f"x{column}", ()), _number, lambda: (OPEN, ()))


def _number(value: float) -> Part:
    if not is_number(value):
        return FREE, ()
    size: Part = f"{abs(value):.{DIGITS}g}", ()
    return _negated(size) if value < 0.0 else size


def _joined(operator: Operator, operands: list[Part]) -> Part:
    name, parts = operator.name, list(operands)
    if name == "neg":
        return _negated(parts[0])
    if name == "sub":
        name, parts[1] = "add", _negated(parts[1])
    is_negative = False
    if name in ("mul", "div"):
        is_negative = sum(part[0] == MINUS for part in parts) % 2 == 1
        parts = [part[1][0] if part[0] == MINUS else part for part in parts]
    if name in FLAT:
        parts = [own for part in parts for own in (part[1] if part[0] == name else (part,))]
    joined: Part = name, tuple(sorted(parts) if name in FLAT or operator.commutes else parts)
    return _negated(joined) if is_negative else joined


def _negated(part: Part) -> Part:
    """The part times -1; a fitted factor takes the sign."""
    if part[0] == MINUS:
        return part[1][0]
    return part if _has_free_factor(part) else (MINUS, (part,))


def _has_free_factor(part: Part) -> bool:
    head, operands = part
    factors: Sequence[Part] = operands if head == "mul" else operands[:1] if head == "div" else ()
    return head == FREE or any(map(_has_free_factor, factors))
