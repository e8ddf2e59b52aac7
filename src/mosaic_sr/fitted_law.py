"""`FittedLaw`: what an estimator can tell and predict once it has found a law.

Methods import what they need, so that importing the estimator takes no longer than importing scikit-learn.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from mosaic_sr.errors import InvalidSettings, InvalidTable
from mosaic_sr.html_report.methods import PictureMethods

if TYPE_CHECKING:
    import pandas as pd

    from mosaic_sr.equation import Equation
    from mosaic_sr.intervals import Intervals
    from mosaic_sr.outcome import Outcome


class FittedLaw(PictureMethods, BaseEstimator):  # type: ignore[misc]
    """An estimator's law and all that follows from it; `_adopt` is called with the outcome of a search."""

    def predict(self, X: Any, index: int | None = None, return_std: bool = False, groups: Any = None) -> Any:
        """Values of the law, or of equation number `index` of `equations_`.

        groups: after a fit with groups, the label of each row or the name of a column of X; by default the column of
        the fit. A group that was not fitted gets the mean constants, with a warning.

        return_std: whether to return `(values, std)`. The standard deviation of a new row about the value includes the
        noise, the errors of the constants and, on noisy rows, the rivals of the law in proportion to their
        probability. It grows where rivals differ, mostly outside the rows; `is_outside` marks such rows. Only the law
        has it.
        """
        from mosaic_sr.bands import standard_deviations

        check_is_fitted(self)
        if return_std and index is not None:
            raise InvalidSettings(f"return_std is for the law only; leave out index={index!r:.40}")
        if groups is not None or self.outcome_.groups is not None:
            return self._predict_groups(X, groups, index, return_std)
        columns = self._columns(X)
        values = self.get_best(index).predict(columns)
        return (values, standard_deviations(self.outcome_, columns)) if return_std else values

    def _predict_groups(self, X: Any, groups: Any, index: int | None, return_std: bool) -> Any:
        from mosaic_sr.group_labels import parted, placed

        known = self.outcome_.groups
        if known is None:
            raise InvalidSettings("the law was fitted without groups; leave out groups")
        if index is not None:
            raise InvalidSettings(f"groups have constants of the law only; leave out index={index!r:.40}")
        X, labels = parted(X, groups if groups is not None else known.column or None)
        if labels is None:
            raise InvalidSettings(
                "the law has other constants in each group; pass groups, one label per row, e.g. "
                f"predict(X, groups=labels){f', or a column {known.column!r} in X' if known.column else ''}"
            )
        columns = self._columns(X)
        places = placed(labels, known, columns.shape[1])
        values = known.predict(self.law_, columns, places)
        return (values, known.standard_deviations(self.law_, self.scatter_, columns, places)) if return_std else values

    @property
    def group_constants_(self) -> pd.DataFrame:
        """One row per group with the constants that vary and their standard errors; after a fit with groups."""
        check_is_fitted(self)
        if self.outcome_.groups is None:
            raise AttributeError("group_constants_ needs a fit with groups: fit(X, y, groups=...)")
        return self.outcome_.groups.table()

    @property
    def group_form_(self) -> Equation:
        """The common form of all groups with names for its constants; those that differ by group end in `_g`."""
        check_is_fitted(self)
        if self.outcome_.groups is None:
            raise AttributeError("group_form_ needs a fit with groups: fit(X, y, groups=...)")
        return self.outcome_.groups.form(self.law_)

    def group_law(self, label: Any) -> Equation:
        """The law with the constants of one group."""
        check_is_fitted(self)
        if self.outcome_.groups is None:
            raise InvalidSettings("the law was fitted without groups; law_ holds everywhere")
        return self.outcome_.groups.law_of(self.law_, self.outcome_.groups.place(label))

    def is_outside(self, X: Any, index: int | None = None) -> NDArray[np.bool_]:
        """For each row, whether a column that the law reads is outside its range in the fitted rows: extrapolation."""
        from mosaic_sr.sampled import rows_outside

        return rows_outside(self.get_best(index).expression.columns, self.outcome_.sampled, self._columns(X))

    def constant_intervals(self, X: Any, y: Any, method: str = "profile", **options: Any) -> Intervals:
        """68 and 95 % intervals of the constants of the law, fitted to these rows; `table` has them as a data frame.

        method: "profile", "delta" (symmetric, from standard errors) or "bootstrap".
        options: `sigma` or `weights` of the rows, as in `fit`, and `random_state` of the bootstrap.
        """
        from mosaic_sr.intervals import law_intervals

        check_is_fitted(self)
        return law_intervals(self.outcome_, self._columns(X), y, method, **options)

    def _columns(self, X: Any) -> NDArray[np.float64]:
        """X as checked numbers: (columns, rows); a column of groups is left out."""
        from mosaic_sr.group_labels import parted
        from mosaic_sr.table.indicators import is_unread, with_indicators

        if hasattr(self, "outcome_") and self.outcome_.indicators and is_unread(X, self.outcome_.indicators):
            X = with_indicators(X, self.outcome_.indicators)
        if hasattr(self, "outcome_") and self.outcome_.groups is not None and self.outcome_.groups.column:
            X = parted(X, self.outcome_.groups.column)[0]
        checked = validate_data(self, with_text_names(X), reset=False, dtype=np.float64)
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
        from mosaic_sr.expressions.latex import latex_name
        from mosaic_sr.report import latex_table

        check_is_fitted(self)
        chosen = self.front_ if indices is None else [self.get_best(index) for index in indices]
        return latex_table(chosen, latex_name(self.outcome_.target), precision)

    @property
    def equations_(self) -> pd.DataFrame:
        """The front by complexity; each equation has less loss than all simpler ones; `picked` marks the law."""
        from mosaic_sr.report import front_table

        check_is_fitted(self)
        return front_table(self.front_, self.law_)

    @property
    def constants_(self) -> pd.DataFrame:
        """The law's constants in reading order: value, standard error, and `value ± error` as text."""
        from mosaic_sr.report import constants_table

        check_is_fitted(self)
        return constants_table(self.law_)

    @property
    def constraints_(self) -> pd.DataFrame:
        """How the law keeps each constraint: the constraint, its verdict, and how that was decided."""
        from mosaic_sr.report import constraints_table

        check_is_fitted(self)
        return constraints_table(self.outcome_.constraints)

    @property
    def rivals_(self) -> pd.DataFrame:
        """Laws of noisy rows that may be right instead of `law_`, the most probable first; `law_.ties` as a table."""
        from mosaic_sr.report import rivals_table

        check_is_fitted(self)
        return rivals_table(self.law_.ties if self.scatter_ is not None else ())

    def save(self, path: str | Path) -> None:
        """Write the law, the front and the settings as JSON, in the format of `mosaic fit --json`."""
        from mosaic_sr.law_file import write_law

        check_is_fitted(self)
        write_law(Path(path), self.outcome_, self._plain_settings())

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
        self.chi2_ = outcome.chi2
        self.column_probabilities_ = dict(zip(outcome.names, outcome.column_probabilities, strict=False))
        self.outliers_ = np.empty(0, dtype=np.intp)
        self.stability_ = outcome.stability
        self.stopped_early_ = outcome.stopped_early
        self.notes_ = outcome.notes
        self.parts_ = dict(outcome.parts)

    def _outliers(self, X: Any, y: Any, X_sigma: Any = None, sides: Any = None) -> NDArray[np.intp]:
        """Numbers of the rows of X that are outliers under the scatter of the law."""
        from mosaic_sr.bands import outlier_rows
        from mosaic_sr.table.errors_in_columns import true_columns

        if self.scatter_ is None or not self.scatter_.num_outliers:
            return np.empty(0, dtype=np.intp)
        target = np.asarray(y, dtype=np.float64).ravel()
        columns, errors = true_columns(self._columns(X), X_sigma, self.outcome_.names)
        rows = outlier_rows(self.law_, self.scatter_, columns, target, errors)
        return rows if sides is None else rows[sides[rows] == 0.0]

    def _plain_settings(self) -> dict[str, Any]:
        return {name: _plain(value) for name, value in self.get_params(deep=False).items()}

    def __str__(self) -> str:
        """The front with the law marked, once there is one."""
        from mosaic_sr.report import front_text

        return front_text(self.front_, self.law_, self.outcome_.target) if hasattr(self, "outcome_") else repr(self)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "outcome_")

    def _repr_html_inner(self) -> str:
        """The law above scikit-learn's own diagram."""
        from mosaic_sr.notebook import to_html

        diagram: str = estimator_html_repr(self)
        rows = getattr(self, "_rows", None)  # of a fit; a law file has none
        return to_html(self.outcome_, rows) + diagram if self.__sklearn_is_fitted__() else diagram

    def _repr_mimebundle_(self, **kwargs: Any) -> Mapping[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/html": self._repr_html_inner()} if "text/html" in bundle else bundle


def with_text_names(X: Any) -> Any:
    """A frame whose columns are called by numbers or tuples, with these as text; others as they are."""
    from mosaic_sr.table.checks import Frame, refuse_duplicates

    if not isinstance(X, Frame):
        return X
    names = list(X.columns)
    refuse_duplicates([str(name) for name in names], "X")
    if all(isinstance(name, str) for name in names) or names == list(range(len(names))):
        return X
    frame: Any = X
    return frame.set_axis([str(name) for name in names], axis=1)  # only pandas has such names


def _plain(value: Any) -> Any:
    """A setting as JSON holds it; what it cannot hold, such as a random generator, is left out."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, np.integer | np.floating):
        return value.item()
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, Sequence) else None


def one_target(y: Any) -> Any:
    """The target as callers of scikit-learn hand it in: a table of one column is flattened, with their warning."""
    if y is None:
        raise InvalidTable("MosaicRegressor requires y to be passed, but the target y is None")
    is_column = getattr(y, "ndim", 1) == 2 and y.shape[1] == 1
    return column_or_1d(y, warn=True) if is_column else y
