"""Laws of noisy rows on the command line."""

import json
from dataclasses import replace

import numpy as np
import pytest
from noisy_outcomes import ROWS, noisy_outcome
from rich.console import Console
from same_process import mosaic, refusal

from mosaic_sr.bands import interval_factor, standard_deviations
from mosaic_sr.cli.fit import _print
from mosaic_sr.cli.shown import print_outcome
from mosaic_sr.law_file import write_law
from mosaic_sr.named_laws import with_name


def shown(outcome):
    console = Console(highlight=False, width=60)
    with console.capture() as capture:
        print_outcome(outcome, console)
    return capture.get().splitlines()


@pytest.fixture
def folder(tmp_path):
    write_law(tmp_path / "law.json", noisy_outcome(), {})
    rows = "\n".join(f"{x!r},{z!r}" for x, z in ROWS[:2].T.tolist())
    (tmp_path / "rows.csv").write_text(f"x,z\n{rows}\n")
    return tmp_path


def test_a_noisy_law_is_shown_with_all_that_is_known():
    lines = shown(noisy_outcome())
    assert [line for line in lines if line.startswith(">>>>")]
    for line in (
        "y = 2*x + 1.5",
        "one of 2 laws that explain the rows about equally well (probability 0.60)",
        "rival (probability 0.30): y = 2.5*x^1.2, with 2.500 ± 0.020, 1.200 ± 0.020",
        "noise: scatter 0.1 (1.7 % of the target's range)",
        "columns: z may matter (probability 0.05); w does not matter",
        "all 4,500 forms of up to 18 bits were tried",
    ):
        assert line in lines
    assert [
        line for line in lines if line.startswith("more rows above x = 3.99 would tell law and closest rival apart")
    ]
    assert lines[-1].startswith("scatter 0.1, nothing left to explain; validation R² 0.99, 1,234 candidates in 1.5 s")
    assert not any("equally well:" in line for line in lines)


@pytest.mark.parametrize(("samples", "words"), [(10, "7 of 10 bootstrap samples"), (1, "1 of 1 bootstrap sample")])
def test_the_share_of_samples_with_the_same_structure_is_shown(samples, words):
    noisy = noisy_outcome(stability=0.7 if samples > 1 else 1.0, stability_samples=samples)
    for outcome in (noisy, replace(noisy, scatter=None)):
        assert f"the same structure was found in {words}" in shown(outcome)
    assert not any("bootstrap" in line for line in shown(noisy_outcome()))


def test_a_table_without_a_law_says_so():
    lines = shown(noisy_outcome(None, (), text="4.5", column_probabilities=(0.0,) * 3))
    assert "no law above the noise" in lines
    assert "columns: x, z, w do not matter" in lines


def test_a_clean_table_keeps_its_words():
    lines = shown(replace(noisy_outcome(None, (("3*z", None),)), scatter=None))
    assert "fits equally well: y = 3*z" in lines
    assert lines[-1].startswith("not exact; validation R²")


@pytest.mark.parametrize("is_decided", [True, False])
def test_more_time_is_recommended_only_to_searches_that_were_not_decided(is_decided, capsys):
    request = type("Request", (), {"is_quiet": False, "resume": None, "output": None, "has_picture": False})
    _print(request, noisy_outcome(is_decided=is_decided, stopped_early=True, stopped_by="the time limit"))
    printed = capsys.readouterr().out
    assert ("stopped early" in printed) is not is_decided
    assert ("increase --time-limit" in printed.splitlines()[-1]) is not is_decided


def test_show_reads_it_from_a_law_file(folder):
    printed = mosaic("show", "law.json", cwd=folder).stdout
    outcome = noisy_outcome()
    assert printed.splitlines() == shown(replace(outcome, law=with_name(outcome.law)))


def test_intervals_are_two_more_columns(folder):
    done = mosaic("predict", "law.json", "rows.csv", "--interval", "0.9", "--output", "out.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    values = np.genfromtxt(folder / "out.csv", delimiter=",", names=True)
    assert values.dtype.names == ("y", "y_low", "y_high")
    half = interval_factor(0.9) * standard_deviations(noisy_outcome(), ROWS)
    np.testing.assert_allclose(values["y_high"] - values["y"], half)
    np.testing.assert_allclose(values["y"] - values["y_low"], half)


def test_a_row_with_a_gap_has_empty_cells_in_all_columns(folder):
    (folder / "gap.csv").write_text("x,z\n,1\n2,3\n")
    lines = mosaic("predict", "law.json", "gap.csv", "--interval", "0.5", cwd=folder).stdout.splitlines()
    assert lines[:2] == ["y,y_low,y_high", ",,"]
    assert lines[2].startswith("5.5,")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--interval", "90"], "between 0 and 1, such as 0.9, got 90"),
        (["--interval", "0"], "between 0 and 1"),
    ],
)
def test_other_intervals_are_refused(words, expected, folder, monkeypatch, capsys):
    code, message = refusal(["predict", "law.json", "rows.csv", *words], folder, monkeypatch, capsys)
    assert code == 2
    assert expected in message


def test_a_noisy_table_is_fitted_and_told(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.uniform(1.0, 9.0, size=40)
    rows = "\n".join(f"{a:.6g},{b:.6g}" for a, b in zip(x, 3.0 * x * (1.0 + 0.05 * rng.normal(size=40)), strict=True))
    (tmp_path / "data.csv").write_text(f"a,y\n{rows}\n")
    done = mosaic("fit", "data.csv", "--target", "y", "--time-limit", "2", "--json", "law.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    law = json.loads((tmp_path / "law.json").read_text())
    assert "(probability " in done.stdout
    assert "noise: " in done.stdout
    assert 0.0 < law["probability"] <= 1.0
    assert law["column_probabilities"] == [pytest.approx(1.0)]
    assert law["target_range"] > 10.0
