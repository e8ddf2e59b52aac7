"""The command line of the benchmarks: list, skeletons, run, report and speed."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from mosaic_sr import InvalidFile, InvalidSettings, MosaicError

if TYPE_CHECKING:
    from benchmarks.methods import Settings
    from benchmarks.run import Task
    from benchmarks.suites import Problem

INTERRUPTED = 130
# Commands that are modules of their own with `main(words)`.
OWN_OPTIONS = ("skeletons", "speed")


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; the usage stands under --help."""

    def error(self, message: str) -> NoReturn:
        raise InvalidSettings(f"{message} (see {self.prog} --help)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; misuse is one line on stderr and code 2."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words[:1] and words[0] in OWN_OPTIONS:
            return import_module(f"benchmarks.{words[0]}").main(words[1:]) or 0
        options = _parser().parse_args(words)
        command: Callable[[argparse.Namespace], int] = options.command
        return command(options)
    except MosaicError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the lines written so far stand, the same command goes on from them", file=sys.stderr)
        return INTERRUPTED


def _parser() -> Parser:
    parser = Parser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="list|skeletons|run|report|speed")
    _add_list(commands.add_parser("list", help="the suites with their attainable maxima, and the methods"))
    _add_run(commands.add_parser("run", help="problem x method x seed -> one JSON line each"))
    _add_report(commands.add_parser("report", help="tables from the lines, with the published rows beside them"))
    commands.add_parser("skeletons", help="the hashes of all problems' structures, which training must not contain")
    commands.add_parser("speed", help="kernel, fits and search against other libraries in the same run")
    return parser


def _add_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--suite", type=_words, default=(), help="list the problems of these suites")
    parser.set_defaults(command=_list)


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--suite", type=_words, required=True, metavar="NAME[,NAME]", help="suites, published or all")
    parser.add_argument("--problem", type=_words, default=(), metavar="ID[,ID]", help="only these problems")
    parser.add_argument("--every", type=_count, default=1, metavar="N", help="every N-th problem of a suite")
    parser.add_argument("--method", type=_words, default=("mosaic",), metavar="M[,M]")
    parser.add_argument("--seeds", type=_seeds, default=(0,), metavar="0,1,..")
    parser.add_argument("--time-limit", type=_positive, default=10.0, metavar="S", help="seconds per run")
    parser.add_argument("--preset", default="", metavar="P", help="a preset of the method")
    parser.add_argument("--without", type=_words, default=(), metavar="PROPOSER[,..]", help="switch proposers off")
    parser.add_argument("--noise", type=_level, default=0.0, metavar="L", help="noise on the targets, 0.01 is 1 %%")
    parser.add_argument("--noise-kind", choices=("additive", "multiplicative"), default="additive")
    parser.add_argument("--rows", type=_count, default=0, metavar="N", help="the first N training rows, none held out")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of published files for strogatz")
    parser.add_argument("--jobs", type=_count, default=1, metavar="N", help="runs at a time, which share the cores")
    parser.add_argument("--cluster", metavar="ADDRESS", help="do the runs on this ray cluster, e.g. auto")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.jsonl", help="is continued if it exists")
    parser.set_defaults(command=_run)


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE.jsonl", help="a later file wins over an earlier")
    parser.add_argument("--output", type=Path, metavar="RESULTS.md", help="write here instead of to the terminal")
    parser.add_argument("--figures", type=Path, metavar="DIR", help="draw the figures into this folder and show them")
    parser.add_argument("--chart", type=Path, metavar="FILE.svg", help="draw our rates beside the published ones")
    parser.add_argument("--misses", action="store_true", help="list the problems missed, with what was found")
    parser.set_defaults(command=_report)


def _list(options: argparse.Namespace) -> int:
    from benchmarks.methods import method_names
    from benchmarks.suites import SUITES, load

    for name in options.suite:
        for problem in load(name).problems:
            print(f"{problem.id:28} {problem.formula}" + f"  [{problem.unidentifiable}]" * bool(problem.unidentifiable))
    if not options.suite:
        for suite in SUITES.values():
            print(f"{suite.name:20} {len(suite.problems):4} problems, {suite.attainable:4} attainable")
        print(f"methods: {', '.join(method_names())}")
    return 0


