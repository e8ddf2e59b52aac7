"""The estimator: scikit-learn's own checks, PySR's names, named errors at the door."""

import pickle

import numpy as np
import pandas as pd
import polars
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from mosaic_sr import InvalidFormula, InvalidSettings, InvalidTable, MosaicRegressor
from mosaic_sr.evidence import num_fitted
from mosaic_sr.expressions.expression import operator_names
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal import PROPOSERS

ALL_BUT_GUESSES = tuple(name for name in PROPOSERS if name != "guesses")
# Finders and the prior take seconds on tables without a law; where one is found, what is tested does not depend on it.
PLAIN = {"without": ("finders", "prior", "enumeration"), "random_state": 0}
QUICK = {"max_evaluations": 400, **PLAIN}
# Paths from the mean alone: fits by the hundred, of which one has to explain half of a straight line.
BRIEF = {"max_evaluations": 20, "maxsize": 7, "without": (*PLAIN["without"], "grammar"), "random_state": 0}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(0.5, 2.0, size=(60, 3)), columns=["mass", "my speed %", "N"])
    frame["energy"] = 0.5 * frame["mass"] * frame["my speed %"] ** 2
    return frame


@pytest.fixture(scope="module")
def fitted(frame):
    return MosaicRegressor(random_state=0).fit(frame[["mass", "my speed %", "N"]], frame["energy"])


@pytest.fixture(scope="module")
def noisy(frame):
    y = 3 * frame["mass"] + 2 + 0.1 * np.random.default_rng(0).normal(size=60)
    return MosaicRegressor(**QUICK).fit(frame[["mass", "N"]], y)


# scikit-learn 1.6 asks this of estimators that read dense arrays alone, too.
OF_SPARSE_ARRAYS = {"check_sample_weight_equivalence_on_sparse_data": "sparse arrays are refused"}


@pytest.mark.filterwarnings("ignore::mosaic_sr.errors.MosaicWarning")
@parametrize_with_checks([MosaicRegressor(**BRIEF)], expected_failed_checks=lambda estimator: OF_SPARSE_ARRAYS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_law_keeps_the_names_of_the_columns(fitted):
    assert str(fitted.law_) == "0.5*mass*`my speed %`^2"
    assert {str(symbol) for symbol in fitted.sympy().free_symbols} == {"mass", "my speed %"}
    assert "mass" in fitted.latex()


def test_the_law_is_marked_where_the_front_is_shown(fitted):
    (marked,) = [line for line in str(fitted).splitlines() if line.startswith(">>>>")]
    assert marked.endswith(str(fitted.law_))
    assert fitted.equations_.loc[fitted.equations_["picked"], "equation"].tolist() == [fitted.law_.text()]
    assert str(MosaicRegressor(maxsize=9)) == "MosaicRegressor(maxsize=9)"


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda: MosaicRegressor(timeout_in_seconds=5), "use time_limit"),
        (lambda: MosaicRegressor(max_size=5), "use maxsize"),
        (lambda: MosaicRegressor().fit([[1.0]], [1.0], weights=[1.0]), "use sample_weight"),
        (lambda: MosaicRegressor().fit([[1.0]], [1.0], variable_names=["a"]), "data frame"),
    ],
)
def test_arguments_of_others_are_refused_with_a_hint(call, hint):
    with pytest.raises(TypeError, match=hint):
        call()


def test_equations_have_the_columns_that_users_know(fitted):
    table = fitted.equations_
    for name in ("complexity", "loss", "score", "equation", "sympy_format", "lambda_format", "validation_loss"):
        assert name in table.columns
    assert table["complexity"].is_monotonic_increasing
    assert fitted.law_.is_exact
    assert fitted.found_by_ in PROPOSERS


def test_predictions_of_the_law_and_of_the_front(fitted, frame):
    X = frame[["mass", "my speed %", "N"]]
    np.testing.assert_allclose(fitted.predict(X), frame["energy"], rtol=1e-12)
    first = fitted.equations_["lambda_format"].iloc[0]
    np.testing.assert_array_equal(fitted.predict(X, index=0), first(X))
    with pytest.raises(InvalidSettings, match="no row 99"):
        fitted.predict(X, index=99)


