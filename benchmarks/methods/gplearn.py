"""gplearn: genetic programming without constant fitting, generation after generation until the time is over."""

from __future__ import annotations

import time
import warnings

from benchmarks.eased import eased
from benchmarks.methods import Budget, Outcome, Settings, refuse_own_settings
from benchmarks.suites import Sample
from benchmarks.suites.problem import column_names

FUNCTIONS = ("add", "sub", "mul", "div", "sin", "cos", "sqrt", "log", "tan", "neg", "inv")
# Its own functions are protected, so the printed formula may differ from the fitted one where an operand is near zero.
POPULATION = 1000
PARSIMONY = 1e-4
# An error at which nothing is left to find.
SOLVED = 1e-12


@eased
def fit(train: Sample, validation: Sample | None, budget: Budget, seed: int, settings: Settings) -> Outcome:
    """The best program of the last generation."""
    from gplearn.genetic import SymbolicRegressor

    refuse_own_settings("gplearn", settings)
    end = time.perf_counter() + budget.seconds
    model = SymbolicRegressor(
        population_size=POPULATION,
        generations=1,
        function_set=FUNCTIONS,
        metric="mse",
        parsimony_coefficient=PARSIMONY,
        const_range=(-5.0, 5.0),
        feature_names=list(column_names(len(train.columns))),
        n_jobs=1,
        random_state=seed,
        warm_start=True,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while True:
            model.fit(train.features, train.target)
            if time.perf_counter() >= end or model._program.raw_fitness_ < SOLVED:
                break
            model.set_params(generations=model.generations + 1)
    return Outcome(str(model._program), evaluations=POPULATION * model.generations, found_by="gplearn")
