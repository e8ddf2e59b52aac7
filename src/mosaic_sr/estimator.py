"""`MosaicRegressor`: the search as a scikit-learn estimator, with PySR's argument names where they exist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from mosaic_sr.errors import InvalidTable
from mosaic_sr.fitted_law import one_target, with_text_names
from mosaic_sr.hints import with_hints
from mosaic_sr.several_targets import (
    SeveralLaws,
    estimator_of,
    num_targets,
    part_of,
    refuse_shared_files,
    targets_of,
    unit_of,
    validation_of,
)

# Methods import the search, so that importing the estimator takes no longer than importing scikit-learn.
if TYPE_CHECKING:
    from mosaic_sr.given_arrays import GivenArrays
    from mosaic_sr.grouped import GroupedProblem
    from mosaic_sr.outcome import Outcome
    from mosaic_sr.preparation import Problem
    from mosaic_sr.table.indicators import Indicators


class MosaicRegressor(RegressorMixin, SeveralLaws):  # type: ignore[misc]
    """Find the equation that generated y from the columns of X.

    After `fit`, `law_` is the chosen `Equation`, `equations_` the front as a data frame, `constants_` the constants of
    the law with their errors, and `found_by_` the proposer of the law. On noisy rows `law_.probability` states how sure
    the law is, `rivals_` are the laws that may be right instead, `column_probabilities_` maps each column to the
    probability that it matters, `scatter_` describes the noise, `chi2_` says whether the errors in `sigma` explain the
    scatter (`chi2_.per_dof`, `chi2_.sentence()`; None without sigma), and `outliers_` are the numbers of the rows of X
    that are too far from the law to be noise (empty after `load`). `stability_` is the share of bootstrap samples in
    which the structure of the law was found again, if `stability` asks for them. `evaluations_`, `stage_seconds_`,
    `trace_`, `path_trace_`, `decoded_operators_` (operators of the prior's most probable sketch), `stopped_early_` and
    `notes_` describe the course of the search.

    If y has several columns, each of them is a target with a law of its own: `estimators_` has one fitted estimator per
    target, the attributes above are lists with one entry for each, and `predict` gives (rows, targets). Time limit and
    budget are for each target; `output_directory` then has one folder per target.

    With `warm_start`, a fit continues the previous one. If table, settings and seed are the same (budgets and `n_jobs`
    may differ), the search paths continue where they stopped, with `max_evaluations` more candidates. If the table has
    the same number of columns but other values, or the settings differ, a new search starts with the front as guesses.
    With another number of columns, a new search starts from nothing. An estimator that was never fitted resumes the
    search in `output_directory`, if there is one; then `max_evaluations` counts from the start of that search, so that
    an interrupted fit ends with the same law as an uninterrupted one.

    Parameters
    ----------
    preset: named settings of the search: "default", or "paper", "paper-srsd" and others of the published method.
    binary_operators, unary_operators: operators that the law may use, e.g. ["+", "*"] and ["sin"]; None allows all
        built-in ones. Operators that these can express are also allowed: `-` with `+` and `*`, integer powers with `*`.
        Define your own from built-in ones in the same list, e.g. ["sin", "sech(x) = 1/cosh(x)"].
    maxsize: largest number of nodes of a law; None sets no limit. Search paths use at most 32 nodes without it, and at
        most 100 with it; proposers and guesses may bring longer laws.
    model_selection: which equation of the front becomes the law: "best", "accuracy" or "score"; None uses the rule of
        the preset, which is "best" by default.
    guesses: formulas over the columns to start from, e.g. ["a + 2*sin(x)"]; names that are not columns are constants,
        all numbers are fitted, and `notes_` lists the loss of each guess. "named", alone or in the list, tries the
        forms of named laws; without it they only give the law its name, `law_.named`.
    template: the form of the law with unknown functions and named constants, e.g. "f(S)/(1 + g(I))*T^a"; names that are
        not columns are constants to fit. Only the unknowns are searched; `parts_` has what they are. It cannot be
        combined with `guesses`.
    unknowns: what is known of the unknown functions, e.g. {"f": {"unary_operators": ["exp"], "maxsize": 9,
        "sign": "positive"}}; also "binary_operators".
    max_evaluations: largest number of candidates; None uses the preset's number, or no limit if `time_limit` is given.
    time_limit: seconds after which the search returns the best law so far; None or infinity sets no limit. The search
        uses the whole time, even hours, unless the law is exact, more search would not change the law of noisy rows, or
        `max_evaluations` is reached. The quick finders always have their first turn, which takes a few seconds of the
        processor.
    without: proposers to switch off; "finders" stands for all that derive structure from the rows.
    prior: folder written by `mosaic pretrain export`, to use instead of the weights in the package.
    stability: number of bootstrap samples of the rows to search after the law is found, each with the same settings,
        budget and time limit; 0 for none. They do not change the law. Ctrl-C ends them with the samples done so far.
    intervals: "profile", "delta" or "bootstrap" adds 68 and 95 % intervals to `constants_`; None leaves them out.
    constraints: what the law must keep in the sampled ranges or in given ones, e.g. ["y > 0", "increasing in t",
        "y -> 0 for t -> inf"]; `constraints_` says how each was decided. A dictionary has PySR's meaning: the largest
        complexity of each operand, e.g. {"^": (-1, 1)}; a list may hold texts and such a dictionary.
    must_use: columns that must occur in the law.
    complexity_of_operators, complexity_of_constants, complexity_of_variables: complexity of a node, 1 by default, e.g.
        {"sin": 3}; it counts for `maxsize` and the front, and as 4 bits for each unit beyond 1 when the law is chosen.
    nested_constraints: how often operators may stand inside each other, as in PySR: {"sin": {"sin": 0, "exp": 1}}.
    maxdepth: largest number of nodes from the whole law to a column or number.
    loss: what the law should make small: "squared", "absolute", "relative", "huber", "poisson", or a formula in y, the
        target, and f, the value of the law, e.g. "abs(y - f)/(1 + abs(y))", least at f = y. With another loss than
        "squared" the constants are fitted for it, and the law of noisy rows is chosen by loss and complexity: no
        probability is stated, because a loss does not say how rows scatter.
    dimensionless_constants_only: whether constants are pure numbers; `fit` then needs the units of all columns. By
        default constants get the units that make the law homogeneous, and each of these makes it less probable.
    n_jobs: number of threads; it does not change the law.
    random_state: seed; the same seed gives the same law.
    progress: whether to show the progress of the search; None shows it in notebooks only.
    output_directory: folder for front.csv, law.json and the state of the search, updated every few seconds. With
        `warm_start` an interrupted search in this folder is resumed; without it, such a folder is refused.
    warm_start: whether a fit continues the previous one, as described above.
    per_group: names of the constants that differ from group to group, where `fit` gets groups: names in a guess, whose
        form is then the law, or c1, c2, ... for the constants of any law in reading order. None lets the rows decide.
    """

    @with_hints
    def __init__(
        self,
        *,
        preset: str = "default",
        binary_operators: Sequence[str] | None = None,
        unary_operators: Sequence[str] | None = None,
        maxsize: int | None = None,
        model_selection: str | None = None,
        guesses: Sequence[str] | str | None = None,
        template: str | None = None,
        unknowns: Mapping[str, Mapping[str, Any]] | None = None,
        max_evaluations: int | None = None,
        time_limit: float | None = None,
        without: Sequence[str] = (),
        prior: str | Path | None = None,
        stability: int = 0,
        intervals: str | None = None,
        constraints: Sequence[str] | Mapping[str, Any] | None = None,
        must_use: Sequence[str] | None = None,
        complexity_of_operators: Mapping[str, float] | None = None,
        complexity_of_constants: float | None = None,
        complexity_of_variables: float | None = None,
        nested_constraints: Mapping[str, Mapping[str, int]] | None = None,
        maxdepth: int | None = None,
        loss: str = "squared",
        dimensionless_constants_only: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: bool | None = None,
        output_directory: str | Path | None = None,
        warm_start: bool = False,
        per_group: Sequence[str] | None = None,
    ) -> None:
        self.preset = preset
        self.binary_operators = binary_operators
        self.unary_operators = unary_operators
        self.maxsize = maxsize
        self.model_selection = model_selection
        self.guesses = guesses
        self.template = template
        self.unknowns = unknowns
        self.max_evaluations = max_evaluations
        self.time_limit = time_limit
        self.without = without
        self.prior = prior
        self.stability = stability
        self.intervals = intervals
        self.constraints = constraints
        self.must_use = must_use
        self.complexity_of_operators = complexity_of_operators
        self.complexity_of_constants = complexity_of_constants
        self.complexity_of_variables = complexity_of_variables
        self.nested_constraints = nested_constraints
        self.maxdepth = maxdepth
        self.loss = loss
        self.dimensionless_constants_only = dimensionless_constants_only
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress
        self.output_directory = output_directory
        self.warm_start = warm_start
        self.per_group = per_group

    @with_hints
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        validation: Any = None,
        sigma: Any = None,
        X_sigma: Any = None,
        censoring: Any = None,
        X_units: Any = None,
        y_units: Any = None,
        groups: Any = None,
        indicators: Sequence[str] | None = None,
    ) -> MosaicRegressor:
        """Search for the law.

        validation: `(X, y)` or `(X, y, weights)`, rows on which the law is chosen; by default rows of X are held out.
        sigma: standard error of y in each row, larger than 0. Fits then weight rows by 1/sigma², and laws are compared
            by how well they explain rows with these errors; if all errors are too large or too small by a common
            factor, the factor is estimated. Give sigma or sample_weight, not both; with sigma, validation is
            `(X, y, sigma)`.
        X_sigma: standard errors of the columns: an array like X, 0 where there is none, or a mapping from columns to a
            number or to one number per row, e.g. `{"x": 0.1}`. The search reads the most probable true values, and
            laws are compared and fitted by integrating over true values, so that slopes are not too flat.
        censoring: one word per row, "left" (or -1) where the true value of y is below the y given, "right" (or 1) where
            it is above, and 0 where y is the value. Texts such as "<0.05" and ">100" in y say the same.
        X_units, y_units: units of the columns, by name or in their order, and of the target, e.g. {"L": "m"} and "s";
            a law is homogeneous in them. Text as pint reads it, units of pint or astropy, or lists of exponents.
        groups: the group of each row: an array of labels, or the name of a column of X, which is no feature then. All
            groups have one law; constants are shared or differ from group to group, and `group_constants_` lists them.
        indicators: columns of labels of a data frame, each read as columns of 0 and 1, `COLUMN_label`.
        """
        from mosaic_sr.given_arrays import GivenArrays
        from mosaic_sr.grouped import refuse_beside_groups
        from mosaic_sr.preparation import prepare, with_units
        from mosaic_sr.progress import live_progress, shows_progress, silent
        from mosaic_sr.run_folder import RunFolder
        from mosaic_sr.search import Place, Search, shown_law
        from mosaic_sr.settings import SearchOptions, num_threads
        from mosaic_sr.stability import measure_law
        from mosaic_sr.table.censoring import without_bounds
        from mosaic_sr.table.indicators import read_indicators, with_indicators
        from mosaic_sr.warm_start import Before, Memory

        known = read_indicators(X, indicators)
        X = with_indicators(X, known)
        if groups is not None or self.per_group is not None:
            others = {"X_sigma": X_sigma, "censoring": censoring, "X_units": X_units, "y_units": y_units}
            refuse_beside_groups({**others, "several targets": num_targets(y) > 1})
            self._forget_several()
            return self._fit_groups(X, y, groups, sample_weight, validation, sigma, known)
        if num_targets(y) > 1:
            return self._fit_each(X, y, sample_weight, validation, sigma, X_sigma, censoring, X_units, y_units)
        y, sides = without_bounds(y, censoring)
        self._forget_several()
        options = SearchOptions(**{name: getattr(self, name) for name in SearchOptions.__dataclass_fields__})
        threads = num_threads(self.n_jobs)
        folder = None if self.output_directory is None else RunFolder(Path(self.output_directory))
        beside = {"sigma": sigma, "x_sigma": X_sigma, "sides": sides}
        read = partial(self._problem, GivenArrays(X, y, sample_weight, validation, beside, known))
        before = Before(self.warm_start, getattr(self, "_memory", None), getattr(self, "outcome_", None), folder)
        prepared = prepare(options, self.guesses, before.seeds(self.random_state), with_units(read, X_units, y_units))
        config, resume = before.start(prepared)
        place = None if folder is None else Place(folder, prepared.identity, self._plain_settings())
        show = live_progress(prepared.clock, shown_law(prepared.problem)) if shows_progress(self.progress) else silent()
        search = Search(prepared.problem, config, prepared.clock, place)
        try:
            search.run(prepared.rng, threads, show, resume)
            # The front of an earlier fit is no guess for samples: it would find itself.
            own = replace(prepared.config, max_evaluations=config.max_evaluations)
            measure_law(search, prepared, own, threads)
        finally:
            # Also when an alarm of the caller's ends the fit: what has been found so far can be used.
            if search.has_law:
                self._adopt(search.finished())
                self.outliers_ = self._outliers(X, y, X_sigma, sides)
                self._keep_rows(X, y, sigma)
        self._memory = Memory(prepared.identity, search.last) if self.warm_start and search.last else None
        return self

    @with_hints
    def fit_file(
        self,
        path: str | Path,
        target: str,
        *,
        columns: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        weights: str | None = None,
        sigma: str | None = None,
        missing: str = "drop",
    ) -> MosaicRegressor:
        """Search for the law of a column of a file: CSV, TSV, Excel or Parquet, text also compressed as .gz.

        A file that does not fit into memory is read in blocks: the search uses rows drawn from it, and the front is
        then measured and its constants are refitted on all rows; `outcome_.confirmation` states the worst of them.

        target: name of the target.  columns: names of the features, all others by default.  ignore: columns to leave
        out.  weights, sigma: column with the weights of the rows, or with the standard errors of the target.
        missing: "drop" leaves out rows with empty cells, and `notes_` counts them; "error" refuses them.
        """
        from mosaic_sr.big_tables import FileOptions, read_to_fit
        from mosaic_sr.preparation import draw_seeds
        from mosaic_sr.progress import shows_progress
        from mosaic_sr.run_folder import RunFolder
        from mosaic_sr.table import frame_of

        options = FileOptions(None if columns is None else tuple(columns), tuple(ignore), weights, sigma, missing)
        seeds = draw_seeds(check_random_state(self.random_state))
        rows, table = read_to_fit(path, target, options, seeds, self.time_limit, shows_progress(self.progress))
        frame = frame_of(rows)
        own = None if options.row_column is None else frame.pop(options.row_column.name)
        y, limit = frame.pop(target), self.time_limit
        self.time_limit = limit if table is None else table.search_seconds
        try:
            self.fit(frame, y, own if sigma is None else None, sigma=None if sigma is None else own)
        finally:
            self.time_limit = limit
        found, outliers = replace(self.outcome_, notes=(*rows.notes, *self.outcome_.notes)), self.outliers_
        self._adopt(found if table is None else table.confirmed(found, False))
        self.outliers_ = outliers if table is None else table.survey.numbers[outliers]
        if self.output_directory is not None:
            RunFolder(Path(self.output_directory)).write_law(self.outcome_, self._plain_settings())
        return self

    def _fit_each(
        self, X: Any, y: Any, sample_weight: Any, validation: Any, sigma: Any, X_sigma: Any, censoring: Any,
        X_units: Any, y_units: Any,
    ) -> MosaicRegressor:  # fmt: skip
        """One law for each column of y."""
        targets = targets_of(y, [str(name) for name in getattr(X, "columns", ())])
        count, fitted, named = len(targets), [], [str(target.name) for target in targets]
        refuse_shared_files(named)
        for place, target in enumerate(targets):
            one = estimator_of(self, place, named)
            own = (validation_of(validation, place, count), part_of(sigma, place, count, "sigma"))
            sides, units = part_of(censoring, place, count, "censoring"), unit_of(y_units, place, named)
            fitted.append(one.fit(X, target, sample_weight, *own, X_sigma, sides, X_units, units))
        self._adopt_several(fitted)
        return self

    def _fit_groups(
        self, X: Any, y: Any, groups: Any, weights: Any, validation: Any, sigma: Any, known: Indicators
    ) -> MosaicRegressor:
        """Search for one law of all groups."""
        from mosaic_sr.group_labels import read_groups
        from mosaic_sr.grouped import find_grouped_law, grouped_problem, refuse_with_groups
        from mosaic_sr.preparation import draw_seeds
        from mosaic_sr.progress import shows_progress
        from mosaic_sr.settings import SearchOptions, num_threads
        from mosaic_sr.table.checks import target_name_beside
        from mosaic_sr.table.indicators import indicator_notes

        options = SearchOptions(**{name: getattr(self, name) for name in SearchOptions.__dataclass_fields__})
        refuse_with_groups(
            options, has_groups=groups is not None, validation=validation is not None,
            output_directory=self.output_directory is not None, warm_start=self.warm_start,
        )  # fmt: skip
        y = one_target(y)
        X, labels, column = read_groups(with_text_names(X), groups)
        names = self._names_of(X)

        def read() -> GroupedProblem:
            return grouped_problem(X, y, labels, column, names, target_name_beside(X, y), weights, sigma)

        threads, seeds = num_threads(self.n_jobs), draw_seeds(check_random_state(self.random_state))
        wanted, is_shown = (self.guesses, self.per_group), shows_progress(self.progress)
        found = find_grouped_law(read, options, wanted, seeds, threads, is_shown)
        self._adopt(replace(found, notes=(*found.notes, *indicator_notes(known)), indicators=known))
        self._memory = None
        return self

    @classmethod
    def load(cls, path: str | Path) -> MosaicRegressor:
        """The fitted estimator from a law file; raises InvalidFile if the file is not a law file."""
        from mosaic_sr.law_file import read_laws

        laws, are_several = read_laws(path)
        models = [cls._from_law(*law) for law in laws]
        if not are_several:
            return models[0]
        model = cls(**models[0].get_params(deep=False))
        model._adopt_several(models)
        return model

    @classmethod
    def _from_law(cls, outcome: Outcome, settings: Mapping[str, Any]) -> MosaicRegressor:
        from mosaic_sr.named_laws import with_name

        # JSON knows no tuples, which the defaults are.
        known: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in settings.items()
            if name in cls._get_param_names()
        }
        model = cls(**known)
        model.n_features_in_ = len(outcome.names)
        if outcome.is_named:
            model.feature_names_in_ = np.array(outcome.names, dtype=object)
        model._adopt(replace(outcome, law=with_name(outcome.law)))  # files of earlier releases have no names
        return model

    def _problem(self, given: GivenArrays, rng: np.random.Generator) -> Problem:
        """The problem of arrays that one target was given with; refuses X without rows or columns."""
        given = replace(given, X=with_text_names(given.X), y=one_target(given.y))
        if isinstance(given.X, list | tuple) and not given.X:
            raise InvalidTable("X is empty; at least three rows are needed")
        names = self._names_of(given.X)
        if getattr(self, "n_features_in_", None) == 0:
            raise InvalidTable(f"X has 0 feature(s) (shape=({len(given.X)}, 0)) while a minimum of 1 is required.")
        problem = given.problem(names, bool(self.constraints), rng)
        if names is not None:
            return problem
        return replace(problem, names=tuple(f"x{column}" for column in range(self.n_features_in_)))

    def _names_of(self, X: Any) -> list[str] | None:
        """Names of the columns, None where X has none; scikit-learn keeps names and number."""
        validate_data(self, X=X, skip_check_array=True)
        return [str(name) for name in self.feature_names_in_] if hasattr(self, "feature_names_in_") else None
