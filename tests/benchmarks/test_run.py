"""Every run ends as one line, whatever the method does; and a run that was cut goes on where it stopped."""

import io
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import benchmarks.run
from benchmarks.__main__ import main
from benchmarks.judge import Judgement
from benchmarks.methods import Budget, Settings, load_method
from benchmarks.paper_rows import MAIN_TABLES
from benchmarks.provenance import num_cores
from benchmarks.results_file import from_line, to_line
from benchmarks.run import Place, Task, draw_rows, hard_limit, perform, run
from benchmarks.run_options import Parser, add_run_options, tasks_of
from benchmarks.slots import SLOTS, Slot, play
from benchmarks.suites import SUITES, Draw, Problem, Sample, load
from benchmarks.worker import Failure, Worker
from mosaic_sr import InvalidSettings
from tests.benchmarks.fake_method import BEHAVIOURS, SECONDS_OF_HANGING

ROOT = Path(__file__).parents[2]
METHOD = "tests.benchmarks.fake_method"


class Rows:
    """Forty rows for training, forty for tests."""

    def draw(self, law, rng):
        samples = [Sample(columns, law(columns)) for columns in rng.uniform(1.0, 2.0, (2, 2, 40))]
        return Draw(samples[0], None, samples[1])


PROBLEM = Problem("tiny", "tiny-1", "2*x0 + x1", 2, Rows())


def make_task(behaviour, **settings):
    return Task(PROBLEM, METHOD, BEHAVIOURS.index(behaviour), Settings(**{"time_limit": 1.0, **settings}))


def quiet_console():
    return Console(stderr=True, quiet=True)


@pytest.fixture(scope="module")
def results():
    """One run of each behaviour, through the same two processes."""
    place = Place("abc")
    with pytest.MonkeyPatch.context() as patch, SLOTS:
        patch.setattr(benchmarks.run, "HARD_LIMIT_GRACE", 0.5)
        behaviours = [behaviour for behaviour in BEHAVIOURS if behaviour != "child left behind"]
        # Only the one that hangs is to meet its limit, on a busy machine too.
        limits = {behaviour: 1.0 if behaviour == "hang" else 60.0 for behaviour in behaviours}
        return {each: perform(make_task(each, time_limit=limits[each]), place) for each in behaviours}


def test_a_right_equation_is_accepted_by_both_verifiers(results):
    result = results["exact"]
    assert result.strict
    assert result.srbench
    assert result.error == ""
    assert result.r2 == pytest.approx(1.0)
    assert 0.0 < result.nmse < 1e-8
    assert (result.equation, result.truth) == ("x1 + 2.00001*x0", "2*x0 + x1")
    assert (result.complexity, result.true_operators, result.evaluations, result.found_by) == (5, 2, 20, "memory")
    assert (result.commit, result.machine["cores_per_run"]) == ("abc", 1)
    assert result.machine["cores"] == num_cores()


def test_a_wrong_equation_is_a_miss_with_its_measures(results):
    result = results["wrong"]
    assert not result.strict
    assert not result.srbench
    assert 0.5 < result.r2 < 1.0


def test_a_line_has_the_verdict_on_structure_and_what_the_method_says_of_its_chances(results):
    assert results["exact"].structure is False  # 2.00001 is a number, and the truth has none
    assert results["exact"].in_front is None
    assert results["exact"].probability == 0.75
    assert [(rival["probability"], rival["structure"]) for rival in results["exact"].rivals] == [
        (0.2, False),
        (0.05, True),
    ]
    assert results["wrong"].structure is False
    assert results["wrong"].in_front is True
    assert results["crash"].structure is False
    assert results["crash"].probability is None


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("crash", "crashed: ValueError: the peer broke"),
        ("segfault", "crashed: SIGSEGV"),
        ("hang", "killed at the hard limit of 2 s"),
        ("nonsense", "the equation cannot be parsed"),
        ("not finite", "the equation is not finite on some test rows"),
        ("no outcome", "crashed: TypeError"),
    ],
)
def test_every_failure_is_a_line_with_its_reason(results, behaviour, words):
    result = results[behaviour]
    assert words in result.error
    assert not result.strict
    assert not result.srbench
    assert result.r2 is None
    assert result.nmse is None


def test_a_killed_method_does_not_cost_more_than_its_hard_limit(results):
    assert hard_limit(1.0) >= 1.5
    assert 1.9 < results["hang"].seconds < 0.5 * SECONDS_OF_HANGING


def test_only_the_method_is_on_the_clock(monkeypatch):
    moments = iter([10.0, 12.5])
    with monkeypatch.context() as patch:
        patch.setattr("benchmarks.slots.time.perf_counter", lambda: next(moments))
        _, seconds = play(METHOD, PROBLEM.draw(0).train, None, Budget(1.0), 0, Settings())
    assert seconds == 2.5


