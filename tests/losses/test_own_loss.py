"""An own loss from end to end: estimator, command line, law file, resume."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from mosaic_sr import InvalidSettings, InvalidTable, MosaicRegressor
from mosaic_sr.cli.app import app
from mosaic_sr.verdict import verdict

PLAIN = {"random_state": 0, "without": ("finders", "prior", "enumeration", "grammar"), "max_evaluations": 2}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.uniform(0.5, 5.0, 90), "z": rng.uniform(1.0, 2.0, 90)})
    y = 2.0 + 3.0 * frame["x"] + 0.1 * rng.standard_normal(90)
    y[:9] += 25.0
    return frame.assign(y=y)


def fitted(frame, **options):
    return MosaicRegressor(**{**PLAIN, "guesses": ["a + b*x"], **options}).fit(frame[["x", "z"]], frame["y"])


@pytest.fixture(scope="module")
def robust(frame):
    return fitted(frame, loss="absolute")


def test_the_law_is_fitted_and_chosen_for_the_loss(robust, frame):
    assert robust.law_.expression.columns == (0,)
    np.testing.assert_allclose(robust.predict(pd.DataFrame({"x": [1.0, 4.0], "z": [1.0, 1.0]})), [5.0, 14.0], atol=0.2)
    picked = robust.equations_[robust.equations_["picked"]]
    errors = np.abs(robust.predict(frame[["x", "z"]]) - frame["y"])
    assert picked["loss"].item() == pytest.approx(robust.law_.training.own)
    assert 0.5 * errors.mean() < picked["loss"].item() < 2.0 * errors.mean()
    assert np.all(np.diff(robust.equations_["loss"]) < 0.0)
    assert (robust.constants_["standard_error"] > 0.0).any()


def test_no_probability_is_stated_and_the_text_says_why(robust):
    assert robust.law_.probability is None
    assert len(robust.rivals_) == 0
    assert "no probability is stated" in verdict(robust.outcome_)


def test_the_law_file_keeps_loss_and_losses(robust, tmp_path):
    robust.save(tmp_path / "law.json")
    loaded = MosaicRegressor.load(tmp_path / "law.json")
    assert loaded.loss == loaded.outcome_.loss == "absolute"
    assert loaded.law_.training.own == robust.law_.training.own


def test_an_exact_law_is_exact_under_any_loss(frame):
    exact = frame.assign(y=2.0 + 3.0 * frame["x"])
    model = fitted(exact, loss="abs(y - f)/(1 + abs(y))")
    assert model.law_.is_exact


def test_a_search_with_an_own_loss_resumes_and_another_loss_is_another_search(frame, tmp_path):
    options = {"loss": "huber", "output_directory": tmp_path / "run", "warm_start": True}
    first, again = fitted(frame, **options), fitted(frame, **options)
    assert again.law_.text() == first.law_.text()
    with pytest.raises(Exception, match="other settings"):
        fitted(frame, **{**options, "loss": "absolute"})


def test_a_loss_that_cannot_be_used_is_refused_before_the_search(frame):
    with pytest.raises(InvalidTable, match="not least"):
        fitted(frame, loss="y*f")
    with pytest.raises(InvalidSettings, match="sigma"):
        MosaicRegressor(loss="absolute").fit(frame[["x"]], frame["y"], sigma=np.ones(90))
    with pytest.raises(InvalidSettings, match="X_sigma"):
        MosaicRegressor(loss="absolute").fit(frame[["x"]], frame["y"], X_sigma={"x": 0.1})
    with pytest.raises(InvalidSettings, match="limits"):
        MosaicRegressor(loss="absolute").fit(frame[["x"]], frame["y"], censoring=np.where(np.arange(90) < 5, 1, 0))
    with pytest.raises(InvalidSettings, match="unknown loss"):
        fitted(frame, loss="l1")
    with pytest.raises(TypeError, match="use loss"):
        MosaicRegressor(elementwise_loss="L1DistLoss()")


def test_the_command_line_takes_a_loss(frame, tmp_path):
    frame.to_csv(tmp_path / "table.csv", index=False)
    words = ["fit", str(tmp_path / "table.csv"), "--target", "y", "--guess", "a + b*x", "--max-evaluations", "2"]
    without = ["--without", "finders,prior,enumeration,grammar", "--no-picture"]
    done = CliRunner().invoke(app, [*words, *without, "--loss", "abs(y - f)"])
    assert done.exit_code == 0, done.output
    assert "chosen by the loss abs(y - f)" in done.output
    refused = CliRunner().invoke(app, [*words, "--loss", "abs(y - x)"])
    assert "no columns" in str(refused.exception)


def test_intervals_are_not_told_under_an_own_loss(frame):
    model = fitted(frame, loss="absolute", intervals="delta")
    assert any("no intervals" in note and "absolute" in note for note in model.notes_)
