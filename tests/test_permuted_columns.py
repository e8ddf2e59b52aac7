"""The order of the columns of a table changes nothing but where a law lists its operands."""

import numpy as np
import pandas as pd
import pytest

from mosaic_sr import MosaicRegressor
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.text import parse
from mosaic_sr.proposal import PROPOSERS

NAMES = ["a", "b", "c", "d"]
FORMULAS = {
    "a*b/c + 0.7*d": lambda a, b, c, d: a * b / c + 0.7 * d,
    "a*sin(b) + c": lambda a, b, c, d: a * np.sin(b) + c,
    "sqrt(a^2 + b^2) - c*d": lambda a, b, c, d: np.sqrt(a**2 + b**2) - c * d,
    "exp(-a)*b + c^2": lambda a, b, c, d: np.exp(-a) * b + c**2,
}


def law_of(frame, y):
    # Of the proposers those that are quick; all of them read the same table.
    others = [name for name in PROPOSERS if name not in ("products", "sums")]
    return MosaicRegressor(random_state=0, max_evaluations=2500, without=others).fit(frame, y).law_


@pytest.mark.parametrize("formula", FORMULAS)
def test_permuted_columns_of_a_noisy_table_lead_to_the_same_law(formula):
    rng = np.random.default_rng(len(formula))
    X = rng.uniform(0.5, 3.0, size=(80, 4))
    y = FORMULAS[formula](*X.T) * (1.0 + 0.05 * rng.normal(size=80))
    frame = pd.DataFrame(X, columns=NAMES)
    expected = law_of(frame, y)
    law = law_of(frame[["c", "a", "d", "b"]], y)
    assert canonical(parse(law.text(), NAMES)) == canonical(parse(expected.text(), NAMES))
    assert law.training == expected.training
    assert sorted(law.standard_errors) == pytest.approx(sorted(expected.standard_errors), nan_ok=True)


def test_operands_are_listed_in_the_order_of_the_columns():
    X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 3))
    y = X[:, 0] * X[:, 1] * X[:, 2]
    for names in (["a", "b", "c"], ["c", "b", "a"]):
        assert str(law_of(pd.DataFrame(X, columns=names), y)) == "*".join(names)
