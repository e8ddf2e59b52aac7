"""Templates through the estimator and the command line: laws, parts, files, bad input, and searches that are ended."""

import json
import pickle
import sys

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import InvalidFormula, InvalidSettings, MosaicRegressor
from mosaic_sr.cli import main
from mosaic_sr.notebook import to_html

RNG = np.random.default_rng(0)
NUM_ROWS = 100
FRAME = pd.DataFrame(RNG.uniform(0.2, 4.0, (NUM_ROWS, 4)), columns=["S", "I", "T", "other"])
S, I, T, OTHER = FRAME.to_numpy().T  # noqa: E741
RATE = 3.0 * S / (2.0 + S) / (1.0 + I**2 / 3.0) * T**1.7
TEMPLATE = "f(S)/(1 + g(I))*T^a"

NORMAL = pd.DataFrame(RNG.standard_normal((NUM_ROWS, 3)), columns=["x1", "x2", "x3"])
X1, X2, X3 = NORMAL.to_numpy().T
CLASS = RNG.integers(0, 2, NUM_ROWS)
CLASSES = NORMAL.assign(c1=1.0 * (CLASS == 0), c2=1.0 * (CLASS == 1))
FEW = {"binary_operators": ["+", "*", "-", "/"], "unary_operators": ["sin"]}
WAVES = np.where(CLASS == 0, X2**2, np.sin(X3))
# The cases of PySR's documentation, each in one line: columns, target, settings.
ELSEWHERE = {
    "sin(f(x1, x2)) + g(x3)": (NORMAL, np.sin(X1 + X2) + X3**2, {"maxsize": 10, **FEW}),
    "sin(f(x1, x2)) + g(x3)^2": (NORMAL, np.sin(X1 * X2) + (X3 + 0.5) ** 2, FEW),
    "p1*f(x1, x2) + p2*g(x3) + p3": (NORMAL, 2.0 * X1 * X2 + 3.0 * np.sin(X3) + 0.7, FEW),
    "A*cos(f(x2) + d1*c1 + d2*c2) + g(x1) - B": (
        CLASSES, 2.0 * np.cos(X2 + np.where(CLASS == 0, 0.1, 1.5)) + X1**2 - 2.0, FEW,
    ),
    "shared(x1) + c1*f1(x2) + c2*f2(x3)": (CLASSES, np.exp(X1) + WAVES, {"unary_operators": ["sin", "exp"]}),
}  # fmt: skip


@pytest.fixture(scope="module")
def model():
    return MosaicRegressor(template=TEMPLATE, random_state=0).fit(FRAME, RATE)


@pytest.fixture(scope="module")
def noisy():
    """A table of 1 % noise."""
    return RATE * (1.0 + 0.01 * np.random.default_rng(1).standard_normal(NUM_ROWS))


@pytest.mark.parametrize("template", ELSEWHERE)
def test_the_cases_of_other_packages_take_one_line(template):
    columns, target, settings = ELSEWHERE[template]
    model = MosaicRegressor(template=template, random_state=0, **settings).fit(columns, target)
    assert model.law_.is_exact, model.law_
    np.testing.assert_allclose(model.predict(columns), target, atol=1e-8)


def test_the_law_keeps_the_form_of_the_template_and_its_parts_are_shown(model):
    assert str(model.law_) == "3*S/(2 + S)/(1 + I^2/3)*T^1.7"
    assert {label: str(part) for label, part in model.parts_.items()} == {"f(S)": "3*S/(2 + S)", "g(I)": "I^2/3"}
    assert [name for name in model.constants_["name"] if name] == ["a"]
    assert any("unknown functions f(S), g(I) and constants to fit a" in note for note in model.notes_)


def test_the_law_of_a_template_is_an_ordinary_equation(model, tmp_path):
    np.testing.assert_allclose(model.predict(FRAME), RATE, rtol=1e-9)
    assert "I^{2}" in model.latex()
    assert {str(symbol) for symbol in model.sympy().free_symbols} == {"S", "I", "T"}
    assert "def " in model.export("python")
    model.save(tmp_path / "law.json")
    other = MosaicRegressor.load(tmp_path / "law.json")
    assert str(other.law_) == str(model.law_)
    assert {label: str(part) for label, part in other.parts_.items()} == {"f(S)": "3*S/(2 + S)", "g(I)": "I^2/3"}
    assert other.template == TEMPLATE
    assert str(pickle.loads(pickle.dumps(model)).law_) == str(model.law_)


def test_reports_and_notebooks_show_what_stands_for_each_unknown(model, tmp_path):
    model.report(tmp_path / "law.html")
    page = (tmp_path / "law.html").read_text()
    assert "Unknowns of the template" in page
    assert "g(I)" in page
    assert "g(I)" in to_html(model.outcome_)


def test_noise_leaves_the_structure_and_the_probability_is_that_given_the_template(noisy):
    settings = {"f": {"maxsize": 9, "sign": "positive", "unary_operators": ["exp", "log"]}, "g": {"maxsize": 7}}
    model = MosaicRegressor(template=TEMPLATE, unknowns=settings, random_state=0).fit(FRAME, noisy)
    assert 0.3 < model.law_.probability <= 1.0
    errors = {one.name: one.standard_error for one in model.law_.constants}
    exponent = next(one.value for one in model.law_.constants if one.name == "a")
    assert errors["a"] > 0.0
    assert abs(exponent - 1.7) < 5.0 * errors["a"]
    inside = np.linspace(0.5, 3.5, 20)
    row = np.ones((20, 4))
    np.testing.assert_allclose(
        model.predict(pd.DataFrame(row * inside[:, None], columns=FRAME.columns)),
        3.0 * inside / (2.0 + inside) / (1.0 + inside**2 / 3.0) * inside**1.7, rtol=0.02,
    )  # fmt: skip
    assert 0.005 < model.scatter_.relative + model.scatter_.absolute < 0.05


