"""The report is made of the lines alone, each section only where there are lines for it."""

import dataclasses
import random
import re
import sys

import pytest

from benchmarks.__main__ import main
from benchmarks.report import make_sections, to_markdown
from benchmarks.report.lines import describe
from benchmarks.results_file import append_result, to_line
from tests.benchmarks.result_lines import make_result


def make_report(results, with_misses=False):
    return to_markdown(make_sections(results, with_misses))


def test_the_report_says_that_the_published_verifier_was_another_one():
    assert "slightly different verifier" in make_report([make_result()])


def titles_of(results):
    return [section.title for section in make_sections(results)]


def test_a_section_appears_only_when_there_are_lines_for_it():
    assert titles_of([make_result()]) == [
        "Nguyen, Korns, Keijzer",
        "Compared with the best published rates",
        "Shares of the attainable problems",
        "Which proposer found the laws",
        "Source of the 1 result lines",
    ]
    assert titles_of([]) == ["Source of the 0 result lines"]


def test_a_section_says_the_commands_that_make_its_lines():
    results = [
        make_result("Nguyen-1", seed=0),
        make_result("Nguyen-1", seed=1),
        make_result("Nguyen-1", method="operon", settings={"time_limit": 2.5}),
        make_result("Nguyen-1", method="operon", settings={"time_limit": 2.5, "noise": 0.01}),
    ]
    report = make_report(results)
    usual = "python -m benchmarks run --suite nguyen --problem Nguyen-1 --method mosaic --seeds 0,1 --time-limit 10"
    noisy = "python -m benchmarks run --suite nguyen --problem Nguyen-1 --method operon --seeds 0 --noise 0.01"
    assert f"$ {usual} --out FILE.jsonl\n" in report
    assert f"$ {noisy} --time-limit 2.5 --out FILE.jsonl\n" in report


def test_misses_are_listed_on_request():
    missed = make_result("Nguyen-7", strict=False, equation="log(x0)|", error="")
    assert "log(x0)" not in make_report([make_result(), missed])
    report = make_report([make_result(), missed], with_misses=True)
    assert "| Nguyen-7 | 0 | `log(x0)&#124;` | `x0 + 1` | structure |" in report
    assert "| Nguyen-1 |" not in report


def test_the_order_of_the_lines_does_not_matter():
    results = [make_result(f"p{i}", suite, seed) for i in range(4) for suite in ("nguyen", "mine") for seed in (0, 1)]
    shuffled = random.Random(0).sample(results, len(results))
    assert make_report(results, with_misses=True) == make_report(shuffled, with_misses=True)


def test_settings_are_told_in_words():
    assert describe({"time_limit": 2.5}) == "2.5 s"
    assert describe({"preset": "paper", "time_limit": 10.0}) == "10 s, preset paper"


def test_the_command_writes_the_report_and_drops_cut_lines_with_a_word(tmp_path, capsys):
    path, output = tmp_path / "runs.jsonl", tmp_path / "RESULTS.md"
    path.write_text(to_line(make_result()) + "\n" + to_line(make_result("Nguyen-2"))[:70])
    assert main(["report", str(path), "--output", str(output)]) == 0
    assert "line 2 is incomplete" in capsys.readouterr().err
    assert output.read_text() == make_report([make_result()])


def test_a_missing_results_file_is_one_line_and_exit_code_2(tmp_path, capsys):
    assert main(["report", str(tmp_path / "none.jsonl")]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.count("\n") == 1
    assert "cannot read" in streams.err


def write_lines(path, results):
    for result in results:
        append_result(path, result)
    return str(path)


def varied_lines():
    """Lines for sections of every kind."""
    lines = []
    for index, method in enumerate(("mosaic", "operon", "linear")):
        for seed in (0, 1):
            for problem in ("feynman-i.12.1", "feynman-i.12.5"):
                hit = (index + seed + len(problem)) % 2 == 0
                trace = [{"seconds": 0.5 + seed, "evaluations": 3, "validation_nmse": 1e-5 * index}]
                usual = make_result(
                    problem, "srsd-easy", seed, hit, method=method, trace=trace * (index == 0), decoded_operators=12
                )
                lines += [usual, *(dataclasses.replace(usual, settings=other) for other in STUDIES)]
    budgets = [{"paths": 1, "steps": 100, "equation": "x0", "strict": True, "srbench": True, "r2": 1.0, "nmse": 0.0}]
    lines.append(make_result("feynman-i.12.1", "srsd-easy", settings={"preset": "paper-budget"}, budgets=budgets))
    return [*lines, make_result("taylor-sin-5", "taylor"), make_result("Nguyen-4", strict=False)]


STUDIES = [
    {"time_limit": 10.0, "noise": 0.01},
    {"time_limit": 10.0, "rows": 20},
    {"time_limit": 10.0, "without": ["prior"]},
    {"time_limit": 10.0, "preset": "paper-decoder"},
]


def test_equal_lines_give_equal_text_and_equal_figures(tmp_path):
    results, folders = varied_lines(), []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        path = write_lines(folder / "runs.jsonl", random.Random(name).sample(results, len(results)))
        words = ["report", path, "--output", str(folder / "RESULTS.md"), "--figures", str(folder / "figures")]
        assert main([*words, "--chart", str(folder / "chart.svg")]) == 0
        (folder / "runs.jsonl").unlink()
        folders.append({str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.*")})
    assert folders[0] == folders[1]
    figures = {name for name in folders[0] if name.startswith("figures/")}
    shown = re.findall(r"\]\((figures/.+\.svg)\)", folders[0]["RESULTS.md"].decode())
    assert set(shown) == figures
    assert len(shown) == len(figures) >= 7
    assert b"<dc:date>" not in folders[0]["chart.svg"]


def test_matplotlib_is_loaded_for_figures_only(tmp_path, monkeypatch, capsys):
    path = write_lines(tmp_path / "runs.jsonl", varied_lines())
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["report", path]) == 0
    assert "## Noise" in capsys.readouterr().out
    assert main(["report", path, "--figures", str(tmp_path / "figures")]) == 2
    assert "pip install" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--output", "cannot write"),
        ("--chart", "cannot write"),
        ("--figures", "cannot create the folder"),
    ],
)
def test_a_place_that_cannot_be_written_is_one_line_and_exit_code_2(tmp_path, capsys, option, words):
    path = write_lines(tmp_path / "runs.jsonl", [make_result()])
    assert main(["report", path, option, str(tmp_path / "none" / "there")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert words in error
