"""Outcomes of noisy tables made by hand: no search is needed to test what is said of them."""

from dataclasses import replace

import numpy as np

from mosaic_sr import parse
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.outcome import Outcome
from mosaic_sr.parting import find_parting

NAMES = ("x", "z", "w")
ROWS = np.random.default_rng(0).uniform(1.0, 4.0, size=(3, 50))


def equation(text, probability=None):
    """An equation whose constants have an error of 0.02 each, without correlation."""
    expression = parse(text, NAMES)
    covariance = tuple(map(tuple, (0.02**2 * np.eye(expression.num_constants)).tolist()))
    return Equation(
        expression, NAMES, Errors(0.01, 0.25), Errors(0.01, 0.25), "sums",
        standard_errors=(0.02,) * expression.num_constants, probability=probability, covariance=covariance,
    )  # fmt: skip


def noisy_outcome(probability=0.6, rivals=(("2.5*x^1.2", 0.3), ("3*z", 0.05)), text="2*x + 1.5", **more):
    """The outcome of a search on noisy rows."""
    law = equation(text, probability)
    law = replace(law, ties=tuple(equation(words, share) for words, share in rivals))
    scatter = more.pop("scatter", Scatter(0.1))
    parting = find_parting(law, law.ties[0], ROWS, scatter) if law.ties else None
    simple = replace(equation("4.5"), training=Errors(1.0, 1.0), validation=Errors(1.0, 1.0))
    facts = {
        "column_probabilities": (1.0, 0.05, 0.001), "num_forms": 4500, "covered_bits": 18.2, "is_decided": True,
        "parting": parting, "target_range": 6.0, "target_deviation": 1.7,
    }  # fmt: skip
    return Outcome(law, (simple, law), NAMES, "y", True, 1234, 1.5, scatter=scatter, **{**facts, **more})
