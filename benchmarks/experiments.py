"""Every experiment of the report: a name, and the `run` commands whose lines stand in the file of that name."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from benchmarks.paper_rows import LISTED
from benchmarks.provenance import num_cores
from benchmarks.results_file import read_results
from benchmarks.run import Task, run
from benchmarks.run_options import Parser, add_run_options, tasks_of, words
from mosaic_sr import FINDERS, InvalidFile, InvalidSettings

PEERS = "operon,operon_bic,rils_rols,gp_elite,gplearn,bingo,ffx,pysr"
# Those that recovered most in `peers`.
BEST_PEERS = "operon_bic,rils_rols,gp_elite"
ONLY_PRIOR, ONLY_FINDERS = "finders,grammar", "prior,grammar"
SRBENCH_NOISES = ("0", "1e-3", "1e-2", "1e-1")
STAGES = ("paper-grammar", "paper-decoder", "paper-mcts", "paper")
# The published budgets take longer than the default search; this is far above what they were seen to take.
PAPER_LIMIT = 300
# A few laws in a hundred need more than ten seconds; the published method takes one to five minutes a problem.
OWN_LIMIT = 30
# Noisy tables: many are decided in seconds, the others use all the time they get.
NOISY_LIMIT = 30
# What is done beside a run: drawing rows, measuring and verifying the printed equation.
SECONDS_AROUND = 1.0


@dataclass(frozen=True)
class Experiment:
    """What is measured, and by which commands.

    seconds: what a run of our own takes on average; peers use up their time limit.
    commands: what follows `python -m benchmarks run`. All runs have one core; those of peers, ablations, noise and few
        rows have the usual time limit, so that their lines can be compared.
    """

    name: str
    purpose: str
    seconds: float
    commands: tuple[str, ...]


# In the order in which they are done. Comparisons hold within one setting of all others, so each experiment has the
# line it compares with among its own commands, or shares it with `default`.
EXPERIMENTS = (
    Experiment(
        "default",
        "all suites with the default preset, the published ones with three seeds",
        5.0,
        (
            f"--suite published,taylor --seeds 0,1,2 --time-limit {OWN_LIMIT}",
            "--suite generated,generated-b,srsd-easy-float32,srsd-medium-float32,srsd-hard-float32"
            f" --time-limit {OWN_LIMIT}",
        ),
    ),
    Experiment(
        "peers",
        "other methods on every fifth published problem",
        3.0,
        (f"--suite published --every 5 --method mosaic,{PEERS}",),
    ),
    Experiment(
        "listings",
        "other methods on the equations for which the paper lists predictions, and on its Taylor data",
        3.0,
        (
            f"--suite {','.join(LISTED)} --problem {','.join(problem for own in LISTED.values() for problem in own)}"
            f" --method mosaic,{PEERS}",
            f"--suite taylor --method {PEERS}",
        ),
    ),
    Experiment(
        "finders",
        "all proposers, without each, only the learned prior, only finders",
        4.0,
        tuple(
            f"--suite srsd-easy,srsd-medium,nguyen,livermore{without}"
            for without in ("", *(f" --without {name}" for name in (*FINDERS, "prior", ONLY_PRIOR, ONLY_FINDERS)))
        ),
    ),
    Experiment(
        "claims",
        "false claims of exactness on 100 generated tables with 1 % noise",
        8.0,
        ("--suite generated-b --every 2 --noise 0.01",),
    ),
    Experiment(
        "stages",
        "grammar sampler, learned prior alone, with MCTS, with search paths",
        10.0,
        tuple(
            f"--suite {suite} --preset {preset} --time-limit {PAPER_LIMIT}"
            for suite in ("srsd-easy --seeds 0,1,2", "generated-b --every 4")
            for preset in STAGES
        ),
    ),
    Experiment(
        "paper",
        "the published settings; `stages` has preset paper on srsd-easy",
        20.0,
        (
            f"--suite nguyen --preset paper --time-limit {PAPER_LIMIT}",
            f"--suite srsd-easy,nguyen --preset paper-srsd --time-limit {PAPER_LIMIT}",
        ),
    ),
    Experiment(
        "budgets",
        "48 paths of 500 steps, evaluated at fewer paths and steps",
        40.0,
        (f"--suite srsd-easy --preset paper-budget --time-limit {PAPER_LIMIT}",),
    ),
    Experiment(
        "rows",
        "20 to 1000 training rows; `finders` has all rows",
        4.0,
        tuple(f"--suite srsd-easy,srsd-medium --rows {rows}" for rows in (20, 50, 200, 1000)),
    ),
    Experiment(
        "noise",
        "noise on the targets, ours and three peers on every fourth problem",
        7.0,
        tuple(
            f"--suite srsd-easy,srsd-medium --every 4 --noise {noise} --method mosaic,{BEST_PEERS}"
            for noise in SRBENCH_NOISES
        ),
    ),
    Experiment(
        "measured",
        "laws with few and noisy rows; ours, and three peers on the first table of each law",
        20.0,
        (
            f"--suite measured --time-limit {NOISY_LIMIT}",
            f"--suite measured --every 4 --method {BEST_PEERS} --time-limit {NOISY_LIMIT}",
        ),
    ),
    Experiment(
        "open",
        "tables without a law, on which every claim is false",
        20.0,
        (f"--suite open --time-limit {NOISY_LIMIT}",),
    ),
    Experiment(
        "feynman-noise",
        "SRBench's ground-truth problems at its levels of noise, with 2,000 and with 300 training rows",
        15.0,
        (
            *(
                f"--suite srbench-feynman --rows {rows} --noise {noise} --seeds 0,1,2 --time-limit {NOISY_LIMIT}"
                for rows in (2000, 300)
                for noise in SRBENCH_NOISES
            ),
            *(f"--suite strogatz --noise {noise} --seeds 0,1,2 --time-limit {NOISY_LIMIT}" for noise in SRBENCH_NOISES),
        ),
    ),
    Experiment(
        "known",
        "what the user knows: groups of `class`, templates and without, units of SRBench's Feynman problems",
        20.0,
        (
            *(f"--suite class --seeds 0,1,2 --noise {noise} --time-limit 60" for noise in ("0", "1e-2", "1e-1")),
            *(f"--suite templates{told} --noise 0.01 --time-limit {NOISY_LIMIT}" for told in ("", " --templates")),
            *(
                f"--suite srbench-feynman --units --rows 2000 --noise {noise} --time-limit {NOISY_LIMIT}"
                for noise in ("0", "1e-2", "1e-1")
            ),
        ),
    ),
    Experiment(
        "calibration",
        "stated probabilities against the share of right laws, on newly drawn laws and on laws from a separate list",
        20.0,
        (f"--suite measured-1,unseen --time-limit {NOISY_LIMIT}",),
    ),
)


def main(given: Sequence[str]) -> int:
    """List or run the experiments; options of `run` apply to all their commands and override theirs."""
    options, further = _parser().parse_known_args(given)
    chosen = [experiment for experiment in EXPERIMENTS if experiment.name in (options.only or _names())]
    for unknown in sorted(set(options.only) - set(_names())):
        raise InvalidSettings(f"no experiment {unknown!r}; the experiments are {', '.join(_names())}")
    if options.list:
        print("\n".join(_listed(chosen, further, options.out)))
        return 0
    if options.out is None:
        raise InvalidSettings("give a folder for the results with --out DIR, or list the experiments with --list")
    _make_folder(options.out)
    is_whole = [_do(experiment, further, options.out) for experiment in chosen]
    print(f"for the results run: python -m benchmarks report {options.out}")
    return 0 if all(is_whole) else 1


def _parser() -> Parser:
    parser = Parser(prog="python -m benchmarks experiments", description=main.__doc__, allow_abbrev=False)
    parser.add_argument("--list", action="store_true", help="list the experiments with their runs, hours and commands")
    parser.add_argument("--only", type=words, default=(), metavar="NAME[,NAME]", help="only these experiments")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder for one file of results per experiment; existing files are continued",
    )
    return parser


def _names() -> list[str]:
    return [experiment.name for experiment in EXPERIMENTS]


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InvalidFile(f"cannot create the folder {folder}: {error.strerror}") from error


def _do(experiment: Experiment, further: Sequence[str], folder: Path) -> bool:
    """Do the commands that are left; whether all of them could be done."""
    console = Console(stderr=True)
    is_whole = True
    for command in _commands(experiment, further, folder):
        console.print(f"{experiment.name}: {' '.join(command)}", markup=False, highlight=False, soft_wrap=True)
        options = _options(command)
        try:
            run(list(tasks_of(options)), options.out, options.jobs, console, options.cluster)
        except InvalidSettings as error:
            # A method that is not installed; the other experiments can be done.
            print(f"error: {error}", file=sys.stderr)
            is_whole = False
    return is_whole


def _commands(experiment: Experiment, further: Sequence[str], folder: Path) -> Iterator[list[str]]:
    """The words after `run`: one core for each of as many runs as there are cores; later words win."""
    shared = ["--jobs", str(num_cores())]
    for command in experiment.commands:
        yield [*command.split(), *shared, *further, "--out", str(folder / f"{experiment.name}.jsonl")]


def _options(command: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="python -m benchmarks run", allow_abbrev=False)
    add_run_options(parser)
    return parser.parse_args(command)


def _listed(experiments: Sequence[Experiment], further: Sequence[str], folder: Path | None) -> Iterator[str]:
    """A line of counts and hours for each experiment, and its commands below."""
    yield f"{'experiment':12}{'runs':>7}{'left':>7}{'hours':>8}{'at most':>9}  purpose"
    totals = [0.0, 0.0]
    for experiment in experiments:
        commands = list(_commands(experiment, further, folder or Path("DIR")))
        tasks, left, hours = _estimate(experiment, commands)
        totals = [total + own for total, own in zip(totals, hours, strict=True)]
        yield f"{experiment.name:12}{tasks:7}{left:7}{hours[0]:8.1f}{hours[1]:9.1f}  {experiment.purpose}"
        yield from (f"    python -m benchmarks run {' '.join(command)}" for command in commands)
    yield f"{'all':26}{totals[0]:8.1f}{totals[1]:9.1f}"


def _estimate(experiment: Experiment, commands: Sequence[Sequence[str]]) -> tuple[int, int, tuple[float, float]]:
    """The number of runs, how many of them are left, and the hours of these: as expected, and at the time limits."""
    options = [_options(command) for command in commands]
    kept = read_results([options[0].out], _ignore) if options[0].out.exists() else []
    done = {result.key for result in kept}
    tasks = [(task, own.jobs) for own in options for task in tasks_of(own)]
    left = [(task, jobs) for task, jobs in tasks if task.key not in done]

    def hours(seconds: Callable[[Task], float]) -> float:
        return sum(((seconds(task) + SECONDS_AROUND) / jobs for task, jobs in left), 0.0) / 3600.0

    def expected(task: Task) -> float:
        limit = task.settings.time_limit
        return min(experiment.seconds, limit) if task.method == "mosaic" else limit

    return len(tasks), len(left), (hours(expected), hours(lambda task: task.settings.time_limit))


def _ignore(_: str) -> None:
    """A damaged line is told of when the experiment is done."""
