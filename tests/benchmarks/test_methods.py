"""What other packages print, in our own words."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import benchmarks.methods.mosaic
from benchmarks.eased import MOST_ROWS, decades_of, eased
from benchmarks.experiments import PEERS
from benchmarks.methods import Budget, Outcome, Settings, load_method
from benchmarks.methods.ffx import in_our_words
from benchmarks.suites import Sample
from benchmarks.suites.problem import column_names
from mosaic_sr import evaluate_expression, parse


@pytest.mark.parametrize(
    ("formula", "law"),
    [
        ("0.5 + 0.9*x1 * max(0,x0-0.2)", lambda x, y: 0.5 + 0.9 * y * np.maximum(0, x - 0.2)),
        ("max(0,0.7-x0^2) + max(0, x1)", lambda x, y: np.maximum(0, 0.7 - x**2) + np.maximum(0, y)),
        ("2.0 - 3.0*log10(x1) / abs(x0)", lambda x, y: 2.0 - 3.0 * np.log10(y) / np.abs(x)),
    ],
)
def test_hinges_and_decimal_logarithms_of_ffx_keep_their_values(formula, law):
    columns = np.random.default_rng(0).uniform(-1.0, 1.0, (2, 20))
    columns[1] = np.abs(columns[1])
    values = evaluate_expression(parse(in_our_words(formula), ("x0", "x1")), columns)
    np.testing.assert_allclose(values, law(*columns), rtol=1e-12, atol=1e-15)


@eased
def first_quotient(train, validation, budget, seed, settings):
    """A method that finds x0/x10 times a number, and keeps what it was shown."""
    factor = float(np.median(train.target * train.columns[10] / train.columns[0]))
    assert train.num_rows == validation.num_rows == (400 if settings.noise else MOST_ROWS)
    return Outcome(f"{factor!r}*x0/x10", found_by=str(np.median(train.columns[10])))


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_other_methods_see_few_exact_rows_of_usual_size_and_answer_in_the_units_of_the_table(noise):
    columns = np.random.default_rng(0).uniform(1.0, 2.0, (11, 400)) * np.array([1e-25, *[1.0] * 9, 1e12])[:, None]
    sample = Sample(columns, 3e30 * columns[0] / columns[10])
    outcome = first_quotient(sample, sample, Budget(1.0), 0, Settings(noise=noise))
    assert 0.1 < float(outcome.found_by) < 10.0
    values = evaluate_expression(parse(outcome.equation, column_names(11)), columns)
    np.testing.assert_allclose(values, sample.target, rtol=1e-12)


@pytest.mark.parametrize(("size", "decades"), [(1.0, 0), (700.0, 0), (2e-3, 0), (0.0, 0), (3e5, 5), (-2e-30, -30)])
def test_only_unusual_sizes_are_changed(size, decades):
    assert decades_of(np.full(5, size)) == decades


PACKAGES = {
    "operon": "pyoperon",
    "operon_bic": "pyoperon",
    "rils_rols": "rils_rols",
    "gp_elite": "gp_elite",
    "gplearn": "gplearn",
    "bingo": "bingo",
    "ffx": "ffx",
    "pysr": "pysr",
}


# A peer may warn of what it likes.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", PEERS.split(","))
def test_a_peer_that_is_installed_answers_with_a_formula(method):
    pytest.importorskip(PACKAGES[method])
    columns = np.random.default_rng(0).uniform(1.0, 2.0, (2, 100))
    # Easy enough for the slowest of them in a second.
    rows = Sample(columns, columns[0] + columns[1])
    outcome = load_method(method)(rows, rows, Budget(1.0), 0, Settings(time_limit=1.0))
    values = evaluate_expression(parse(outcome.equation, column_names(2)), columns)
    assert np.std(values - rows.target) < 0.1 * np.std(rows.target)


class FoundLaw:
    """What a fitted regressor offers."""

    def __init__(self, **chosen):
        self.law_ = SimpleNamespace(text=lambda: "2*x0", is_exact=False)
        self.evaluations_, self.stage_seconds_, self.found_by_, self.decoded_operators_ = 5, {}, "memory", None
        self.trace_, self.path_trace_ = [], []
        self.equations_ = pd.DataFrame({"equation": ["x0", "2*x0"]})

    def fit(self, *rows, validation):
        return self


class FoundLawWithChances(FoundLaw):
    """The same, with probabilities."""

    def __init__(self, **chosen):
        super().__init__(**chosen)
        self.law_.probability = 0.75
        self.rivals_ = pd.DataFrame({"equation": ["x0"], "probability": [0.2], "parts": ["above 3"]})


def test_what_our_regressor_says_of_its_chances_is_kept_where_it_says_it(monkeypatch):
    sample = Sample(np.ones((1, 3)), np.ones(3))
    outcomes = []
    for regressor in (FoundLaw, FoundLawWithChances):
        monkeypatch.setattr(benchmarks.methods.mosaic, "MosaicRegressor", regressor)
        outcomes.append(load_method("mosaic")(sample, None, Budget(1.0), 0, Settings()))
    silent, speaking = outcomes
    assert (silent.probability, silent.rivals, silent.front) == (None, (), ("x0", "2*x0"))
    assert speaking.probability == 0.75
    assert speaking.rivals == ({"equation": "x0", "probability": 0.2},)
