"""Laws that users give, compared on the same rows."""

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import InvalidFormula, InvalidSettings, InvalidTable, compare, parse
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.law_file import write_law
from mosaic_sr.outcome import Outcome

SATURATION, EXPONENTIAL, STRAIGHT = "a*x/(b + x)", "a*(1 - exp(-b*x))", "a*x + b"


def table(count=40, noise=0.1, high=12.0):
    rng = np.random.default_rng(2)
    x = rng.uniform(0.3, high, count)
    return pd.DataFrame({"x": x, "z": rng.uniform(1.0, 2.0, count)}), 8.0 * x / (3.0 + x) + noise * rng.normal(
        size=count
    )


def test_the_true_law_is_the_most_probable_and_its_constants_are_found():
    X, y = table()
    found = compare([STRAIGHT, EXPONENTIAL, SATURATION], X, y)
    assert [law.number for law in found.laws] == [3, 2, 1]
    assert found.laws[0].probability > 0.9
    assert sum(law.probability for law in found.laws) == pytest.approx(1.0)
    for (name, value, error), truth in zip(found.laws[0].constants, (8.0, 3.0), strict=True):
        assert abs(value - truth) < 4.0 * error, name
    assert found.laws[0].num_constants == 2
    assert found.laws[0].r2 > 0.99
    assert found.laws[0].chi2_per_dof is None
    assert found.best.predict(np.array([[3.0]])) == pytest.approx([4.0], abs=0.2)


def test_rows_that_do_not_bend_cannot_decide_and_sentences_say_where_to_measure():
    X, y = table(count=12, noise=0.15, high=2.0)
    found = compare([SATURATION, EXPONENTIAL], X, y)
    assert min(law.probability for law in found.laws) > 0.05
    (words,) = [words for words in found.differences[0].words if "outside" in words]
    outside = next(stretch for stretch in found.differences[0].stretches if stretch.is_outside)
    assert outside.start > X["x"].max()
    assert f"{outside.ratio:.2g} times the scatter" in words
    assert "measure there" in words


def test_sigma_gives_chi_squared_and_weights_count_rows():
    X, y = table()
    stated = compare([SATURATION, STRAIGHT], X, y, sigma=np.full(len(y), 0.1))
    assert 0.5 < stated.laws[0].chi2_per_dof < 2.0
    assert stated.laws[1].chi2_per_dof > 10.0
    twice = compare([SATURATION, STRAIGHT], pd.concat([X, X]), np.concatenate([y, y]))
    weighted = compare([SATURATION, STRAIGHT], X, y, sample_weight=np.full(len(y), 2.0))
    assert weighted.laws[1].log_evidence == pytest.approx(twice.laws[1].log_evidence, rel=1e-6)


def test_numbers_are_fitted_again_unless_they_are_kept():
    X, y = table()
    laws = ["7.03*x/(2.1 + x)", "7.03*x/(2 + x)^2"]
    fitted, kept = compare(laws, X, y), compare(laws, X, y, keep_numbers=True)
    assert [law.num_constants for law in fitted.laws] == [2, 1]
    assert fitted.laws[0].constants[0][1] == pytest.approx(8.0, abs=0.3)
    assert [law.num_constants for law in kept.laws] == [0, 0]
    assert "7.03" in kept.laws[0].law.text()


def test_a_constant_that_stands_twice_is_fitted_once():
    X, y = table()
    found = compare(["a*x/(a + x)", STRAIGHT], X, y)
    assert {law.number: law.num_constants for law in found.laws} == {1: 1, 2: 2}
    tied = next(law for law in found.laws if law.number == 1)
    assert len(set(tied.law.expression.constants.tolist())) == 1


def test_the_same_law_in_two_forms_shares_its_probability():
    X, y = table()
    found = compare([SATURATION, "x/(c + d*x)", STRAIGHT], X, y)
    assert found.laws[0].probability == pytest.approx(0.5, abs=0.2)
    assert "laws 1 and 2 are the same function" in str(found)


def test_equations_and_law_files_are_laws(tmp_path):
    X, y = table()
    names = ("z", "x")  # another order than that of the table
    law = Equation(parse("8.1*x/(3.1 + x)", names), names, Errors(0.0, 0.0), Errors(0.0, 0.0), "grammar")
    write_law(tmp_path / "law.json", Outcome(law, (law,), names, "y", True, 1, 0.1), {})
    found = compare([law, tmp_path / "law.json", STRAIGHT], X, y)
    assert [law.r2 for law in found.laws[:2]] == pytest.approx([found.laws[0].r2] * 2)
    assert found.laws[2].number == 3
    with pytest.raises(InvalidFormula, match=r"reads column 'x', which the table lacks"):
        compare([law, "a*z"], X[["z"]], y)


