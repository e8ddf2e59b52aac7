"""Passes over all rows: constants, errors and the worst row are those of a fit that holds all rows at once."""

from dataclasses import replace

import numpy as np
import pytest
from long_files import noisy_columns, write_table

from mosaic_sr.big_tables import RowColumn, confirm, open_blocks, survey_file
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.exactness import Closeness
from mosaic_sr.expressions.text import parse
from mosaic_sr.inputs import find_input
from mosaic_sr.law_file import read_law, write_law
from mosaic_sr.outcome import Outcome

NUM_ROWS = 12_000


def equation(text, names=("a", "b")):
    return Equation(parse(text, names), tuple(names), Errors(1.0, 1.0), Errors(1.0, 1.0), "test")


def outcome(*texts, names=("a", "b")):
    laws = [equation(text, names) for text in texts]
    return Outcome(laws[0], tuple(laws), tuple(names), "y", True, 1, 1.0)


def confirmed(tmp_path, columns, found, row_column=None, **options):
    path = write_table(tmp_path / "t.parquet", columns)
    survey = survey_file(open_blocks(find_input(path), "y"), "drop", np.random.default_rng(0))
    return confirm(found, survey, row_column, lambda what, done: None, **options)


def test_linear_constants_are_those_of_least_squares(tmp_path, short_is_long):
    columns = noisy_columns(NUM_ROWS)
    found = confirmed(tmp_path, columns, outcome("2.411*a + 0.713*b", "3.0113*a"))
    matrix, y = np.column_stack([columns["a"], columns["b"]]), columns["y"]
    best, (squares,), *_ = np.linalg.lstsq(matrix, y, rcond=None)
    assert found.law.expression.constants == pytest.approx(best, rel=1e-9)
    errors = np.sqrt(np.diag(np.linalg.inv(matrix.T @ matrix)) * squares / (NUM_ROWS - 2))
    assert found.law.standard_errors == pytest.approx(errors, rel=1e-6)
    assert found.law.validation.nmse == pytest.approx(squares / np.sum((y - y.mean()) ** 2), rel=1e-9)
    assert found.front[1].expression.constants == pytest.approx([columns["a"] @ y / (columns["a"] @ columns["a"])])
    residuals = np.abs(y - matrix @ best)
    told = found.confirmation
    assert told.is_whole
    assert told.worst_place == f"row {np.argmax(residuals) + 1:,}"
    assert abs(told.worst_target - told.worst_value) == pytest.approx(residuals.max())
    assert told.sentence().startswith("confirmed on all 12,000 rows; the worst is row")


def test_curved_constants_settle_and_set_numbers_stay(tmp_path, short_is_long):
    columns = noisy_columns(NUM_ROWS)
    columns["y"] = 1.7 * (columns["a"] + 2) * np.exp(-0.43 * columns["b"]) + 0.1 * (columns["y"] - 2.5 * columns["a"])
    found = confirmed(tmp_path, columns, outcome("1.513*(2 + a)*exp(-0.4017*b) + 0.0711*b"))
    assert found.law.expression.constants == pytest.approx([1.7, 2.0, -0.43, 0.07], abs=0.005)
    assert found.law.expression.constants[1] == 2.0
    assert found.law.standard_errors[1] == 0.0


def test_weights_and_standard_errors_of_rows_count(tmp_path, short_is_long):
    columns = noisy_columns(NUM_ROWS)
    sigma = np.where(np.arange(NUM_ROWS) % 3 == 0, 0.1, 2.0)
    columns = {"a": columns["a"], "b": columns["b"], "s": sigma, "y": columns["y"] + (sigma > 1.0)}
    weight = 1.0 / sigma**2
    best = np.sum(weight * columns["a"] * columns["y"]) / np.sum(weight * columns["a"] ** 2)
    found = confirmed(tmp_path, columns, outcome("3.011*a"), RowColumn("s", is_sigma=True))
    assert found.law.expression.constants == pytest.approx([best])
    columns["s"] = weight
    found = confirmed(tmp_path, columns, outcome("3.011*a"), RowColumn("s", is_sigma=False))
    assert found.law.expression.constants == pytest.approx([best])


def test_gaps_in_columns_that_no_law_reads_leave_rows_out(tmp_path, short_is_long):
    columns = noisy_columns(NUM_ROWS)
    columns["y"][7] = 1e6
    columns["b"][7] = np.nan
    found = confirmed(tmp_path, columns, outcome("3.011*a"))
    assert found.confirmation.num_rows == NUM_ROWS - 1
    assert found.law.validation.nmse < 0.5


def test_a_law_without_a_value_in_a_row_is_not_confirmed(tmp_path, short_is_long):
    columns = noisy_columns(NUM_ROWS)
    columns["a"][8_000] = -1.0
    found = confirmed(tmp_path, columns, outcome("2.011*log(a)", "3.011*a"))
    assert not found.confirmation.holds
    assert "no value in 1, first row 8,001" in found.confirmation.sentence()
    assert found.law.validation.nmse == np.inf
    assert found.front[1].validation.nmse < 1.0


def test_a_rival_that_fits_all_rows_better_is_named(tmp_path, short_is_long):
    found, rival = outcome("3.011*a"), equation("2.411*a + 0.713*b")
    law = replace(found.law, ties=(rival,))
    found = confirmed(tmp_path, noisy_columns(NUM_ROWS), replace(found, law=law, front=(law,)))
    assert found.notes[0].startswith("on all rows this equation fits better than the law: 2.")


def test_exact_laws_keep_their_constants(tmp_path, short_is_long):
    exact = replace(equation("2.4111*a + 0.7133*b"), closeness=Closeness.EXACT)
    found = confirmed(tmp_path, noisy_columns(NUM_ROWS), replace(outcome("1.1*a"), law=exact, front=(exact,)))
    assert found.law.expression.constants.tolist() == [2.4111, 0.7133]


def test_tiny_targets_are_fitted_too(tmp_path, short_is_long):
    columns = noisy_columns(NUM_ROWS)
    columns["y"] = columns["y"] * 1e-200
    found = confirmed(tmp_path, columns, outcome("2.411e-200*a + 7.1e-201*b"))
    assert found.law.expression.constants == pytest.approx([2.5e-200, 7e-201], rel=0.02)
    assert 0.0 < found.law.validation.nmse < 0.1


def test_ctrl_c_and_the_clock_return_what_is_known(tmp_path, short_is_long):
    columns, found = noisy_columns(NUM_ROWS), outcome("2.411*a + 0.713*b")
    early = confirmed(tmp_path, columns, found, is_time_up=lambda: True)
    assert early.confirmation.sentence().startswith("confirmed on the first 1,000 rows")
    path = write_table(tmp_path / "t.parquet", columns)
    survey = survey_file(open_blocks(find_input(path), "y"), "drop", np.random.default_rng(0))

    def interrupt_in(name):
        def observe(what, done):
            if what == name and done > 3_000:
                raise KeyboardInterrupt

        return confirm(found, survey, None, observe)

    assert interrupt_in("pass 1").confirmation is None
    assert "not confirmed" in interrupt_in("pass 1").notes[0]
    later = interrupt_in("pass 2")
    assert later.confirmation.is_whole
    assert later.law.expression.constants.tolist() == found.law.expression.constants.tolist()


def test_law_files_keep_the_confirmation(tmp_path, short_is_long):
    found = confirmed(tmp_path, noisy_columns(NUM_ROWS), outcome("2.411*a + 0.713*b"))
    write_law(tmp_path / "law.json", found, {})
    assert read_law(tmp_path / "law.json")[0].confirmation == found.confirmation
