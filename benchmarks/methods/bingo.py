"""bingo-nasa: age-fitness genetic programming over acyclic graphs with local optimisation of constants."""

from __future__ import annotations

import re

from benchmarks.eased import eased
from benchmarks.methods import Budget, Outcome, Settings, refuse_own_settings
from benchmarks.suites import Sample

OPERATORS = ("+", "-", "*", "/", "sin", "cos", "exp", "log", "sqrt", "pow")


@eased
def fit(train: Sample, validation: Sample | None, budget: Budget, seed: int, settings: Settings) -> Outcome:
    """Its best individual."""
    from bingo.symbolic_regression.symbolic_regressor import SymbolicRegressor

    refuse_own_settings("bingo", settings)
    model = SymbolicRegressor(
        operators=list(OPERATORS), max_time=budget.seconds, use_simplification=True, random_state=seed
    )
    model.fit(train.features, train.target)
    text = model.best_ind.equation.get_formatted_string("sympy")
    return Outcome(re.sub(r"\bX_(\d+)\b", r"x\1", text), found_by="bingo")