def test_outliers_do_not_decide():
    X, y = table()
    y[[3, 9]] += 3.0
    found = compare([SATURATION, STRAIGHT], X, y)
    assert found.laws[0].number == 1
    assert found.scatter.num_outliers == 2
    assert found.laws[0].constants[0][1] == pytest.approx(8.0, abs=0.3)


def test_rows_without_noise_are_decided():
    X, _ = table()
    found = compare([SATURATION, EXPONENTIAL], X, 8.0 * X["x"] / (3.0 + X["x"]))
    assert found.noise == "none beyond rounding"
    assert found.laws[0].probability > 0.999


def test_a_law_that_leaves_a_curve_is_not_trusted():
    X, y = table(count=80)
    assert any("the true law may be another one" in note for note in compare([STRAIGHT, "a*x"], X, y).notes)
    assert not compare([STRAIGHT, SATURATION], X, y).notes


def test_a_table_of_the_comparison_is_a_frame_and_values_are_plain():
    X, y = table()
    found = compare([SATURATION, STRAIGHT], X, y)
    assert list(found.table.index) == [1, 2]
    assert found.table["law"].tolist() == [SATURATION, STRAIGHT]
    plain = found.described()
    assert plain["laws"][0]["constants"][0]["name"] == "a"
    assert {"column", "from", "to", "times_scatter", "outside"} == set(plain["differences"][0]["ranges"][0])


def test_arrays_without_names_and_columns_that_are_constant_can_be_read():
    x = np.linspace(1.0, 5.0, 20)
    X = np.column_stack([x, np.full(20, 9.81)])
    y = 0.5 * 9.81 * x**2 + 0.1 * np.random.default_rng(0).normal(size=20)
    found = compare(["0.5*x1*x0^2", "a*x0"], X, y)
    assert found.laws[0].number == 1


def test_many_rows_are_compared_on_some_of_them():
    x = np.random.default_rng(0).uniform(1.0, 3.0, (30_000, 1))
    found = compare(["a*x0^2", "a*x0"], x, x[:, 0] ** 2 + 0.01)
    assert found.num_rows == 30_000
    assert any("10,000 of 30,000 rows" in note for note in found.notes)


X, Y = table()


@pytest.mark.parametrize(
    ("laws", "rows", "error", "message"),
    [
        ([SATURATION], slice(None), InvalidSettings, "1 law given"),
        ([], slice(None), InvalidSettings, "0 laws given"),
        (SATURATION, slice(None), InvalidSettings, "must be a list"),
        ([SATURATION, 3.0], slice(None), InvalidSettings, "got float"),
        ([SATURATION, "a*xx"], slice(None), InvalidFormula, "none of the laws|did you mean|'xx'"),
        ([SATURATION, "a*sine(x)"], slice(None), InvalidFormula, "sine"),
        (["a", "b + 1"], slice(None), InvalidFormula, "none of the laws reads a column"),
        ([SATURATION, "a*log(-x)"], slice(None), InvalidFormula, r"cannot fit 'a\*log\(-x\)'"),
        ([SATURATION, STRAIGHT], slice(2), InvalidTable, "2 distinct rows"),
        ([SATURATION, "a + b*x + c*x^2"], slice(3), InvalidFormula, "3 constants to fit and the table 3 distinct rows"),
        ([SATURATION, STRAIGHT], [0] * 10, InvalidTable, "in every row"),
    ],
)
def test_misuse_is_refused(laws, rows, error, message):
    if laws == [SATURATION, "a*xx"]:
        # A short name that is not a column is a constant.
        assert compare(laws, X, Y).laws[0].number == 1
        return
    with pytest.raises(error, match=message):
        compare(laws, X.iloc[rows], Y[rows])


def test_a_column_of_text_and_missing_cells_are_refused():
    with pytest.raises(InvalidTable, match="'z'"):
        compare([SATURATION, STRAIGHT], X.assign(z="red"), Y)
    with pytest.raises(InvalidTable, match="NaN"):
        compare([SATURATION, STRAIGHT], X.where(X["x"] > 1.0), Y)


def test_a_target_that_is_constant_in_different_rows_is_refused():
    with pytest.raises(InvalidTable, match="there is no law to find"):
        compare([SATURATION, STRAIGHT], X, np.full(len(X), 2.0))
