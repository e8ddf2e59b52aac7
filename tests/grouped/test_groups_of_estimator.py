"""`fit(X, y, groups=)` from arrays to predictions and law files."""

import json
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import InvalidFile, InvalidSettings, InvalidTable, MosaicRegressor, MosaicWarning
from mosaic_sr.cli import main
from mosaic_sr.notebook import to_html

CONSTANTS = {"a": 1.37, "b": 2.91, "c": 4.62}


def gas(num_rows=40, noise=0.0, seed=0):
    """Pressure = n*8.314*T/V with another n in each tank."""
    rng = np.random.default_rng(seed)
    tank = np.repeat(list(CONSTANTS), num_rows)
    frame = pd.DataFrame({"T": rng.uniform(1, 5, len(tank)), "V": rng.uniform(1, 5, len(tank)), "tank": tank})
    pressure = np.array([CONSTANTS[name] for name in tank]) * 8.314 * frame["T"] / frame["V"]
    return frame, pd.Series(pressure * (1.0 + noise * rng.normal(size=len(tank))), name="pressure")


@pytest.fixture(scope="module")
def model():
    frame, pressure = gas()
    return MosaicRegressor(random_state=0).fit(frame, pressure, groups="tank")


def test_the_law_of_all_groups_is_exact_with_another_constant_in_each(model):
    assert model.law_.is_exact
    assert model.outcome_.groups.varying == ("c1",)
    table = model.group_constants_
    assert list(table.index) == ["a", "b", "c"]
    assert table["c1"].to_numpy() == pytest.approx([8.314 * value for value in CONSTANTS.values()], rel=1e-9)
    assert table["rows"].tolist() == [40, 40, 40]


def test_predictions_use_the_constants_of_each_group(model):
    frame, pressure = gas(seed=3)
    assert model.predict(frame) == pytest.approx(pressure.to_numpy(), rel=1e-9)
    labels = frame["tank"].to_numpy()
    assert model.predict(frame[["T", "V"]], groups=labels) == pytest.approx(pressure.to_numpy(), rel=1e-9)
    assert model.score(frame, pressure) == pytest.approx(1.0)


def test_a_group_that_was_not_fitted_gets_the_mean_and_a_wide_error(model):
    frame = pd.DataFrame({"T": [2.0, 2.0], "V": [1.0, 1.0], "tank": ["a", "new"]})
    with pytest.warns(MosaicWarning, match=r"1 row is in groups that were not fitted \(new\) and got the mean"):
        values, errors = model.predict(frame, return_std=True)
    assert values[1] == pytest.approx(2.0 * 8.314 * np.mean(list(CONSTANTS.values())), rel=1e-6)
    assert errors[1] > 0.3 * values[1] > 1e3 * errors[0]


def test_the_common_form_has_names_and_one_group_has_a_law_of_its_own(model):
    assert str(model.group_form_.sympy()) == "T*c1_g/V"
    assert "c1" in model.group_form_.latex()
    assert model.group_law("b").predict(np.array([[2.0], [4.0]])) == pytest.approx([2.91 * 8.314 / 2])


def test_notebooks_show_the_constants_of_groups(model):
    page = to_html(model.outcome_)
    assert "form: pressure = c1_g*T/V" in page
    assert "spread over groups" in page


def test_a_law_file_keeps_the_groups(model, tmp_path):
    frame, _ = gas(seed=4)
    model.save(tmp_path / "law.json")
    loaded = MosaicRegressor.load(tmp_path / "law.json")
    assert np.array_equal(loaded.predict(frame), model.predict(frame))
    pd.testing.assert_frame_equal(loaded.group_constants_, model.group_constants_)


@pytest.mark.parametrize(
    ("key", "value"),
    [("places", [7, 7]), ("each", []), ("shared", "yes"), ("common", [1.0, 2.0, 3.0]), ("spread", None)],
)
def test_a_law_file_with_damaged_groups_is_refused(model, tmp_path, key, value):
    model.save(tmp_path / "law.json")
    content = json.loads((tmp_path / "law.json").read_text())
    content["groups"][key] = value
    (tmp_path / "law.json").write_text(json.dumps(content))
    with pytest.raises(InvalidFile, match="damaged"):
        MosaicRegressor.load(tmp_path / "law.json")