def test_without_an_unknown_the_named_constants_are_fitted(noisy):
    model = MosaicRegressor(template="k*S/(c + S)/(1 + I^2/d)*T^a", random_state=0).fit(FRAME, noisy)
    found = {one.name: (one.value, one.standard_error) for one in model.law_.constants if one.name}
    assert model.parts_ == {}
    assert model.law_.probability is None
    for name, true in {"k": 3.0, "c": 2.0, "d": 3.0, "a": 1.7}.items():
        value, error = found[name]
        assert abs(value - true) < 5.0 * error


def test_one_unknown_is_searched_as_a_table_of_its_own():
    model = MosaicRegressor(template="f(S, I)*T + 1", random_state=0).fit(FRAME, T * S / (I + 0.37) + 1.0)
    assert model.law_.is_exact
    np.testing.assert_allclose(model.predict(FRAME), T * S / (I + 0.37) + 1.0, rtol=1e-9)


def test_the_number_of_threads_does_not_change_the_law_and_an_order_of_columns_not_its_values(model):
    again = MosaicRegressor(template=TEMPLATE, random_state=0, n_jobs=2).fit(FRAME, RATE)
    assert again.law_.text() == model.law_.text()
    turned = MosaicRegressor(template=TEMPLATE, random_state=0).fit(FRAME[FRAME.columns[::-1]], RATE)
    np.testing.assert_allclose(turned.predict(FRAME[FRAME.columns[::-1]]), RATE, rtol=1e-9)


def test_a_search_that_is_ended_returns_the_best_law_so_far_and_resuming_restarts(tmp_path, noisy):
    settings = {"template": TEMPLATE, "random_state": 0, "output_directory": tmp_path / "run"}
    with pytest.warns(match="stopped early"):
        first = MosaicRegressor(time_limit=0.01, **settings).fit(FRAME, noisy)
    assert first.law_.expression.columns
    assert (tmp_path / "run" / "law.json").exists()
    again = MosaicRegressor(max_evaluations=50, warm_start=True, **settings).fit(FRAME, noisy)
    assert any("cannot be resumed" in note for note in again.notes_)


REFUSED = {
    "an unknown column": ({"template": "f(Q)"}, InvalidFormula, "unknown column 'Q'"),
    "a constant like a column": ({"template": "f(S)*othr"}, InvalidFormula, "did you mean 'other'"),
    "guesses": ({"template": "f(S)", "guesses": ["S"]}, InvalidSettings, "guesses cannot be used"),
    "no template": ({"unknowns": {"f": {}}}, InvalidSettings, "give template too"),
    "a name that is no unknown": ({"template": "f(S)", "unknowns": {"g": {}}}, InvalidSettings, "the template has f"),
    "an operator": ({"template": "sin(f(S))", "unknowns": {"sin": {}}}, InvalidSettings, "is an operator"),
    "a foreign word": ({"template": "f(S)", "unknowns": {"f": {"size": 3}}}, InvalidSettings, "the word 'size'"),
    "a sign": ({"template": "f(S)", "unknowns": {"f": {"sign": "up"}}}, InvalidSettings, "positive or negative"),
    "a size": ({"template": "f(S)", "unknowns": {"f": {"maxsize": 0}}}, InvalidSettings, "maxsize of 'f'"),
    "a rule": ({"template": "f(S)", "model_selection": "score"}, InvalidSettings, "needs model_selection 'best'"),
    "a sign against the rows": (
        {"template": "1 - f(S)*T", "unknowns": {"f": {"sign": "positive"}}}, InvalidSettings, "contradicts the rows",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_before_the_search(case):
    settings, error, words = REFUSED[case]
    with pytest.raises(error, match=words):
        MosaicRegressor(random_state=0, **settings).fit(FRAME, RATE + 10.0)


def test_the_command_line_takes_a_template_and_prints_its_parts(tmp_path, monkeypatch, capsys):
    FRAME.assign(rate=RATE).to_csv(tmp_path / "rates.csv", index=False)
    known = "f(S)/(1 + I^2/3)*T^1.7"  # one unknown is found sooner than two
    said = "f: maxsize=9, sign=positive, unary_operators=exp log"
    words = ["fit", str(tmp_path / "rates.csv"), "--target", "rate", "--template", known, "--unknown", said]
    words += ["--json", str(tmp_path / "law.json")]
    monkeypatch.setattr(sys, "argv", ["mosaic", *words])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert "rate = 3*S/(2 + S)/(1 + I^2/3)*T^1.7" in lines
    assert "f(S) = 3*S/(2 + S)" in lines
    settings = json.loads((tmp_path / "law.json").read_text())["settings"]
    assert settings["unknowns"] == {"f": {"maxsize": 9, "sign": "positive", "unary_operators": ["exp", "log"]}}


@pytest.mark.parametrize("word", ["f", "f: maxsize", "maxsize=9"])
def test_words_that_say_nothing_of_an_unknown_are_refused(word, tmp_path, monkeypatch, capsys):
    FRAME.assign(rate=RATE).to_csv(tmp_path / "rates.csv", index=False)
    words = ["fit", str(tmp_path / "rates.csv"), "--target", "rate", "--template", "f(S)", "--unknown", word]
    monkeypatch.setattr(sys, "argv", ["mosaic", *words])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code != 0
    assert "--unknown must be such as" in capsys.readouterr().err
