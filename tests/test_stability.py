"""How often the structure of a law returns in bootstrap samples of the rows."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone

from mosaic_sr import InvalidSettings, MosaicRegressor, MosaicWarning, parse
from mosaic_sr.stability import Search, structure_of

QUICK = {"max_evaluations": 400, "without": ("finders", "prior", "enumeration"), "random_state": 0}
NAMES = ("x", "z")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 3.0, size=(60, 2))
    return X, 3.1234 * X[:, 0] + 0.05 * rng.normal(size=60)


def is_same(one, other):
    return structure_of(parse(one, NAMES)) == structure_of(parse(other, NAMES))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.234*x + 5.678", "9.871 + 2.345*x"),
        ("1.234*sin(1.111*x) + sin(3.333*z)*2.345", "1.234*sin(4.111*x) + 2.345*sin(3.333*z)"),
        ("1.234*exp(-2.345*x)", "-1.234*exp(2.345*x)"),
        ("x^2 - 1.234*sin(z)", "x^2 + 3.456*sin(z)"),
        ("1 - x*z", "1 - z*x"),
        ("-2*x + 1.234*z", "7.891*z - 2*x"),
        ("8.0356*x/(4 + x)", "x*7.9123/(x + 4)"),
    ],
)
def test_values_of_fitted_constants_and_the_order_of_operands_are_no_structure(one, other):
    assert is_same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.234*x", "1.234*z"),
        ("1.234*x", "1.234*x + 5.678"),
        ("1.234*x^2", "1.234*x^3"),
        ("1.234*x^4", "1.234*x^5"),
        ("x + z", "x - z"),
        ("8.0356*x/(4 + x)", "8.0356*x/(5 + x)"),
        ("1.234*exp(-2.345*x)", "1.234*exp(-2.345*x) + 3.456*exp(-4.567*x)"),
    ],
)
def test_columns_operators_and_simple_numbers_are_structure(one, other):
    assert not is_same(one, other)


def test_the_share_is_kept_and_the_law_stays_as_it_was(rows, tmp_path):
    plain = MosaicRegressor(**QUICK).fit(*rows)
    assert plain.stability_ is None
    model = MosaicRegressor(stability=2, output_directory=tmp_path / "run", **QUICK).fit(*rows)
    assert model.law_ == plain.law_
    assert model.evaluations_ == plain.evaluations_
    assert (model.stability_, model.outcome_.stability_samples) in [(share, 2) for share in (0.0, 0.5, 1.0)]
    model.save(tmp_path / "law.json")
    for file in (tmp_path / "law.json", tmp_path / "run" / "law.json"):
        again = MosaicRegressor.load(file)
        assert (again.stability_, again.stability) == (model.stability_, 2)
    assert clone(model).get_params()["stability"] == 2


@pytest.fixture
def samples(monkeypatch):
    """A function that replaces the searches of samples: each has a law, or is stopped where that is None."""

    def script(*laws):
        searched, left = [], iter(laws)

        class Scripted:
            def __init__(self, problem, config, clock, place=None):
                assert place is None
                self.table, self.config, self.was_interrupted = problem.table, config, False

            def run(self, rng, n_jobs, show, resume=None):
                searched.append(self)
                law = next(left)
                if law is KeyboardInterrupt:
                    raise KeyboardInterrupt
                self.was_interrupted = law is None
                warnings.warn("of a sample", MosaicWarning, stacklevel=2)
                return SimpleNamespace(law=SimpleNamespace(expression=parse(law or "x0", ("x0", "x1"))))

        monkeypatch.setattr("mosaic_sr.stability.Search", Scripted)
        return searched

    return script


def test_samples_with_the_structure_of_the_law_are_counted_without_warnings(rows, samples):
    searched = samples("2.3456*x0", "x1", "7.8912*x0", "1.2345*x0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MosaicRegressor(stability=4, guesses=["a*x0"], **QUICK).fit(*rows)
    assert structure_of(model.law_.expression) == structure_of(parse("2.3456*x0", ("x0", "x1")))
    assert (model.stability_, model.outcome_.stability_samples) == (0.75, 4)
    assert len({tuple(search.table.target) for search in searched}) == 4
    assert all(search.config.max_evaluations == 400 for search in searched)


@pytest.mark.parametrize("stop", [None, KeyboardInterrupt])
def test_ctrl_c_keeps_the_law_and_the_share_so_far(rows, samples, stop):
    samples("2.3456*x0", "x1", stop)
    with pytest.warns(MosaicWarning, match="2 of 5 bootstrap samples were searched"):
        model = MosaicRegressor(stability=5, guesses=["a*x0"], **QUICK).fit(*rows)
    assert (model.stability_, model.outcome_.stability_samples) == (0.5, 2)


def test_after_ctrl_c_in_the_search_no_sample_is_searched(rows, samples, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    for name in ("finished", "concluded"):
        monkeypatch.setattr(f"mosaic_sr.search.Tidying.{name}", interrupted)
    searched = samples("x0")
    with pytest.warns(MosaicWarning, match="0 of 5 bootstrap samples"):
        model = MosaicRegressor(stability=5, **QUICK).fit(*rows)
    assert (model.stability_, searched) == (None, [])


def test_a_warm_start_measures_the_last_law_without_its_front_as_guesses(rows, samples):
    X, y = rows
    searched = samples("x0", "x0")
    model = MosaicRegressor(stability=1, warm_start=True, **QUICK).fit(X, y)
    model.fit(X, 2.0 * y)
    assert [search.config.proposal.guesses for search in searched] == [(), ()]
    assert model.outcome_.stability_samples == 1


def test_an_output_folder_that_is_lost_meanwhile_is_noted(rows, samples, monkeypatch, tmp_path):
    samples("x0")
    folder, revise = tmp_path / "run", Search.revise

    def revise_later(search, outcome):
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        folder.write_text("")
        revise(search, outcome)

    monkeypatch.setattr("mosaic_sr.search.Search.revise", revise_later)
    with pytest.warns(MosaicWarning, match="could not be written at the end"):
        model = MosaicRegressor(stability=1, output_directory=folder, **QUICK).fit(*rows)
    assert model.stability_ is not None
    assert not model.outcome_.is_kept


@pytest.mark.parametrize("number", [-1, 1.5, "ten", None, True, np.nan, np.inf])
def test_other_numbers_of_samples_are_refused(rows, number):
    with pytest.raises(InvalidSettings, match="stability must be an integer of at least 0"):
        MosaicRegressor(stability=number, **QUICK).fit(*rows)
