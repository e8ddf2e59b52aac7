"""This package's own regressor with its defaults, through its public door."""

from __future__ import annotations

from typing import Any

from benchmarks.methods import Budget, Outcome, Settings
from benchmarks.suites import Sample
from mosaic_sr import MosaicRegressor


def fit(train: Sample, validation: Sample | None, budget: Budget, seed: int, settings: Settings) -> Outcome:
    """The law that the estimator returns for the rows."""
    chosen: dict[str, Any] = {"preset": settings.preset} if settings.preset else {}
    if settings.without:
        chosen["without"] = settings.without
    if settings.max_evaluations:
        chosen["max_evaluations"] = settings.max_evaluations
    units: dict[str, Any] = {}
    if train.units:
        chosen["dimensionless_constants_only"] = settings.units == "dimensionless"
        units = {"X_units": list(train.units[:-1]), "y_units": train.units[-1]}
    if settings.template:
        chosen["template"] = settings.template
    model = MosaicRegressor(time_limit=budget.seconds, n_jobs=budget.num_cores, random_state=seed, **chosen)
    held_out = None if validation is None else (validation.features, validation.target)
    if train.groups is not None:
        return _fit_groups(model, train)
    model.fit(train.features, train.target, validation=held_out, **units)
    return Outcome(
        model.law_.text(),
        evaluations=model.evaluations_,
        stage_seconds=dict(model.stage_seconds_),
        found_by=model.found_by_,
        trace=tuple(model.trace_),
        path_trace=tuple(model.path_trace_),
        decoded_operators=model.decoded_operators_,
        claims_exact=model.law_.is_exact,
        # Neither a probability nor rivals are part of every version under test.
        probability=getattr(model.law_, "probability", None),
        rivals=_rivals(getattr(model, "rivals_", None)),
        front=tuple(model.equations_["equation"]),
    )


def _fit_groups(model: MosaicRegressor, train: Sample) -> Outcome:
    """The law of all groups, and that of each with its own constants."""
    assert train.groups is not None
    model.fit(train.features, train.target, groups=train.groups)
    return Outcome(
        model.law_.text(),
        evaluations=model.evaluations_,
        stage_seconds=dict(model.stage_seconds_),
        found_by=model.found_by_,
        claims_exact=model.law_.is_exact,
        probability=model.law_.probability,
        by_group=tuple(model.group_law(group).text() for group in range(int(train.groups.max()) + 1)),
    )


def _rivals(rivals: Any) -> tuple[dict[str, Any], ...]:
    """The rows of `rivals_`, a frame with the columns `equation` and `probability`; empty where there is none."""
    if rivals is None:
        return ()
    return tuple(
        {"equation": str(equation), "probability": float(probability)}
        for equation, probability in zip(rivals["equation"], rivals["probability"], strict=True)
    )
