"""`MosaicRegressor`: the search as a scikit-learn estimator, with PySR's names where users know them."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from mosaic_sr.budget import Budget, start_clock
from mosaic_sr.equation import Equation, in_user_units
from mosaic_sr.errors import InvalidSettings, InvalidTable, MosaicWarning
from mosaic_sr.expressions.text import parse
from mosaic_sr.kernel.jit import COMPILATION, compile_beside
from mosaic_sr.operators import ARITY, CODES, NAMES
from mosaic_sr.pipeline import PRESETS, SearchConfig, Snapshot, discover, finish
from mosaic_sr.progress import Observer, live_progress, print_compilation, silent
from mosaic_sr.table import Table

if TYPE_CHECKING:
    import pandas as pd

# What users of other packages write for our operator names.
SYMBOLS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow", "**": "pow", "square": "sq", "ln": "log"}


class MosaicRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Finds the equation that generated y from the columns of X.

    Parameters
    ----------
    preset: settings of the search by name: "default" or "paper".
    binary_operators, unary_operators: operators that the law may use, e.g. ["+", "*"] and ["sin"]; None allows all.
    maxsize: largest number of nodes of a law.
    guesses: formulas over the columns to start from, e.g. ["a_1 + 2*sin(x)"]; their numbers are fitted again.
    max_evaluations: fits that the search may make.
    time_limit: seconds after which the best law so far is returned; None leaves it to `max_evaluations`.
    without: proposers to switch off.
    n_jobs: threads; the law does not depend on it.
    random_state: seed; the same seed gives the same law.
    progress: whether to show the search while it runs.

    Attributes:
    ----------
    law_: the chosen `Equation`.  equations_: the front as a data frame.  found_by_: the proposer behind the law.
    evaluations_, stage_seconds_, trace_, stopped_early_, notes_: how the search went.
    """

    def __init__(
        self,
        *,
        preset: str = "default",
        binary_operators: Sequence[str] | None = None,
        unary_operators: Sequence[str] | None = None,
        maxsize: int = 32,
        guesses: Sequence[str] | None = None,
        max_evaluations: int | None = None,
        time_limit: float | None = None,
        without: Sequence[str] = (),
        n_jobs: int | None = None,
        random_state: Any = None,
        progress: bool = False,
    ) -> None:
        self.preset = preset
        self.binary_operators = binary_operators
        self.unary_operators = unary_operators
        self.maxsize = maxsize
        self.guesses = guesses
        self.max_evaluations = max_evaluations
        self.time_limit = time_limit
        self.without = without
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: Any, y: Any, sample_weight: Any = None, validation: Any = None) -> MosaicRegressor:
        """Search for the law; validation: `(X, y)` or `(X, y, weights)` to choose it on, else rows are held out."""
        config = self._config()
        budget = Budget(config.max_evaluations, self.time_limit)
        random = check_random_state(self.random_state)
        for_table, for_search = np.random.default_rng(random.randint(2**31 - 1, size=4)).spawn(2)
        validate_data(self, X=X, skip_check_array=True)
        if getattr(self, "n_features_in_", None) == 0:
            raise InvalidTable(f"X has 0 feature(s) (shape=({len(X)}, 0)) while a minimum of 1 is required.")
        y = _one_target(y)
        names = [str(name) for name in self.feature_names_in_] if hasattr(self, "feature_names_in_") else None
        table = Table.from_arrays(X, y, rng=for_table, names=names, weights=sample_weight, validation=validation)
        user_names = names or [f"x{column}" for column in range(max(table.used) + 1)]
        config = replace(config, proposal=replace(config.proposal, guesses=self._guesses(table)))
        self._run(table, config, budget, for_search, user_names)
        return self

    def predict(self, X: Any, index: int | None = None) -> NDArray[np.float64]:
        """Values of the law, or of equation number `index` of `equations_`."""
        check_is_fitted(self)
        columns = np.ascontiguousarray(validate_data(self, X, reset=False, dtype=np.float64).T)
        return self.get_best(index).predict(columns)

    def get_best(self, index: int | None = None) -> Equation:
        """The law, or equation number `index` of `equations_`."""
        check_is_fitted(self)
        if index is None:
            return self.law_
        if not -len(self.front_) <= index < len(self.front_):
            raise InvalidSettings(f"index {index} is not in equations_, which has {len(self.front_)} rows")
        return self.front_[index]

    def sympy(self, index: int | None = None) -> Any:
        """The law, or an equation of the front, as a sympy expression."""
        return self.get_best(index).sympy()

    def latex(self, index: int | None = None, precision: int = 3) -> str:
        """The law, or an equation of the front, in LaTeX."""
        return self.get_best(index).latex(precision)

    @property
    def equations_(self) -> pd.DataFrame:
        """The front: one row per equation that no simpler one beats, in order of complexity."""
        check_is_fitted(self)
        return front_table(self.front_)

    def _config(self) -> SearchConfig:
        if self.preset not in PRESETS:
            raise InvalidSettings(f"unknown preset {self.preset!r}; the presets are {', '.join(PRESETS)}")
        if isinstance(self.maxsize, bool) or not isinstance(self.maxsize, int | np.integer) or self.maxsize < 3:
            raise InvalidSettings(f"maxsize must be a whole number of at least 3, got {self.maxsize!r}")
        config = PRESETS[self.preset]()
        operators = self._operators()
        path = replace(config.refinement.path, maxsize=int(self.maxsize))
        return replace(
            config,
            proposal=replace(config.proposal, operators=operators, without=tuple(self.without)),
            refinement=replace(config.refinement, operators=operators, path=path),
            max_evaluations=config.max_evaluations if self.max_evaluations is None else self.max_evaluations,
        )

    def _operators(self) -> tuple[str, ...]:
        allowed = [*_named(self.binary_operators, 2), *_named(self.unary_operators, 1)]
        if not allowed:
            raise InvalidSettings("no operators are left; name at least one in binary_operators or unary_operators")
        return tuple(name for name in NAMES if name in allowed)

    def _guesses(self, table: Table) -> tuple[Any, ...]:
        """The user's formulas; their scaled columns make no difference, because constants are fitted again."""
        return tuple(parse(text, table.names) for text in self.guesses or ())

    def _run(
        self, table: Table, config: SearchConfig, budget: Budget, rng: np.random.Generator, names: Sequence[str]
    ) -> None:
        COMPILATION.report, compiled_before = print_compilation, COMPILATION.seconds
        compile_beside()
        clock = start_clock(budget)
        self.stage_seconds_: dict[str, float] = {}
        self.trace_: list[dict[str, Any]] = []
        self.stopped_early_ = False
        last: Snapshot | None = None
        show: Observer = live_progress(self.time_limit) if self.progress else silent()
        with show as observe:
            try:
                before = time.monotonic()
                for snapshot in discover(table, config, rng, _num_threads(self.n_jobs)):
                    last, now = snapshot, time.monotonic()
                    self.stage_seconds_[snapshot.stage] = self.stage_seconds_.get(snapshot.stage, 0.0) + now - before
                    before = now
                    self.trace_.append(_trace_line(snapshot, clock.seconds))
                    observe(snapshot)
                    # The first use of a version compiles; that is not the search's time.
                    if clock.seconds - (COMPILATION.seconds - compiled_before) >= clock.limit:
                        self.stopped_early_ = True
                        break
            except KeyboardInterrupt:
                self.stopped_early_ = True
                if last is None:
                    raise
        self._keep(table, config, last, names)

    def _keep(self, table: Table, config: SearchConfig, last: Snapshot | None, names: Sequence[str]) -> None:
        if last is None or last.law is None:
            raise InvalidSettings("the budget ended before any equation was fitted; raise max_evaluations")
        self.law_ = in_user_units(finish(last.law, table, config), table, names)
        self.front_ = [in_user_units(equation, table, names) for equation in last.front.pareto()]
        self.found_by_ = self.law_.found_by
        self.evaluations_ = last.evaluations
        self.notes_ = table.notes
        if self.stopped_early_ and not self.law_.is_exact:
            warnings.warn("the search was stopped early; the law is the best so far", MosaicWarning, stacklevel=4)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "law_")