def test_order_of_rows_names_of_groups_and_threads_do_not_change_the_law(model):
    frame, pressure = gas()
    order = np.random.default_rng(1).permutation(len(frame))
    other = MosaicRegressor(random_state=0, n_jobs=2).fit(
        frame[["T", "V"]].iloc[order], pressure.iloc[order], groups=frame["tank"].iloc[order]
    )
    assert other.law_.text() == model.law_.text()


def test_named_constants_of_a_guess_are_the_ones_that_vary():
    rng = np.random.default_rng(2)
    site, S = np.repeat(np.arange(5), 20), rng.uniform(0.2, 8.0, 100)
    rate = (2.0 + site) * S / (1.7 + S) * (1.0 + 0.02 * rng.normal(size=100))
    model = MosaicRegressor(guesses=["Vmax*S/(Km + S)"], per_group=["Vmax"], random_state=0)
    model.fit(pd.DataFrame({"S": S}), rate, groups=site)
    assert str(model.group_form_) == "Vmax_g*S/(Km + S)"
    assert model.law_.probability is None
    table = model.group_constants_
    assert np.all(np.abs(table["Vmax"] - (2.0 + np.arange(5))) < 5.0 * table["Vmax_error"])
    assert model.scatter_.absolute > 0.0


def test_many_groups_and_a_group_of_one_row_are_fitted():
    rng = np.random.default_rng(3)
    labels = np.append(np.repeat(np.arange(1_000), 5), 1_000)
    x = rng.uniform(0.5, 5.0, len(labels))
    y = (1.0 + labels / 1_000) * np.exp(-0.5 * x) + 0.01 * rng.normal(size=len(x))
    model = MosaicRegressor(guesses=["A*exp(-k*x0)"], per_group=["A"], random_state=0).fit(x[:, None], y, groups=labels)
    assert len(model.group_constants_) == 1_001
    assert any("1 group has one row" in note for note in model.notes_)
    assert np.abs(model.constants_["value"].to_numpy()[1]) == pytest.approx(0.5, abs=0.01)


@pytest.mark.slow  # a search of fifty thousand rows and a law file of six megabytes: half a minute
def test_ten_thousand_groups_are_searched_in_bounded_time(tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(4)
    labels = np.append(np.repeat(np.arange(10_000), 5), 10_000)
    S, most = rng.uniform(0.2, 6.0, len(labels)), rng.lognormal(1.0, 0.3, 10_001)
    rate = most[labels] * S / (1.7 + S) * (1.0 + 0.01 * rng.normal(size=len(S)))
    pd.DataFrame({"S": S, "patient": labels, "rate": rate}).to_csv(tmp_path / "many.csv", index=False)
    monkeypatch.chdir(tmp_path)
    words = ["fit", "many.csv", "--target", "rate", "--groups", "patient", "--json", "law.json", "--time-limit", "60"]
    monkeypatch.setattr(sys, "argv", ["mosaic", *words])
    with pytest.raises(SystemExit):
        main()
    assert "... 9,989 more groups, in the law file" in capsys.readouterr().out
    model = MosaicRegressor.load(tmp_path / "law.json")
    assert len(model.group_constants_) == 10_001
    assert model.score(pd.DataFrame({"S": S, "patient": labels}), rate) > 0.99


def test_a_time_limit_ends_the_search_with_the_best_law_so_far():
    frame, pressure = gas(noise=0.1)
    model = MosaicRegressor(time_limit=0.02, random_state=0)  # on no machine is the law decided by then
    with pytest.warns(MosaicWarning, match="stopped early"):
        model.fit(frame, pressure, groups="tank")
    assert model.stopped_early_
    assert model.law_.probability is None or model.law_.probability <= 0.5
    assert "simplifying" in model.stage_seconds_
    assert np.all(np.isfinite(model.predict(frame)))


BAD = {
    "a group column that is not there": ({"groups": "tnak"}, InvalidTable, "no column 'tnak' .* did you mean 'tank'"),
    "labels for other rows": ({"groups": ["a"] * 7}, InvalidTable, "X has 120 rows and groups has 7"),
    "missing labels": ({"groups": [None] * 120}, InvalidTable, "120 rows without a label"),
    "a column of numbers": ({"groups": "T"}, InvalidTable, "120 different labels in 120 rows"),
    "validation rows": ({"groups": "tank", "validation": (1, 2)}, InvalidSettings, "validation rows .* leave one"),
}


@pytest.mark.parametrize(("arguments", "error", "message"), BAD.values(), ids=BAD)
def test_what_cannot_be_groups_is_refused(arguments, error, message):
    frame, pressure = gas()
    with pytest.raises(error, match=message):
        MosaicRegressor().fit(frame, pressure, **arguments)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"per_group": ["Vmax"]}, "per_group names 'Vmax', but no guess names a constant"),
        ({"per_group": ["W"], "guesses": ["Q*T"]}, "per_group names 'W', but the guesses have Q"),
        ({"per_group": ["Q"], "guesses": ["Q*R"]}, "a guess reads no column; the columns are T, V"),
        ({"output_directory": "folder"}, "an output folder and resuming cannot be combined with groups"),
        ({"warm_start": True}, "warm_start cannot be combined"),
        ({"stability": 2}, "stability cannot be combined"),
        ({"model_selection": "accuracy"}, "chosen by its probability"),
    ],
)
def test_settings_that_do_not_go_with_groups_are_refused(settings, message):
    frame, pressure = gas()
    with pytest.raises(InvalidSettings, match=message):
        MosaicRegressor(**settings).fit(frame[["T", "V"]], pressure, groups=frame["tank"])


