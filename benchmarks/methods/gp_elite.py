"""gp-elite with its full pool of operators."""

from __future__ import annotations

from benchmarks.eased import eased
from benchmarks.methods import Budget, Outcome, Settings, refuse_own_settings
from benchmarks.suites import Sample
from benchmarks.suites.problem import column_names


@eased
def fit(train: Sample, validation: Sample | None, budget: Budget, seed: int, settings: Settings) -> Outcome:
    """The expression that it returns, in the raw variables."""
    from gp_elite import symbolic_regression

    refuse_own_settings("gp_elite", settings)
    names = list(column_names(len(train.columns)))
    result = symbolic_regression(
        train.features,
        train.target,
        names,
        operators="full",
        speed="thorough",
        # Its processes would exceed the cores of the run.
        parallel=False,
        seed=seed,
        time_limit=budget.seconds,
    )
    # The text for people rounds its numbers and writes squares as signs of their own.
    text = result.expression if result.formula is None else result.sympy(names)
    return Outcome(text.replace("Abs(", "abs("), found_by="gp-elite")
