"""What a `run` command says: its options, and the tasks that they stand for."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from mosaic_sr import InvalidFile, InvalidSettings

if TYPE_CHECKING:
    from benchmarks.methods import Settings
    from benchmarks.run import Task
    from benchmarks.suites import Problem


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; the usage stands under --help."""

    def error(self, message: str) -> NoReturn:
        raise InvalidSettings(f"{message} (see {self.prog} --help)")


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """What is run, how, and the file of its lines."""
    parser.add_argument(
        "--suite", type=words, required=True, metavar="NAME[,NAME]", help="suites; published or all for several"
    )
    parser.add_argument("--problem", type=words, default=(), metavar="ID[,ID]", help="only these problems")
    parser.add_argument("--every", type=count, default=1, metavar="N", help="only every N-th problem of each suite")
    parser.add_argument("--method", type=words, default=("mosaic",), metavar="M[,M]", help="methods, mosaic by default")
    parser.add_argument("--seeds", type=seeds, default=(0,), metavar="0,1,..", help="random seeds, 0 by default")
    parser.add_argument("--time-limit", type=positive, default=10.0, metavar="S", help="seconds per run")
    parser.add_argument("--max-evaluations", type=count, default=0, metavar="N", help="candidates per run")
    parser.add_argument("--preset", default="", metavar="P", help="a preset of the method")
    parser.add_argument("--without", type=words, default=(), metavar="PROPOSER[,..]", help="switch proposers off")
    parser.add_argument("--noise", type=level, default=0.0, metavar="L", help="noise on the targets; 0.01 is 1 %%")
    parser.add_argument("--noise-kind", choices=("additive", "multiplicative"), default="additive")
    parser.add_argument(
        "--rows", type=count, default=0, metavar="N", help="use the first N training rows and no validation rows"
    )
    parser.add_argument(
        "--units",
        choices=("dimensionless", "free"),
        nargs="?",
        const="dimensionless",
        default="",
        help="hand the units of problems that have some to the method; constants have none, or with free any",
    )
    parser.add_argument("--templates", action="store_true", help="give the method the template of each problem")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the published files of strogatz")
    parser.add_argument("--jobs", type=count, default=1, metavar="N", help="parallel runs; they share the cores")
    parser.add_argument("--cluster", metavar="ADDRESS", help="run on this ray cluster, e.g. auto")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE.jsonl",
        help="file of result lines; an existing file is continued",
    )


def tasks_of(options: argparse.Namespace) -> Iterator[Task]:
    """Method by method and seed by seed, so that a file cut short still covers every problem of the first seeds."""
    from benchmarks.methods import Settings, check_method
    from benchmarks.run import Task

    for method in options.method:
        check_method(method)
    settings = Settings(
        options.time_limit,
        options.preset,
        options.without,
        options.noise,
        options.noise_kind,
        rows=options.rows,
        max_evaluations=options.max_evaluations,
        units=options.units,
        templates=options.templates,
    )
    chosen = list(_problems(options, settings))
    for method in options.method:
        for seed in options.seeds:
            for problem, own_settings in chosen:
                yield Task(problem, method, seed, own_settings)


def _problems(options: argparse.Namespace, settings: Settings) -> Iterator[tuple[Problem, Settings]]:
    from benchmarks.paper_rows import MAIN_TABLES
    from benchmarks.suites import SUITES, load

    lists = {"all": tuple(SUITES), "published": tuple(suite for table in MAIN_TABLES for suite in table.suites)}
    names = tuple(dict.fromkeys(name for given in options.suite for name in lists.get(given, (given,))))
    suites = {name: load(name, options.data) for name in names}
    if options.data is not None and "strogatz" not in suites:
        raise InvalidSettings(f"--data needs the suite strogatz; the suites are {', '.join(names)}")
    known = {problem.id for suite in suites.values() for problem in suite.problems}
    for unknown in sorted(set(options.problem) - known):
        raise InvalidSettings(
            f"no problem {unknown!r} in {', '.join(names)}; the problems are {', '.join(sorted(known))}"
        )
    for name, suite in suites.items():
        # Rows from files are other rows: their lines are told apart by the folder's name.
        is_from_files = options.data is not None and name == "strogatz"
        own_settings = replace(settings, data=options.data.name) if is_from_files else settings
        chosen = [each for each in suite.problems[:: options.every] if each.id in (options.problem or known)]
        for problem in chosen:
            if settings.templates and not problem.template:
                raise InvalidSettings(f"--templates needs problems with a template; {problem.id} has none")
            if is_from_files:
                _check_rows(problem)
            yield problem, own_settings


def _check_rows(problem: Problem) -> None:
    """Refuse a broken file before anything runs."""
    try:
        samples = problem.draw(0).samples
    except (ValueError, OSError) as error:
        raise InvalidFile(f"the rows of {problem.id} cannot be read: {error}") from error
    if not all(np.isfinite(sample.columns).all() and np.isfinite(sample.target).all() for sample in samples):
        raise InvalidFile(f"the rows of {problem.id} contain NaN or infinite numbers")


def words(text: str) -> tuple[str, ...]:
    """Distinct names between commas."""
    names = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    if not names:
        raise argparse.ArgumentTypeError("needs at least one name")
    return names


def seeds(text: str) -> tuple[int, ...]:
    """Distinct whole numbers between commas."""
    numbers = tuple(dict.fromkeys(int(word) for word in text.split(",")))
    if min(numbers) < 0:
        raise argparse.ArgumentTypeError("seeds must be 0 or larger")
    return numbers


def count(text: str) -> int:
    """A whole number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or larger, got {text}")
    return number


def positive(text: str) -> float:
    """A number above 0."""
    value = level(text)
    if value == 0.0:
        raise argparse.ArgumentTypeError("must be larger than 0")
    return value


def level(text: str) -> float:
    """A number that is 0 or larger."""
    value = float(text)
    if not (math.isfinite(value) and value >= 0.0):
        raise argparse.ArgumentTypeError(f"must be 0 or larger, got {text}")
    return value