def front_table(front: Sequence[Equation]) -> pd.DataFrame:
    """The data frame of a front, with PySR's column names."""
    import pandas as pd

    rows = []
    for number, equation in enumerate(front):
        before = front[number - 1] if number else None
        rows.append(
            {
                "complexity": equation.complexity,
                "loss": equation.training.nmse,
                "validation_loss": equation.validation.nmse,
                "score": _score(equation, before),
                "equation": equation.text(),
                "sympy_format": equation.sympy(),
                "lambda_format": _Callable(equation),
            }
        )
    return pd.DataFrame(rows)


class _Callable:
    """A law as a function of an array (rows, columns)."""

    def __init__(self, equation: Equation) -> None:
        self._equation = equation

    def __call__(self, X: Any) -> NDArray[np.float64]:
        return self._equation.predict(np.ascontiguousarray(np.asarray(X, dtype=np.float64).T))

    def __repr__(self) -> str:
        return f"lambda X: {self._equation}"


def _score(equation: Equation, before: Equation | None) -> float:
    """Fall of the log loss per node since the simpler equation before it."""
    if before is None or equation.complexity == before.complexity:
        return 0.0
    least = 1e-300
    fall = math.log(max(before.training.nmse, least)) - math.log(max(equation.training.nmse, least))
    return fall / (equation.complexity - before.complexity)


def _named(operators: Sequence[str] | None, arity: int) -> list[str]:
    """Our names of the user's operators of one arity."""
    if operators is None:
        return [name for name in NAMES if ARITY[CODES[name]] == arity]
    if isinstance(operators, str):
        raise InvalidSettings(f"operators are given as a list, e.g. [{operators!r}]; got the text {operators!r}")
    names = [SYMBOLS.get(operator, operator) for operator in operators]
    known = [name for name in NAMES if ARITY[CODES[name]] == arity]
    for given, name in zip(operators, names, strict=True):
        if name not in known:
            kind = "unary" if arity == 1 else "binary"
            raise InvalidSettings(f"unknown {kind} operator {given!r}; the {kind} operators are {', '.join(known)}")
    return names


def _one_target(y: Any) -> Any:
    """The target as callers of scikit-learn hand it in: a table of one column is flattened, with their warning."""
    if y is None:
        raise InvalidTable("MosaicRegressor requires y to be passed, but the target y is None")
    is_column = getattr(y, "ndim", 1) == 2 and y.shape[1] == 1
    return column_or_1d(y, warn=True) if is_column else y


def _num_threads(n_jobs: int | None) -> int:
    return 1 if n_jobs is None else n_jobs


def _trace_line(snapshot: Snapshot, seconds: float) -> dict[str, Any]:
    law = snapshot.law
    return {
        "seconds": round(seconds, 3),
        "stage": snapshot.stage,
        "evaluations": snapshot.evaluations,
        "validation_nmse": law.validation.nmse if law else math.inf,
        "complexity": law.complexity if law else 0,
    }
