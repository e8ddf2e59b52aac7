"""A fit of a long file from the outside: the estimator and the command line."""

import numpy as np
import pytest
from long_files import noisy_columns, write_table
from typer.testing import CliRunner

from mosaic_sr import InvalidSettings, MosaicRegressor
from mosaic_sr.cli.app import app


def exact_columns(num_rows):
    rng = np.random.default_rng(1)
    a, b = rng.uniform(1.0, 3.0, (2, num_rows))
    return {"a": a, "b": b, "y": a * b + b}


def test_the_estimator_fits_a_long_file_and_confirms_the_law(tmp_path, short_is_long):
    path = write_table(tmp_path / "t.csv.gz", exact_columns(15_000))
    model = MosaicRegressor(random_state=0, output_directory=tmp_path / "run").fit_file(path, "y")
    assert model.law_.is_exact
    assert model.outcome_.confirmation.num_rows == 15_000
    assert model.time_limit is None
    kept = MosaicRegressor.load(tmp_path / "run" / "law.json")
    assert kept.outcome_.confirmation == model.outcome_.confirmation


def test_a_short_file_is_fitted_as_its_frame(tmp_path):
    columns = exact_columns(60)
    path = write_table(tmp_path / "t.csv", columns)
    model = MosaicRegressor(random_state=0).fit_file(path, "y", columns=["a", "b"])
    assert model.outcome_.confirmation is None
    X = np.column_stack([columns["a"], columns["b"]])
    assert str(MosaicRegressor(random_state=0).fit(X, columns["y"]).law_.expression) == str(model.law_.expression)


def test_wrong_words_are_refused(tmp_path):
    path = write_table(tmp_path / "t.csv", noisy_columns(60))
    with pytest.raises(InvalidSettings, match="missing must be one of 'drop', 'error', got 'skip'"):
        MosaicRegressor().fit_file(path, "y", missing="skip")
    with pytest.raises(InvalidSettings, match="not both"):
        MosaicRegressor().fit_file(path, "y", weights="a", sigma="b")


def test_the_command_states_that_all_rows_confirm_the_law(tmp_path, short_is_long):
    columns = exact_columns(12_000)
    path = write_table(tmp_path / "t.parquet", columns)
    result = CliRunner().invoke(app, ["fit", str(path), "--target", "y", "--n-jobs", "1", "--time-limit", "60"])
    assert result.exit_code == 0, result.output
    assert "confirmed on all 12,000 rows; the worst is row" in result.output
    assert "12,000 rows were read in blocks; the search uses" in result.output
