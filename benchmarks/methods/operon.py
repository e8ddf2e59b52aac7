"""pyoperon with coefficient optimisation, its model picked by its default criterion."""

from __future__ import annotations

from benchmarks.eased import eased
from benchmarks.methods import Budget, Outcome, Settings, refuse_own_settings
from benchmarks.suites import Sample
from benchmarks.suites.problem import column_names

# Everything of our vocabulary that pyoperon has.
SYMBOLS = "add,sub,mul,div,square,sin,cos,exp,log,sqrt,tan,tanh,pow,constant,variable"
PRECISION = 17


@eased
def fit(train: Sample, validation: Sample | None, budget: Budget, seed: int, settings: Settings) -> Outcome:
    """The model of the front with the least description length."""
    return fit_picked_by("minimum_description_length", train, budget, seed, settings)


def fit_picked_by(criterion: str, train: Sample, budget: Budget, seed: int, settings: Settings) -> Outcome:
    """The model of the front with the least value of a criterion of pyoperon's."""
    from pyoperon.sklearn import SymbolicRegressor

    refuse_own_settings("operon", settings)
    model = SymbolicRegressor(
        allowed_symbols=SYMBOLS,
        objectives=["r2", "length"],
        optimizer_iterations=10,
        # The defaults end after a million evaluations and at an error of 1e-5; here seconds end the run.
        max_evaluations=10**9,
        generations=10**6,
        epsilon=0.0,
        max_time=max(1, round(budget.seconds)),
        n_threads=budget.num_cores,
        model_selection_criterion=criterion,
        random_state=seed,
    )
    model.fit(train.features, train.target)
    names = list(column_names(len(train.columns)))
    return Outcome(model.get_model_string(model.model_, PRECISION, names), evaluations=None, found_by="operon")
