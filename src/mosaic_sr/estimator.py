"""`MosaicRegressor`: the search as a scikit-learn estimator, with PySR's argument names where they exist."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state, estimator_html_repr
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from mosaic_sr.bands import outlier_rows, standard_deviations
from mosaic_sr.equation import Equation, in_table_units
from mosaic_sr.errors import InvalidSettings, InvalidTable
from mosaic_sr.expressions.latex import latex_name
from mosaic_sr.html_report.methods import PictureMethods
from mosaic_sr.intervals import Intervals, law_intervals
from mosaic_sr.law_file import read_law, write_law
from mosaic_sr.named_laws import with_name
from mosaic_sr.outcome import Outcome
from mosaic_sr.pipeline import SearchConfig, Snapshot
from mosaic_sr.preparation import Prepared, Problem, draw_seeds, prepare
from mosaic_sr.progress import live_progress, silent
from mosaic_sr.report import constants_table, front_table, front_text, latex_table, rivals_table
from mosaic_sr.run_folder import Identity, RunFolder
from mosaic_sr.sampled import rows_outside
from mosaic_sr.search import Place, Search, shown_law
from mosaic_sr.settings import SearchOptions, num_threads, with_guesses, with_hints
from mosaic_sr.stability import measure_stability
from mosaic_sr.table import Table
from mosaic_sr.table.checks import Frame, refuse_duplicates, target_name_beside

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Memory:
    """What a fit with `warm_start` keeps for the next fit."""

    identity: Identity
    last: Snapshot


class MosaicRegressor(PictureMethods, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Find the equation that generated y from the columns of X.

    After `fit`, `law_` is the chosen `Equation`, `equations_` the front as a data frame, `constants_` the constants of
    the law with their errors, and `found_by_` the proposer of the law. On noisy rows `law_.probability` states how sure
    the law is, `rivals_` are the laws that may be right instead, `column_probabilities_` maps each column to the
    probability that it matters, `scatter_` describes the noise, and `outliers_` are the numbers of the rows of X that
    are too far from the law to be noise (empty after `load`). `stability_` is the share of bootstrap samples in which
    the structure of the law was found again, if `stability` asks for them. `evaluations_`, `stage_seconds_`, `trace_`,
    `path_trace_`, `decoded_operators_` (operators of the prior's most probable sketch), `stopped_early_` and `notes_`
    describe the course of the search.

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
    max_evaluations: largest number of candidates; None uses the preset's number, or no limit if `time_limit` is given.
    time_limit: seconds after which the search returns the best law so far; None or infinity sets no limit. The search
        uses the whole time, even hours, unless the law is exact, more search would not change the law of noisy rows, or
        `max_evaluations` is reached. The quick finders always have their first turn, which takes a few seconds of the
        processor.
    without: proposers to switch off; "finders" stands for all that derive structure from the rows.
    prior: folder written by `mosaic pretrain export`, to use instead of the weights in the package.
    stability: number of bootstrap samples of the rows to search after the law is found, each with the same settings,
        budget and time limit; 0 for none. They do not change the law. Ctrl-C ends them with the samples done so far.
    n_jobs: number of threads; it does not change the law.
    random_state: seed; the same seed gives the same law.
    progress: whether to show the progress of the search.
    output_directory: folder for front.csv, law.json and the state of the search, updated every few seconds. With
        `warm_start` an interrupted search in this folder is resumed; without it, such a folder is refused.
    warm_start: whether a fit continues the previous one, as described above.
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
        max_evaluations: int | None = None,
        time_limit: float | None = None,
        without: Sequence[str] = (),
        prior: str | Path | None = None,
        stability: int = 0,
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: bool = False,
        output_directory: str | Path | None = None,
        warm_start: bool = False,
    ) -> None:
        self.preset = preset
        self.binary_operators = binary_operators
        self.unary_operators = unary_operators
        self.maxsize = maxsize
        self.model_selection = model_selection
        self.guesses = guesses
        self.max_evaluations = max_evaluations
        self.time_limit = time_limit
        self.without = without
        self.prior = prior
        self.stability = stability
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress
        self.output_directory = output_directory
        self.warm_start = warm_start

    @with_hints
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, validation: Any = None, sigma: Any = None
    ) -> MosaicRegressor:
        """Search for the law.

        validation: `(X, y)` or `(X, y, weights)`, rows on which the law is chosen; by default rows of X are held out.
        sigma: standard error of y in each row, larger than 0. Fits then weight rows by 1/sigma², and laws are compared
            by how well they explain rows with these errors; if all errors are too large or too small by a common
            factor, the factor is estimated. Give sigma or sample_weight, not both; with sigma, validation is
            `(X, y, sigma)`.
        """
        options = SearchOptions(**{name: getattr(self, name) for name in SearchOptions.__dataclass_fields__})
        threads = num_threads(self.n_jobs)
        folder = None if self.output_directory is None else RunFolder(Path(self.output_directory))
        read = partial(self._problem, X, y, sample_weight, validation, sigma)
        prepared = prepare(options, self.guesses, self._seeds(folder), read)
        config, resume = self._start(prepared, folder)
        place = None if folder is None else Place(folder, prepared.identity, self._plain_settings())
        show = live_progress(prepared.clock, shown_law(prepared.problem)) if self.progress else silent()
        search = Search(prepared.problem, config, prepared.clock, place)
        try:
            search.run(prepared.rng, threads, show, resume)
            # The front of an earlier fit is no guess for samples: it would find itself.
            own = replace(prepared.config, max_evaluations=config.max_evaluations)
            measure_stability(search, prepared, own, threads)
        finally:
            # Also when an alarm of the caller's ends the fit: what has been found so far can be used.
            if search.has_law:
                self._adopt(search.finished())
                self.outliers_ = self._outliers(X, y)
                self._keep_rows(X, y, sigma)
        self._memory = Memory(prepared.identity, search.last) if self.warm_start and search.last else None
        return self

    def predict(self, X: Any, index: int | None = None, return_std: bool = False) -> Any:
        """Values of the law, or of equation number `index` of `equations_`.

        return_std: whether to return `(values, std)`. The standard deviation of a new row about the value includes the
        noise, the errors of the constants and, on noisy rows, the rivals of the law in proportion to their
        probability. It grows where rivals differ, mostly outside the rows; `is_outside` marks such rows. Only the law
        has it.
        """
        check_is_fitted(self)
        if return_std and index is not None:
            raise InvalidSettings(f"return_std is for the law only; leave out index={index!r:.40}")
        columns = self._columns(X)
        values = self.get_best(index).predict(columns)
        return (values, standard_deviations(self.outcome_, columns)) if return_std else values

    def is_outside(self, X: Any, index: int | None = None) -> NDArray[np.bool_]:
        """For each row, whether a column that the law reads is outside its range in the fitted rows: extrapolation."""
        return rows_outside(self.get_best(index).expression.columns, self.outcome_.sampled, self._columns(X))

    def constant_intervals(self, X: Any, y: Any, method: str = "profile", **options: Any) -> Intervals:
        """68 and 95 % intervals of the constants of the law, fitted to these rows; `table` has them as a data frame.

        method: "profile", "delta" (symmetric, from standard errors) or "bootstrap".
        options: `sigma` or `weights` of the rows, as in `fit`, and `random_state` of the bootstrap.
        """
        check_is_fitted(self)
        return law_intervals(self.outcome_, self._columns(X), y, method, **options)

    def _columns(self, X: Any) -> NDArray[np.float64]:
        """X as checked numbers: (columns, rows)."""
        checked = validate_data(self, _with_text_names(X), reset=False, dtype=np.float64)
        return np.ascontiguousarray(checked.T)

    def get_best(self, index: int | None = None) -> Equation:
        """The law, or equation number `index` of `equations_`."""
        check_is_fitted(self)
        if index is None:
            return self.law_
        if not isinstance(index, numbers.Integral) or not -len(self.front_) <= index < len(self.front_):
            raise InvalidSettings(f"equations_ has no row {index}; it has {len(self.front_)} rows")
        return self.front_[index]

    def sympy(self, index: int | None = None, simplify: bool = False) -> Any:
        """The law, or an equation of the front, as a sympy expression; `simplify` takes up to five seconds."""
        return self.get_best(index).sympy(simplify)

    def latex(self, index: int | None = None, precision: int = 3) -> str:
        """The law, or an equation of the front, in LaTeX."""
        return self.get_best(index).latex(precision)

    def export(self, language: str, index: int | None = None) -> str:
        """The law, or an equation of the front, in another language, as a function called like the target."""
        return self.get_best(index).export(language, self.outcome_.target)

    def latex_table(self, indices: Sequence[int] | None = None, precision: int = 3) -> str:
        """The front, or the rows `indices` of `equations_`, as a LaTeX table."""
        check_is_fitted(self)
        chosen = self.front_ if indices is None else [self.get_best(index) for index in indices]
        return latex_table(chosen, latex_name(self.outcome_.target), precision)

    @property
    def equations_(self) -> pd.DataFrame:
        """The front by complexity; each equation has less loss than all simpler ones; `picked` marks the law."""
        check_is_fitted(self)
        return front_table(self.front_, self.law_)

    @property
    def constants_(self) -> pd.DataFrame:
        """The law's constants in reading order: value, standard error, and `value ± error` as text."""
        check_is_fitted(self)
        return constants_table(self.law_)

    @property
    def rivals_(self) -> pd.DataFrame:
        """Laws of noisy rows that may be right instead of `law_`, the most probable first; `law_.ties` as a table."""
        check_is_fitted(self)
        return rivals_table(self.law_.ties if self.scatter_ is not None else ())

    def save(self, path: str | Path) -> None:
        """Write the law, the front and the settings as JSON, in the format of `mosaic fit --json`."""
        check_is_fitted(self)
        write_law(Path(path), self.outcome_, self._plain_settings())

    @classmethod
    def load(cls, path: str | Path) -> MosaicRegressor:
        """The fitted estimator from a law file; raises InvalidFile if the file is not a law file."""
        outcome, settings = read_law(path)
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

    def _problem(self, X: Any, y: Any, weights: Any, validation: Any, sigma: Any, rng: np.random.Generator) -> Problem:
        X, y = _with_text_names(X), _one_target(y)
        if isinstance(X, list | tuple) and not X:
            raise InvalidTable("X is empty; at least three rows are needed")
        validate_data(self, X=X, skip_check_array=True)
        if getattr(self, "n_features_in_", None) == 0:
            raise InvalidTable(f"X has 0 feature(s) (shape=({len(X)}, 0)) while a minimum of 1 is required.")
        names = [str(name) for name in self.feature_names_in_] if hasattr(self, "feature_names_in_") else None
        if isinstance(validation, tuple | list) and validation:
            validation = (_with_text_names(validation[0]), *validation[1:])
        table = Table.from_arrays(
            X, y, rng=rng, names=names, target_name=target_name_beside(X, y), weights=weights, validation=validation,
            sigma=sigma,
        )  # fmt: skip
        own = tuple(names) if names else tuple(f"x{column}" for column in range(self.n_features_in_))
        return Problem(table, own, is_named=names is not None)

    def _seeds(self, folder: RunFolder | None) -> tuple[int, ...]:
        """Seeds of this fit; without a random state those of the search that is gone on from."""
        if self.warm_start and self.random_state is None:
            memory = getattr(self, "_memory", None)
            if memory is not None:
                return tuple(memory.identity.seeds)
            if folder is not None and folder.has_state:
                return folder.read_kept().identity.seeds
        return draw_seeds(check_random_state(self.random_state))

    def _start(self, prepared: Prepared, folder: RunFolder | None) -> tuple[SearchConfig, Snapshot | None]:
        """The settings and the snapshot that the search goes on from, as the class describes it."""
        config, problem = prepared.config, prepared.problem
        if not self.warm_start:
            if folder is not None and folder.is_cut_off(prepared.identity):
                raise folder.refusal("warm_start=True")
            return config, None
        memory: Memory | None = getattr(self, "_memory", None)
        if memory is not None and memory.identity == prepared.identity:
            return replace(config, max_evaluations=config.max_evaluations + memory.last.evaluations), memory.last
        if hasattr(self, "outcome_"):
            return with_guesses(config, _known_equations(self.outcome_, problem)), None
        if folder is not None and folder.has_state:
            return config, folder.read_snapshot(prepared.identity, problem.table, config.refinement)
        return config, None

    def _adopt(self, outcome: Outcome) -> None:
        self.outcome_ = outcome
        self.law_ = outcome.law
        self.front_ = list(outcome.front)
        self.found_by_ = outcome.law.found_by
        self.evaluations_ = outcome.evaluations
        self.stage_seconds_ = dict(outcome.stage_seconds)
        self.trace_ = [dict(line) for line in outcome.trace]
        self.path_trace_ = [dict(entry) for entry in outcome.path_trace]
        self.decoded_operators_ = outcome.decoded_operators
        self.scatter_ = outcome.scatter
        self.column_probabilities_ = dict(zip(outcome.names, outcome.column_probabilities, strict=False))
        self.outliers_ = np.empty(0, dtype=np.intp)
        self.stability_ = outcome.stability
        self.stopped_early_ = outcome.stopped_early
        self.notes_ = outcome.notes

    def _outliers(self, X: Any, y: Any) -> NDArray[np.intp]:
        """Numbers of the rows of X that are outliers under the scatter of the law."""
        if self.scatter_ is None or not self.scatter_.num_outliers:
            return np.empty(0, dtype=np.intp)
        target = np.asarray(y, dtype=np.float64).ravel()
        return outlier_rows(self.law_, self.scatter_, self._columns(X), target)

    def _plain_settings(self) -> dict[str, Any]:
        return {name: _plain(value) for name, value in self.get_params(deep=False).items()}

    def __str__(self) -> str:
        """The front with the law marked, once there is one."""
        return front_text(self.front_, self.law_, self.outcome_.target) if hasattr(self, "outcome_") else repr(self)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "outcome_")

    def _repr_html_inner(self) -> str:
        """The law above scikit-learn's own diagram."""
        from mosaic_sr.notebook import to_html

        diagram: str = estimator_html_repr(self)
        return to_html(self.outcome_) + diagram if self.__sklearn_is_fitted__() else diagram

    def _repr_mimebundle_(self, **kwargs: Any) -> Mapping[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/html": self._repr_html_inner()} if "text/html" in bundle else bundle


def _known_equations(outcome: Outcome, problem: Problem) -> list[Any]:
    """The front of an earlier fit as formulas of this table, where it has as many columns and uses those needed."""
    if len(outcome.names) != len(problem.names):
        return []
    used = set(problem.table.used)
    expressions = [equation.expression for equation in (outcome.law, *outcome.front)]
    return [in_table_units(known, problem.table) for known in expressions if used.issuperset(known.columns)]


def _with_text_names(X: Any) -> Any:
    """A frame whose columns are called by numbers or tuples, with these as text; others as they are."""
    if not isinstance(X, Frame):
        return X
    names = list(X.columns)
    refuse_duplicates([str(name) for name in names], "X")
    if all(isinstance(name, str) for name in names) or names == list(range(len(names))):
        return X
    frame: Any = X
    return frame.set_axis([str(name) for name in names], axis=1)  # only pandas has such names


def _one_target(y: Any) -> Any:
    """The target as callers of scikit-learn hand it in: a table of one column is flattened, with their warning."""
    if y is None:
        raise InvalidTable("MosaicRegressor requires y to be passed, but the target y is None")
    is_column = getattr(y, "ndim", 1) == 2 and y.shape[1] == 1
    return column_or_1d(y, warn=True) if is_column else y


def _plain(value: Any) -> Any:
    """A setting as JSON holds it; what it cannot hold, such as a random generator, is left out."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, np.integer | np.floating):
        return value.item()
    return [_plain(item) for item in value] if isinstance(value, Sequence) else None
