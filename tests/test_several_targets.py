"""Several targets: one law each, in Python, on the command line and in files."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from mosaic_sr import InvalidFile, InvalidSettings, InvalidTable, MosaicRegressor
from mosaic_sr.cli.app import app
from mosaic_sr.law_file import read_law
from mosaic_sr.several_targets import file_word, num_targets
from tests.cli.same_process import refusal

QUICK = {"random_state": 0, "without": ("prior", "enumeration"), "max_evaluations": 400}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(0.5, 2.0, size=(60, 2)), columns=["m", "v"])
    return frame.assign(energy=0.5 * frame["m"] * frame["v"] ** 2, momentum=frame["m"] * frame["v"])


@pytest.fixture(scope="module")
def fitted(frame):
    return MosaicRegressor(**QUICK).fit(frame[["m", "v"]], frame[["energy", "momentum"]])


def test_every_target_has_a_law_and_every_answer_is_a_list(fitted, frame):
    X = frame[["m", "v"]]
    assert [str(law) for law in fitted.law_] == ["0.5*m*v^2", "m*v"]
    assert [one.outcome_.target for one in fitted.estimators_] == ["energy", "momentum"]
    np.testing.assert_allclose(fitted.predict(X), frame[["energy", "momentum"]], rtol=1e-12)
    values, std = fitted.predict(X, return_std=True)
    assert values.shape == std.shape == (60, 2)
    for answer in (fitted.equations_, fitted.constants_, fitted.rivals_, fitted.sympy(), fitted.latex(), fitted.notes_):
        assert len(answer) == 2
    assert fitted.predict(X, index=[0, -1]).shape == (60, 2)
    assert fitted.is_outside(X).shape == (60, 2)
    assert fitted.score(X, frame[["energy", "momentum"]]) > 0.999
    assert "energy:" in str(fitted)
    assert "momentum:" in str(fitted)


def test_each_law_is_the_one_that_its_target_has_alone(fitted, frame):
    alone = MosaicRegressor(**QUICK).fit(frame[["m", "v"]], frame["energy"])
    assert alone.law_.expression == fitted.law_[0].expression


def test_questions_about_one_law_say_where_to_ask(fitted, frame):
    with pytest.raises(InvalidSettings, match=r"estimators_\[0\].plot"):
        fitted.plot()
    with pytest.raises(InvalidSettings, match=r"estimators_\[1\].report"):
        fitted.report("law.html")
    with pytest.raises(InvalidSettings, match="2 targets"):
        fitted.constant_intervals(frame[["m", "v"]], frame["energy"])
    with pytest.raises(InvalidSettings, match="one for each of 2 targets"):
        fitted.predict(frame[["m", "v"]], index=[0])


def test_a_saved_file_of_several_laws_loads(fitted, frame, tmp_path):
    fitted.save(tmp_path / "laws.json")
    loaded = MosaicRegressor.load(tmp_path / "laws.json")
    np.testing.assert_array_equal(loaded.predict(frame[["m", "v"]]), fitted.predict(frame[["m", "v"]]))
    assert loaded.get_params()["max_evaluations"] == 400
    with pytest.raises(InvalidFile, match="several targets"):
        read_law(tmp_path / "laws.json")
    (tmp_path / "empty.json").write_text('{"format": "mosaic-sr laws", "laws": []}')
    with pytest.raises(InvalidFile, match="no laws"):
        MosaicRegressor.load(tmp_path / "empty.json")


def test_a_model_can_go_from_several_targets_to_one_and_back(frame):
    X, model = frame[["m", "v"]].to_numpy(), MosaicRegressor(**QUICK)
    model.fit(X, frame[["energy", "momentum"]].to_numpy())
    assert [one.outcome_.target for one in model.estimators_] == ["y0", "y1"]
    model.fit(X, frame["momentum"].to_numpy())
    assert str(model.law_) == "x0*x1"
    assert model.predict(X).shape == (60,)
    assert not hasattr(model, "estimators_")


def test_errors_weights_and_validation_rows_are_shared_out(frame):
    X, Y = frame[["m", "v"]], frame[["energy", "momentum"]]
    sigma = np.column_stack([np.full(60, 0.01), np.full(60, 0.02)])
    model = MosaicRegressor(**QUICK).fit(X, Y, sigma=sigma, validation=(X, Y, sigma))
    assert len(model.law_) == 2
    with pytest.raises(InvalidTable, match="sigma has 3 columns"):
        MosaicRegressor(**QUICK).fit(X, Y, sigma=np.ones((60, 3)))
    with pytest.raises(InvalidTable, match="validation y has 1 targets"):
        MosaicRegressor(**QUICK).fit(X, Y, validation=(X, Y["energy"]))


def test_searches_of_several_targets_are_kept_and_resumed_in_a_folder_each(frame, tmp_path):
    X, Y = frame[["m", "v"]], frame[["energy", "momentum"]]
    options = {**QUICK, "output_directory": tmp_path / "run", "warm_start": True}
    first = MosaicRegressor(**options).fit(X, Y)
    again = MosaicRegressor(**options).fit(X, Y)
    assert sorted(folder.name for folder in (tmp_path / "run").iterdir()) == ["energy", "momentum"]
    assert [str(law) for law in again.law_] == [str(law) for law in first.law_]


@pytest.mark.parametrize(
    ("y", "count"),
    [([1.0, 2.0], 1), (np.ones((3, 2)), 2), ([[1.0, 2.0], [3.0, 4.0]], 2), ([[1.0], [3.0, 4.0]], 1), (np.ones(3), 1)],
)
def test_targets_are_counted(y, count):
    assert num_targets(y) == count


def test_names_of_files_hold_what_file_systems_take():
    assert file_word("a/b c") == "a_b_c"
    assert file_word("..") == "_"


def test_the_command_line_prints_and_writes_one_law_per_target(frame, tmp_path):
    frame.to_csv(tmp_path / "table.csv", index=False)
    words = ["fit", str(tmp_path / "table.csv"), "--target", "energy,momentum", "--without", "prior,enumeration"]
    done = CliRunner().invoke(app, [*words, "--json", str(tmp_path / "law.json"), "--no-picture"])
    assert done.exit_code == 0, done.output
    assert "energy = 0.5*m*v^2" in done.output
    assert "momentum = m*v" in done.output
    for target in ("energy", "momentum"):
        assert json.loads((tmp_path / f"law.{target}.json").read_text())["target"] == target
    assert not (tmp_path / "law.json").exists()


@pytest.mark.parametrize(
    ("target", "message"),
    [("energy,energy", "twice"), ("energy,mass", "no column 'mass'"), (",", "names no column")],
)
def test_targets_that_cannot_be_are_refused_before_any_search(frame, tmp_path, monkeypatch, capsys, target, message):
    frame.to_csv(tmp_path / "table.csv", index=False)
    code, printed = refusal(["fit", "table.csv", "--target", target], tmp_path, monkeypatch, capsys)
    assert code != 0
    assert message in printed


def test_a_target_whose_name_has_a_comma_is_one_target(frame, tmp_path):
    frame.rename(columns={"momentum": "p, kg m/s"}).to_csv(tmp_path / "table.csv", index=False)
    words = ["fit", str(tmp_path / "table.csv"), "--target", "p, kg m/s", "--ignore", "energy", "-q"]
    assert CliRunner().invoke(app, words).output.strip() == "m*v"