def test_large_and_small_units_come_back_into_the_law():
    X = np.random.default_rng(0).uniform(1e20, 9e20, size=(80, 2))
    y = 6.6743e-31 * X[:, 0] * X[:, 1]
    model = MosaicRegressor(random_state=0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-12)
    assert model.law_.is_exact
    np.testing.assert_allclose(model.law_.expression.constants, [6.6743e-31], rtol=1e-12)


def test_constants_have_errors_and_read_as_people_write_them(noisy):
    table = noisy.constants_
    assert list(table.columns) == ["value", "standard_error", "text", "name"]
    assert len(table) == noisy.law_.expression.num_constants > 0
    fitted = table[table["standard_error"] > 0]
    assert fitted["text"].str.contains(" ± ").all()
    assert (table["standard_error"] >= 0).all()


def test_a_target_computed_from_a_column_needs_no_name_of_its_own(noisy):
    assert noisy.outcome_.target == "y"
    assert noisy.outcome_.names == ("mass", "N")


def test_the_latex_table_has_one_line_per_equation(fitted):
    text = fitted.latex_table()
    assert text.startswith(r"\begin{tabular}")
    assert text.count(r"\mathrm{energy} =") == len(fitted.equations_)
    assert fitted.latex_table(indices=[0]).count(r"\mathrm{energy} =") == 1


def test_a_notebook_shows_the_law_above_the_diagram(fitted, frame):
    page = fitted._repr_mimebundle_()["text/html"]
    assert page.split("sk-top-container")[0][:500] == fitted._repr_html_()[:500]
    assert page.index("<math") < page.index("sk-top-container")
    assert "<math" not in MosaicRegressor()._repr_html_()
    with config_context(display="text"):
        assert "text/html" not in fitted._repr_mimebundle_()
    inside = make_pipeline(fitted)._repr_html_()
    assert "MosaicRegressor" in inside


@pytest.mark.parametrize(
    "names",
    [["a", "b c"], ["größe", "速度"], ["2", "1e5"], [10, 20], [3.5, "x"], [("a", 1), ("a", 2)], ["sin", "pi"], [0, 1]],
)
def test_columns_may_have_any_names(names):
    X = pd.DataFrame(np.random.default_rng(0).uniform(1, 2, size=(30, 2)))
    X.columns = pd.Index(names, tupleize_cols=False)
    y = X.iloc[:, 0] * X.iloc[:, 1]
    model = MosaicRegressor(random_state=0).fit(X, y)
    shown = [f"x{name}" for name in names] if names == [0, 1] else [str(name) for name in names]
    assert {str(symbol) for symbol in model.sympy().free_symbols} == set(shown)
    np.testing.assert_allclose(model.predict(X), y)


@pytest.mark.parametrize("names", [["a", "a"], [1, "1"]])
def test_duplicate_names_are_refused(names):
    X = pd.DataFrame(np.random.default_rng(0).uniform(1, 2, size=(30, 2)), columns=names)
    with pytest.raises(InvalidTable, match="2 columns named"):
        MosaicRegressor(**QUICK).fit(X, np.arange(30.0))


def test_polars_frames_are_read(frame):
    X = polars.from_pandas(frame[["mass", "my speed %", "N"]])
    model = MosaicRegressor(random_state=0).fit(X, polars.Series("energy", frame["energy"].to_numpy()))
    assert str(model.law_) == "0.5*mass*`my speed %`^2"
    assert model.outcome_.target == "energy"
    np.testing.assert_allclose(model.predict(X), frame["energy"])


def test_rows_of_the_users_choice_validate(frame):
    X, y = frame[["mass", "my speed %", "N"]], frame["energy"]
    model = MosaicRegressor(**QUICK).fit(X, y, validation=(X[:10], 1.1 * y[:10]))
    assert not model.law_.is_exact
    assert model.law_.validation.nmse > 1e-3


def test_weights_choose_the_rows(frame):
    X, y = frame[["mass", "my speed %", "N"]], frame["energy"].copy()
    y[:20] = 99.0
    model = MosaicRegressor(random_state=0).fit(X, y, sample_weight=np.repeat([0.0, 1.0], [20, 40]))
    assert str(model.law_) == "0.5*mass*`my speed %`^2"


def test_the_same_seed_gives_the_same_law_for_any_number_of_threads(frame):
    X, y = frame[["mass", "my speed %"]], np.exp(frame["mass"]) - frame["my speed %"] / frame["N"]
    one, two = (MosaicRegressor(n_jobs=n, **BRIEF | {"max_evaluations": 6_000}).fit(X, y) for n in (1, 2))
    assert one.law_.text() == two.law_.text()
    assert one.evaluations_ == two.evaluations_