def test_the_method_never_receives_truth_or_test_rows(monkeypatch):
    sent = []
    monkeypatch.setattr(Worker, "start", lambda self: None)
    monkeypatch.setattr(Worker, "call", lambda self, function, *arguments, limit: sent.append(arguments) or _fail())
    draw = PROBLEM.draw(0)
    with SLOTS:
        assert perform(make_task("exact"), Place("abc")).error == "stopped"
    ((method, train, validation, *_),) = sent
    assert method == METHOD
    assert validation is None
    assert np.array_equal(train.columns, draw.train.columns)
    assert PROBLEM.formula not in repr(sent)


def _fail():
    raise Failure("stopped")


def test_a_child_that_the_method_left_behind_dies_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(benchmarks.run, "HARD_LIMIT_GRACE", 0.5)
    written = tmp_path / "child"
    with SLOTS:
        perform(make_task("child left behind", data=str(written)), Place("abc"))
        child = int(written.read_text())
        deadline = time.monotonic() + 60.0
        while _is_running(child) and time.monotonic() < deadline:
            time.sleep(0.05)
    assert not _is_running(child)


def _is_running(process):
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().split()[2] != "Z"


def test_noise_is_on_the_rows_that_the_method_sees_and_never_on_test_rows():
    clean, noisy = PROBLEM.draw(0), draw_rows(make_task("exact", noise=0.1))
    again = draw_rows(make_task("exact", noise=0.1))
    assert np.array_equal(clean.test.target, noisy.test.target)
    assert not np.array_equal(clean.train.target, noisy.train.target)
    assert np.array_equal(again.train.target, noisy.train.target)


def test_few_rows_are_the_first_training_rows_and_nothing_is_held_out():
    whole, few = PROBLEM.draw(0), draw_rows(make_task("exact", rows=7, noise=0.1))
    assert np.array_equal(few.train.columns, whole.train.columns[:, :7])
    assert few.train.target.shape == (7,)
    assert few.validation is None
    assert few.test.num_rows == whole.test.num_rows
    assert draw_rows(make_task("exact", rows=1000)).train.num_rows == 40
    assert make_task("exact", rows=7).settings.to_json() == {"time_limit": 1.0, "rows": 7}


def test_a_budget_of_evaluations_reaches_the_search():
    task = Task(
        PROBLEM, "mosaic", 0, Settings(time_limit=60.0, without=("finders", "prior", "enumeration"), max_evaluations=1)
    )
    rows = draw_rows(task)
    few = load_method("mosaic")(rows.train, rows.validation, Budget(60.0), 0, task.settings)
    assert few.evaluations < 10_000
    assert task.settings.to_json()["max_evaluations"] == 1
    with pytest.raises(InvalidSettings, match="only a time limit"):
        load_method("linear")(rows.train, rows.validation, Budget(1.0), 0, Settings(max_evaluations=1))


def test_the_laws_of_smaller_budgets_are_judged_and_stand_in_the_line(results):
    budgets = results["exact"].budgets
    verdicts = {(entry["paths"], entry["steps"]): entry["strict"] for entry in budgets}
    assert verdicts[1, 100] is False
    assert verdicts[1, 300] is True
    assert len(budgets) == 15
    assert {entry["equation"] for entry in budgets} == {"x0", "2*x0 + x1"}
    assert from_line(to_line(results["exact"])).budgets == budgets
    assert results["crash"].budgets == []


def test_runs_in_parallel_write_every_line_once_and_go_on_after_a_cut(tmp_path, monkeypatch):
    path = tmp_path / "runs.jsonl"
    monkeypatch.setattr(benchmarks.run, "judge", lambda *_: Judgement(strict=True))
    tasks = [make_task("exact"), make_task("wrong"), make_task("nonsense")]
    assert len(run(tasks, path, 2, quiet_console())) == 3
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:2]) + "\n" + lines[2][:40])
    (again,) = run(tasks, path, 1, quiet_console())
    assert again.key == from_line(lines[2]).key
    assert {from_line(line).key for line in path.read_text().splitlines()} == {task.key for task in tasks}
    assert run(tasks, path, 1, quiet_console()) == []


def test_a_method_that_fails_its_rehearsal_is_refused_and_nothing_is_written(tmp_path, capsys):
    path = tmp_path / "runs.jsonl"
    words = ["run", "--suite", "nguyen", "--method", METHOD, "--preset", "paper", "--out", str(path)]
    assert main(words) == 2
    assert "this method has no presets" in capsys.readouterr().err.splitlines()[-1]
    assert not path.exists()


def test_a_method_that_is_not_there_is_left_out_with_a_line_and_the_others_run(tmp_path, monkeypatch):
    def rehearsed(slot, method, settings):
        if method == "pysr":
            raise Failure("there is no Julia")
        return before(slot, method, settings)

    before = Slot.player
    monkeypatch.setattr(Slot, "player", rehearsed)
    said = io.StringIO()
    tasks = [make_task("exact"), replace(make_task("exact"), method="pysr")]
    (only,) = run(tasks, tmp_path / "runs.jsonl", 1, Console(file=said, width=200))
    assert only.method == METHOD
    assert "method pysr is left out; its trial run failed: there is no Julia" in said.getvalue()


