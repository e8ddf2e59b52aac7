"""SRBench's Feynman problems: as many as it runs, in their ranges, with their values."""

import numpy as np
import pytest

from benchmarks.suites import SUITES

PROBLEMS = SUITES["srbench-feynman"].problems


def test_the_four_that_srbench_does_not_run_are_left_out():
    names = {problem.id for problem in PROBLEMS}
    assert len(names) == len(PROBLEMS) == 116
    assert sum(name.startswith("feynman_test_") for name in names) == 19
    assert not names & {"feynman_I_26_2", "feynman_I_30_5", "feynman_test_10", "feynman_II_11_17"}


def test_rows_fill_their_ranges():
    for problem in PROBLEMS:
        draw = problem.draw(0)
        assert (draw.train.num_rows, draw.validation, draw.test.num_rows) == (10_000, None, 2_500)
        for axis, column in zip(problem.source.train.axes, draw.train.columns, strict=True):
            assert axis.low <= column.min() < axis.low + 0.01 * (axis.high - axis.low)
            assert axis.high - 0.01 * (axis.high - axis.low) < column.max() <= axis.high


# Some laws in the symbols of the lectures, in the order of their columns.
LAWS = {
    "feynman_I_6_2": lambda sigma, theta: np.exp(-((theta / sigma) ** 2) / 2) / (np.sqrt(2 * np.pi) * sigma),
    "feynman_I_12_11": lambda q, field, b, v, theta: q * (field + b * v * np.sin(theta)),
    "feynman_I_15_3t": lambda x, c, u, t: (t - u * x / c**2) / np.sqrt(1 - u**2 / c**2),
    "feynman_I_41_16": lambda w, t, h, k, c: (
        h / (2 * np.pi) * w**3 / (np.pi**2 * c**2 * np.expm1(h / (2 * np.pi) * w / (k * t)))
    ),
    "feynman_II_6_15a": lambda eps, p, r, x, y, z: p / (4 * np.pi * eps) * 3 * z / r**5 * np.hypot(x, y),
    "feynman_II_35_18": lambda n, k, t, m, b: n / (2 * np.cosh(m * b / (k * t))),
    "feynman_III_9_52": lambda p, e, t, h, w, w0: (
        2 * np.pi * p * e * t / h * np.sin((w - w0) * t / 2) ** 2 / ((w - w0) * t / 2) ** 2
    ),
    "feynman_test_5": lambda d, g, m1, m2: 2 * np.pi * d**1.5 / np.sqrt(g * (m1 + m2)),
    "feynman_test_9": lambda g, c, m1, m2, r: -32 / 5 * g**4 / c**5 * (m1 * m2) ** 2 * (m1 + m2) / r**5,
}


@pytest.mark.parametrize(("name", "law"), LAWS.items())
def test_targets_follow_the_laws_of_the_lectures(name, law):
    train = SUITES["srbench-feynman"].problem(name).draw(0).train
    np.testing.assert_allclose(train.target, law(*train.columns), rtol=1e-9)