def test_a_guess_starts_the_search(frame):
    model = MosaicRegressor(guesses=["1*mass*`my speed %`^2"], without=ALL_BUT_GUESSES, random_state=0)
    model.fit(frame[["mass", "my speed %", "N"]], frame["energy"])
    assert model.found_by_ == "guesses"
    assert model.law_.is_exact


def test_operators_can_be_chosen(frame):
    model = MosaicRegressor(binary_operators=["+", "*"], unary_operators=[], max_evaluations=400, random_state=0)
    model.fit(frame[["mass", "my speed %"]], frame["energy"] / frame["mass"])
    assert "/" not in model.law_.text()


def test_a_guess_keeps_its_meaning_when_columns_are_scaled():
    x = np.random.default_rng(0).uniform(1e5, 1.00001e5, size=(60, 1))
    model = MosaicRegressor(guesses=["2*sin(x0)"], max_evaluations=2, random_state=0).fit(x, 3 * np.sin(x[:, 0]))
    assert model.found_by_ == "guesses"
    assert model.law_.text() == "3*sin(x0)"


def test_the_fitted_estimator_survives_pickling_cloning_and_a_file(fitted, frame, tmp_path):
    X = frame[["mass", "my speed %", "N"]]
    fitted.save(tmp_path / "law.json")
    for copy in (pickle.loads(pickle.dumps(fitted)), MosaicRegressor.load(tmp_path / "law.json")):
        np.testing.assert_array_equal(copy.predict(X), fitted.predict(X))
        np.testing.assert_array_equal(copy.predict(X, index=0), fitted.predict(X, index=0))
        pd.testing.assert_frame_equal(
            copy.equations_.drop(columns="lambda_format"), fitted.equations_.drop(columns="lambda_format")
        )
        assert copy.get_params() == fitted.get_params()
        assert (copy.trace_, copy.evaluations_) == (fitted.trace_, fitted.evaluations_)
        with pytest.raises(ValueError, match="feature names"):
            copy.predict(X.rename(columns={"N": "M"}))
    assert not hasattr(clone(fitted), "law_")


def test_an_estimator_of_arrays_is_loaded_without_names(tmp_path):
    X = np.random.default_rng(0).uniform(1, 2, size=(30, 2))
    MosaicRegressor(random_state=np.random.RandomState(0)).fit(X, X[:, 0] / X[:, 1]).save(tmp_path / "law.json")
    copy = MosaicRegressor.load(tmp_path / "law.json")
    assert not hasattr(copy, "feature_names_in_")
    np.testing.assert_allclose(copy.predict(X), X[:, 0] / X[:, 1])


def test_a_search_without_proposers_starts_from_the_mean(frame):
    model = MosaicRegressor(without=PROPOSERS, max_evaluations=400, random_state=0).fit(
        frame[["mass"]], frame["energy"]
    )
    assert model.trace_[0]["stage"] == "start"
    assert model.found_by_ == "start"


def test_no_folder_is_made_for_a_table_that_is_refused(frame, tmp_path):
    with pytest.raises(InvalidTable):
        MosaicRegressor(output_directory=tmp_path / "run").fit(frame[["mass"]], frame["energy"][:-1])
    assert not list(tmp_path.iterdir())


def test_progress_is_shown_on_standard_error(frame, capsys, monkeypatch):
    monkeypatch.setattr("mosaic_sr.progress.SECONDS_BETWEEN_LINES", 0.0)
    MosaicRegressor(progress=True, **QUICK).fit(frame[["mass", "N"]], frame["energy"])
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.split(" · ")[0] in (*PROPOSERS, "refinement")
    assert "/s · " in line
    assert "best so far: energy = " in line


