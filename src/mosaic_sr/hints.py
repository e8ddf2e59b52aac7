"""Hints for arguments that a method does not take: what users of PySR know, and words that are nearly right."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

# Arguments that users of PySR know, and what stands for them here.
ELSEWHERE = {
    "niterations": "max_evaluations (a number of candidates) or time_limit",
    "max_evals": "max_evaluations",
    "timeout_in_seconds": "time_limit",
    "procs": "n_jobs",
    "verbosity": "progress",
    "progressbar": "progress",
    "weights": "sample_weight",
    "yerr": "sigma",
    "elementwise_loss": "loss",
    "loss_function": "loss",
    "xerr": "X_sigma",
    "expression_spec": "template, e.g. 'sin(f(x1, x2)) + g(x3)'",
    "variable_names": "a data frame with column names",
    "law_constraints": "constraints",
}


def with_hints(method: Method) -> Method:
    """The same method, whose TypeError for an argument that it does not take names what the user may have meant."""
    known = list(signature(method).parameters)[1:]

    @wraps(method)
    def checked(*arguments: Any, **named: Any) -> Any:
        for name in named:
            if name not in known:
                near = get_close_matches(name, known, n=1)
                meant = ELSEWHERE.get(name) or (near[0] if near else f"one of {', '.join(known)}")
                raise TypeError(f"{method.__qualname__} has no argument {name!r}; use {meant}")
        return method(*arguments, **named)

    return checked  # type: ignore[return-value]
