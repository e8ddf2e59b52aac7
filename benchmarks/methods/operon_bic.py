"""pyoperon as in `operon`, its model picked by the Bayesian information criterion."""

from __future__ import annotations

from benchmarks.eased import eased
from benchmarks.methods import Budget, Outcome, Settings
from benchmarks.methods.operon import fit_picked_by
from benchmarks.suites import Sample


@eased
def fit(train: Sample, validation: Sample | None, budget: Budget, seed: int, settings: Settings) -> Outcome:
    """The model of the front with the least Bayesian information criterion."""
    return fit_picked_by("bayesian_information_criterion", train, budget, seed, settings)