@pytest.mark.parametrize(
    ("settings", "allowed", "maxsize"),
    [
        ({"maxsize": 5}, NAMES, 5),
        (
            {"binary_operators": ["+", "*"], "unary_operators": ["sin"]},
            {"add", "sub", "neg", "mul", "sq", "cube", "sin"},
            99,
        ),
    ],
)
def test_neither_the_law_nor_the_front_leaves_the_limits(settings, allowed, maxsize):
    X = np.random.default_rng(0).uniform([1, 4], [3, 9], size=(60, 2))
    y = X[:, 0] * X[:, 1] / (X[:, 1] - X[:, 0])
    model = MosaicRegressor(guesses=["x0*x1/(x1 - x0)"], **QUICK, **settings).fit(X, y)
    for equation in (model.law_, *model.law_.ties, *model.front_):
        assert equation.complexity <= maxsize
        assert operator_names(equation.expression) <= set(allowed)
    assert len(model.front_) > 1
    [note] = [note for note in model.notes_ if note.startswith("guess x0*x1/(x1 - x0): loss")]
    assert note.endswith("uses operators that are not allowed")


def test_columns_stay_in_their_units_where_a_law_may_not_multiply():
    X = 1e6 * np.random.default_rng(0).uniform(1, 3, size=(60, 2))
    only_sums = {"binary_operators": ["+"], "unary_operators": ["sin"]}
    model = MosaicRegressor(guesses=["x0 + x1"], **QUICK, **only_sums).fit(X, X.sum(axis=1))
    assert model.law_.text() == "x0 + x1"


def test_the_front_is_strict_and_holds_the_law(frame):
    noise = np.random.default_rng(3).normal(0.0, 0.05, len(frame))
    model = MosaicRegressor(**QUICK).fit(frame[["mass", "N"]], frame["energy"] * (1.0 + noise))
    table = model.equations_
    assert (np.diff(table["complexity"]) > 0).all()
    assert (np.diff(table["loss"]) < 0).all()
    assert (table["score"][1:] > 0).all()
    assert any(equation is model.law_ for equation in model.front_)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"unary_operators": ["sine"]}, "unknown unary operator 'sine'"),
        ({"binary_operators": ["min"]}, "unknown binary operator 'min'"),
        ({"binary_operators": "+"}, "must be a list"),
        ({"binary_operators": [], "unary_operators": []}, "no operators are allowed"),
        ({"maxsize": 1}, "maxsize must be"),
        ({"maxsize": 7.5}, "maxsize must be"),
        ({"time_limit": 0}, "time limit must be more than 0"),
        ({"max_evaluations": 0}, "at least 1"),
        ({"preset": "magic"}, "unknown preset 'magic'"),
        ({"without": ("oracle",)}, "unknown proposer 'oracle'"),
        ({"without": "grammar"}, "must be a list"),
        ({"guesses": "x + 1"}, "must be a list"),
        ({"model_selection": "luck"}, "model_selection"),
        ({"time_limit": "soon"}, "time limit must be more than 0"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"n_jobs": 1.5}, "n_jobs must be"),
    ],
)
def test_bad_settings_are_refused_with_what_came(settings, message, frame):
    with pytest.raises(InvalidSettings, match=message):
        MosaicRegressor(**settings).fit(frame[["mass"]], frame["energy"])


def test_a_bad_guess_is_refused_with_the_nearest_name(frame):
    with pytest.raises(InvalidFormula, match="did you mean 'mass'"):
        MosaicRegressor(guesses=["mas + 1"], **QUICK).fit(frame[["mass"]], frame["energy"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X, np.ones(len(y))), "in every row"),
        (lambda X, y: (X[:1], y[:1]), "one row"),
        (lambda X, y: (X.assign(mass="heavy"), y), "mass"),
        (lambda X, y: (X.assign(mass=np.nan), y), "mass"),
        (lambda X, y: (X.assign(mass=np.inf), y), "mass"),
        (lambda X, y: (X.assign(mass=1j), y), "[Cc]omplex"),
        (lambda X, y: (X, y[:-1]), "60 rows"),
        (lambda X, y: (X, y.replace(y.iloc[3], np.nan)), "y has 1 row"),
        (lambda X, y: (X.iloc[:0], y[:0]), "empty|0 rows"),
        (lambda X, y: (X.iloc[:, :0], y), "0 feature"),
        (lambda X, y: (X["mass"], y), "column|2D"),
        (lambda X, y: (X.assign(energy=y), y), "also in the feature columns"),
    ],
)
def test_bad_tables_are_refused(change, message, frame):
    X, y = change(frame[["mass", "N"]], frame["energy"])
    with pytest.raises(InvalidTable, match=message):
        MosaicRegressor(**QUICK).fit(X, y)


