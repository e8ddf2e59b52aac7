"""Methods under test: one file each with `fit(train, validation, budget, seed, settings) -> Outcome`.

To add one, put its file here; its name is the file's name. A method of another package goes by its dotted module name.
Text that a method returns is of the package's grammar, with columns x0, x1, ...
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from mosaic_sr import InvalidSettings

if TYPE_CHECKING:
    from benchmarks.suites import Sample
    from benchmarks.suites.problem import NoiseKind


@dataclass(frozen=True)
class Budget:
    """What a method may use: it stops itself after `seconds`; the runner kills it some time later."""

    seconds: float
    num_cores: int = 1


@dataclass(frozen=True)
class Settings:
    """How a method is run; a result line keeps what differs from the defaults.

    preset, without: a preset of the method's own and proposers switched off; a method that has none of these refuses.
    noise: level of the noise on training and validation targets, `additive` in units of their RMS or `multiplicative`.
    data: the name of the folder that the rows come from, where they are not drawn.
    rows: how many training rows the method sees, the first ones and no validation rows; 0 for all of both.
    templates: whether the method is told the template of each problem; `template` is that of the problem at hand.
    max_evaluations: candidates that a method may try, where it counts them; 0 leaves it to the time limit. With one far
        above what they take, lines do not depend on the speed of the machine.
    units: whether the method is told the units of a problem that has some: "dimensionless" where constants have none,
        as physical constants are columns of the table, or "free" where they may have any.
    """

    time_limit: float = 10.0
    preset: str = ""
    without: tuple[str, ...] = ()
    noise: float = 0.0
    noise_kind: NoiseKind = "additive"
    data: str = ""
    rows: int = 0
    max_evaluations: int = 0
    units: str = ""
    templates: bool = False
    template: str = ""

    def to_json(self) -> dict[str, Any]:
        """The time limit, and everything else that differs from its default: a new setting leaves old lines valid."""
        entries = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        usual = {item.name: item.default for item in fields(self)}
        return {
            name: value for name, value in entries.items() if name == "time_limit" or getattr(self, name) != usual[name]
        }


@dataclass(frozen=True)
class Outcome:
    """What a method found: the equation's text and, where the method knows them, facts about the search.

    trace: in order of time, entries with `seconds`, `evaluations` and `validation_nmse` of the best equation so far.
    claims_exact: whether the method says that nothing is left to explain; None for one that makes no such claim.
    probability: what the method says the chance is that its equation has the right structure; None where it says none.
    rivals: further equations that the method holds possible: entries with `equation` and `probability`.
    front: the other equations that the method offers, as printed.
    by_group: the equation of each group, where rows share constants by group.
    decoded_operators: operators of the most probable sketch that a learned prior decoded.
    path_trace: where search paths stood after some of their steps: entries with `path` (from 0, best start first),
        `steps` made, `equation` (the path's best, as it would be printed), its `validation_nmse` and its `operators`.
    """

    equation: str
    evaluations: int | None = None
    stage_seconds: dict[str, float] = field(default_factory=dict)
    found_by: str = ""
    decoded_operators: int | None = None
    trace: tuple[dict[str, Any], ...] = ()
    path_trace: tuple[dict[str, Any], ...] = ()
    by_group: tuple[str, ...] = ()
    claims_exact: bool | None = None
    probability: float | None = None
    rivals: tuple[dict[str, Any], ...] = ()
    front: tuple[str, ...] = ()


Fit = Callable[["Sample", "Sample | None", Budget, int, Settings], Outcome]


def refuse_own_settings(method: str, settings: Settings) -> None:
    """For methods that have neither presets nor proposers and are not told a number of candidates."""
    if settings.preset or settings.without:
        raise InvalidSettings(f"method {method!r} has no presets and no proposers to switch off")
    if settings.templates:
        raise InvalidSettings(f"method {method!r} takes no templates; leave --templates out")
    if settings.max_evaluations:
        raise InvalidSettings(f"method {method!r} has only a time limit; leave --max-evaluations out")
    if settings.units:
        raise InvalidSettings(f"method {method!r} is not told units here; leave --units out")


def method_names() -> list[str]:
    """The methods of this folder."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def check_method(name: str) -> None:
    """Refuse a name that is neither a file of this folder nor a dotted module name."""
    if name not in method_names() and "." not in name:
        raise InvalidSettings(f"no method {name!r}; the methods are {', '.join(method_names())}")


def load_method(name: str) -> Fit:
    """The `fit` of a method."""
    check_method(name)
    module = importlib.import_module(f"{__name__}.{name}" if name in method_names() else name)
    fit: Fit = module.fit
    return fit
