"""`mosaic fit`: from its options to the request of a search."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from mosaic_sr.cli import fit_options as options
from mosaic_sr.cli.draw import own_command
from mosaic_sr.cli.requirement_words import constraints_in, costs_in, nested_in
from mosaic_sr.cli.words import errors_in, names_in, operators_in, unknowns_in_words


# Every machine has two cores; the other defaults are the estimator's, but for the time limit.
def fit(
    file: options.FileArgument,
    target: options.TargetOption,
    time_limit: options.TimeLimitOption = None,
    seed: options.SeedOption = 0,
    n_jobs: options.NJobsOption = 2,
    cluster: options.ClusterOption = None,
    preset: options.PresetOption = "default",
    columns: options.ColumnsOption = None,
    ignore: options.IgnoreOption = None,
    weights: options.WeightsOption = None,
    sigma: options.SigmaOption = None,
    x_sigma: options.XSigmaOption = None,
    units: options.UnitsOption = None,
    dimensionless_constants_only: options.DimensionlessConstantsOnlyOption = False,
    groups: options.GroupsOption = None,
    indicators: options.IndicatorsOption = None,
    per_group: options.PerGroupOption = None,
    validation: options.ValidationOption = None,
    missing: options.MissingOption = "drop",
    binary_operators: options.BinaryOperatorsOption = None,
    unary_operators: options.UnaryOperatorsOption = None,
    maxsize: options.MaxsizeOption = None,
    max_evaluations: options.MaxEvaluationsOption = None,
    model_selection: options.ModelSelectionOption = None,
    guess: options.GuessOption = None,
    try_named: options.TryNamedOption = False,
    template: options.TemplateOption = None,
    unknown: options.UnknownOption = None,
    without: options.WithoutOption = None,
    prior: options.PriorOption = None,
    stability: options.StabilityOption = 0,
    intervals: options.IntervalsOption = None,
    constraint: options.ConstraintOption = None,
    must_use: options.MustUseOption = None,
    complexity_of_operators: options.ComplexityOfOperatorsOption = None,
    complexity_of_constants: options.ComplexityOfConstantsOption = None,
    complexity_of_variables: options.ComplexityOfVariablesOption = None,
    nested: options.NestedOption = None,
    argument_size: options.ArgumentSizeOption = None,
    maxdepth: options.MaxdepthOption = None,
    loss: options.LossOption = "squared",
    output: options.OutputOption = None,
    resume: options.ResumeOption = None,
    json: options.JsonOption = None,
    report: options.ReportOption = None,
    no_picture: options.NoPictureOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Find the law of a table."""
    from mosaic_sr.cli.fit import FitRequest
    from mosaic_sr.cli.several import run_fits
    from mosaic_sr.cli.source import Source
    from mosaic_sr.settings import SearchOptions

    source = Source(file, target[0], names_in(columns), names_in(ignore) or (), weights, validation, missing, sigma)
    source = replace(source, x_sigma=errors_in(x_sigma), units=names_in(units))
    source = replace(source, groups=groups, indicators=names_in(indicators) or ())
    search_options = SearchOptions(
        preset=preset,
        binary_operators=operators_in(binary_operators),
        unary_operators=operators_in(unary_operators),
        maxsize=maxsize,
        model_selection=model_selection,
        max_evaluations=max_evaluations,
        time_limit=time_limit,
        without=names_in(without) or (),
        prior=prior,
        stability=stability,
        intervals=intervals,
        constraints=constraints_in(constraint, argument_size),
        must_use=names_in(must_use),
        complexity_of_operators=costs_in(complexity_of_operators),
        complexity_of_constants=complexity_of_constants,
        complexity_of_variables=complexity_of_variables,
        nested_constraints=nested_in(nested),
        maxdepth=maxdepth,
        loss=loss,
        dimensionless_constants_only=dimensionless_constants_only,
        template=template,
        unknowns=unknowns_in_words(unknown),
    )
    guesses = (*(guess or ()), *(["named"] if try_named else []))
    places = (output, resume, json)
    drawn = (not no_picture, own_command(), names_in(per_group))
    request = FitRequest(source, search_options, seed, n_jobs, guesses, *places, quiet, report, *drawn)
    with nullcontext() if cluster is None else _on_cluster(cluster):
        run_fits(request, target)


def _on_cluster(address: str) -> AbstractContextManager[None]:
    from mosaic_sr.workers.ray_cluster import on_cluster

    return on_cluster(address)