@pytest.mark.parametrize(("X", "y"), [([], []), ((), ()), ([[]], [1.0]), (np.empty((0, 2)), []), (pd.DataFrame(), [])])
def test_nothing_to_fit_is_refused_by_name(X, y):
    with pytest.raises(InvalidTable, match=r"X (is empty|has 0 feature)"):
        MosaicRegressor().fit(X, y)


def test_names_of_a_guess_that_are_no_columns_are_fitted(frame):
    model = MosaicRegressor(guesses=["a*mass^b"], without=PROPOSERS[1:], max_evaluations=10, random_state=0)
    model.fit(frame[["mass"]], 3.0 * frame["mass"] ** 2)
    assert model.law_.text(precision=6) == "3*mass^2"


def test_a_law_never_has_more_constants_than_there_are_rows():
    rng = np.random.default_rng(0)
    for num_rows, settings in ((3, {"max_evaluations": 300, "random_state": 0}), (4, QUICK)):
        X, y = rng.normal(size=(num_rows, 2)), rng.normal(size=num_rows)
        model = MosaicRegressor(**settings).fit(X, y)
        assert all(equation.expression.num_constants <= num_rows for equation in (model.law_, *model.front_))


@pytest.fixture(scope="module")
def scattered(frame):
    """A line with noise and an outlier, and its rows as the user has them."""
    X, rng = frame[["mass", "N"]], np.random.default_rng(2)
    y = 3 * frame["mass"] + 2 + 0.05 * rng.normal(size=len(frame))
    y[11] += 4.0
    guesses = ["a*mass + b", "a*mass^b + c"]
    return MosaicRegressor(guesses=guesses, **QUICK).fit(X, y), X, y


def test_laws_of_noisy_rows_have_probabilities_and_rivals(scattered):
    model, _, _ = scattered
    assert 0.0 < model.law_.probability <= 1.0
    assert list(model.rivals_.columns) == ["equation", "probability", "constants", "complexity", "lambda_format"]
    assert len(model.rivals_) == len(model.law_.ties)
    assert (model.rivals_["probability"] <= model.law_.probability).all()
    assert model.column_probabilities_["mass"] == pytest.approx(1.0)
    assert set(model.column_probabilities_) == {"mass", "N"}


def test_outliers_are_row_numbers_of_x(scattered):
    model, *_ = scattered
    assert model.scatter_.num_outliers == 1
    assert model.outliers_.tolist() == [11]
    assert np.issubdtype(model.outliers_.dtype, np.integer)


def test_predictions_have_standard_deviations_that_grow_outside_the_rows(scattered):
    model, X, _ = scattered
    values, near = model.predict(X, return_std=True)
    np.testing.assert_array_equal(values, model.predict(X))
    assert near.shape == values.shape
    assert (near >= 0.99 * model.scatter_.deviations(values)).all()
    _, far = model.predict(20.0 * X, return_std=True)
    assert far.min() > near.max()
    with pytest.raises(InvalidSettings, match="leave out index=0"):
        model.predict(X, index=0, return_std=True)


def test_what_is_known_of_noise_survives_a_file(scattered, tmp_path):
    model, X, _ = scattered
    model.save(tmp_path / "law.json")
    copy = MosaicRegressor.load(tmp_path / "law.json")
    assert copy.law_.probability == model.law_.probability
    assert (copy.scatter_, copy.column_probabilities_) == (model.scatter_, model.column_probabilities_)
    np.testing.assert_allclose(copy.predict(X, return_std=True), model.predict(X, return_std=True))
    assert copy.outliers_.tolist() == []


def test_exact_laws_have_no_rivals_and_hardly_any_deviation(fitted, frame):
    assert fitted.law_.probability is None
    assert fitted.rivals_.empty
    assert (fitted.scatter_, fitted.column_probabilities_, len(fitted.outliers_)) == (None, {}, 0)
    values, deviations = fitted.predict(frame[["mass", "my speed %", "N"]], return_std=True)
    assert (deviations < 1e-12 * values.max()).all()


def test_the_front_lists_no_equation_with_more_constants_than_a_third_of_the_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9, 1)), rng.normal(size=9)
    guesses = ["a + b*x0 + c*x0^2 + d*x0^3 + f*x0^4", "a + b*x0"]
    model = MosaicRegressor(guesses=guesses, **QUICK).fit(X, y)
    assert all(num_fitted(equation.expression) <= 3 for equation in model.front_ if equation is not model.law_)