def test_per_group_without_groups_is_refused():
    frame, pressure = gas()
    with pytest.raises(InvalidSettings, match="per_group needs groups"):
        MosaicRegressor(per_group=["c1"]).fit(frame[["T", "V"]], pressure)


def test_predictions_without_groups_are_refused(model):
    frame, pressure = gas()
    with pytest.raises(InvalidSettings, match="other constants in each group; pass groups"):
        model.predict(frame[["T", "V"]])
    with pytest.raises(InvalidSettings, match="leave out index"):
        model.predict(frame, index=0)
    with pytest.raises(InvalidSettings, match="no group 'z'; the 3 groups are a, b, c"):
        model.group_law("z")
    with pytest.raises(InvalidSettings, match="pictures and reports cannot show"):
        model.plot("fit", frame, pressure)


def test_a_column_of_labels_can_be_read_as_0_and_1(tmp_path):
    frame, _ = gas()
    wet = np.where(frame["tank"] == "a", "wet", "dry")
    y = 3.0 * frame["T"] + 2.0 * (wet == "wet")
    model = MosaicRegressor(random_state=0).fit(frame[["T"]].assign(state=wet), y, indicators=["state"])
    assert model.law_.is_exact
    assert "state_wet" in model.law_.text()
    assert any("column 'state' is read as state_wet" in note for note in model.notes_)
    model.save(tmp_path / "law.json")
    new = pd.DataFrame({"T": [1.0, 1.0], "state": ["wet", "dry"]})
    assert MosaicRegressor.load(tmp_path / "law.json").predict(new) == pytest.approx([5.0, 3.0])


def test_a_column_of_text_is_refused_with_the_ways_to_use_it():
    frame, pressure = gas()
    with pytest.raises(InvalidTable, match="name it in groups or indicators, or leave the column out"):
        MosaicRegressor().fit(frame, pressure)


def test_a_number_is_no_law_that_could_be_probable():
    rng = np.random.default_rng(0)
    x, groups = rng.uniform(size=(80, 1)), np.repeat([0, 1], 40)
    model = MosaicRegressor(random_state=0, time_limit=20, max_evaluations=20_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MosaicWarning)
        model.fit(x, 3.0 + rng.standard_normal(80), groups=groups)
    assert model.law_.probability is None or model.law_.probability < 0.6
