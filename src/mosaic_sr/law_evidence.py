"""What law files keep of noisy rows: probabilities, covariances, scatter, stability, the course of the enumeration.

Files of releases that knew nothing of these are read too, and earlier releases read files that have them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mosaic_sr.equation import Equation
from mosaic_sr.evidence.chi_square import ChiSquare
from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.law_values import count, expect, finite, known_number, number, probability, size, unfit
from mosaic_sr.outcome import Outcome
from mosaic_sr.parting import Parting


def describe_weight(equation: Equation) -> dict[str, Any]:
    """How probable a law is and the covariance of its constants, as plain values; nothing where it was not weighed."""
    weight: dict[str, Any] = {}
    if equation.probability is not None:
        weight["probability"] = equation.probability
    if equation.covariance:
        weight["covariance"] = [[finite(value) for value in row] for row in equation.covariance]
    return weight


def weight_in(entry: Mapping[str, Any], num_constants: int) -> dict[str, Any]:
    """The fields of an `Equation` that `describe_weight` wrote."""
    share = entry.get("probability")
    return {
        "probability": None if share is None else probability(share, "probability"),
        "covariance": _covariance(expect(entry.get("covariance", []), list, "covariance"), num_constants),
    }


def _covariance(rows: list[Any], num_constants: int) -> tuple[tuple[float, ...], ...]:
    if not rows:
        return ()
    is_square = len(rows) == num_constants and all(isinstance(row, list) and len(row) == num_constants for row in rows)
    if not is_square:
        raise ValueError(f"'covariance' is not a table of {num_constants} rows and as many columns")
    return tuple(tuple(known_number(value, "covariance", math.nan) for value in row) for row in rows)


def describe_evidence(outcome: Outcome) -> dict[str, Any]:
    """What is known of the noise and the enumeration, as plain values."""
    scatter, parting = outcome.scatter, outcome.parting
    return {
        "scatter": None if scatter is None else {name: finite(value) for name, value in vars(scatter).items()},
        "column_probabilities": list(outcome.column_probabilities),
        "num_forms": outcome.num_forms,
        "covered_bits": finite(outcome.covered_bits),
        "listed_over": list(outcome.listed_over),
        "decided": outcome.is_decided,
        "parting": None if parting is None else {name: finite(value) for name, value in vars(parting).items()},
        "target_range": finite(outcome.target_range),
        "target_deviation": finite(outcome.target_deviation),
        "loss": outcome.loss,
        **_described_chi2(outcome.chi2),
        "stability": outcome.stability,
        "stability_samples": outcome.stability_samples,
    }


def evidence_in(content: Mapping[str, Any], num_columns: int) -> dict[str, Any]:
    """The fields of an `Outcome` that `describe_evidence` wrote."""
    shares = expect(content.get("column_probabilities", []), list, "column_probabilities")
    if len(shares) not in (0, num_columns):
        raise ValueError(f"'column_probabilities' holds {len(shares)} numbers for {num_columns} columns")
    return {
        "scatter": _scatter(content.get("scatter")),
        "column_probabilities": tuple(probability(share, "column_probabilities") for share in shares),
        "num_forms": count(content.get("num_forms", 0), "num_forms"),
        "covered_bits": _known_size(content, "covered_bits", math.inf),
        "listed_over": _texts(content.get("listed_over", []), "listed_over"),
        "is_decided": expect(content.get("decided", False), bool, "decided"),
        "parting": _parting(content.get("parting"), num_columns),
        "target_range": _known_size(content, "target_range", math.inf),
        "target_deviation": _known_size(content, "target_deviation", math.inf),
        "chi2": _chi2(content.get("chi2")),
        "loss": expect(content.get("loss", "squared"), str, "loss"),
        **_stability(content),
    }


def _texts(value: Any, name: str) -> tuple[str, ...]:
    return tuple(expect(text, str, name) for text in expect(value, list, name))


def _described_chi2(chi2: ChiSquare | None) -> dict[str, Any]:
    """chi2 with what follows from it, for people who read the file; the sentence is not read again."""
    if chi2 is None:
        return {"chi2": None}
    known = {"value": finite(chi2.value), "dof": chi2.dof, "per_dof": finite(chi2.per_dof)}
    return {"chi2": {**known, "verdict": chi2.sentence()}}


def _chi2(value: Any) -> ChiSquare | None:
    if value is None:
        return None
    entry = expect(value, dict, "chi2")
    dof = count(entry["dof"], "dof")
    if dof < 1:
        raise unfit(dof, "dof")
    return ChiSquare(known_number(entry["value"], "value", math.inf), dof)


def _known_size(content: Mapping[str, Any], label: str, unknown: float) -> float:
    """A number that is not negative; 0 where the file does not have it, `unknown` for null."""
    value = content.get(label, 0.0)
    return unknown if value is None else size(value, label)


def _stability(content: Mapping[str, Any]) -> dict[str, Any]:
    share, samples = content.get("stability"), count(content.get("stability_samples", 0), "stability_samples")
    if (share is None) != (samples == 0):
        raise unfit(samples, "stability_samples")
    return {"stability": None if share is None else probability(share, "stability"), "stability_samples": samples}


def _scatter(value: Any) -> Scatter | None:
    if value is None:
        return None
    entry = expect(value, dict, "scatter")
    absolute, relative = (size(entry[name], name) for name in ("absolute", "relative"))
    counts = size(entry.get("counts", 0.0), "counts")
    return Scatter(absolute, relative, count(entry["num_outliers"], "num_outliers"), counts)


def _parting(value: Any, num_columns: int) -> Parting | None:
    if value is None:
        return None
    entry = expect(value, dict, "parting")
    if count(entry["column"], "column") >= num_columns:
        raise unfit(entry["column"], "column")
    value, low, high = (number(entry[name], name) for name in ("value", "low", "high"))
    return Parting(entry["column"], value, low, high, known_number(entry["ratio"], "ratio", math.inf))
