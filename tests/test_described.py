"""Dataclasses as JSON and back."""

import json
from dataclasses import replace

import pytest
from noisy_outcomes import NAMES, equation

from mosaic_sr.described import describe, rebuilt
from mosaic_sr.equation import Equation


def test_a_weighed_law_and_its_rivals_come_back():
    law = replace(equation("2*x + 1.5", 0.6), ties=(equation("2.5*x^1.2", 0.25), equation("4.5")))
    again = rebuilt(Equation, json.loads(json.dumps(describe(law))), NAMES)
    assert again == law
    assert (again.covariance, again.ties[0].probability) == (law.covariance, 0.25)


@pytest.mark.parametrize("covariance", [[1.0], "x", [["a"]], [[None]]])
def test_a_damaged_covariance_is_refused(covariance):
    entry = json.loads(json.dumps(describe(equation("2.5*x", 0.6))))
    with pytest.raises(ValueError, match="'covariance' holds"):
        rebuilt(Equation, {**entry, "covariance": covariance}, NAMES)
