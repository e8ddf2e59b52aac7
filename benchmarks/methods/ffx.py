"""FFX: pathwise regularised learning of generalised linear models; deterministic, without a time limit of its own."""

from __future__ import annotations

import math
import re

from benchmarks.eased import eased
from benchmarks.methods import Budget, Outcome, Settings, refuse_own_settings
from benchmarks.suites import Sample
from benchmarks.suites.problem import column_names


@eased
def fit(train: Sample, validation: Sample | None, budget: Budget, seed: int, settings: Settings) -> Outcome:
    """The model of least error on the validation rows, or on the training rows where there are none."""
    import ffx

    refuse_own_settings("ffx", settings)
    held_out = train if validation is None else validation
    names = list(column_names(len(train.columns)))
    models = ffx.run(train.features, train.target, held_out.features, held_out.target, names)
    best = min(models, key=lambda model: model.test_nmse)
    return Outcome(in_our_words(str(best)), found_by="ffx")


def in_our_words(formula: str) -> str:
    """The formula with natural logarithms for decimal ones, and absolute values for hinges, which hold one column."""
    natural = re.sub(r"\blog10\(", f"{1 / math.log(10)!r}*log(", formula)
    return re.sub(r"\bmax\(0, *([^()]*)\)", r"((\1 + abs(\1))/2)", natural)