def _run(options: argparse.Namespace) -> int:
    from rich.console import Console

    from benchmarks.run import run

    tasks = list(_tasks(options))
    console = Console(stderr=True)
    results = run(tasks, options.out, options.jobs, console, options.cluster)
    print(f"{len(results)} new lines in {options.out}; python -m benchmarks report {options.out} shows the rates")
    return 0


def _tasks(options: argparse.Namespace) -> Iterator[Task]:
    """Method by method and seed by seed, so that a file cut short still covers every problem of the first seeds."""
    from benchmarks.methods import Settings, check_method
    from benchmarks.run import Task

    for method in options.method:
        check_method(method)
    settings = Settings(
        options.time_limit, options.preset, options.without, options.noise, options.noise_kind, rows=options.rows
    )
    chosen = list(_problems(options, settings))
    for method in options.method:
        for seed in options.seeds:
            for problem, own_settings in chosen:
                yield Task(problem, method, seed, own_settings)


def _problems(options: argparse.Namespace, settings: Settings) -> Iterator[tuple[Problem, Settings]]:
    from benchmarks.paper_rows import MAIN_TABLES
    from benchmarks.suites import SUITES, load

    published = tuple(suite for table in MAIN_TABLES for suite in table.suites)
    names = {("all",): tuple(SUITES), ("published",): published}.get(options.suite, options.suite)
    suites = {name: load(name, options.data) for name in names}
    known = {problem.id for suite in suites.values() for problem in suite.problems}
    for unknown in sorted(set(options.problem) - known):
        raise InvalidSettings(
            f"there is no problem {unknown!r} in {', '.join(names)}; known: {', '.join(sorted(known))}"
        )
    for name, suite in suites.items():
        # Rows from files are other rows: their lines are told apart by the folder's name.
        is_from_files = suite is not SUITES[name]
        for problem in suite.problems[:: options.every]:
            if not options.problem or problem.id in options.problem:
                if is_from_files:
                    _check_rows(problem)
                yield problem, replace(settings, data=options.data.name) if is_from_files else settings


def _check_rows(problem: Problem) -> None:
    """Refuse a broken file before anything runs."""
    try:
        problem.draw(0)
    except (ValueError, OSError) as error:
        raise InvalidFile(f"the rows of {problem.id} cannot be read: {error}") from error


def _report(options: argparse.Namespace) -> int:
    from benchmarks.report import make_sections, to_markdown
    from benchmarks.results_file import read_results

    results = read_results(options.files, lambda words: print(words, file=sys.stderr))
    sections = make_sections(results, with_misses=options.misses)
    if options.chart is not None:
        from benchmarks.report.chart import make_chart
        from benchmarks.report.drawing import draw

        draw(make_chart(results), options.chart)
    if options.figures is not None:
        from benchmarks.report.drawing import draw_into

        draw_into(options.figures, (figure for section in sections for figure in section.figures))
    text = to_markdown(sections, _figures_seen_from_report(options))
    if options.output is None:
        print(text, end="")
        return 0
    try:
        options.output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidFile(f"cannot write {options.output}: {error.strerror}") from error
    return 0


def _figures_seen_from_report(options: argparse.Namespace) -> str:
    """The folder of the figures as a link in the report names it; empty without figures."""
    if options.figures is None:
        return ""
    here = Path() if options.output is None else options.output.parent
    return Path(os.path.relpath(options.figures, here)).as_posix()


def _words(text: str) -> tuple[str, ...]:
    words = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    if not words:
        raise argparse.ArgumentTypeError("needs at least one name")
    return words


def _seeds(text: str) -> tuple[int, ...]:
    seeds = tuple(dict.fromkeys(int(word) for word in text.split(",")))
    if min(seeds) < 0:
        raise argparse.ArgumentTypeError("seeds are 0 or larger")
    return seeds


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or larger; got {text}")
    return count


def _positive(text: str) -> float:
    value = _level(text)
    if value == 0.0:
        raise argparse.ArgumentTypeError("must be above 0")
    return value


def _level(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value >= 0.0):
        raise argparse.ArgumentTypeError(f"must be a number that is 0 or larger; got {text}")
    return value


if __name__ == "__main__":
    sys.exit(main())
