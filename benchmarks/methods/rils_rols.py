"""RILS-ROLS: iterated local search with ordinary least squares."""

from __future__ import annotations

from benchmarks.eased import eased
from benchmarks.methods import Budget, Outcome, Settings, refuse_own_settings
from benchmarks.suites import Sample


@eased
def fit(train: Sample, validation: Sample | None, budget: Budget, seed: int, settings: Settings) -> Outcome:
    """Its simplified model."""
    from rils_rols.rils_rols import RILSROLSRegressor

    refuse_own_settings("rils_rols", settings)
    model = RILSROLSRegressor(
        # The default ends after 100,000 fits; here seconds end the run.
        max_fit_calls=10**9,
        max_time=max(1, round(budget.seconds)),
        random_state=seed,
    )
    model.fit(train.features, train.target)
    return Outcome(str(model.model_simp), found_by="rils-rols")
