"""Several targets: one estimator for each, and the answers of all of them side by side."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from mosaic_sr.errors import InvalidSettings, InvalidTable
from mosaic_sr.fitted_law import FittedLaw

# What a fit of one target sets, and a fit of several has a list of.
OF_EACH = (
    "law_", "front_", "found_by_", "evaluations_", "stage_seconds_", "trace_", "path_trace_", "decoded_operators_",
    "scatter_", "chi2_", "column_probabilities_", "outliers_", "stability_", "stopped_early_", "notes_", "outcome_",
)  # fmt: skip


class SeveralLaws(FittedLaw):
    """A `FittedLaw` whose fit may have had several targets: then `estimators_` has one estimator for each.

    Every attribute and every answer is then a list with one entry per target, and `predict` gives (rows, targets).
    """

    @property
    def _has_several(self) -> bool:
        return hasattr(self, "estimators_")

    def _of_each(self, ask: Callable[[Any], Any]) -> list[Any]:
        return [ask(one) for one in self.estimators_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _forget_several(self) -> None:
        """Leave what an earlier fit of several targets has found."""
        if self._has_several:
            del self.estimators_, self.outcome_

    def predict(self, X: Any, index: Any = None, return_std: bool = False, groups: Any = None) -> Any:
        """Values of the law, or of equation number `index` of `equations_`: (rows,), or (rows, targets) for several.

        index: for several targets one number for all of them, or a list with one for each.
        groups: after a fit with groups, the label of each row or the name of a column of X; by default the column of
        the fit. A group that was not fitted gets the mean constants, with a warning.
        return_std: whether to return `(values, std)`. The standard deviation of a new row about the value includes the
        noise, the errors of the constants and, on noisy rows, the rivals of the law in proportion to their
        probability. It grows where rivals differ, mostly outside the rows; `is_outside` marks such rows. Only the law
        has it.
        """
        if not self._has_several:
            return super().predict(X, index, return_std, groups)
        if groups is not None:
            raise InvalidSettings("the laws were fitted without groups; leave out groups")
        found = [
            one.predict(X, own, return_std) for one, own in zip(self.estimators_, self._indices(index), strict=True)
        ]
        if return_std:
            values, deviations = zip(*found, strict=True)
            return np.column_stack(values), np.column_stack(deviations)
        return np.column_stack(found)

    def _indices(self, index: Any) -> list[Any]:
        """One number of an equation per target."""
        count = len(self.estimators_)
        if not isinstance(index, Sequence):
            return [index] * count
        if len(index) != count:
            raise InvalidSettings(f"index must be one number, or one for each of {count} targets, got {len(index)}")
        return list(index)

    def is_outside(self, X: Any, index: Any = None) -> NDArray[np.bool_]:
        """For each row, whether a column that the law reads is outside its range in the fitted rows: extrapolation.

        (rows,), or (rows, targets) for several targets.
        """
        if not self._has_several:
            return super().is_outside(X, index)
        pairs = zip(self.estimators_, self._indices(index), strict=True)
        return np.column_stack([one.is_outside(X, own) for one, own in pairs])

    def constant_intervals(self, X: Any, y: Any, method: str = "profile", **options: Any) -> Any:
        """68 and 95 % intervals of the constants of the law, fitted to these rows; `table` has them as a data frame.

        method: "profile", "delta" (symmetric, from standard errors) or "bootstrap".
        options: `sigma` or `weights` of the rows, as in `fit`, and `random_state` of the bootstrap.
        Of one law at a time: with several targets ask `estimators_[0].constant_intervals`.
        """
        self._refuse_several("constant_intervals")
        return super().constant_intervals(X, y, method, **options)

    def report(self, path: str | Path, X: Any = None, y: Any = None, sigma: Any = None) -> None:
        """Write a report as one HTML file: law, front, pictures, data.

        X, y: the rows to show; by default those of the fit. A model from `load` has none and needs them.
        sigma: standard errors of y, where X and y are given.
        Of one law at a time: with several targets use `estimators_[0].report`.
        """
        self._refuse_several("report")
        super().report(path, X, y, sigma)

    def plot(self, kind: str = "fit", X: Any = None, y: Any = None, sigma: Any = None, index: int | None = None) -> Any:
        """A matplotlib figure of the law, or of equation number `index` of `equations_`.

        kind: "fit" (predicted against measured values), "residuals" (in order, against columns, their distribution),
            "response" (the curve over each column, with rows and band) or "front" (loss over complexity).
        X, y, sigma: as for `report`.
        Of one law at a time: with several targets use `estimators_[0].plot`.
        """
        self._refuse_several("plot")
        return super().plot(kind, X, y, sigma, index)

    def _refuse_several(self, method: str) -> None:
        if self._has_several:
            count = len(self.estimators_)
            raise InvalidSettings(
                f"{method} is for one law, but there are {count} targets; use estimators_[0].{method} to "
                f"estimators_[{count - 1}].{method}"
            )

    def get_best(self, index: Any = None) -> Any:
        """The law, or equation number `index` of `equations_`; with several targets a list of them."""
        if not self._has_several:
            return super().get_best(index)
        pairs = zip(self.estimators_, self._indices(index), strict=True)
        return [one.get_best(own) for one, own in pairs]

    def sympy(self, index: Any = None, simplify: bool = False) -> Any:
        """The law, or an equation of the front, as a sympy expression; `simplify` takes up to five seconds."""
        if not self._has_several:
            return super().sympy(index, simplify)
        return [one.sympy(simplify) for one in self.get_best(index)]

    def latex(self, index: Any = None, precision: int = 3) -> Any:
        """The law, or an equation of the front, in LaTeX."""
        if not self._has_several:
            return super().latex(index, precision)
        return [one.latex(precision) for one in self.get_best(index)]

    def export(self, language: str, index: Any = None) -> Any:
        """The law, or an equation of the front, in another language, as a function called like the target."""
        if not self._has_several:
            return super().export(language, index)
        pairs = zip(self.estimators_, self._indices(index), strict=True)
        return [one.export(language, own) for one, own in pairs]

    def latex_table(self, indices: Sequence[int] | None = None, precision: int = 3) -> Any:
        """The front, or the rows `indices` of `equations_`, as a LaTeX table."""
        if not self._has_several:
            return super().latex_table(indices, precision)
        return self._of_each(lambda one: one.latex_table(indices, precision))

    @property
    def equations_(self) -> Any:
        """The front by complexity; each equation has less loss than all simpler ones; `picked` marks the law."""
        return self._of_each(lambda one: one.equations_) if self._has_several else super().equations_

    @property
    def constants_(self) -> Any:
        """The law's constants in reading order: value, standard error, and `value ± error` as text."""
        return self._of_each(lambda one: one.constants_) if self._has_several else super().constants_

    @property
    def rivals_(self) -> Any:
        """Laws of noisy rows that may be right instead of `law_`, the most probable first; `law_.ties` as a table."""
        return self._of_each(lambda one: one.rivals_) if self._has_several else super().rivals_

    def save(self, path: str | Path) -> None:
        """Write the law, the front and the settings as JSON, in the format of `mosaic fit --json`.

        With several targets the file holds a list of such laws, which `load` reads; the commands read files of one
        law, as `estimators_[0].save` writes them.
        """
        if not self._has_several:
            super().save(path)
            return
        from mosaic_sr.files import write_atomically
        from mosaic_sr.law_file import SEVERAL_FORMAT, law_content

        check_is_fitted(self)
        settings = self._plain_settings()
        entries = [law_content(one.outcome_, settings) for one in self.estimators_]
        text = json.dumps({"format": SEVERAL_FORMAT, "laws": entries}, indent=2, allow_nan=False, ensure_ascii=False)
        write_atomically(Path(path), (text + "\n").encode("utf-8", "replace"))

    def _adopt_several(self, estimators: Sequence[Any]) -> None:
        """Take over what a fit of each target has found."""
        self.estimators_ = list(estimators)
        for name in OF_EACH:
            setattr(self, name, self._of_each(lambda one, name=name: getattr(one, name)))  # type: ignore[misc]
        self.n_features_in_ = self.estimators_[0].n_features_in_
        names = getattr(self.estimators_[0], "feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def __str__(self) -> str:
        """The front of each target with its law marked, once there is one."""
        if not self._has_several:
            return super().__str__()
        return "\n\n".join(f"{one.outcome_.target}:\n{one}" for one in self.estimators_)

    def _repr_html_inner(self) -> str:
        """The laws above scikit-learn's own diagram."""
        if not self._has_several:
            return super()._repr_html_inner()
        return "".join(self._of_each(lambda one: one._repr_html_inner()))


def num_targets(y: Any) -> int:
    """How many targets there are; what is no table has one, and the checks of one target judge it."""
    from mosaic_sr.table.checks import Frame

    if isinstance(y, Frame):
        return len(list(y.columns))
    shape: tuple[int, ...] = np.shape(y) if isinstance(y, np.ndarray) or _is_list_of_rows(y) else ()
    return shape[1] if len(shape) == 2 else 1


def _is_list_of_rows(y: Any) -> bool:
    """Whether a list holds lists of one length."""
    if not isinstance(y, list | tuple) or not y or not all(isinstance(row, list | tuple) for row in y):
        return False
    return len({len(row) for row in y}) == 1


def targets_of(y: Any, taken: Sequence[str]) -> list[Any]:
    """The targets as series with names of their own; taken: names of the columns of X."""
    from pandas import Series  # slow to import

    from mosaic_sr.table.checks import Frame

    if isinstance(y, Frame):
        return [y[name] for name in y.columns]
    array = np.asarray(y)
    names = (name for number in range(array.shape[1] * (1 + len(taken))) if (name := f"y{number}") not in taken)
    return [Series(column, name=name) for column, name in zip(array.T, names, strict=False)]


def part_of(values: Any, place: int, count: int, label: str) -> Any:
    """What belongs to one of `count` targets: a column of a table with one for each, or what all of them share."""
    from mosaic_sr.table.checks import Frame

    found = num_targets(values) if values is not None else 1
    if found == 1:
        return values
    if found != count:
        raise InvalidTable(f"{label} has {found} columns, but there are {count} targets; give one for each, or one")
    return values[list(values.columns)[place]] if isinstance(values, Frame) else np.asarray(values)[:, place]


def unit_of(units: Any, place: int, targets: Sequence[str]) -> Any:
    """The unit of a target: by name, one of a list with one for each, or the one that all of them share."""
    count = len(targets)
    if isinstance(units, Mapping):
        if unknown := [name for name in units if name not in targets]:
            raise InvalidSettings(f"y_units has a unit for {unknown[0]!r}, but the targets are {', '.join(targets)}")
        return units.get(targets[place])
    if not isinstance(units, list | tuple):
        return units
    if len(units) != count:
        raise InvalidSettings(f"y_units has {len(units)} units, but there are {count} targets; give one for each")
    return units[place]


def validation_of(validation: Any, place: int, count: int) -> Any:
    """The validation rows of one target; what is no pair of X and y is left to the checks of one target."""
    if not isinstance(validation, tuple | list) or len(validation) < 2:
        return validation
    X, y, *third = validation
    if num_targets(y) != count:
        raise InvalidTable(f"validation y has {num_targets(y)} targets, but y has {count}; both need the same")
    return (X, part_of(y, place, count, "validation y"), *(part_of(own, place, count, "validation") for own in third))


def estimator_of(model: Any, place: int, targets: Sequence[str]) -> Any:
    """The estimator of one target: that of an earlier fit with `warm_start`, else a new one; its folder is its own."""
    settings, target, count = dict(model.get_params(deep=False)), targets[place], len(targets)
    settings["constraints"] = constraints_of(settings["constraints"], target, targets)
    if settings["output_directory"] is not None:
        settings["output_directory"] = Path(settings["output_directory"]) / file_word(target)
    known = getattr(model, "estimators_", [])
    if model.warm_start and len(known) == count:
        return known[place].set_params(**settings)
    return clone(model).set_params(**settings)


def constraints_of(constraints: Any, target: str, targets: Sequence[str]) -> Any:
    """The constraints without those that speak of another target by its name."""
    from mosaic_sr.constraints import read_constraint

    if not isinstance(constraints, list | tuple):
        return constraints
    others = [name for name in targets if name != target]
    kept = [one for one in constraints if not isinstance(one, str) or read_constraint(one).subject not in others]
    return type(constraints)(kept) or None


def file_word(target: str) -> str:
    """A target as part of a file's name: what file systems may refuse becomes an underscore."""
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in target).strip(".") or "_"


def numbered_path(path: Path, target: str) -> Path:
    """The file of one of several targets: law.json becomes law.TARGET.json."""
    return path.with_name(f"{path.stem}.{file_word(target)}{path.suffix}")


def refuse_shared_files(targets: Sequence[str]) -> None:
    """Refuse targets whose files would have one name."""
    words = [file_word(target).lower() for target in targets]
    for target, word in zip(targets, words, strict=True):
        if words.count(word) > 1:
            raise InvalidSettings(f"two targets would be written to one file, named after {target!r}; fit them apart")
