"""PySR, where Julia is installed."""

from __future__ import annotations

import tempfile

from benchmarks.eased import eased
from benchmarks.methods import Budget, Outcome, Settings, refuse_own_settings
from benchmarks.suites import Sample
from benchmarks.suites.problem import column_names


@eased
def fit(train: Sample, validation: Sample | None, budget: Budget, seed: int, settings: Settings) -> Outcome:
    """The equation of its default pick."""
    from pysr import PySRRegressor

    refuse_own_settings("pysr", settings)
    with tempfile.TemporaryDirectory() as folder:
        model = PySRRegressor(
            binary_operators=["+", "-", "*", "/", "^"],
            unary_operators=["sin", "cos", "exp", "log", "sqrt", "tan", "tanh"],
            niterations=10**6,
            timeout_in_seconds=budget.seconds,
            # Exact laws need more digits than single precision has.
            precision=64,
            parallelism="serial" if budget.num_cores == 1 else "multithreading",
            random_state=seed,
            progress=False,
            verbosity=0,
            output_directory=folder,
        )
        model.fit(train.features, train.target, variable_names=list(column_names(len(train.columns))))
        return Outcome(str(model.get_best()["equation"]), found_by="pysr")
