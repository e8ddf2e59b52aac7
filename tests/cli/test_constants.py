"""`mosaic constants`: what it prints, writes and refuses."""

import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from mosaic_sr.cli.constants import constants
from mosaic_sr.errors import InvalidFile, InvalidFormula, InvalidSettings, InvalidTable, MosaicError

APP = typer.Typer()
APP.command()(constants)


def run(*arguments):
    """The output of the command; misuse raises the error that the command line prints as one line."""
    result = CliRunner().invoke(APP, [str(argument) for argument in arguments])
    if isinstance(result.exception, MosaicError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    x, sigma = rng.uniform(0.0, 6.0, 60), rng.uniform(0.02, 0.1, 60)
    y = 2.5 * np.sin(1.3 * x) + 0.7 + sigma * rng.normal(size=60)
    path = tmp_path / "table.csv"
    np.savetxt(path, np.column_stack([x, sigma, y]), delimiter=",", header="x0,sigma,y", comments="")
    return path


def test_constants_are_printed_with_their_errors(file):
    output = run("a*sin(b*x0)+c", file, "--target", "y")
    lines = {line.split()[0]: line.split() for line in output.splitlines() if "±" in line}
    assert list(lines) == ["a", "b", "c"]
    for name, truth in {"a": 2.5, "b": 1.3, "c": 0.7}.items():
        value, error = float(lines[name][1]), float(lines[name][3])
        assert 0.0 < error < 0.05
        assert abs(value - truth) < 5.0 * error
    assert "R²" in output
    assert "NMSE" in output
    assert "chi²/dof" not in output


def test_sigma_gives_chi_squared_and_json_holds_everything(file, tmp_path):
    written = tmp_path / "constants.json"
    output = run("a*sin(b*x0)+c", file, "--target", "y", "--sigma", "sigma", "--json", written)
    report = json.loads(written.read_text())
    assert "chi²/dof" in output
    assert 0.5 < report["chi2_per_dof"] < 2.0
    assert report["status"] == "converged"
    assert report["constants"]["b"] == pytest.approx(1.3, abs=0.01)
    assert set(report["errors"]) == {"a", "b", "c"}
    assert report["not_identifiable"] == []
    assert report["r2"] == pytest.approx(1.0 - report["nmse"])


def test_constants_that_only_occur_as_a_product_are_named(file):
    output = run("a*d*sin(1.3*x0)+c", file, "--target", "y")
    assert output.count("± not identifiable") == 2
    assert "note: some constants are not identifiable" in output


def test_a_modulus_is_fitted_and_reading_e_as_a_number_is_told(file):
    modulus = run("E*x0 + b", file, "--target", "y")
    assert [line.split()[0] for line in modulus.splitlines() if "±" in line] == ["E", "b"]
    assert "note" not in modulus
    assert "note: e was read as the number 2.71828;" in run("e*x0 + b", file, "--target", "y")


def test_relative_weights_change_the_fit(file):
    assert run("a*x0+b", file, "--target", "y") != run("a*x0+b", file, "--target", "y", "--weights", "relative")


def test_a_formula_without_constants_is_only_measured(file):
    assert "no constants to fit" in run("2.5*sin(1.3*x0)+0.7", file, "--target", "y")


@pytest.mark.parametrize(
    ("formula", "options", "error"),
    [
        ("a*sine(x0)", [], InvalidFormula),
        ("a*log(-1-x0^2)", [], InvalidFormula),
        ("a*x0", ["--weights", "some"], InvalidSettings),
        ("a*x0", ["--weights", "relative", "--sigma", "sigma"], InvalidSettings),
        ("a*x0", ["--sigma", "none"], InvalidTable),
        ("a*x0", ["--json", "/no/such/folder/file.json"], InvalidFile),
        ("+".join(f"a{index}*x0" for index in range(61)), [], InvalidFormula),
    ],
)
def test_misuse_is_refused_in_one_line_and_writes_nothing(file, formula, options, error):
    before = sorted(file.parent.iterdir())
    content = file.read_bytes()
    with pytest.raises(error) as caught:
        run(formula, file, "--target", "y", *options)
    assert str(caught.value).splitlines()[0]
    assert sorted(file.parent.iterdir()) == before
    assert file.read_bytes() == content


def test_a_name_almost_like_a_column_is_refused(file):
    table = file.with_name("pendulum.csv")
    table.write_text("length,beta1,period,day\n1,2,2.1,Monday\n2,2,2.9,Tuesday\n3,1,3.5,Friday\n")
    words = (table, "--target", "period")
    with pytest.raises(InvalidFormula, match="did you mean 'length'"):
        run("a*sqrt(lenght)", *words)
    with pytest.raises(InvalidFormula, match="'period' is the target"):
        run("a*period", *words)
    assert "beta0" in run("beta0*sqrt(length)", *words)


def test_only_the_columns_of_the_formula_have_to_be_numbers(file):
    table = file.with_name("springs.csv")
    table.write_text('force,"Mass, kg",k,day,stretch\n1,9,5,Mon,2.1\n2,8,5,Tue,2.9\n3,7,5,,4.2\n')
    assert "  a  " in run("a*force + b", table, "--target", "stretch")
    assert "  a  " in run("a*`Mass, kg` + b", table, "--target", "stretch")
    assert "  a  3.07 ± 0.61" in run("a", table, "--target", "stretch")
    assert "  k  " in run("k*force", table, "--target", "stretch", "--ignore", 'day,"Mass, kg",k')


def test_the_table_is_not_overwritten(file):
    with pytest.raises(InvalidFile, match="would be overwritten"):
        run("a*x0", file, "--target", "y", "--json", file)


def test_a_missing_file_or_target_is_refused(file):
    with pytest.raises(InvalidFile):
        run("a*x0", file.with_name("none.csv"), "--target", "y")
    with pytest.raises((InvalidFile, InvalidTable)):
        run("a*x0", file, "--target", "z")


@pytest.mark.parametrize(
    ("formula", "nearest"), [("a*x9 + c*x0", "x0"), ("X*x0", "x0"), ("a*sin(b*x0) + x_", "x0"), ("S*x0", None)]
)
def test_a_constant_that_may_be_meant_as_a_column_is_told(file, formula, nearest):
    notes = [line for line in run(formula, file, "--target", "y").splitlines() if "note" in line]
    if nearest is None:
        assert not notes
    else:
        assert "was fitted as a constant; the nearest column is 'x0'" in notes[0]


def test_single_letters_in_another_case_are_told(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("N,y\n1,2\n2,4\n3,6\n")
    output = run("n*N", path, "--target", "y")
    assert "note: 'n' is not a column and was fitted as a constant; the nearest column is 'N'" in output
