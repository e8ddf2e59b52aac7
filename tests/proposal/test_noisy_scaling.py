"""Scaling laws of noisy rows: exponents from a smooth function, decisions by fits to the rows."""

from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.products.noisy import find_noisy_laws
from mosaic_sr.proposal.products.scaling import ONE_GROUP, STAGES
from mosaic_sr.proposal.smoothing import SmoothedRows, smooth_rows
from mosaic_sr.table import Rows

LAWS = {
    "a decay": lambda x: x[0] * np.exp(-x[1] * x[2] / x[3]),
    "a saturation": lambda x: 2.0 * x[0] * x[1] / (x[1] + 1.5 * x[2] ** 2),
    "a relativistic factor": lambda x: x[0] / np.sqrt(1.0 - (0.2 * x[1] / x[2]) ** 2),
}


@pytest.mark.parametrize("name", ["a decay", "a saturation"])
def test_the_law_is_among_the_first_though_a_tenth_of_the_target_is_noise(name):
    rng = np.random.default_rng(1)
    columns = rng.uniform(1.0, 4.0, (4, 400))
    clean = LAWS[name](columns)
    rows = smooth_rows(Rows(columns, clean + 0.1 * np.std(clean) * rng.standard_normal(400), np.empty(0)))
    used = [column for column in range(4) if name == "a decay" or column < 3]
    steps = find_noisy_laws(rows, used, STAGES[0], ONE_GROUP, np.random.default_rng(0))
    laws = [law for law in steps if law is not None]
    wide = rng.uniform(1.0, 8.0, (4, 200))
    truth = LAWS[name](wide)
    away = [np.max(np.abs(evaluate_expression(law.law, wide) - truth)) / np.ptp(truth) for law in laws[:6]]
    assert min(away) < 0.05
    assert all(law.front.columns for law in laws[:3])


def test_the_same_seed_gives_the_same_laws():
    rng = np.random.default_rng(2)
    columns = rng.uniform(1.0, 4.0, (3, 300))
    clean = LAWS["a relativistic factor"](columns)
    rows = smooth_rows(Rows(columns, clean + 0.05 * np.std(clean) * rng.standard_normal(300), np.empty(0)))
    effort = ONE_GROUP
    first, second = (
        list(find_noisy_laws(rows, [0, 1, 2], STAGES[0][:4], effort, np.random.default_rng(5))) for _ in range(2)
    )
    assert [one and one.law for one in first] == [one and one.law for one in second]
    assert any(first)


def test_rows_of_which_no_value_is_known_have_no_laws():
    rng = np.random.default_rng(3)
    rows = Rows(rng.uniform(1.0, 4.0, (2, 300)), rng.standard_normal(300), np.empty(0))
    smooth = SmoothedRows(rows, replace(rows, target=1e-3 * rows.columns[0]), error=1.0)
    assert list(find_noisy_laws(smooth, [0, 1], STAGES[0], ONE_GROUP, rng)) == []
