"""The command line of the benchmarks: lists, runs, reports, experiments, speed, and what training needs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from benchmarks.run_options import Parser, add_run_options, tasks_of, words
from mosaic_sr import InvalidFile, MosaicError

INTERRUPTED = 130
# Commands that are modules of their own with `main(words)`.
OWN_OPTIONS = ("skeletons", "structure-prior", "families", "speed", "experiments", "writing", "forms")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; misuse is one line on stderr and code 2."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given[:1] and given[0] in OWN_OPTIONS:
            return import_module(f"benchmarks.{given[0].replace('-', '_')}").main(given[1:]) or 0
        options = _parser().parse_args(given)
        command: Callable[[argparse.Namespace], int] = options.command
        return command(options)
    except MosaicError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; results so far are kept, and the same command continues from them", file=sys.stderr)
        return INTERRUPTED


def _parser() -> Parser:
    parser = Parser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(
        required=True, metavar="list|skeletons|structure-prior|families|run|experiments|report|speed|writing|forms"
    )
    _add_list(commands.add_parser("list", help="list suites with their attainable maxima, and methods"))
    run = commands.add_parser("run", help="run methods on problems; one JSON line per problem, method and seed")
    add_run_options(run)
    run.set_defaults(command=_run)
    commands.add_parser("experiments", help="list or run the experiments of the report, one file of result lines each")
    _add_report(commands.add_parser("report", help="make the report from result lines, with the published rates"))
    commands.add_parser(
        "skeletons", help="write the hashes of all problem structures, which training data must not contain"
    )
    commands.add_parser("structure-prior", help="count the symbols of formulas for the package's structure prior")
    commands.add_parser("families", help="write the families of laws that the learned prior is trained on")
    commands.add_parser("speed", help="measure kernel, fits and search against other libraries")
    commands.add_parser("writing", help="measure what written laws cost to read, found ones and scrambled truths")
    commands.add_parser("forms", help="count the distinct forms of each size, by operators and columns")
    return parser


def _add_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--suite", type=words, default=(), help="list the problems of these suites")
    parser.set_defaults(command=_list)


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        type=Path,
        nargs="+",
        metavar="FILE.jsonl|DIR",
        help="files of result lines; a later file overrides an earlier one",
    )
    parser.add_argument("--output", type=Path, metavar="RESULTS.md", help="write here instead of to the terminal")
    parser.add_argument(
        "--figures", type=Path, metavar="DIR", help="draw the figures into this folder and link them in the report"
    )
    parser.add_argument("--chart", type=Path, metavar="FILE.svg", help="draw our rates and the published ones")
    parser.add_argument(
        "--summary", type=Path, metavar="README.md", help="write the summary table between the marks in this file"
    )
    parser.add_argument("--misses", action="store_true", help="list the missed problems with the equations found")
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

    tasks = list(tasks_of(options))
    console = Console(stderr=True)
    results = run(tasks, options.out, options.jobs, console, options.cluster)
    print(f"{len(results)} new lines in {options.out}; for the rates run: python -m benchmarks report {options.out}")
    return 0


def _report(options: argparse.Namespace) -> int:
    from benchmarks.report import make_sections, to_markdown
    from benchmarks.report.lines import with_present_marks
    from benchmarks.report.removals import read_trials, removal_sections
    from benchmarks.report.writing import FILE, read_lines, writing_sections
    from benchmarks.results_file import read_results

    files = _files(options.files)
    lines = read_lines([file for file in files if file.name == FILE])
    others = [file for file in files if file.name != FILE]
    results = with_present_marks(read_results(others, lambda words: print(words, file=sys.stderr)))
    *sections, source = make_sections(results, with_misses=options.misses)
    removals = removal_sections(read_trials([path for path in options.files if path.is_dir()]))
    sections = [*sections, *removals, *writing_sections(lines), source]
    if options.chart is not None:
        from benchmarks.report.chart import make_chart
        from benchmarks.report.drawing import draw

        draw(make_chart(results), options.chart)
    if options.summary is not None:
        from benchmarks.report.summary import write_summary

        write_summary(results, options.summary)
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


def _files(paths: Sequence[Path]) -> list[Path]:
    """The files, and for a folder its files of lines."""
    files: list[Path] = []
    for path in paths:
        files += sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise InvalidFile(f"no files of result lines (*.jsonl) in {', '.join(map(str, paths))}")
    return files


def _figures_seen_from_report(options: argparse.Namespace) -> str:
    """The folder of the figures as a link in the report names it; empty without figures."""
    if options.figures is None:
        return ""
    here = Path() if options.output is None else options.output.parent
    return Path(os.path.relpath(options.figures, here)).as_posix()


if __name__ == "__main__":
    sys.exit(main())