def test_unknown_names_are_one_line_that_lists_the_known_ones(tmp_path, capsys):
    path = tmp_path / "runs.jsonl"
    for words, known in (
        (["--suite", "nguien"], "livermore"),
        (["--suite", "nguyen", "--problem", "Nguyen-99"], "Nguyen-12"),
        (["--suite", "nguyen", "--method", "magic"], "linear, mosaic"),
        (["--suite", "nguyen", "--noise-kind", "loud"], "multiplicative"),
        (["--suite", "nguyen", "--time-limit", "0"], "larger than 0"),
        (["--suite", "nguyen", "--time-limit", "nan"], "nan"),
        (["--suite", "nguyen", "--seeds", "0,x"], "0,x"),
        (["--suite", "nguyen", "--jobs", "0"], "1 or larger"),
        (["--suite", "nguyen", "--rows", "0"], "1 or larger"),
        (["--suite", "nguyen", "--rows", "few"], "few"),
        (["--suite", "nguyen", "--max-evaluations", "0"], "1 or larger"),
        (["--suite", "strogatz", "--data", str(tmp_path / "none")], "strogatz_bacres1.csv"),
        (["--suite", "nguyen", "--data", str(tmp_path)], "strogatz"),
        ([], "--suite"),
    ):
        assert main(["run", *words, "--out", str(path)]) == 2, words
        error = capsys.readouterr().err
        assert error.count("\n") == 1, error
        assert known in error
        assert not path.exists()


def test_a_broken_file_in_the_data_folder_is_refused_before_anything_runs(tmp_path, capsys):
    path = tmp_path / "runs.jsonl"
    for broken in ("1,2,three\n", "1,2,nan\n" * 400):
        for problem in load("strogatz").problems:
            (tmp_path / f"{problem.id}.csv").write_text(f"x,y,target\n{broken}")
        words = ["--suite", "strogatz", "--data", str(tmp_path), "--method", "linear", "--out", str(path)]
        assert main(["run", *words]) == 2
        assert "strogatz_bacres1" in capsys.readouterr().err
        assert not path.exists()


def test_a_folder_that_does_not_exist_is_refused(tmp_path, capsys):
    words = ["run", "--suite", "nguyen", "--method", "linear", "--out", str(tmp_path / "none" / "runs.jsonl")]
    assert main(words) == 2
    assert "create it first" in capsys.readouterr().err


def test_the_list_names_suites_and_methods(capsys):
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    assert "srsd-hard" in shown
    assert "linear, mosaic" in shown.splitlines()[-1]
    assert main(["list", "--suite", "nguyen"]) == 0
    assert "sin(x0) + sin(x1^2)" in capsys.readouterr().out


def test_a_stated_share_of_the_published_suites_can_be_chosen():
    tasks = tasks_for("--suite", "published", "--every", "5")
    assert len(tasks) == 67
    assert {task.problem.suite for task in tasks} == {suite for table in MAIN_TABLES for suite in table.suites}
    assert len(tasks_for("--suite", "published")) == 326
    assert len(tasks_for("--suite", "published,taylor,nguyen")) == 326 + 16
    assert {task.problem.suite for task in tasks_for("--suite", "all,nguyen")} == set(SUITES)


def tasks_for(*words):
    parser = Parser()
    add_run_options(parser)
    return list(tasks_of(parser.parse_args([*words, "--out", "runs.jsonl"])))


def command(*words, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks", *words], cwd=ROOT, text=True, stdout=-1, stderr=subprocess.PIPE, **options
    )


def test_the_command_runs_a_suite_goes_on_after_an_interrupt_and_reports(tmp_path):
    path = tmp_path / "runs.jsonl"
    hang = BEHAVIOURS.index("hang")
    words = ["run", "--suite", "korns", "--problem", "Korns-1", "--time-limit", "2", "--out", str(path)]
    first = command(*words, "--method", f"linear,{METHOD}", "--seeds", f"0,{hang}")
    while not path.exists() or path.read_text().count("\n") < 3:
        assert first.poll() is None, first.stderr.read()
        time.sleep(0.1)
    os.kill(first.pid, signal.SIGINT)
    _, error = first.communicate(timeout=30)
    assert first.returncode == 130
    assert "Traceback" not in error
    linear = from_line(path.read_text().splitlines()[0])
    assert linear.strict
    assert linear.srbench
    again = command(*words, "--method", "linear", "--seeds", f"0,{hang}")
    _, error = again.communicate(timeout=60)
    assert again.returncode == 0
    assert "2 of 2 runs are already in" in error
    assert main(["report", str(path), "--output", str(tmp_path / "RESULTS.md"), "--misses"]) == 0
    assert "linear (2 s)" in (tmp_path / "RESULTS.md").read_text()
