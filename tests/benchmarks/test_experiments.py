"""The table of experiments: every command stands for runs, and what is asked of them reaches `run`."""

import pytest

import benchmarks.experiments
from benchmarks.__main__ import main
from benchmarks.experiments import EXPERIMENTS, FINDERS, STAGES
from benchmarks.report import make_sections
from benchmarks.report.lines import STAGE_PRESETS
from benchmarks.results_file import append_result, key_of
from mosaic_sr import PRESETS, InvalidSettings
from mosaic_sr.proposal import FINDERS as ALL_FINDERS
from mosaic_sr.proposal import PROPOSERS
from tests.benchmarks.result_lines import make_result


@pytest.fixture
def done(monkeypatch):
    """What `run` is asked for, in place of doing it; those of the method `linear` cannot be done."""
    calls = []

    def run(tasks, path, jobs, console, cluster):
        if tasks[0].method == "linear":
            raise InvalidSettings("no method can run: it is not installed")
        calls.append((tasks, path, jobs, cluster))
        return []

    monkeypatch.setattr(benchmarks.experiments, "run", run)
    return calls


def test_every_experiment_is_runs_of_one_file(done, tmp_path):
    assert main(["experiments", "--out", str(tmp_path / "lines")]) == 0
    assert len({experiment.name for experiment in EXPERIMENTS}) == len(EXPERIMENTS)
    assert {path.name for _, path, _, _ in done} == {f"{experiment.name}.jsonl" for experiment in EXPERIMENTS}
    for experiment in EXPERIMENTS:
        keys = [task.key for tasks, path, _, _ in done for task in tasks if path.stem == experiment.name]
        assert keys
        assert len(set(keys)) == len(keys), experiment.name
    assert all(tasks for tasks, *_ in done)


def test_presets_and_proposers_of_the_table_exist(done, tmp_path):
    main(["experiments", "--out", str(tmp_path)])
    settings = [task.settings for tasks, *_ in done for task in tasks]
    assert {own.preset for own in settings} - {""} <= set(PRESETS)
    assert {name for own in settings for name in own.without} <= {*PROPOSERS, "finders"}
    assert FINDERS == ALL_FINDERS
    assert set(STAGES) == {*STAGE_PRESETS, "paper"}


def test_options_of_run_go_to_every_command_and_win(done, tmp_path):
    words = ["--only", "budgets,noise", "--time-limit", "1", "--every", "100", "--jobs", "3", "--cluster", "auto"]
    assert main(["experiments", *words, "--out", str(tmp_path)]) == 0
    assert [path.stem for _, path, _, _ in done] == ["budgets", *["noise"] * 4]
    assert all(task.settings.time_limit == 1.0 for tasks, *_ in done for task in tasks)
    assert {(len({task.problem.id for task in tasks}), jobs, cluster) for tasks, _, jobs, cluster in done} == {
        (1, 3, "auto"),
        (2, 3, "auto"),
    }
    assert sorted({task.settings.noise for tasks, *_ in done for task in tasks}) == [0.0, 1e-3, 1e-2, 1e-1]


def test_an_experiment_that_cannot_be_done_does_not_stop_the_others(done, tmp_path, capsys):
    assert main(["experiments", "--only", "claims", "--method", "linear", "--out", str(tmp_path)]) == 1
    assert "it is not installed" in capsys.readouterr().err
    assert main(["experiments", "--only", "claims", "--out", str(tmp_path)]) == 0


def test_the_list_counts_what_is_left_and_the_hours_of_it(done, tmp_path, capsys):
    assert main(["experiments", "--list", "--only", "claims", "--jobs", "2"]) == 0
    head, row, command, _ = capsys.readouterr().out.splitlines()
    assert head.split()[:4] == ["experiment", "runs", "left", "hours"]
    assert row.split()[:5] == ["claims", "100", "100", "0.1", "0.2"]
    assert "run --suite generated-b --every 2 --noise 0.01" in command
    main(["experiments", "--only", "claims", "--out", str(tmp_path)])
    ((tasks, path, _, _),) = done
    for task in tasks[:40]:
        line = make_result(task.problem.id, task.problem.suite, settings=task.settings.to_json())
        assert line.key == key_of(task.problem.suite, task.problem.id, "mosaic", 0, task.settings.to_json())
        append_result(path, line)
    assert main(["experiments", "--list", "--only", "claims", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[-3].split()[:3] == ["claims", "100", "60"]


def test_misuse_is_one_line(done, tmp_path, capsys):
    for words, known in (
        (["--only", "nose", "--out", str(tmp_path)], "noise"),
        ([], "--out"),
        (["--out", str(tmp_path / "no" / "folder")], "cannot create the folder"),
        (["--out", str(tmp_path), "--tiem-limit", "1"], "--tiem-limit"),
        (["--list", "--time-limit", "x"], "time-limit"),
    ):
        assert main(["experiments", *words]) == 2, words
        error = capsys.readouterr().err.splitlines()[-1]
        assert error.startswith("error: ")
        assert known in error
    assert done == []


def test_a_folder_of_lines_is_reported_as_a_whole(tmp_path, capsys):
    for name, problem in (("default", "Nguyen-1"), ("peers", "Nguyen-2")):
        append_result(tmp_path / f"{name}.jsonl", make_result(problem))
    assert main(["report", str(tmp_path)]) == 0
    assert make_sections([make_result("Nguyen-1"), make_result("Nguyen-2")])[0].text in capsys.readouterr().out
    (tmp_path / "empty").mkdir()
    assert main(["report", str(tmp_path / "empty")]) == 2
    assert "no files of result lines" in capsys.readouterr().err
