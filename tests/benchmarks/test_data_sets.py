"""The suite of one law and several data sets: what methods see, its noise and its verdict."""

import numpy as np
import pytest

from benchmarks.judge import _of_group
from benchmarks.suites import load, with_noise

PROBLEM = load("class").problem("class-radioactive-decay")


def test_a_method_sees_variables_and_groups_but_no_constants_of_data_sets():
    draw = PROBLEM.draw(0)
    seen = draw.train.without_columns(PROBLEM.num_hidden)
    assert seen.columns.shape == (1, 1000)
    assert np.bincount(seen.groups).tolist() == [100] * 10


def test_noise_has_the_size_of_each_data_set():
    train = PROBLEM.draw(0).train
    noisy = with_noise(train, 0.1, "additive", np.random.default_rng(0))
    for group in range(10):
        own, clean = noisy.of_group(group), train.of_group(group)
        assert np.std(own.target - clean.target) == pytest.approx(0.1 * np.sqrt(np.mean(clean.target**2)), rel=0.3)


def test_the_truth_of_a_group_has_its_constants():
    draw = PROBLEM.draw(0)
    own, rows = _of_group(PROBLEM, draw, 3)
    assert own.num_columns == 1
    assert own.law(rows.test.columns) == pytest.approx(rows.test.target, rel=1e-12)
    assert own.law(rows.train.columns) == pytest.approx(draw.train.of_group(3).target, rel=1e-12)
